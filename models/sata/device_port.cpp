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

DevicePort::DevicePort(sc_core::sc_module_name name, time::EventQueue& event_queue,
                       const Geometry& geometry, DramIf& dram, const DeviceFacts& facts,
                       u32 fifo_bytes)
    : sc_module(name), socket("socket"), event_queue_(event_queue), dram_(dram),
      dram_timer_(event_queue, time::Priority::Dma,
                  time::Timer::call<&DevicePort::on_dram_written, DevicePort>, this),
      read_timer_(event_queue, time::Priority::Dma, time::Timer::call<&DevicePort::send_read_data, DevicePort>, this),
      pool_(Side::Device, dram.bytes(0) != nullptr),
      unit_shift_(bits_for(geometry.sectors_per_unit())), facts_(facts), tags_(facts.tags),
      fifo_bytes_(fifo_bytes)
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
    if (commands_[dma.tag].aborted || commands_[dma.tag].error != 0) {
        drop_dma(dma);
        return;
    }
    __builtin_prefetch(cells(dma, 0));
    if (dma.to_host) {
        for (u32 done = 0; done < dma.sectors; done += kChunkSectors) {
            const u32 bytes = chunk(dma.sectors - done) * kSectorBytes;
            const u32 at = dma.buf + (dma.sector + done) * kSectorBytes;
            const DramEnd ready = dram_.begin(event_queue_.now(), {at, bytes, false, DramMaster::Link});
            reads_ready_.push(ready);
            if (observer_ != nullptr && done == 0 && !dram_.revises()) {
                observer_->on_dma_on_link(dma.tag, dma.cookie, ready.at);
            }
        }
    }
    dmas_.push(dma);
    if (!active_) {
        begin_next_dma();
        feed_staged();
    }
}

void DevicePort::begin_next_dma()
{
    moved_ = 0;
    if (queue_ == Queue::Failing) {
        active_ = range_data_ = false;
        report_error();
        return;
    }
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
    if (!not_queued_) {
        send_setup();
    }
    if (dma_.to_host) {
        send_read_data();
    } else if (not_queued_ ? staged_ == nullptr : !settings_.auto_activate) {
        send_activate();
    }
}

void DevicePort::send_setup()
{
    Frame& frame = pool_.take(kDmaSetupDwords);
    DmaSetup setup;
    setup.to_host = dma_.to_host;
    setup.auto_activate = !dma_.to_host && settings_.auto_activate;
    setup.tag = dma_.tag & 0x1fu;
    setup.port = static_cast<u8>(dma_.tag >> 5);
    setup.offset = dma_.offset * kSectorBytes;
    setup.count = u32{dma_.sectors} * kSectorBytes;
    pack(setup, frame.fis);
    queue_frame(socket, frame);
}

/// The link waits for the end of the DRAM read, or, where that may still change, the frame does.
void DevicePort::send_read_data()
{
    if (dram_.revises()) {
        if (!dram_.over(reads_ready_.front(), event_queue_.now())) {
            read_timer_.arm(reads_ready_.front().at);
            return;
        }
        if (observer_ != nullptr && moved_ == 0) {
            observer_->on_dma_on_link(dma_.tag, dma_.cookie, event_queue_.now());
        }
    }
    Frame& frame = pool_.take_data(chunk(dma_.sectors - moved_));
    frame.ready_at = reads_ready_.pop().at;
    frame.notify_sent = true;
    queue_frame(socket, frame);
}

tlm::tlm_sync_enum DevicePort::nb_transport_bw(Frame& frame, FramePhase& phase, sc_core::sc_time&)
{
    switch (phase) {
    case FramePhase::Filling: fill(frame); return tlm::TLM_ACCEPTED;
    case FramePhase::Sent: on_sent(frame); return tlm::TLM_ACCEPTED;
    case FramePhase::Arriving: on_arriving(frame); return tlm::TLM_ACCEPTED;
    case FramePhase::Reset: reset(true); return tlm::TLM_ACCEPTED;
    default: break;
    }
    const FisType type = fis_type(frame.fis);
    if (frame.is_data && type == FisType::Data) {
        on_data(frame);
        return tlm::TLM_COMPLETED;
    }
    RegisterH2D fis;
    unpack(frame.fis, fis);
    const bool good = type == FisType::RegisterH2D && frame.dwords == kRegisterDwords;
    frame.release();
    if (good) {
        on_register(fis);
    } else {
        ++stats_.illegal_fises;
    }
    return tlm::TLM_COMPLETED;
}

