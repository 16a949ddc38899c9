// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: NVMe commands: from doorbells to completions.
#include "models/nvme/device_port.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"

namespace tlmssd::nvme {

PortStats PortStats::since(const PortStats& before) const
{
    PortStats s = *this;
    s.submission_bells -= before.submission_bells;
    s.completion_bells -= before.completion_bells;
    s.fetches -= before.fetches;
    s.commands -= before.commands;
    s.prp_lists -= before.prp_lists;
    s.completions -= before.completions;
    return s;
}

DevicePort::DevicePort(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Nvme& config,
                       const DeviceFacts& facts, DramIf& dram)
    : sc_module(name), event_queue_(event_queue), dram_(dram), config_(config), capacity_(facts.sectors),
      unit_mask_(facts.sectors_per_unit - 1), arbiter_(config), queues_(config.queues),
      open_(facts.tags),
      read_timer_(event_queue, time::Priority::Dma, time::Timer::call<&DevicePort::on_dram_read, DevicePort>, this),
      write_timer_(event_queue, time::Priority::Dma, time::Timer::call<&DevicePort::on_dram_written, DevicePort>, this)
{
}

void DevicePort::on_arrival(const Transfer& t)
{
    switch (t.kind) {
    case Transfer::Kind::SubmissionBell: on_submission_bell(t.queue, t.value); return;
    case Transfer::Kind::CompletionBell: ++stats_.completion_bells; return;
    case Transfer::Kind::Entries: on_entries(t.queue, t.value, t.count); return;
    case Transfer::Kind::PrpList: on_list(t.tag); return;
    case Transfer::Kind::Range: on_range(t.tag); return;
    case Transfer::Kind::WriteData: on_write_data(t); return;
    case Transfer::Kind::ReadData:
    case Transfer::Kind::Completion: break;
    }
    throw ModelError("nvme: the device got a transfer that is for the host");
}

void DevicePort::on_submission_bell(u32 queue, u32 tail)
{
    Queue& q = queues_[queue];
    arbiter_.add(queue, (tail + config_.queue_entries - q.tail) % config_.queue_entries);
    q.tail = tail;
    ++stats_.submission_bells;
    stats_.most_waiting = std::max(stats_.most_waiting, arbiter_.waiting());
    fetch();
}

void DevicePort::fetch()
{
    while (!arbiter_.empty() && outstanding_ < config_.commands) {
        const Arbiter::Turn turn = arbiter_.next(config_.commands - outstanding_);
        outstanding_ += turn.count;
        Queue& q = queues_[turn.queue];
        for (u32 left = turn.count; left != 0;) { // in two pieces where it passes the end of the queue
            const u32 count = std::min(left, config_.queue_entries - q.head);
            Transfer t;
            t.kind = Transfer::Kind::Entries;
            t.queue = static_cast<u16>(turn.queue);
            t.value = q.head;
            t.count = static_cast<u16>(count);
            t.bytes = count * kSubmissionBytes;
            ++stats_.fetches;
            stats_.commands += count;
            q.head = (q.head + count) % config_.queue_entries;
            left -= count;
            link_->read(t, false);
        }
    }
}

void DevicePort::on_entries(u32 queue, u32 slot, u32 count)
{
    for (u32 i = 0; i < count; ++i) {
        accept(queue, decode(memory_->submission(queue, slot + i)));
    }
}

void DevicePort::accept(u32 queue, const Command& c)
{
    const bool trim = c.opcode == kDatasetManagement;
    const bool data = c.opcode == kRead || c.opcode == kWrite;
    if (c.id >= open_.size() || open_[c.id].opcode != 0) {
        refuse(queue, c.id, kIdConflict);
        return;
    }
    if (!data && !trim && c.opcode != kFlush) {
        refuse(queue, c.id, kInvalidOpcode);
        return;
    }
    if (data && (c.lba >= capacity_ || c.sectors > capacity_ - c.lba)) {
        refuse(queue, c.id, kLbaOutOfRange);
        return;
    }
    if (trim && !c.deallocate) { // the other attributes are hints
        refuse(queue, c.id, kSuccess);
        return;
    }
    Open& o = open_[c.id];
    o.lba = c.lba;
    o.sectors = c.sectors;
    o.first = static_cast<u32>(c.prp1 % kPageBytes);
    o.queue = static_cast<u16>(queue);
    o.opcode = c.opcode == kRead    ? HAL_HOST_READ
               : c.opcode == kWrite ? HAL_HOST_WRITE
               : trim               ? HAL_HOST_TRIM
                                    : HAL_HOST_FLUSH;
    o.flags = static_cast<u8>((c.fua ? HAL_HOST_FUA : 0) | arbiter_.class_of(queue) << HAL_HOST_PRIORITY_SHIFT);
    Transfer t;
    t.tag = c.id;
    if (trim) {
        t.kind = Transfer::Kind::Range;
        t.bytes = kRangeBytes;
        link_->read(t, false);
        return;
    }
    const u32 list = data ? prp_list_bytes(o.first, o.sectors * 512) : 0;
    o.list = list != 0;
    if (o.list) {
        t.kind = Transfer::Kind::PrpList;
        t.bytes = list;
        ++stats_.prp_lists;
        link_->read(t, false);
    }
    hand_over(c.id);
}

void DevicePort::hand_over(u32 tag)
{
    const Open& o = open_[tag];
    hal_host_command command{};
    command.lba = o.lba;
    command.sectors = o.sectors;
    command.tag = static_cast<u16>(tag);
    command.opcode = o.opcode;
    command.flags = o.flags;
    sink_->on_host_command(command);
}

void DevicePort::on_range(u32 tag)
{
    const Range range = decode(memory_->range(tag));
    Open& o = open_[tag];
    if (range.sectors == 0 || range.lba >= capacity_ || range.sectors > capacity_ - range.lba) {
        const u32 queue = o.queue;
        o.opcode = 0;
        refuse(queue, tag, range.sectors == 0 ? kInvalidField : kLbaOutOfRange);
        return;
    }
    o.lba = range.lba;
    o.sectors = range.sectors;
    hand_over(tag);
}

/// An end without the firmware.
void DevicePort::refuse(u32 queue, u32 id, u16 status)
{
    post(queue, id, status);
    --outstanding_;
    fetch();
}

void DevicePort::complete(u32 tag, u32 status)
{
    if (tag >= open_.size() || open_[tag].opcode == 0) {
        throw ModelError("nvme: firmware completed tag " + std::to_string(tag) + ", which has no command");
    }
    Open& o = open_[tag];
    const u16 failed = o.opcode == HAL_HOST_READ    ? kUnrecoveredRead
                       : o.opcode == HAL_HOST_WRITE ? kWriteFault
                                                    : kInternalError;
    o.opcode = 0;
    post(o.queue, tag, status == HAL_HOST_OK ? u16{kSuccess} : failed);
    --outstanding_;
    fetch();
}

void DevicePort::post(u32 queue, u32 id, u16 status)
{
    Queue& q = queues_[queue];
    Completion c;
    c.head = static_cast<u16>(q.head);
    c.queue = static_cast<u16>(queue);
    c.id = static_cast<u16>(id);
    c.phase = q.phase;
    c.status = status;
    memory_->post(queue, q.completion, encode(c));
    if (++q.completion == config_.queue_entries) {
        q.completion = 0;
        q.phase = !q.phase;
    }
    ++stats_.completions;
    Transfer t;
    t.kind = Transfer::Kind::Completion;
    t.queue = static_cast<u16>(queue);
    t.tag = static_cast<u16>(id);
    t.bytes = kCompletionBytes;
    link_->post(t);
}

} // namespace tlmssd::nvme
