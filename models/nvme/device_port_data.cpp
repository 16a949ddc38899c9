// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: data of NVMe commands between page buffers and host memory.
#include <algorithm>
#include <string>

#include "models/common/error.h"
#include "models/nvme/device_port.h"

namespace tlmssd::nvme {

namespace {

constexpr u32 kDramBytes = 8192; // of one DRAM transfer at most

u32 address_of(const hal_host_dma& dma, u32 sectors) { return dma.buf + (dma.sector + sectors) * 512; }

} // namespace

void DevicePort::check(const hal_host_dma& dma) const
{
    const u8 opcode = dma.to_host ? HAL_HOST_READ : HAL_HOST_WRITE;
    if (dma.tag >= open_.size() || open_[dma.tag].opcode != opcode || dma.sectors == 0 ||
        u64{dma.offset} + dma.sectors > open_[dma.tag].sectors ||
        ((open_[dma.tag].lba + dma.offset - dma.sector) & unit_mask_) != 0) {
        throw ModelError("nvme: firmware started a host DMA that does not fit the command of tag " +
                         std::to_string(dma.tag));
    }
}

/// Data behind the first memory page, while the list that says where they go is on its way.
bool DevicePort::needs_list(const hal_host_dma& dma) const
{
    const Open& o = open_[dma.tag];
    return o.list && o.first + (dma.offset + dma.sectors) * 512 > kPageBytes;
}

void DevicePort::start_dma(const hal_host_dma& dma)
{
    check(dma);
    __builtin_prefetch(dram_.tags(address_of(dma, 0)));
    if (needs_list(dma)) {
        deferred_.push(dma);
    } else {
        move(dma);
    }
}

void DevicePort::on_list(u32 tag)
{
    open_[tag].list = false;
    for (std::size_t left = deferred_.size(); left != 0; --left) {
        const hal_host_dma dma = deferred_.pop();
        if (dma.tag == tag) {
            move(dma);
        } else {
            deferred_.push(dma);
        }
    }
}

DramEnd DevicePort::dram(u32 at, u32 bytes, bool write)
{
    DramEnd end;
    while (bytes != 0) {
        const u32 now = std::min(bytes, kDramBytes);
        end = dram_.begin(event_queue_.now(), {at, now, write, DramMaster::Link});
        at += now;
        bytes -= now;
    }
    return end;
}

/// Pieces that end where a memory page ends.
template <class Use>
void DevicePort::for_pieces(const hal_host_dma& dma, Use use) const
{
    Transfer t;
    t.tag = dma.tag;
    u32 place = open_[dma.tag].first + dma.offset * 512;
    for (u32 done = 0; done < dma.sectors; done += t.sectors) {
        t.offset = done;
        t.sectors = std::min(dma.sectors - done, (kPageBytes - place % kPageBytes) / 512);
        t.bytes = t.sectors * 512;
        t.last = done + t.sectors == dma.sectors;
        place += t.bytes;
        use(t);
    }
}

void DevicePort::move(const hal_host_dma& dma)
{
    if (!dma.to_host) {
        to_device_.push(dma);
        for_pieces(dma, [this](Transfer& t) {
            t.kind = Transfer::Kind::WriteData;
            link_->read(t, true);
        });
        return;
    }
    reading_.push({dma, dram(address_of(dma, 0), dma.sectors * 512u, false)});
    if (!read_timer_.armed()) {
        read_timer_.arm(reading_.front().end.at);
    }
}

void DevicePort::on_dram_read()
{
    while (!reading_.empty() && dram_.over(reading_.front().end, event_queue_.now())) {
        const hal_host_dma dma = reading_.pop().dma;
        if (observer_ != nullptr) {
            observer_->on_dma_on_link(dma.tag, dma.cookie, event_queue_.now());
        }
        to_host_.push(dma);
        for_pieces(dma, [this](Transfer& t) {
            t.kind = Transfer::Kind::ReadData;
            link_->write(t);
        });
    }
    if (!reading_.empty()) {
        read_timer_.arm(reading_.front().end.at);
    }
}

void DevicePort::on_delivered(const Transfer& transfer)
{
    if (transfer.last) {
        const hal_host_dma dma = to_host_.pop();
        const u32 at = address_of(dma, 0);
        memory_->receive(dma.tag, dma.offset, dma.sectors, dram_.tags(at), dram_.bytes(at));
        finish(dma);
    }
}

void DevicePort::on_write_data(const Transfer& transfer)
{
    const hal_host_dma& dma = to_device_.front();
    const DramEnd end = dram(address_of(dma, transfer.offset), transfer.bytes, true);
    if (!transfer.last) {
        return;
    }
    if (observer_ != nullptr) {
        observer_->on_dma_off_link(dma.tag, dma.cookie, event_queue_.now());
    }
    writing_.push({to_device_.pop(), end});
    if (!write_timer_.armed()) {
        write_timer_.arm(writing_.front().end.at);
    }
}

void DevicePort::on_dram_written()
{
    while (!writing_.empty() && dram_.over(writing_.front().end, event_queue_.now())) {
        const hal_host_dma dma = writing_.pop().dma;
        const u32 at = address_of(dma, 0);
        memory_->provide(dma.tag, dma.offset, dma.sectors, dram_.tags(at), dram_.bytes(at));
        finish(dma);
    }
    if (!writing_.empty()) {
        write_timer_.arm(writing_.front().end.at);
    }
}

void DevicePort::finish(const hal_host_dma& dma)
{
    sink_->on_host_dma_done(dma.tag, dma.cookie);
    if (dma.complete) {
        complete(dma.tag, HAL_HOST_OK);
    }
}

} // namespace tlmssd::nvme