void DevicePort::on_data(Frame& frame)
{
    const bool whole = frame.dwords == kDataHeaderDwords + frame.sectors * 128;
    if (trim_data_ && whole && frame.sectors == 1) {
        on_trim_data(frame);
    } else if (active_ && range_data_ && whole && frame.sectors == 1) {
        on_range_data(frame);
    } else if (fits(frame)) {
        on_write_data(frame);
    } else {
        ++stats_.stray_data;
        frame.release();
        wrong_data();
    }
}

/// The FIFO towards DRAM has room for the frame once enough of what is in it is in DRAM.
void DevicePort::on_arriving(Frame& frame)
{
    u32 left = 0;
    for (u32 i = 0; i < writes_.size(); ++i) {
        left += writes_[i].sectors * kSectorBytes;
    }
    for (u32 i = 0; i < writes_.size() && left + frame.sectors * kSectorBytes > fifo_bytes_; ++i) {
        frame.hold_until = writes_[i].end.at;
        left -= writes_[i].sectors * kSectorBytes;
    }
}

/// Of the DMA that owns the data phase.
void DevicePort::fill(Frame& frame) const
{
    if (frame.is_block) {
        return;
    }
    const UnitTag* from = cells(dma_, moved_);
    std::copy_n(from, unit_count(dma_.sector + moved_, frame.sectors), frame.tags.begin());
    if (frame.bytes) {
        std::copy_n(bytes(dma_, moved_), frame.sectors * kSectorBytes, frame.bytes.get());
    }
}

