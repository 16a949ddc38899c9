// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ONFI bytes to LUN operations.
#include "models/nand/target.h"

#include "models/common/error.h"

namespace tlmssd::nand {

namespace {

namespace cmd = onfi::cmd;
using onfi::DataDirection;
using onfi::Rule;

constexpr u32 kRowCycles = 3;
constexpr u32 kColumnCycles = 2;
constexpr u32 kMaxAddresses = kColumnCycles + kRowCycles;

} // namespace

Target::Slot::Slot(Target& owner, time::EventWheel& wheel, Device& device, u32 number, u32 die)
    : target(owner), lun(device.store, device.nand, device.seed, die),
      timer(wheel, time::Priority::Array, time::Timer::call<&Slot::on_array_done, Slot>, this),
      index(number)
{
}

void Target::Slot::on_array_done()
{
    ready_at = timer.at();
    lun.array_done();
    target.channel_.set_ready(target.ce_, index, true);
}

Target::Target(sc_core::sc_module_name module_name, time::EventWheel& wheel,
               onfi::Channel& channel, u32 ce, Device& device)
    : sc_module(module_name), channel_(channel), device_(device),
      geometry_(device.store.geometry()), ce_(ce), t_wb_(channel.timing().sheet.t_wb),
      t_cs_(channel.timing().sheet.t_cs)
{
    const u32 luns = geometry_.luns_per_ce();
    const u32 row_bits = geometry_.lun_shift() + bits_for(luns);
    if (row_bits > 8 * kRowCycles) {
        throw InputError("geometry: a row address needs " + std::to_string(row_bits) +
                         " bits, ONFI's three row cycles carry 24");
    }
    for (u32 i = 0; i < luns; ++i) {
        const u32 die = geometry_.die_index_ce(channel.index(), ce, i);
        slots_.push_back(std::make_unique<Slot>(*this, wheel, device, i, die));
    }
}

void Target::reset_statistics()
{
    for (const auto& slot : slots_) {
        slot->lun.reset_statistics();
    }
}

void Target::violate(Rule rule, u32 lun)
{
    device_.violations.on_violation({segment_end_, channel_.index(), ce_, lun, rule});
}

void Target::on_segment(onfi::Segment& segment)
{
    first_cycle_ = segment.start + t_cs_;
    segment_end_ = segment.end;
    const u32 lead = segment.lead;
    for (u32 i = 0; i < lead; ++i) {
        cycle(segment, i);
    }
    if (segment.direction == DataDirection::None) {
        return;
    }
    if (segment.direction == DataDirection::Out) {
        burst_out(segment);
    } else {
        burst_in(segment);
    }
    const u32 cycles = lead + segment.trail;
    for (u32 i = lead; i < cycles; ++i) {
        cycle(segment, i);
    }
}

inline void Target::cycle(const onfi::Segment& segment, u32 i)
{
    if (segment.is_command(i)) {
        command(segment.bytes[i]);
    } else {
        address(segment.bytes[i]);
    }
}

void Target::address(u8 byte)
{
    if (first_ == kNone) {
        if (!dead_) {
            dead_ = true;
            violate(Rule::CommandSequence, selected_);
        }
        return;
    }
    if (address_count_ < kMaxAddresses) {
        addresses_ |= u64{byte} << (8 * address_count_);
    }
    ++address_count_;
    if (first_ == cmd::kReadStatusEnhanced && address_count_ == kRowCycles) {
        first_ = kNone;
        if (Slot* slot = addressed(row_only())) {
            selected_ = slot->index;
            status_out_ = true;
            status_plane_ = geometry_.row_plane(row_only());
        }
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
        open(byte);
        break;
    case cmd::kReadStatus:
        open(byte);
        first_ = kNone;
        status_out_ = true;
        status_plane_ = Lun::kAllPlanes;
        break;
    case cmd::kReset:
        reset();
        break;
    case cmd::kReadConfirm:
    case cmd::kReadQueuePlane:
        confirm_read(byte == cmd::kReadQueuePlane);
        break;
    case cmd::kProgramConfirm:
    case cmd::kProgramQueuePlane:
        confirm_program(byte == cmd::kProgramQueuePlane);
        break;
    case cmd::kEraseConfirm:
    case cmd::kEraseQueuePlane:
        confirm_erase(byte == cmd::kEraseQueuePlane);
        break;
    case cmd::kChangeReadColumnConfirm:
        confirm_column();
        break;
    default:
        first_ = kNone;
        dead_ = true;
        violate(Rule::UnknownCommand, selected_);
        break;
    }
}

/// First cycle of a sequence. Only a bare 00h (back to data output) may be left without an end.
void Target::open(u8 byte)
{
    const bool bare_read = first_ == cmd::kRead && address_count_ == 0;
    if (first_ != kNone && !bare_read && !dead_) {
        violate(Rule::CommandSequence, selected_);
    }
    first_ = byte;
    address_count_ = 0;
    addresses_ = 0;
    dead_ = false;
    programming_ = false;
    if (byte == cmd::kRead) {
        status_out_ = false;
    }
}

/// A confirm cycle: does it end a sequence that was opened by `first` with `addresses` cycles?
bool Target::closes(u32 first, u32 addresses)
{
    const bool dead = dead_;
    const bool fits = first_ == first;
    first_ = kNone;
    dead_ = false;
    programming_ = false;
    if (dead) {
        return false;
    }
    if (!fits || address_count_ != addresses) {
        violate(fits ? Rule::AddressCycles : Rule::CommandSequence, selected_);
        return false;
    }
    return true;
}

Place Target::place(const Slot& slot, u32 row) const
{
    return {slot.lun.die(), geometry_.row_plane(row), geometry_.row_block(row),
            geometry_.row_page(row)};
}

/// The LUN that a row names, or null after reporting a row outside the part.
Target::Slot* Target::addressed(u32 row)
{
    const u32 lun = geometry_.row_lun(row);
    if (lun >= slots_.size() || geometry_.row_plane(row) >= geometry_.planes ||
        geometry_.row_block(row) >= geometry_.blocks ||
        geometry_.row_page(row) >= geometry_.pages) {
        violate(Rule::RowRange, lun);
        return nullptr;
    }
    return slots_[lun].get();
}

bool Target::accessible(const Slot& slot)
{
    if (slot.lun.busy() || first_cycle_ < slot.ready_at) {
        violate(Rule::LunBusy, slot.index);
        return false;
    }
    return true;
}

Target::Slot* Target::ready_slot(u32 row)
{
    Slot* slot = addressed(row);
    if (slot == nullptr || !accessible(*slot)) {
        return nullptr;
    }
    selected_ = slot->index;
    status_out_ = false;
    return slot;
}

void Target::start(Slot& slot, const Lun::Start& start)
{
    if (start.rule != Rule::None) {
        violate(start.rule, slot.index);
    }
    slot.timer.arm(segment_end_ + t_wb_ + start.busy);
    channel_.set_ready(ce_, slot.index, false);
}

void Target::confirm_read(bool queue)
{
    if (!closes(cmd::kRead, kMaxAddresses)) {
        return;
    }
    if (Slot* slot = ready_slot(row())) {
        start(*slot, slot->lun.read(place(*slot, row()), column(), queue));
    }
}

void Target::confirm_erase(bool queue)
{
    if (!closes(cmd::kErase, kRowCycles)) {
        return;
    }
    if (Slot* slot = ready_slot(row_only())) {
        start(*slot, slot->lun.erase(place(*slot, row_only()), queue));
    }
}

/// 05h (2 column cycles, the selected LUN) or 06h (5 cycles, any LUN), then E0h.
void Target::confirm_column()
{
    if (first_ == cmd::kChangeReadColumn) {
        if (!closes(cmd::kChangeReadColumn, kColumnCycles)) {
            return;
        }
        Slot& slot = *slots_[selected_];
        if (accessible(slot)) {
            slot.lun.set_column(column());
            status_out_ = false;
        }
        return;
    }
    if (!closes(cmd::kChangeReadColumnEnhanced, kMaxAddresses)) {
        return;
    }
    if (Slot* slot = ready_slot(row())) {
        slot->lun.select(geometry_.row_plane(row()), column());
    }
}

/// Accept 80h and its address once, when data or the confirm cycle follow.
bool Target::open_program()
{
    if (programming_) {
        return true;
    }
    if (address_count_ != kMaxAddresses) {
        violate(Rule::AddressCycles, selected_);
    } else if (Slot* slot = ready_slot(row())) {
        slot->lun.begin_program(place(*slot, row()), column());
        programming_ = true;
        return true;
    }
    dead_ = true;
    return false;
}

void Target::confirm_program(bool queue)
{
    if (first_ == cmd::kProgram && !dead_) {
        open_program();
    }
    if (closes(cmd::kProgram, kMaxAddresses)) {
        Slot& slot = *slots_[selected_];
        start(slot, slot.lun.program(queue));
    }
}

/// FFh: every LUN of the target, busy or not.
void Target::reset()
{
    first_ = kNone;
    dead_ = false;
    programming_ = false;
    status_out_ = false;
    for (const auto& slot : slots_) {
        const bool was_busy = slot->lun.busy();
        slot->timer.arm(segment_end_ + t_wb_ + slot->lun.reset().busy);
        if (!was_busy) {
            channel_.set_ready(ce_, slot->index, false);
        }
    }
}

void Target::burst_in(const onfi::Segment& segment)
{
    if (dead_) {
        return;
    }
    if (first_ != cmd::kProgram) {
        violate(Rule::CommandSequence, selected_);
        return;
    }
    if (!open_program()) {
        return;
    }
    const Rule rule = slots_[selected_]->lun.write_in(segment.data_bytes, *segment.data);
    if (rule != Rule::None) {
        dead_ = true;
        violate(rule, selected_);
    }
}

void Target::burst_out(onfi::Segment& segment)
{
    Slot& slot = *slots_[selected_];
    const bool open_sequence = first_ != kNone && !(first_ == cmd::kRead && address_count_ == 0);
    if (dead_ || open_sequence) {
        if (!dead_) {
            violate(Rule::CommandSequence, selected_);
        }
        return;
    }
    first_ = kNone;
    if (status_out_) {
        segment.data->bytes.fill(slot.lun.status(status_plane_));
        return;
    }
    if (!accessible(slot)) {
        return;
    }
    const Rule rule = slot.lun.read_out(segment.data_bytes, *segment.data);
    if (rule != Rule::None) {
        violate(rule, selected_);
    } else if (device_.swap_at != 0) {
        count_page_burst(*segment.data);
    }
}

/// Fault injection: from burst number swap_at on, the first burst where a wrong tag can be had.
void Target::count_page_burst(onfi::DataCells& cells)
{
    ++device_.bursts;
    if (device_.swapped == 0 && device_.bursts >= device_.swap_at &&
        slots_[selected_]->lun.swap_delivered(cells)) {
        ++device_.swapped;
    }
}

} // namespace tlmssd::nand
