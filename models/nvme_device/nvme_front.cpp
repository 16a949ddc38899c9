// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the registers and processes of an NVMe controller in a platform.
#include "models/nvme_device/nvme_front.h"

#include <algorithm>

namespace tlmssd::nvme_device {

namespace {

constexpr u32 kSectorBytes = 512;
constexpr u32 kChunkBytes = 8192; // of one DRAM transfer

sc_core::sc_time kernel_time(Picoseconds t) { return sc_core::sc_time::from_value(t.value()); }

u32 address_of(const hal_host_dma& dma) { return dma.buf + u32{dma.sector} * kSectorBytes; }

} // namespace

NvmeFront::NvmeFront(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Pcie& pcie,
                     const FrontOptions& options, DramIf& dram, u32 sectors_per_unit)
    : sc_module(name), registers("registers"), memory("memory"), interrupt("interrupt"), event_queue_(event_queue),
      dram_(dram), options_(options), unit_shift_(static_cast<u32>(__builtin_ctz(sectors_per_unit))),
      path_(memory, pcie), controller_(options.facts, path_, *this, *this),
      block_{controller_.register_bytes(), [this](u32 offset) { return controller_.read(offset); },
             [this](u32 offset, u32 value, u32 mask) { controller_.write(offset, value, mask); }},
      tags_(options.facts.tags)
{
    registers.register_b_transport(this, &NvmeFront::b_transport);
    registers.register_transport_dbg(this, &NvmeFront::transport_dbg);
    SC_THREAD(fetch);
    SC_THREAD(post);
    for (u32 i = 0; i < kEngines; ++i) {
        sc_core::sc_spawn([this] { engine(); }, sc_core::sc_gen_unique_name("engine"));
    }
    SC_METHOD(on_deadline);
    sensitive << deadline_;
    dont_initialize();
    SC_METHOD(drive); // alone writes the signal, whatever has changed it
    sensitive << drive_;
}

void NvmeFront::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    delay += options_.register_time;
    if (delay != sc_core::SC_ZERO_TIME) { // registers act: at the time of the access, not before
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
    }
    if (pci::access(block_, payload) && payload.is_write()) {
        wake();
    }
}

u32 NvmeFront::transport_dbg(tlm::tlm_generic_payload& payload) { return pci::peek(block_, payload); }

void NvmeFront::wake()
{
    event_queue_.notify(fetch_event_);
    event_queue_.notify(post_event_);
}

void NvmeFront::fetch()
{
    for (;;) {
        while (controller_.fetch()) {
            event_queue_.notify(post_event_);
            if (options_.fetch_time != sc_core::SC_ZERO_TIME) {
                sc_core::wait(options_.fetch_time);
            }
        }
        sc_core::wait(fetch_event_);
    }
}

void NvmeFront::post()
{
    for (;;) {
        while (controller_.post()) {
            event_queue_.notify(fetch_event_); // there may be a place in its completion queue
            const Picoseconds due = controller_.deadline();
            if (due != kTimeNever) {
                deadline_.notify(kernel_time(max(due, now()) - now()));
            }
            if (options_.completion_time != sc_core::SC_ZERO_TIME) {
                sc_core::wait(options_.completion_time);
            }
        }
        sc_core::wait(post_event_);
    }
}

void NvmeFront::on_deadline()
{
    controller_.expire();
    const Picoseconds due = controller_.deadline();
    if (due != kTimeNever) {
        deadline_.notify(kernel_time(due - now()));
    }
}

void NvmeFront::engine()
{
    Engine& mine = engines_[started_++];
    for (;;) {
        while (!mine.waiting.empty()) {
            move(mine.waiting.pop());
        }
        sc_core::wait(mine.kick);
    }
}

/// Of one page buffer. A write without its data goes on as one that the host has aborted.
void NvmeFront::move(const hal_host_dma& dma)
{
    const u32 at = address_of(dma);
    const u32 bytes = u32{dma.sectors} * kSectorBytes;
    const u32 offset = dma.offset * kSectorBytes;
    u32 cookie = dma.cookie;
    if (dma.to_host) {
        occupy_dram(at, bytes, false);
        if (observer_ != nullptr) {
            observer_->on_dma_on_link(dma.tag, dma.cookie, now());
        }
        controller_.to_host(dma.tag, offset, dram_.bytes(at), bytes);
    } else if (controller_.from_host(dma.tag, offset, dram_.bytes(at), bytes)) {
        if (observer_ != nullptr) {
            observer_->on_dma_off_link(dma.tag, dma.cookie, now());
        }
        put_tags(dma, at);
        occupy_dram(at, bytes, true);
    } else {
        cookie |= HAL_HOST_DMA_ABORTED;
    }
    sink_->on_host_dma_done(dma.tag, cookie);
    if (dma.complete) {
        complete(dma.tag, HAL_HOST_OK);
    }
}

void NvmeFront::occupy_dram(u32 at, u32 bytes, bool write)
{
    DramEnd end{now()};
    for (u32 done = 0; done < bytes; done += kChunkBytes) {
        end = dram_.begin(now(), {at + done, std::min(bytes - done, kChunkBytes), write, DramMaster::Link});
    }
    while (!dram_.over(end, now())) {
        sc_core::wait(kernel_time(end.at - now()));
    }
}

/// Each unit of the map that the data touch belongs to this command.
void NvmeFront::put_tags(const hal_host_dma& dma, u32 at)
{
    const Tag& tag = tags_[dma.tag];
    UnitTag* const cells = dram_.tags(at);
    const u64 first = (tag.lba + dma.offset) >> unit_shift_;
    const u64 last = (tag.lba + dma.offset + dma.sectors - 1) >> unit_shift_;
    for (u64 unit = first; unit <= last; ++unit) {
        cells[unit - first] = UnitTag{static_cast<u32>(unit) + 1, tag.version};
    }
}

void NvmeFront::submit(const BackendCommand& c)
{
    static constexpr u8 kOpcodes[] = {HAL_HOST_READ, HAL_HOST_WRITE, HAL_HOST_FLUSH, HAL_HOST_TRIM};
    hal_host_command command{};
    command.lba = c.lba;
    command.sectors = c.sectors;
    command.tag = static_cast<u16>(c.tag);
    command.opcode = kOpcodes[static_cast<u32>(c.op)];
    command.flags = static_cast<u8>((c.fua ? HAL_HOST_FUA : 0) | c.priority << HAL_HOST_PRIORITY_SHIFT);
    tags_[c.tag] = {c.lba, ++versions_};
    sink_->on_host_command(command);
}

void NvmeFront::start_dma(const hal_host_dma& dma)
{
    Engine& engine = engines_[dma.tag % kEngines];
    engine.waiting.push(dma);
    event_queue_.notify(engine.kick);
}

void NvmeFront::complete(u32 tag, u32 status)
{
    controller_.ended(tag, status == HAL_HOST_OK);
    wake();
}

void NvmeFront::reset_function()
{
    controller_.reset_function();
    wake();
}

void NvmeFront::message(u32 vector)
{
    if (message_) {
        message_(vector);
    }
}

void NvmeFront::level(bool on)
{
    pin_ = on;
    event_queue_.notify(drive_);
}

} // namespace tlmssd::nvme_device
