// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the direct host port.
#include "models/host/direct_port.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/common/error.h"

namespace tlmssd::host {

namespace {
constexpr u32 kChunkBytes = 8192; // of one DRAM transfer
} // namespace

DirectPort::DirectPort(sc_core::sc_module_name name, time::EventQueue& event_queue,
                       const Geometry& geometry, DramIf& dram, double mb_per_s)
    : sc_module(name), event_queue_(event_queue), dram_(dram),
      timer_(event_queue, time::Priority::Dma, time::Timer::call<&DirectPort::on_timer, DirectPort>,
             this),
      unit_mask_(geometry.sectors_per_unit() - 1), byte_ps_(mb_per_s > 0 ? 1e6 / mb_per_s : 0)
{
}

void DirectPort::submit(const hal_host_command& command)
{
    commands_[command.tag] = {command.lba, command.sectors, command.opcode};
    sink_->on_host_command(command);
}

void DirectPort::check(const hal_host_dma& dma) const
{
    const u8 opcode = dma.to_host ? HAL_HOST_READ : HAL_HOST_WRITE;
    if (dma.tag >= kMaxTags || commands_[dma.tag].opcode != opcode || dma.sectors == 0 ||
        u64{dma.offset} + dma.sectors > commands_[dma.tag].sectors ||
        ((commands_[dma.tag].lba + dma.offset - dma.sector) & unit_mask_) != 0) {
        throw ModelError("direct: firmware started a host DMA that does not fit the command of "
                         "tag " +
                         std::to_string(dma.tag));
    }
}

void DirectPort::start_dma(const hal_host_dma& dma)
{
    check(dma);
    __builtin_prefetch(dram_.tags(dma.buf + u32{dma.sector} * kSectorBytes));
    if (byte_ps_ > 0 && !dma.to_host) {
        to_link(to_device_, dma);
    } else {
        to_dram(dma);
    }
    arm();
}

void DirectPort::to_dram(const hal_host_dma& dma)
{
    const Picoseconds now = event_queue_.now();
    DramEnd end{now};
    u32 at = dma.buf + u32{dma.sector} * kSectorBytes;
    for (u32 left = u32{dma.sectors} * kSectorBytes; left != 0;) {
        const u32 bytes = std::min(left, kChunkBytes);
        end = dram_.begin(now, {at, bytes, !dma.to_host, DramMaster::Link});
        at += bytes;
        left -= bytes;
    }
    transfers_.push({dma, end});
}

void DirectPort::to_link(Lane& lane, const hal_host_dma& dma)
{
    const double bytes = u32{dma.sectors} * kSectorBytes;
    const Picoseconds time(static_cast<u64>(std::llround(bytes * byte_ps_)));
    lane.free = max(lane.free, event_queue_.now()) + time;
    lane.booked += time;
    lane.transfers.push({dma, lane.free});
}

void DirectPort::arm()
{
    Picoseconds next = transfers_.empty() ? kTimeNever : transfers_.front().end.at;
    if (byte_ps_ > 0) {
        for (const Lane* lane : {&to_host_, &to_device_}) {
            next = lane->transfers.empty() ? next : min(next, lane->transfers.front().end);
        }
    }
    if (next != kTimeNever && !(timer_.armed() && timer_.at() <= next)) {
        timer_.arm(next);
    }
}

void DirectPort::on_timer()
{
    const Picoseconds now = event_queue_.now();
    const auto ended = [now](const Fifo<Transfer>& queue) {
        return !queue.empty() && queue.front().end <= now;
    };
    while (!transfers_.empty() && dram_.over(transfers_.front().end, now)) {
        const hal_host_dma dma = transfers_.pop().dma;
        if (byte_ps_ == 0 || !dma.to_host) {
            finish(dma);
            continue;
        }
        if (observer_ != nullptr) {
            observer_->on_dma_on_link(dma.tag, dma.cookie, now);
        }
        to_link(to_host_, dma);
    }
    while (ended(to_host_.transfers)) {
        finish(to_host_.transfers.pop().dma);
    }
    while (ended(to_device_.transfers)) {
        const hal_host_dma dma = to_device_.transfers.pop().dma;
        if (observer_ != nullptr) {
            observer_->on_dma_off_link(dma.tag, dma.cookie, now);
        }
        to_dram(dma);
    }
    arm();
}

void DirectPort::finish(const hal_host_dma& dma)
{
    const u32 address = dma.buf + u32{dma.sector} * kSectorBytes;
    UnitTag* cells = dram_.tags(address);
    u8* bytes = dram_.bytes(address);
    if (dma.to_host) {
        client_->receive(dma.tag, dma.offset, dma.sectors, cells, bytes);
    } else {
        client_->provide(dma.tag, dma.offset, dma.sectors, cells, bytes);
    }
    sink_->on_host_dma_done(dma.tag, dma.cookie);
    if (dma.complete) {
        complete(dma.tag, HAL_HOST_OK);
    }
}

void DirectPort::complete(u32 tag, u32 status)
{
    if (tag >= kMaxTags || commands_[tag].opcode == 0) {
        throw ModelError("direct: firmware completed tag " + std::to_string(tag) +
                         ", which has no command");
    }
    commands_[tag].opcode = 0;
    client_->on_completed(tag, status);
}

} // namespace tlmssd::host
