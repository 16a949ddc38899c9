// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ONFI cycles to command sequences.
#include "models/nand/target/target.h"

#include <algorithm>
#include <cstring>

#include "models/common/error.h"

namespace tlmssd::nand {

namespace cmd = onfi::cmd;
using onfi::DataDirection;
using onfi::Rule;

Target::Slot::Slot(Target& owner, time::EventWheel& wheel, u32 number, u32 die)
    : target(owner), index(number), lun(owner.device_, die),
      timer(wheel, time::Priority::Array, time::Timer::call<&Slot::on_due, Slot>, this)
{
}

void Target::Slot::on_due()
{
    const ArrayOp risen = lun.advance(timer.at());
    if (lun.array_busy() || lun.busy()) { // the array goes on behind a ready R/B#
        timer.arm(lun.due());
    }
    if (risen == ArrayOp::None) {
        return;
    }
    if (risen == ArrayOp::Feature) {
        target.apply_feature(*this);
    }
    target.channel_.set_ready(target.ce_, index, true);
}

Target::Target(sc_core::sc_module_name module_name, time::EventWheel& wheel,
               onfi::Channel& channel, u32 ce, Device& device)
    : sc_module(module_name), blocks_(device.store.geometry().blocks),
      pages_(device.store.geometry().pages),
      planes_(static_cast<u8>(device.store.geometry().planes)),
      page_bits_(static_cast<u8>(device.store.geometry().page_bits())),
      plane_bits_(static_cast<u8>(device.store.geometry().plane_bits())),
      block_bits_(static_cast<u8>(device.store.geometry().block_bits())), ce_(ce),
      channel_(channel), device_(device),
      features_(device.nand,
                device.cold_start ? config::BusInterface::Sdr : channel.timing().sheet.interface,
                device.cold_start ? 0 : channel.timing().sheet.mode),
      geometry_(device.store.geometry())
{
    const u32 luns = geometry_.luns_per_ce();
    const u32 row_bits = geometry_.lun_shift() + bits_for(luns);
    if (row_bits > 8 * kRowCycles) {
        throw InputError("geometry: a row address needs " + std::to_string(row_bits) +
                         " bits, ONFI's three row cycles carry 24");
    }
    const u32 first_die = geometry_.die_index_ce(channel.index(), ce, 0);
    slots_ = FixedArray<Slot>(luns, [&](void* place, std::size_t i) {
        const auto number = static_cast<u32>(i);
        new (place) Slot(*this, wheel, number, first_die + number);
    });
    for (const Fault& fault : device.faults) {
        if (fault.die >= first_die && fault.die < first_die + luns) {
            faults_.push_back(fault);
        }
    }
    if (!faults_.empty()) {
        fault_timer_ = std::make_unique<time::Timer>(
            wheel, time::Priority::Array, time::Timer::call<&Target::on_fault, Target>, this);
    }
}

void Target::reset_statistics()
{
    for (Slot& slot : slots_) {
        slot.lun.reset_statistics();
    }
}

void Target::on_write_protect(bool protect)
{
    protect_ = protect;
    for (Slot& slot : slots_) {
        slot.lun.set_protected(protect);
    }
}

void Target::violate(Rule rule, u32 lun)
{
    device_.violations.on_violation({segment_end_, channel_.index(), ce_, lun, rule, {}, {}});
}

void Target::on_segment(onfi::Segment& segment)
{
    segment_end_ = segment.end;
    if ((segment.timing != understood_ || understood_ == nullptr) && !spoken_to(segment)) {
        return;
    }
    first_cycle_ = segment.start + timing_->sheet.t_cs;
    cycles(segment, 0, segment.lead);
    if (segment.direction == DataDirection::None) {
        return;
    }
    if (segment.direction == DataDirection::Out) {
        burst_out(segment);
    } else {
        burst_in(segment);
    }
    cycles(segment, segment.lead, u32{segment.lead} + segment.trail);
}

/// Is the segment driven as the target is set, or slower? FFh is understood in any interface.
/// Segments that a pin reader has put together carry no timing and are not judged.
bool Target::spoken_to(const onfi::Segment& segment)
{
    understood_ = nullptr;
    timing_ = segment.timing;
    if (segment.timing == nullptr) {
        timing_ = &channel_.timing();
        return true;
    }
    const onfi::DataSheet& sheet = segment.timing->sheet;
    if (sheet.interface == features_.interface() && sheet.mode <= features_.mode()) {
        understood_ = segment.timing;
        return true;
    }
    if (segment.lead > 0 && segment.is_command(0) && segment.bytes[0] == cmd::kReset) {
        return true;
    }
    violate(Rule::WrongInterface, selected_);
    return false;
}

namespace {

/// Up to 5 cycles from `from` on, the first in the low byte.
u64 address_bytes(const onfi::Segment& segment, u32 from, u32 count)
{
    u64 value = 0;
    if (from + sizeof value <= onfi::Segment::kMaxCycles) {
        std::memcpy(&value, &segment.bytes[from], sizeof value); // little endian
        return value & ((u64{1} << (8 * count)) - 1);
    }
    for (u32 i = count; i-- > 0;) {
        value = (value << 8) | segment.bytes[from + i];
    }
    return value;
}

} // namespace

/// Command cycles one by one, address cycles in runs.
void Target::cycles(const onfi::Segment& segment, u32 from, u32 to)
{
    while (from < to) {
        const u64 commands = segment.command_mask >> from;
        if ((commands & 1) != 0) {
            command(segment.bytes[from++]);
            continue;
        }
        const u32 run = commands == 0 ? to - from : static_cast<u32>(__builtin_ctzll(commands));
        const u32 count = std::min(run, to - from);
        address(address_bytes(segment, from, std::min(count, kMaxAddresses)), count);
        from += count;
    }
}

/// `count` address cycles; the first kMaxAddresses of them are in `value`.
void Target::address(u64 value, u32 count)
{
    if (first_ == kNone) {
        if (!dead_) {
            dead_ = true;
            violate(Rule::CommandSequence, selected_);
        }
        return;
    }
    if (address_count_ < kMaxAddresses) {
        addresses_ |= value << (8 * address_count_);
    }
    address_count_ += count;
    switch (first_) { // commands that their last address cycle completes
    case cmd::kReadStatusEnhanced:
    case cmd::kResetLun:
    case cmd::kProgramSuspend:
    case cmd::kProgramResume:
    case cmd::kEraseSuspend:
    case cmd::kEraseResume:
        if (address_count_ >= kRowCycles) {
            row_complete(static_cast<u8>(first_));
        }
        break;
    case cmd::kReadId:
    case cmd::kReadParameterPage:
    case cmd::kReadUniqueId:
        read_register(static_cast<u8>(first_));
        break;
    case cmd::kGetFeatures:
        get_features(false);
        break;
    case cmd::kLunGetFeatures:
        if (address_count_ >= 2) {
            get_features(true);
        }
        break;
    default:
        break;
    }
}

void Target::command(u8 byte)
{
    switch (byte) {
    case cmd::kRead:
    case cmd::kChangeReadColumn:
    case cmd::kChangeReadColumnEnhanced:
    case cmd::kProgram:
    case cmd::kErase:
    case cmd::kReadStatusEnhanced:
    case cmd::kResetLun:
    case cmd::kProgramSuspend:
    case cmd::kProgramResume:
    case cmd::kEraseSuspend:
    case cmd::kEraseResume:
    case cmd::kReadId:
    case cmd::kReadParameterPage:
    case cmd::kReadUniqueId:
    case cmd::kGetFeatures:
    case cmd::kSetFeatures:
    case cmd::kLunGetFeatures:
    case cmd::kLunSetFeatures:
        return open(byte);
    case cmd::kReadStatus:
        open(byte);
        first_ = kNone;
        status_out_ = true;
        status_plane_ = Lun::kAllPlanes;
        return;
    case cmd::kReset:
    case cmd::kSynchronousReset:
        return reset(byte == cmd::kReset);
    case cmd::kReadConfirm:
        return confirm_read(ReadEnd::Page);
    case cmd::kReadQueuePlane:
        return confirm_read(ReadEnd::QueuePlane);
    case cmd::kCopybackReadConfirm:
        return confirm_read(ReadEnd::Copyback);
    case cmd::kReadCacheSequential: // and kReadCacheRandom
        return first_ == kNone || bare_read() ? confirm_cache_read(false)
                                              : confirm_read(ReadEnd::Cache);
    case cmd::kReadCacheEnd:
        return confirm_cache_read(true);
    case cmd::kProgramConfirm:
        return confirm_program(ProgramEnd::Page);
    case cmd::kProgramQueuePlane:
        return confirm_program(ProgramEnd::QueuePlane);
    case cmd::kProgramCacheConfirm:
        return confirm_program(ProgramEnd::Cache);
    case cmd::kChangeWriteColumn:
        return change_write();
    case cmd::kEraseConfirm:
    case cmd::kEraseQueuePlane:
        return confirm_erase(byte == cmd::kEraseQueuePlane);
    case cmd::kChangeReadColumnConfirm:
        return confirm_column();
    default:
        end_sequence();
        dead_ = true;
        violate(Rule::UnknownCommand, selected_);
        return;
    }
}

/// First cycle of a sequence. Only a bare 00h (back to data output) may be left without an end.
void Target::open(u8 byte)
{
    if (first_ != kNone && !bare_read() && !dead_) {
        violate(Rule::CommandSequence, selected_);
    }
    first_ = byte;
    address_count_ = 0;
    addresses_ = 0;
    dead_ = false;
    programming_ = false;
    changing_ = false;
    if (byte == cmd::kRead) {
        status_out_ = false;
    }
}

void Target::end_sequence()
{
    first_ = kNone;
    dead_ = false;
    programming_ = false;
    changing_ = false;
}

/// A confirm cycle: does it end a sequence that was opened by `first` with `addresses` cycles?
bool Target::closes(u32 first, u32 addresses)
{
    const bool dead = dead_;
    const bool fits = first_ == first;
    end_sequence();
    if (dead) {
        return false;
    }
    if (!fits || address_count_ != addresses) {
        violate(fits ? Rule::AddressCycles : Rule::CommandSequence, selected_);
        return false;
    }
    return true;
}

Place Target::place(const Slot& slot, const Row& row)
{
    Place place = row.place;
    place.die = slot.lun.die();
    return place;
}

/// The LUN that a row names, or null after reporting a row outside the part.
Target::Slot* Target::addressed(const Row& row)
{
    if (row.lun >= slots_.size() || row.place.plane >= planes_ || row.place.block >= blocks_ ||
        row.place.page >= pages_) {
        violate(Rule::RowRange, row.lun);
        return nullptr;
    }
    return &slots_[row.lun];
}

/// A LUN that has stopped answering takes nothing and is not judged.
bool Target::accessible(const Slot& slot, Access access)
{
    if (slot.silent) {
        return false;
    }
    if (!slot.lun.accepts(access, first_cycle_)) {
        violate(Rule::LunBusy, slot.index);
        return false;
    }
    return true;
}

/// The LUN of a row, from now on the selected one; null where it cannot take the command.
Target::Slot* Target::ready_slot(const Row& row, Access access)
{
    Slot* slot = addressed(row);
    if (slot == nullptr) {
        return nullptr;
    }
    if (slot->silent) {
        selected_ = slot->index;
        status_out_ = false;
    }
    if (!accessible(*slot, access)) {
        return nullptr;
    }
    selected_ = slot->index;
    status_out_ = false;
    output_ = Output::Page;
    return slot;
}

void Target::start(Slot& slot, const Lun::Start& start)
{
    if (start.rule != Rule::None) {
        violate(start.rule, slot.index);
    }
    if (start.busy) {
        slot.timer.arm(slot.lun.due());
        channel_.set_ready(ce_, slot.index, false);
    }
}

} // namespace tlmssd::nand
