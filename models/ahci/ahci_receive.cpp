// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an AHCI host adapter: what FISes of the device do.
#include <algorithm>

#include "models/ahci/ahci_hba.h"

namespace tlmssd::ahci {

using namespace ahci;
using sata::FisBytes;
using sata::FisType;

void AhciHba::receive(const sata::Frame& frame)
{
    switch (sata::fis_type(frame.fis)) {
    case FisType::RegisterD2H: on_register(frame.fis); return;
    case FisType::PioSetup: on_pio_setup(frame.fis); return;
    case FisType::DmaSetup: on_dma_setup(frame.fis); return;
    case FisType::SetDeviceBits: on_set_device_bits(frame.fis); return;
    case FisType::DmaActivate: transmit(); return;
    case FisType::Data: on_data(frame); return;
    default: on_unknown(frame); return;
    }
}

/// Into the receive area; false: not there, or a reset came in between.
bool AhciHba::post(const FisBytes& fis, u32 at, u32 bytes)
{
    const u32 resets = resets_;
    FisBytes copy = fis;
    return dma(true, regs_.fis_area() + at, copy.data(), bytes) && resets == resets_;
}

void AhciHba::on_register(const FisBytes& bytes)
{
    const u32 stops = stops_;
    sata::RegisterD2H fis;
    unpack(bytes, fis);
    if (!post(bytes, kRfisAt, sata::kRegisterDwords * 4)) {
        return;
    }
    regs_.set_status(fis.status, fis.error);
    if (want_signature_) {
        want_signature_ = false;
        regs_.sig = (fis.count & 0xffu) | static_cast<u32>(fis.lba & 0xffffff) << 8;
    }
    if (stops == stops_) {
        if (fis.status & kTfdErr) {
            halted_ = regs_.running();
            if (current_ != kNone) {
                end(static_cast<u32>(current_), CommandObserverIf::End::Error);
            }
        } else if (!regs_.busy()) {
            finish_current();
        }
    }
    raise((fis.status & kTfdErr ? kTfes : 0) | (fis.interrupt ? kDhrs : 0));
}

/// The device is ready for another command. One that is queued has been taken, others have ended.
void AhciHba::finish_current()
{
    if (current_ == kNone) {
        return;
    }
    Slot& slot = slots_[static_cast<u32>(current_)];
    slot.open = slot.queued;
    if (!slot.queued) {
        end(static_cast<u32>(current_), CommandObserverIf::End::Good);
    }
    regs_.ci &= ~(1u << current_);
    current_ = kNone;
    if (!slot.queued) {
        context_ = Context();
    }
}

void AhciHba::on_pio_setup(const FisBytes& bytes)
{
    const u32 stops = stops_;
    sata::PioSetup fis;
    unpack(bytes, fis);
    if (!post(bytes, kPsfisAt, sata::kPioSetupDwords * 4)) {
        return;
    }
    regs_.set_status(fis.status, fis.error);
    if (stops != stops_) {
        return;
    }
    pio_ = {true, fis.interrupt, fis.bytes, fis.end_status};
    if (!fis.to_host) {
        context_.left = fis.bytes;
        transmit();
        if (stops == stops_ && !halted_) {
            after_pio();
        }
    }
}

/// The data of a PIO setup have moved: its second status counts.
void AhciHba::after_pio()
{
    const bool error = pio_.status & kTfdErr;
    regs_.set_status(pio_.status, regs_.tfd >> 8);
    if (error) {
        halted_ = true;
        if (current_ != kNone) {
            end(static_cast<u32>(current_), CommandObserverIf::End::Error);
        }
    } else if (!regs_.busy()) {
        finish_current();
    }
    const u32 bits = (pio_.interrupt ? kPss : 0) | (error ? kTfes : 0);
    pio_ = {};
    raise(bits);
}

void AhciHba::on_dma_setup(const FisBytes& bytes)
{
    const u32 stops = stops_;
    sata::DmaSetup fis;
    unpack(bytes, fis);
    if (!post(bytes, kDsfisAt, sata::kDmaSetupDwords * 4)) {
        return;
    }
    if (fis.interrupt) {
        raise(kDss);
    }
    if (stops != stops_ || !regs_.running()) {
        return;
    }
    const u32 tag = fis.tag;
    if (fis.port != 0 || tag >= kSlots || !slots_[tag].open || !slots_[tag].queued) {
        fatal(kIfs, kErrP); // of a command that the device does not have
        return;
    }
    context_ = {static_cast<int>(tag), fis.offset, fis.count};
    if (fis.auto_activate && !fis.to_host) {
        transmit();
    }
}

void AhciHba::on_set_device_bits(const FisBytes& bytes)
{
    const u32 stops = stops_;
    sata::SetDeviceBits fis;
    unpack(bytes, fis);
    if (!post(bytes, kSdbfisAt, sata::kSetDeviceBitsDwords * 4)) {
        return;
    }
    constexpr u32 kKept = kTfdBsy | kTfdDrq;
    regs_.set_status((regs_.status() & kKept) | (fis.status & ~kKept & 0xffu), fis.error);
    if (stops == stops_) {
        regs_.sact &= ~fis.sactive;
        for (u32 left = fis.sactive; left != 0; left &= left - 1) {
            const u32 tag = static_cast<u32>(__builtin_ctz(left));
            Slot& slot = slots_[tag];
            if (slot.open && slot.queued) {
                end(tag, CommandObserverIf::End::Good);
            }
            slot.open = slot.open && !slot.queued;
        }
        halted_ = (fis.status & kTfdErr) && regs_.running();
    }
    raise((fis.status & kTfdErr ? kTfes : 0) | (fis.interrupt ? kSdbs : 0));
}

void AhciHba::on_unknown(const sata::Frame& frame)
{
    const u32 resets = resets_;
    std::array<u8, kUfisBytes> bytes{};
    std::copy_n(frame.fis.begin(), std::min<u32>(frame.dwords * 4, frame.fis.size()), bytes.begin());
    const u32 length = std::min(frame.dwords * 4, kUfisBytes);
    if (dma(true, regs_.fis_area() + kUfisAt, bytes.data(), length) && resets == resets_) {
        regs_.raise_serr(kDiagF);
        changed();
    }
}

void AhciHba::on_data(const sata::Frame& frame)
{
    const u32 bytes = (frame.dwords - sata::kDataHeaderDwords) * 4;
    if (!regs_.running()) { // of a command that software has given up
        ++dropped_;
        return;
    }
    if (context_.slot == kNone || bytes > context_.left ||
        (!frame.is_block && frame.bytes == nullptr)) {
        ++dropped_;
        fatal(kIfs, kErrP);
        return;
    }
    const u32 stops = stops_;
    u8* const data = frame.is_block ? frame.block->data() : frame.bytes.get();
    const u32 moved = move(bytes, data, true);
    if (stops != stops_ || halted_) {
        return;
    }
    context_.left -= context_.left == kNoLimit ? 0 : moved;
    if (!put_count() || stops != stops_) {
        return;
    }
    if (moved < bytes) {
        raise(kOfs); // the rest is lost
    }
    if (pio_.active) {
        pio_.left -= std::min(pio_.left, bytes);
        if (pio_.left == 0) {
            after_pio();
        }
    }
}

} // namespace tlmssd::ahci