void DevicePort::on_sent(Frame& frame)
{
    if (!frame.is_data) { // set device bits: too late to merge
        Frame*& pending = set_device_bits_[frame.fis[1] & 0x0f];
        pending = pending == &frame ? nullptr : pending;
        return;
    }
    if (frame.is_block) {
        send_log_page();
        return;
    }
    fill(frame);
    moved_ += frame.sectors;
    if (reset_waits_) {
        reset(false);
        return;
    }
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

/// Has the device asked for these data?
bool DevicePort::fits(const Frame& frame) const
{
    if (!active_ || range_data_ || dma_.to_host || frame.sectors == 0 || frame.is_block ||
        frame.dwords != kDataHeaderDwords + frame.sectors * 128) {
        return false;
    }
    return not_queued_ ? staged_ == nullptr && received_ + frame.sectors <= commands_[0].sectors
                       : moved_ + frame.sectors <= dma_.sectors;
}

void DevicePort::on_write_data(Frame& frame)
{
    if (not_queued_) {
        staged_ = &frame;
        staged_used_ = 0;
        received_ += frame.sectors;
        feed_staged();
        return;
    }
    write_to_dram(frame, 0, frame.sectors);
    if (moved_ == dma_.sectors) {
        begin_next_dma();
    } else {
        send_activate();
    }
}

/// `sectors` of the frame from `from` on go to the DMA that owns the data phase.
void DevicePort::write_to_dram(Frame& frame, u32 from, u32 sectors)
{
    DramWrite write;
    write.frame = &frame;
    write.dma = dma_;
    write.first = moved_;
    write.from = from;
    write.sectors = sectors;
    write.release = from + sectors == frame.sectors;
    if (from != 0) {
        const u32 begin = dma_.sector + moved_ - from; // of the frame, modulo a unit
        write.tag = ((begin & ((1u << unit_shift_) - 1)) + from) >> unit_shift_;
    }
    moved_ += sectors;
    write.last = moved_ == dma_.sectors;
    const u32 at = dma_.buf + (dma_.sector + write.first) * kSectorBytes;
    write.end = dram_.begin(event_queue_.now(), {at, sectors * kSectorBytes, true, DramMaster::Link});
    writes_.push(write);
    if (!dram_timer_.armed()) {
        dram_timer_.arm(writes_.front().end.at);
    }
    if (write.last && observer_ != nullptr) {
        observer_->on_dma_off_link(dma_.tag, dma_.cookie, event_queue_.now());
    }
}

/// Without NCQ the host cuts its data as it likes: one data FIS may be for several DMAs.
void DevicePort::feed_staged()
{
    while (staged_ != nullptr && active_) {
        Frame& frame = *staged_;
        const u32 sectors = std::min(frame.sectors - staged_used_, dma_.sectors - moved_);
        write_to_dram(frame, staged_used_, sectors);
        staged_used_ += sectors;
        if (staged_used_ == frame.sectors) {
            staged_ = nullptr;
        }
        if (moved_ == dma_.sectors) {
            begin_next_dma();
        } else if (staged_ == nullptr) {
            send_activate();
        }
    }
}

void DevicePort::on_dram_written()
{
    while (!writes_.empty() && dram_.over(writes_.front().end, event_queue_.now())) {
        const DramWrite write = writes_.pop();
        const u32 units = unit_count(write.dma.sector + write.first, write.sectors);
        std::copy_n(write.frame->tags.begin() + write.tag, units, cells(write.dma, write.first));
        if (u8* const to = bytes(write.dma, write.first); to != nullptr) {
            std::copy_n(write.frame->bytes.get() + write.from * kSectorBytes,
                        write.sectors * kSectorBytes, to);
        }
        if (write.release) {
            write.frame->release();
        }
        if (write.last) {
            write.aborted ? drop_dma(write.dma) : finish_dma(write.dma);
        }
    }
    if (!writes_.empty()) {
        dram_timer_.arm(writes_.front().end.at);
    }
}

void DevicePort::complete(u32 tag, u32 status)
{
    if (tag >= tags_ || commands_[tag].opcode == 0) {
        throw ModelError("sata: firmware completed tag " + std::to_string(tag) +
                         ", which has no command");
    }
    Command& command = commands_[tag];
    if (command.aborted) {
        free_tag(tag);
        return;
    }
    u8 error = command.error;
    if (status != HAL_HOST_OK && error == 0) {
        error = command.opcode == HAL_HOST_READ ? ata::kErrorUnreadable : ata::kErrorAbort;
    }
    if (not_queued_) {
        not_queued_ = false;
        drop_staged(); // of a command that failed
        free_tag(tag);
        send_register(error != 0 ? ata::kStatusError : ata::kStatusReady, error);
        return;
    }
    if (error != 0) {
        NcqError why;
        why.tag = static_cast<u8>(tag);
        why.status = ata::kStatusError;
        why.error = error;
        why.lba = command.lba;
        why.device = ata::kDeviceLba;
        free_tag(tag);
        queue_error(why, false);
        return;
    }
    free_tag(tag);
    Frame*& pending = set_device_bits_[tag / 32];
    SetDeviceBits bits;
    if (pending != nullptr && !pending->started) {
        unpack(pending->fis, bits);
        bits.sactive |= 1u << (tag % 32);
        pack(bits, pending->fis);
        return;
    }
    Frame& frame = pool_.take(kSetDeviceBitsDwords);
    bits.port = static_cast<u8>(tag / 32);
    bits.status = ata::kStatusReady;
    bits.sactive = 1u << (tag % 32);
    pack(bits, frame.fis);
    pending = &frame;
    frame.notify_sent = true;
    queue_frame(socket, frame);
}

void DevicePort::send_set_device_bits(u8 status, u8 error, u32 sactive)
{
    Frame& frame = pool_.take(kSetDeviceBitsDwords);
    SetDeviceBits bits;
    bits.status = status;
    bits.error = error;
    bits.sactive = sactive;
    pack(bits, frame.fis);
    queue_frame(socket, frame);
}

void DevicePort::send_register(u8 status, u8 error, Told what)
{
    Frame& frame = pool_.take(kRegisterDwords);
    RegisterD2H fis;
    fis.status = status;
    fis.error = error;
    fis.interrupt = what == Told::End;
    if (what == Told::Signature) {
        fis.lba = fis.count = 1;
    } else {
        fis.device = ata::kDeviceLba;
    }
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
