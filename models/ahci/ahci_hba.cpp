// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an AHCI host adapter: registers, resets, and the commands of its port.
#include "models/ahci/ahci_hba.h"

#include <algorithm>

namespace tlmssd::ahci {

using namespace ahci;
using sata::Frame;
using sata::FramePhase;

namespace {

u32 generation_of(u32 gbps_tenths) { return gbps_tenths == 15 ? 1 : gbps_tenths == 30 ? 2 : 3; }

sc_core::sc_time kernel_time(Picoseconds t) { return sc_core::sc_time::from_value(t.value()); }

} // namespace

AhciHba::AhciHba(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Sata& line,
                 u32 sector_bits, sc_core::sc_time register_time)
    : sc_module(name), registers("registers"), memory("memory"), interrupt("interrupt"), link("link"),
      event_queue_(event_queue), regs_(generation_of(line.gbps_tenths), line.ncq),
      block_{kBytes, [this](u32 offset) { return regs_.read(offset); },
             [this](u32 offset, u32 value, u32 mask) { write(offset, value, mask); }},
      pool_(sata::Side::Host, true), unit_shift_(sector_bits), register_time_(register_time),
      comreset_(kernel_time(line.comreset))
{
    link.bind(*this);
    registers.register_b_transport(this, &AhciHba::b_transport);
    registers.register_transport_dbg(this, &AhciHba::transport_dbg);
    SC_THREAD(run);
    SC_METHOD(on_online);
    sensitive << online_;
    dont_initialize();
    SC_METHOD(drive); // alone writes the signal, whoever has changed a register
    sensitive << drive_;
}

AhciHba::~AhciHba() = default;

void AhciHba::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    delay += register_time_;
    if (delay != sc_core::SC_ZERO_TIME) { // registers act: at the time of the access, not before
        wait(delay);
        delay = sc_core::SC_ZERO_TIME;
    }
    if (pci::access(block_, payload) && payload.is_write()) {
        changed();
        kick_.notify(sc_core::SC_ZERO_TIME);
    }
}

u32 AhciHba::transport_dbg(tlm::tlm_generic_payload& payload) { return pci::peek(block_, payload); }

void AhciHba::write(u32 offset, u32 value, u32 mask)
{
    const u32 before = regs_.ci;
    act(regs_.write(offset, value, mask));
    note_write(offset, before);
}

/// `before`: PxCI.
void AhciHba::note_write(u32 offset, u32 before)
{
    is_written_ = is_written_ || offset == kIs;
    for (u32 set = regs_.ci & ~before; set != 0; set &= set - 1) {
        written_[static_cast<u32>(__builtin_ctz(set))] = event_queue_.now();
    }
}

/// An interrupt by message is a pulse: software that clears IS while a cause stands has to get another.
void AhciHba::drive()
{
    const bool up = regs_.interrupt();
    if (up && (!was_up_ || is_written_)) {
        message.notify(sc_core::SC_ZERO_TIME);
    }
    was_up_ = up;
    is_written_ = false;
    interrupt.write(up);
}

void AhciHba::power_on_reset()
{
    regs_.power_on();
    hold();
    changed();
}

void AhciHba::end(u32 index, CommandObserverIf::End how)
{
    Slot& slot = slots_[index];
    if (slot.observed) {
        slot.observed = false;
        observer_->on_ended(index, how);
    }
}

void AhciHba::act(u32 actions)
{
    if (actions & kAhciHbaReset) {
        reset_all();
    }
    if (actions & kAhciStop) {
        forget_commands();
        halted_ = false;
    }
    if (actions & kAhciHold) {
        hold();
    }
    if (actions & kAhciConnect) {
        connect();
    }
}

/// What the process is at ends; the device is not told.
void AhciHba::forget_commands()
{
    ++stops_;
    current_ = kNone;
    last_ = kSlots - 1;
    context_ = Context();
    pio_ = {};
    taken_ = clear_busy_ = false;
    for (u32 i = 0; i < kSlots; ++i) {
        slots_[i].open = false;
        end(i, CommandObserverIf::End::GivenUp);
    }
}

void AhciHba::drop_received()
{
    while (!received_.empty()) {
        received_.pop()->release();
    }
}

/// GHC.HR: the line goes down, and comes back when software spins the device up.
void AhciHba::reset_all()
{
    regs_.reset();
    hold();
}

void AhciHba::hold()
{
    forget_commands(); // CI and SActive stay until ST = 0, which should have come before
    ++resets_;
    halted_ = regs_.running();
    link_lost_ = false;
    held_ = true;
    online_.cancel();
    drop_received();
    regs_.set_offline((regs_.sctl & kDetMask) == kDetOffline ? kDetOffline : 0);
    regs_.tfd = kTfdReset;
    regs_.sig = kSigReset;
}

/// The link forgets all frames, the device resets itself, and its signature follows.
void AhciHba::connect()
{
    hold();
    Frame nothing;
    FramePhase phase = FramePhase::Reset;
    sc_core::sc_time zero;
    asked_reset_ = true;
    link->nb_transport_fw(nothing, phase, zero);
    asked_reset_ = false;
    held_ = false;
    want_signature_ = true;
    online_.notify(comreset_);
}

