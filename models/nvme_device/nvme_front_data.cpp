// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: data of NVMe commands between page buffers and host memory.
#include <algorithm>
#include <cstring>
#include <string>

#include "models/common/error.h"
#include "models/nvme_device/nvme_front.h"

namespace tlmssd::nvme_device {

using nvme::Transfer;
using Kind = nvme::Transfer::Kind;

namespace {

constexpr u32 kSectorBytes = 512;
constexpr u32 kChunkBytes = 8192; // of one DRAM transfer at most

u32 address_of(const hal_host_dma& dma) { return dma.buf + u32{dma.sector} * kSectorBytes; }
u32 bytes_of(const hal_host_dma& dma) { return u32{dma.sectors} * kSectorBytes; }

} // namespace

void NvmeFront::check(const hal_host_dma& dma) const
{
    const u8 opcode = dma.to_host ? HAL_HOST_READ : HAL_HOST_WRITE;
    if (dma.tag >= tags_.size() || tags_[dma.tag].opcode != opcode || dma.sectors == 0 ||
        u64{dma.offset} + dma.sectors > tags_[dma.tag].sectors ||
        ((tags_[dma.tag].lba + dma.offset - dma.sector) & ((1u << unit_shift_) - 1)) != 0) {
        throw ModelError("nvme: firmware started a host DMA that does not fit the command of tag " +
                         std::to_string(dma.tag));
    }
}

DramEnd NvmeFront::dram(u32 at, u32 bytes, bool write)
{
    DramEnd end{now()};
    for (u32 done = 0; done < bytes; done += kChunkBytes) {
        end = dram_.begin(now(), {at + done, std::min(bytes - done, kChunkBytes), write, DramMaster::Link});
    }
    return end;
}

void NvmeFront::start_dma(const hal_host_dma& dma)
{
    check(dma);
    const u32 at = address_of(dma);
    __builtin_prefetch(dram_.tags(at));
    const u32 slot = dmas_.take();
    Dma& d = dmas_[slot];
    d.dma = dma;
    d.failed = false;
    if (dma.to_host) {
        d.end = dram(at, bytes_of(dma), false);
        reading_.push(slot);
        if (!read_timer_.armed()) {
            read_timer_.arm(dmas_[reading_.front()].end.at);
        }
        return;
    }
    if (controller_.begin_data(dma.tag) == Controller::Move::Zeroes) {
        if (u8* const bytes = dram_.bytes(at)) {
            std::memset(bytes, 0, bytes_of(dma));
        }
        d.end = dram(at, bytes_of(dma), true);
        to_dram(slot);
        return;
    }
    send_pieces(slot, Kind::WriteData);
}

/// Pieces that end where a memory page ends. A transfer without data, and what falls into a bucket, keep their turns
/// among the others of the command: as pieces without bytes.
u32 NvmeFront::send_pieces(u32 slot, Kind kind)
{
    Dma& d = dmas_[slot];
    const u32 tag = d.dma.tag;
    u8* const bytes = dram_.bytes(address_of(d.dma));
    Transfer t;
    t.kind = kind;
    t.slot = slot;
    t.tag = d.dma.tag;
    const auto send = [&](u64 address, u32 at, u32 count) {
        t.address = address;
        t.value = at;
        t.bytes = count;
        t.data = bytes == nullptr ? nullptr : bytes + at;
        ++d.pieces;
        kind == Kind::ReadData ? link_.write(t) : link_.read(t, true);
    };
    d.pieces = 0;
    const auto cut = [&](const Segment& s, u32 done) {
        if (d.pieces == 0) {
            d.address = s.address;
        }
        if (s.bucket) {
            send(s.address, done, 0);
            return true;
        }
        for (u32 at = 0; at < s.bytes;) {
            const u32 part = std::min(s.bytes - at, kMinPageBytes - static_cast<u32>((s.address + at) % kMinPageBytes));
            send(s.address + at, done + at, part);
            at += part;
        }
        return true;
    };
    const ScatterList& list = controller_.data(tag);
    if (list.bytes() != 0 && !controller_.orphan(tag)) {
        list.for_range(d.dma.offset * kSectorBytes, bytes_of(d.dma), cut);
    }
    if (d.pieces == 0) {
        send(0, 0, 0);
    }
    return d.pieces;
}

void NvmeFront::on_dram_read()
{
    while (!reading_.empty() && dram_.over(dmas_[reading_.front()].end, now())) {
        const u32 slot = reading_.pop();
        const hal_host_dma& dma = dmas_[slot].dma;
        if (observer_ != nullptr) {
            observer_->on_dma_on_link(dma.tag, dma.cookie, now());
        }
        if (controller_.begin_data(dma.tag) == Controller::Move::Compare) {
            comparing_.push(slot);
            event_queue_.notify(compare_event_);
        } else {
            send_pieces(slot, Kind::ReadData);
        }
    }
    if (!reading_.empty()) {
        read_timer_.arm(dmas_[reading_.front()].end.at);
    }
}

void NvmeFront::on_piece_there(const Transfer& t)
{
    Dma& d = dmas_[t.slot];
    d.failed |= t.failed;
    if (--d.pieces != 0) {
        return;
    }
    if (data_ != nullptr && !d.failed) {
        const u32 at = address_of(d.dma);
        data_->receive(d.address, d.dma.sectors, dram_.tags(at), dram_.bytes(at));
    }
    controller_.end_data(d.dma.tag, !d.failed);
    finish(t.slot, true);
}

void NvmeFront::on_piece_here(const Transfer& t)
{
    Dma& d = dmas_[t.slot];
    d.failed |= t.failed;
    d.end = t.failed ? DramEnd{now()} : dram(address_of(d.dma) + t.value, t.bytes, true);
    if (--d.pieces != 0) {
        return;
    }
    if (observer_ != nullptr) {
        observer_->on_dma_off_link(d.dma.tag, d.dma.cookie, now());
    }
    to_dram(t.slot);
}

void NvmeFront::to_dram(u32 slot)
{
    writing_.push(slot);
    if (!write_timer_.armed()) {
        write_timer_.arm(dmas_[writing_.front()].end.at);
    }
}

void NvmeFront::on_dram_written()
{
    while (!writing_.empty() && dram_.over(dmas_[writing_.front()].end, now())) {
        const u32 slot = writing_.pop();
        const Dma& d = dmas_[slot];
        const u32 at = address_of(d.dma);
        const bool good = controller_.end_data(d.dma.tag, !d.failed);
        if (good && data_ != nullptr) {
            data_->provide(d.address, d.dma.sectors, dram_.tags(at), dram_.bytes(at));
        } else if (good) {
            put_tags(d.dma, at);
        }
        finish(slot, good);
    }
    if (!writing_.empty() && !write_timer_.armed()) {
        write_timer_.arm(dmas_[writing_.front()].end.at);
    }
}

/// A process: host memory takes time inside.
void NvmeFront::compare()
{
    for (;;) {
        while (!comparing_.empty()) {
            const u32 slot = comparing_.pop();
            const hal_host_dma dma = dmas_[slot].dma;
            controller_.compare(dma.tag, dma.offset * kSectorBytes, dram_.bytes(address_of(dma)), bytes_of(dma));
            controller_.end_data(dma.tag, true);
            finish(slot, true);
        }
        sc_core::wait(compare_event_);
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

/// Not `good`: a write without its data goes on as one that the host has aborted.
void NvmeFront::finish(u32 slot, bool good)
{
    const hal_host_dma dma = dmas_[slot].dma;
    dmas_.free(slot);
    sink_->on_host_dma_done(dma.tag, dma.cookie | (good ? 0 : HAL_HOST_DMA_ABORTED));
    if (dma.complete) {
        complete(dma.tag, HAL_HOST_OK);
    }
}

} // namespace tlmssd::nvme_device
