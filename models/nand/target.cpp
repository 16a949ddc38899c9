// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ONFI bytes to LUN operations.
#include "models/nand/target.h"

#include <algorithm>

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
      geometry_(device.store.geometry()), page_bits_(geometry_.page_bits()),
      plane_bits_(geometry_.plane_bits()), block_bits_(geometry_.block_bits()), ce_(ce),
      t_wb_(channel.timing().sheet.t_wb),
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
        address(&segment.bytes[from], count);
        from += count;
    }
}

void Target::address(const u8* bytes, u32 count)
{
    if (first_ == kNone) {
        if (!dead_) {
            dead_ = true;
            violate(Rule::CommandSequence, selected_);
        }
        return;
    }
    u64 value = 0;
    for (u32 i = std::min(count, kMaxAddresses); i-- > 0;) {
        value = (value << 8) | bytes[i];
    }
    if (address_count_ < kMaxAddresses) {
        addresses_ |= value << (8 * address_count_);
    }
    address_count_ += count;
    if (first_ == cmd::kReadStatusEnhanced && address_count_ >= kRowCycles) {
        select_status();
    }
}

/// 78h is complete with its row.
void Target::select_status()
{
    first_ = kNone;
    if (address_count_ > kRowCycles) {
        violate(Rule::AddressCycles, selected_);
        return;
    }
    const Row row = row_only();
    if (Slot* slot = addressed(row)) {
        selected_ = slot->index;
        status_out_ = true;
        status_plane_ = row.place.plane;
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

Target::Row Target::split(u32 row) const
{
    const auto take = [&row](u32 bits) {
        const u32 field = row & ((1u << bits) - 1);
        row >>= bits;
        return field;
    };
    Row parts{};
    parts.place.page = take(page_bits_);
    parts.place.plane = take(plane_bits_);
    parts.place.block = take(block_bits_);
    parts.lun = row;
    return parts;
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
    if (row.lun >= slots_.size() || row.place.plane >= geometry_.planes ||
        row.place.block >= geometry_.blocks || row.place.page >= geometry_.pages) {
        violate(Rule::RowRange, row.lun);
        return nullptr;
    }
    return slots_[row.lun].get();
}

bool Target::accessible(const Slot& slot)
{
    if (slot.lun.busy() || first_cycle_ < slot.ready_at) {
        violate(Rule::LunBusy, slot.index);
        return false;
    }
    return true;
}

Target::Slot* Target::ready_slot(const Row& row)
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
    const Row where = row();
    if (Slot* slot = ready_slot(where)) {
        start(*slot, slot->lun.read(place(*slot, where), column(), queue));
    }
}

void Target::confirm_erase(bool queue)
{
    if (!closes(cmd::kErase, kRowCycles)) {
        return;
    }
    const Row where = row_only();
    if (Slot* slot = ready_slot(where)) {
        start(*slot, slot->lun.erase(place(*slot, where), queue));
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
    const Row where = row();
    if (Slot* slot = ready_slot(where)) {
        slot->lun.select(where.place.plane, column());
    }
}

/// Accept 80h and its address once, when data or the confirm cycle follow.
bool Target::open_program()
{
    if (programming_) {
        return true;
    }
    const Row where = row();
    if (address_count_ != kMaxAddresses) {
        violate(Rule::AddressCycles, selected_);
    } else if (Slot* slot = ready_slot(where)) {
        slot->lun.begin_program(place(*slot, where), column());
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
