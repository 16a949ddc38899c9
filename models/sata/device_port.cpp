// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the device's half of the NCQ protocol.
#include "models/sata/device_port.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"

namespace tlmssd::sata {

namespace {

constexpr u32 kChunkSectors = kMaxDataBytes / kSectorBytes;

u32 chunk(u32 sectors) { return std::min(sectors, kChunkSectors); }

} // namespace

DevicePort::DevicePort(sc_core::sc_module_name name, time::EventWheel& wheel,
                       const Geometry& geometry, DramIf& dram, u32 tags, bool queued_trim)
    : sc_module(name), socket("socket"), wheel_(wheel), dram_(dram),
      dram_timer_(wheel, time::Priority::Dma,
                  time::Timer::call<&DevicePort::on_dram_written, DevicePort>, this),
      pool_(Side::Device, dram.bytes(0) != nullptr),
      unit_shift_(bits_for(geometry.sectors_per_unit())), tags_(tags), queued_trim_(queued_trim)
{
    socket.bind(*this);
}

u32 DevicePort::unit_count(u32 sector, u32 sectors) const
{
    return ((sector + sectors - 1) >> unit_shift_) - (sector >> unit_shift_) + 1;
}

UnitTag* DevicePort::cells(const hal_host_dma& dma, u32 first) const
{
    return dram_.tags(dma.buf + (dma.sector + first) * kSectorBytes);
}

u8* DevicePort::bytes(const hal_host_dma& dma, u32 first) const
{
    return dram_.bytes(dma.buf + (dma.sector + first) * kSectorBytes);
}

void DevicePort::check(const hal_host_dma& dma) const
{
    const u32 tag = dma.tag;
    const u8 opcode = dma.to_host ? HAL_HOST_READ : HAL_HOST_WRITE;
    if (tag >= tags_ || commands_[tag].opcode != opcode || dma.sectors == 0 ||
        u64{dma.offset} + dma.sectors > commands_[tag].sectors ||
        ((commands_[tag].lba + dma.offset - dma.sector) & ((1u << unit_shift_) - 1)) != 0) {
        throw ModelError("sata: firmware started a host DMA that does not fit the command of tag " +
                         std::to_string(tag));
    }
}

void DevicePort::start_dma(const hal_host_dma& dma)
{
    check(dma);
    __builtin_prefetch(cells(dma, 0));
    if (dma.to_host) {
        for (u32 done = 0; done < dma.sectors; done += kChunkSectors) {
            const u32 bytes = chunk(dma.sectors - done) * kSectorBytes;
            const u32 at = dma.buf + (dma.sector + done) * kSectorBytes;
            const Picoseconds ready = dram_.transfer(wheel_.now(), {at, bytes, false});
            reads_ready_.push(ready);
            if (observer_ != nullptr && done == 0) {
                observer_->on_dma_on_link(dma.tag, dma.cookie, ready);
            }
        }
    }
    dmas_.push(dma);
    if (!active_) {
        begin_next_dma();
    }
}

void DevicePort::begin_next_dma()
{
    moved_ = 0;
    range_data_ = !ranges_.empty();
    active_ = range_data_ || !dmas_.empty();
    if (!active_) {
        return;
    }
    if (range_data_) { // one block from the host, for the port itself
        dma_ = hal_host_dma{};
        dma_.tag = ranges_.pop();
        dma_.sectors = 1;
    } else {
        dma_ = dmas_.pop();
    }
    send_setup();
    if (dma_.to_host) {
        send_read_data();
    }
}

void DevicePort::send_setup()
{
    Frame& frame = pool_.take(kDmaSetupDwords);
    DmaSetup setup;
    setup.to_host = dma_.to_host;
    setup.auto_activate = !dma_.to_host;
    setup.tag = dma_.tag & 0x1fu;
    setup.port = static_cast<u8>(dma_.tag >> 5);
    setup.offset = dma_.offset * kSectorBytes;
    setup.count = u32{dma_.sectors} * kSectorBytes;
    pack(setup, frame.fis);
    queue_frame(socket, frame);
}

void DevicePort::send_read_data()
{
    Frame& frame = pool_.take_data(chunk(dma_.sectors - moved_));
    frame.ready_at = reads_ready_.pop();
    frame.notify_sent = true;
    queue_frame(socket, frame);
}

tlm::tlm_sync_enum DevicePort::nb_transport_bw(Frame& frame, FramePhase& phase, sc_core::sc_time&)
{
    if (phase == FramePhase::Sent) {
        on_sent(frame);
        return tlm::TLM_ACCEPTED;
    }
    switch (fis_type(frame.fis)) {
    case FisType::RegisterH2D: {
        const FisBytes bytes = frame.fis;
        frame.release();
        on_command(bytes);
        return tlm::TLM_COMPLETED;
    }
    case FisType::Data:
        trim_data_    ? on_trim_data(frame)
        : range_data_ ? on_range_data(frame)
                      : on_write_data(frame);
        return tlm::TLM_COMPLETED;
    default:
        throw ModelError("sata: the host sent a FIS that only a device sends");
    }
}

void DevicePort::on_sent(Frame& frame)
{
    if (!frame.is_data) { // set device bits: too late to merge
        Frame*& pending = set_device_bits_[frame.fis[1] & 0x0f];
        pending = pending == &frame ? nullptr : pending;
        return;
    }
    const UnitTag* from = cells(dma_, moved_);
    std::copy_n(from, unit_count(dma_.sector + moved_, frame.sectors), frame.tags.begin());
    if (frame.bytes) {
        std::copy_n(bytes(dma_, moved_), frame.sectors * kSectorBytes, frame.bytes.get());
    }
    moved_ += frame.sectors;
    if (moved_ < dma_.sectors) {
        send_read_data();
        return;
    }
    const hal_host_dma ended = dma_;
    finish_dma(ended);
    begin_next_dma();
}

void DevicePort::finish_dma(const hal_host_dma& dma)
{
    sink_->on_host_dma_done(dma.tag, dma.cookie);
    if (dma.complete) {
        complete(dma.tag, HAL_HOST_OK);
    }
}

void DevicePort::on_command(const FisBytes& bytes)
{
    RegisterH2D fis;
    unpack(bytes, fis);
    hal_host_command command;
    const bool queued_trim = fis.command == ata::kSendFpdma;
    const bool known = decode_command(fis, command) && (queued_trim_ || !queued_trim);
    const bool queued =
        command.opcode == HAL_HOST_READ || command.opcode == HAL_HOST_WRITE || queued_trim;
    // Queued commands need a free tag, the others an empty queue.
    const bool room = queued ? !not_queued_ && command.tag < tags_ &&
                                   commands_[command.tag].opcode == 0
                             : open_ == 0;
    if (!known || !room) {
        send_register(ata::kStatusError, ata::kErrorAbort);
        return;
    }
    ++open_;
    commands_[command.tag] = {command.lba, command.sectors, command.opcode};
    if (queued) {
        send_register(ata::kStatusReady, 0); // release: the host may send the next command
        hand_over(command);
        return;
    }
    not_queued_ = true;
    if (command.opcode == HAL_HOST_TRIM) {
        trim_data_ = true;
        send_activate();
    } else {
        sink_->on_host_command(command);
    }
}

void DevicePort::on_write_data(Frame& frame)
{
    if (!active_ || dma_.to_host || moved_ + frame.sectors > dma_.sectors) {
        throw ModelError("sata: the host sent a data FIS that no DMA setup asked for");
    }
    DramWrite write;
    write.frame = &frame;
    write.dma = dma_;
    write.first = moved_;
    moved_ += frame.sectors;
    write.last = moved_ == dma_.sectors;
    const u32 at = dma_.buf + (dma_.sector + write.first) * kSectorBytes;
    write.end = dram_.transfer(wheel_.now(), {at, frame.sectors * kSectorBytes, true});
    writes_.push(write);
    if (!dram_timer_.armed()) {
        dram_timer_.arm(writes_.front().end);
    }
    if (write.last) {
        if (observer_ != nullptr) {
            observer_->on_dma_off_link(dma_.tag, dma_.cookie, wheel_.now());
        }
        begin_next_dma();
    } else {
        send_activate();
    }
}

void DevicePort::on_dram_written()
{
    while (!writes_.empty() && writes_.front().end <= wheel_.now()) {
        const DramWrite write = writes_.pop();
        const u32 units = unit_count(write.dma.sector + write.first, write.frame->sectors);
        std::copy_n(write.frame->tags.begin(), units, cells(write.dma, write.first));
        if (u8* const to = bytes(write.dma, write.first); to != nullptr) {
            std::copy_n(write.frame->bytes.get(), write.frame->sectors * kSectorBytes, to);
        }
        write.frame->release();
        if (write.last) {
            finish_dma(write.dma);
        }
    }
    if (!writes_.empty()) {
        dram_timer_.arm(writes_.front().end);
    }
}

void DevicePort::complete(u32 tag, u32 status)
{
    if (tag >= tags_ || commands_[tag].opcode == 0) {
        throw ModelError("sata: firmware completed tag " + std::to_string(tag) +
                         ", which has no command");
    }
    commands_[tag].opcode = 0;
    --open_;
    const bool failed = status != HAL_HOST_OK;
    if (not_queued_) {
        not_queued_ = false;
        send_register(failed ? ata::kStatusError : ata::kStatusReady,
                      failed ? ata::kErrorAbort : 0);
        return;
    }
    Frame*& pending = set_device_bits_[tag / 32];
    SetDeviceBits bits;
    if (!failed && pending != nullptr && !pending->started) {
        unpack(pending->fis, bits);
        bits.sactive |= 1u << (tag % 32);
        pack(bits, pending->fis);
        return;
    }
    Frame& frame = pool_.take(kSetDeviceBitsDwords);
    bits.port = static_cast<u8>(tag / 32);
    bits.status = (failed ? ata::kStatusError : ata::kStatusReady) & 0x77;
    bits.error = failed ? ata::kErrorAbort : 0;
    bits.sactive = 1u << (tag % 32);
    pack(bits, frame.fis);
    if (!failed) {
        pending = &frame;
        frame.notify_sent = true;
    }
    queue_frame(socket, frame);
}

void DevicePort::send_register(u8 status, u8 error)
{
    Frame& frame = pool_.take(kRegisterDwords);
    RegisterD2H fis;
    fis.status = status;
    fis.error = error;
    fis.device = ata::kDeviceLba;
    pack(fis, frame.fis);
    queue_frame(socket, frame);
}

void DevicePort::send_activate()
{
    Frame& frame = pool_.take(kDmaActivateDwords);
    pack_dma_activate(frame.fis);
    queue_frame(socket, frame);
}

} // namespace tlmssd::sata