void AhciHba::on_online()
{
    regs_.set_online();
    changed();
}

tlm::tlm_sync_enum AhciHba::nb_transport_bw(Frame& frame, FramePhase& phase, sc_core::sc_time&)
{
    switch (phase) {
    case FramePhase::Reset:
        if (!asked_reset_) {
            link_lost_ = true;
            event_queue_.notify(kick_);
        }
        return tlm::TLM_ACCEPTED;
    case FramePhase::Arrived:
        if (held_ || link_lost_) {
            frame.release();
        } else {
            received_.push(&frame);
            event_queue_.notify(kick_);
        }
        return tlm::TLM_COMPLETED;
    case FramePhase::Sent:
        taken_ = clear_busy_;
        event_queue_.notify(kick_);
        return tlm::TLM_ACCEPTED;
    default: return tlm::TLM_ACCEPTED;
    }
}

void AhciHba::run()
{
    for (;;) {
        regs_.engine = true;
        while (step()) {
        }
        regs_.engine = false;
        wait(kick_);
    }
}

/// One thing; false: there is nothing to do.
bool AhciHba::step()
{
    if (link_lost_) {
        on_link_lost();
        return true;
    }
    if (halted_) {
        return false;
    }
    if (taken_) {
        on_taken();
        return true;
    }
    if (!received_.empty() && regs_.fre) {
        Frame& frame = *received_.pop();
        receive(frame);
        frame.release();
        return true;
    }
    if (const int slot = next_slot(); slot != kNone) {
        issue(static_cast<u32>(slot));
        return true;
    }
    return false;
}

/// Too many frames in a row were broken: the link has reset itself, and with it the device.
void AhciHba::on_link_lost()
{
    drop_received();
    link_lost_ = false;
    want_signature_ = true;
    context_ = Context();
    pio_ = {};
    regs_.set_online();
    if (regs_.running()) {
        fatal(kIfs, kDiagH);
    }
    changed();
}

/// A command with C ends when the device has taken its FIS: SRST does not answer.
void AhciHba::on_taken()
{
    taken_ = clear_busy_ = false;
    regs_.tfd &= ~kTfdBsy;
    finish_current();
}

/// In turn from the last one on, as long as the device can take a command.
int AhciHba::next_slot() const
{
    if (!regs_.running() || regs_.ci == 0 || current_ != kNone || regs_.busy() ||
        (regs_.ssts & kDetMask) != kDetPresent) {
        return kNone;
    }
    for (u32 i = 1; i <= kSlots; ++i) {
        const u32 slot = (last_ + i) % kSlots;
        if (regs_.ci >> slot & 1) {
            return static_cast<int>(slot);
        }
    }
    return kNone;
}

void AhciHba::issue(u32 index)
{
    const u32 stops = stops_;
    last_ = regs_.ccs = index;
    u8 bytes[kHeaderBytes];
    u8 cfis[kCfisBytes];
    if (!dma(false, regs_.command_list() + index * kHeaderBytes, bytes, kHeaderBytes) ||
        stops != stops_) {
        return;
    }
    Slot& slot = slots_[index];
    slot = Slot();
    slot.header = unpack_header(bytes);
    if (slot.header.cfis_dwords < 2 || slot.header.cfis_dwords > kCfisBytes / 4) {
        fatal(kIfs, kErrE);
        return;
    }
    if (!dma(false, slot.header.table, cfis, kCfisBytes) || stops != stops_) {
        return;
    }
    if (cfis[0] != static_cast<u8>(sata::FisType::RegisterH2D) ||
        slot.header.cfis_dwords != sata::kRegisterDwords) {
        fatal(kIfs, kDiagH); // the device takes nothing else from a command table
        return;
    }
    Frame& frame = pool_.take(sata::kRegisterDwords);
    std::copy_n(cfis, sata::kRegisterDwords * 4, frame.fis.begin());
    sata::RegisterH2D fis;
    unpack(frame.fis, fis);
    slot.open = true;
    slot.queued = fis.c && sata::is_queued(fis.command);
    slot.lba = fis.lba;
    slot.version = ++versions_;
    current_ = static_cast<int>(index);
    if (!slot.queued) {
        context_ = {current_, 0, kNoLimit};
        want_signature_ = want_signature_ || (!fis.c && (fis.control & sata::ata::kControlReset));
    }
    regs_.tfd |= kTfdBsy;
    frame.notify_sent = clear_busy_ = slot.header.clear_busy;
    ++commands_;
    if (observer_ != nullptr && fis.c) {
        slot.observed = true;
        observer_->on_issued(index, fis, written_[index]);
    }
    sata::queue_frame(link, frame);
}

void AhciHba::raise(u32 bits)
{
    regs_.raise(bits);
    changed();
}

void AhciHba::fatal(u32 bits, u32 serr)
{
    halted_ = regs_.running();
    regs_.raise_serr(serr);
    raise(bits);
}

} // namespace tlmssd::ahci
