// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the units of an NVMe controller: fetch, decoding, completion, interrupts.
#include "models/nvme_device/nvme_front.h"

#include <string>

#include "models/common/error.h"

namespace tlmssd::nvme_device {

using nvme::Transfer;
using Kind = nvme::Transfer::Kind;

NvmeFront::NvmeFront(sc_core::sc_module_name name, time::EventQueue& event_queue, nvme::PcieLink& link,
                     const FrontOptions& options, DramIf& dram)
    : sc_module(name), event_queue_(event_queue), link_(link), dram_(dram),
      unit_shift_(static_cast<u32>(__builtin_ctz(options.sectors_per_unit))), memory_(event_queue, link),
      controller_(options.facts, memory_, *this, *this),
      fetch_(event_queue, time::Timer::call<&NvmeFront::on_fetch_time, NvmeFront>, this, options.units.fetch),
      decode_(event_queue, time::Timer::call<&NvmeFront::on_decode_time, NvmeFront>, this, options.units.decode),
      post_(event_queue, time::Timer::call<&NvmeFront::on_post_time, NvmeFront>, this, options.units.completion),
      deadline_(event_queue, time::Priority::Link, time::Timer::call<&NvmeFront::on_deadline, NvmeFront>, this),
      read_timer_(event_queue, time::Priority::Dma, time::Timer::call<&NvmeFront::on_dram_read, NvmeFront>, this),
      write_timer_(event_queue, time::Priority::Dma, time::Timer::call<&NvmeFront::on_dram_written, NvmeFront>, this),
      tags_(options.facts.tags)
{
    link.bind_device(*this);
    SC_THREAD(execute_slowly);
    SC_THREAD(compare);
}

/// False: it takes no time.
bool NvmeFront::occupy(Unit& unit)
{
    if (unit.time == Picoseconds() || link_.timeless()) {
        return false;
    }
    unit.busy = true;
    unit.timer.arm(core_ ? core_(unit.time) : now() + unit.time);
    return true;
}

/// A completion goes before the fetch for which it has made place.
void NvmeFront::wake()
{
    start_post();
    start_fetch();
}

// ---- fetch ----

void NvmeFront::start_fetch()
{
    while (!fetch_.busy && controller_.begin_fetch(next_fetch_)) {
        if (!occupy(fetch_)) {
            send_fetch();
        }
    }
}

void NvmeFront::on_fetch_time()
{
    fetch_.busy = false;
    send_fetch();
    start_fetch();
}

void NvmeFront::send_fetch()
{
    const u32 slot = fetches_.take();
    FetchSlot& f = fetches_[slot];
    f.fetch = next_fetch_;
    Transfer t;
    t.kind = Kind::Entries;
    t.slot = slot;
    t.address = f.fetch.address;
    t.bytes = f.fetch.count * kSubmissionBytes;
    t.data = f.bytes.data();
    link_.read(t, false);
}

// ---- decoding ----

void NvmeFront::decode()
{
    while (!decode_.busy && controller_.has_entry()) {
        if (!occupy(decode_)) {
            execute();
        }
    }
}

void NvmeFront::on_decode_time()
{
    decode_.busy = false;
    if (controller_.has_entry()) { // a reset drops them
        execute();
    }
    decode();
}

void NvmeFront::execute()
{
    if (!link_.timeless() && controller_.reads_memory()) {
        decode_.busy = slow_ = true;
        event_queue_.notify(slow_event_);
        return;
    }
    controller_.execute();
    wake();
}

/// A process: host memory takes time inside.
void NvmeFront::execute_slowly()
{
    for (;;) {
        while (slow_) {
            slow_ = false;
            if (controller_.has_entry()) {
                controller_.execute();
            }
            decode_.busy = false;
            wake();
            decode();
        }
        sc_core::wait(slow_event_);
    }
}

// ---- completion ----

void NvmeFront::start_post()
{
    while (!post_.busy && controller_.begin_post(next_post_)) {
        if (!occupy(post_)) {
            send_post();
        }
    }
}

void NvmeFront::on_post_time()
{
    post_.busy = false;
    send_post();
    start_post();
}

/// The interrupt follows its entry.
void NvmeFront::send_post()
{
    const u32 slot = posts_.take();
    Controller::Post& p = posts_[slot];
    p = next_post_;
    posting_ = true;
    announced_ = rise_ = false;
    controller_.announce(p);
    posting_ = false;
    arm_deadline();
    const bool rise = rise_;
    Transfer t;
    t.kind = Kind::Completion;
    t.interrupt = announced_;
    t.value = announced_vector_;
    t.slot = slot;
    t.address = p.address;
    t.bytes = kCompletionBytes;
    t.data = p.bytes.data();
    link_.post(t);
    if (rise) {
        level(true);
    }
}

void NvmeFront::message(u32 vector)
{
    if (posting_) {
        announced_ = true;
        announced_vector_ = vector;
        return;
    }
    Transfer t;
    t.kind = Kind::Interrupt;
    t.value = vector;
    link_.post(t);
}

/// A rise follows what it announces; a fall is seen at once.
void NvmeFront::level(bool on)
{
    level_ = on;
    if (!fall_) {
        return;
    }
    if (!on) {
        rise_ = false;
        fall_();
    } else if (posting_) {
        rise_ = true;
    } else {
        Transfer t;
        t.kind = Kind::Level;
        link_.post(t);
    }
}

void NvmeFront::arm_deadline()
{
    const Picoseconds due = controller_.deadline();
    if (due != kTimeNever) {
        deadline_.arm(max(due, now()));
    }
}

void NvmeFront::on_deadline()
{
    controller_.expire();
    arm_deadline();
}

// ---- the link ----

void NvmeFront::write_register(u32 offset, u32 value, u32 mask)
{
    controller_.write(offset, value, mask);
    wake();
}

void NvmeFront::on_arrival(const Transfer& t)
{
    switch (t.kind) {
    case Kind::Register:
    case Kind::SubmissionBell:
    case Kind::CompletionBell: write_register(static_cast<u32>(t.address), t.value, ~0u); return;
    case Kind::Entries:
        controller_.end_fetch(fetches_[t.slot].fetch, fetches_[t.slot].bytes.data(), !t.failed);
        fetches_.free(t.slot);
        decode();
        wake();
        return;
    case Kind::List: memory_.on_end(t); return;
    case Kind::WriteData: on_piece_here(t); return;
    default: break;
    }
    throw ModelError("nvme: the device got a transfer that is for the host");
}

void NvmeFront::on_delivered(const Transfer& t)
{
    switch (t.kind) {
    case Kind::ReadData: on_piece_there(t); return;
    case Kind::AdminData: memory_.on_end(t); return;
    case Kind::Completion:
        controller_.end_post(posts_[t.slot], !t.failed);
        posts_.free(t.slot);
        wake();
        return;
    default: return; // interrupts
    }
}

void NvmeFront::reset_function()
{
    controller_.reset_function();
    wake();
}

// ---- the SSD ----

void NvmeFront::submit(const BackendCommand& c)
{
    static constexpr u8 kOpcodes[] = {HAL_HOST_READ, HAL_HOST_WRITE, HAL_HOST_FLUSH, HAL_HOST_TRIM};
    hal_host_command command{};
    command.lba = c.lba;
    command.sectors = c.sectors;
    command.tag = static_cast<u16>(c.tag);
    command.opcode = kOpcodes[static_cast<u32>(c.op)];
    command.flags = static_cast<u8>((c.fua ? HAL_HOST_FUA : 0) | c.priority << HAL_HOST_PRIORITY_SHIFT);
    tags_[c.tag] = {c.lba, c.sectors, command.opcode, ++versions_};
    sink_->on_host_command(command);
}

void NvmeFront::complete(u32 tag, u32 status)
{
    if (tag >= tags_.size() || tags_[tag].opcode == 0) {
        throw ModelError("nvme: firmware completed tag " + std::to_string(tag) + ", which has no command");
    }
    tags_[tag].opcode = 0;
    controller_.ended(tag, status == HAL_HOST_OK);
    wake();
}

} // namespace tlmssd::nvme_device
