// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: commands of the array: read, program, erase, cache, copyback, suspend, reset.
#include "models/nand/target/target.h"

namespace tlmssd::nand {

namespace cmd = onfi::cmd;
using onfi::Rule;

void Target::confirm_read(ReadEnd end)
{
    if (!closes(cmd::kRead, kMaxAddresses)) {
        return;
    }
    const Row where = row();
    // 32h may belong to a 31h.
    const bool cache = end == ReadEnd::Cache || end == ReadEnd::QueuePlane;
    if (Slot* slot = ready_slot(where, cache ? Access::CacheRead : Access::Array)) {
        start(*slot, slot->lun.read(place(*slot, where), column(), end, begin_at()));
    }
}

/// 31h or 3Fh without an address: of the selected LUN.
void Target::confirm_cache_read(bool last)
{
    const bool fits = first_ == kNone || bare_read();
    const bool dead = dead_;
    end_sequence();
    if (dead) {
        return;
    }
    if (!fits) {
        violate(Rule::CommandSequence, selected_);
        return;
    }
    Slot& slot = slots_[selected_];
    if (accessible(slot, Access::CacheRead)) {
        status_out_ = false;
        output_ = Output::Page;
        start(slot, last ? slot.lun.read_cache_end(begin_at())
                         : slot.lun.read_cache_next(begin_at()));
    }
}

/// WP# is low: the operation ends at once, with FAIL.
bool Target::protected_from(Slot& slot, u32 plane)
{
    if (!protect_) {
        return false;
    }
    slot.lun.refuse(plane);
    violate(Rule::WriteProtected, slot.index);
    return true;
}

void Target::confirm_erase(bool queue)
{
    if (!closes(cmd::kErase, kRowCycles)) {
        return;
    }
    const Row where = row_only();
    Slot* slot = ready_slot(where, Access::Array);
    if (slot != nullptr && !protected_from(*slot, where.place.plane)) {
        start(*slot, slot->lun.erase(place(*slot, where), queue, begin_at()));
    }
}

/// 05h (2 column cycles, the selected LUN) or 06h (5 cycles, any LUN), then E0h.
void Target::confirm_column()
{
    if (first_ == cmd::kChangeReadColumn) {
        if (!closes(cmd::kChangeReadColumn, kColumnCycles)) {
            return;
        }
        Slot& slot = slots_[selected_];
        dead_ = !accessible(slot, Access::Register); // the burst that follows, too
        if (!dead_) {
            output_ == Output::Bytes ? void(register_at_ = column())
                                     : slot.lun.set_column(column());
            status_out_ = false;
        }
        return;
    }
    if (!closes(cmd::kChangeReadColumnEnhanced, kMaxAddresses)) {
        return;
    }
    const Row where = row();
    Slot* slot = ready_slot(where, Access::Register);
    dead_ = slot == nullptr;
    if (slot != nullptr) {
        slot->lun.select(where.place.plane, column());
    }
}

/// 85h: inside a program another column or row, else the program of a copyback.
void Target::change_write()
{
    if (first_ != cmd::kProgram || dead_) {
        open(cmd::kChangeWriteColumn);
        return;
    }
    if (!resolve_program()) {
        return;
    }
    changing_ = true;
    address_count_ = 0;
    addresses_ = 0;
}

/// Data or a confirm cycle follow an address: take it in.
bool Target::resolve_program()
{
    if (changing_) {
        return change_write_address();
    }
    if (programming_) {
        return true;
    }
    return first_ == cmd::kProgram ? open_program() : open_copyback();
}

bool Target::open_program()
{
    const Row where = row();
    if (address_count_ != kMaxAddresses) {
        violate(Rule::AddressCycles, selected_);
    } else if (Slot* slot = ready_slot(where, Access::CacheProgram)) {
        const Rule rule = slot->lun.begin_program(place(*slot, where), column());
        if (rule == Rule::None) {
            if (!features_.program_clear()) { // 80h empties what other LUNs have read
                for (Slot& other : slots_) {
                    other.lun.clear_registers();
                }
            }
            programming_ = true;
            return true;
        }
        violate(rule, slot->index);
    }
    dead_ = true;
    return false;
}

/// 85h that opens a sequence. From here on it is a program like any other.
bool Target::open_copyback()
{
    const Row where = row();
    if (address_count_ != kMaxAddresses) {
        violate(Rule::AddressCycles, selected_);
    } else if (Slot* slot = ready_slot(where, Access::Array)) {
        const Rule rule = slot->lun.begin_copyback(place(*slot, where), column());
        if (rule == Rule::None) {
            first_ = cmd::kProgram;
            programming_ = true;
            return true;
        }
        violate(rule, slot->index);
    }
    dead_ = true;
    return false;
}

bool Target::change_write_address()
{
    changing_ = false;
    Slot& slot = slots_[selected_];
    if (address_count_ == kColumnCycles) {
        slot.lun.set_column(column());
        return true;
    }
    Rule rule = Rule::AddressCycles;
    if (address_count_ == kMaxAddresses) {
        const Row where = row();
        const Slot* named = addressed(where);
        if (named == nullptr) {
            dead_ = true;
            return false;
        }
        rule = named == &slot ? slot.lun.change_row(place(slot, where), column())
                              : Rule::CommandSequence;
    }
    if (rule != Rule::None) {
        dead_ = true;
        violate(rule, selected_);
    }
    return rule == Rule::None;
}

void Target::confirm_program(ProgramEnd end)
{
    const bool opened = first_ == cmd::kProgram || first_ == cmd::kChangeWriteColumn;
    const bool dead = dead_;
    const bool taken = !dead && opened && resolve_program();
    end_sequence();
    if (!taken) {
        if (!dead && !opened) {
            violate(Rule::CommandSequence, selected_);
        }
        return;
    }
    Slot& slot = slots_[selected_];
    if (!protected_from(slot, slot.lun.selected_plane())) {
        start(slot, slot.lun.program(end, begin_at()));
    }
}

/// Commands that end with their row: 78h, FAh, suspend and resume.
void Target::row_complete(u8 first)
{
    first_ = kNone;
    if (address_count_ > kRowCycles) {
        violate(Rule::AddressCycles, selected_);
        return;
    }
    const Row where = row_only();
    Slot* slot = addressed(where);
    if (slot == nullptr) {
        return;
    }
    selected_ = slot->index;
    switch (first) {
    case cmd::kReadStatusEnhanced:
        status_out_ = true;
        status_plane_ = where.place.plane;
        break;
    case cmd::kResetLun:
        status_out_ = false;
        output_ = Output::Page;
        reset_slot(*slot);
        break;
    case cmd::kProgramSuspend:
        suspend(*slot, ArrayOp::Program);
        break;
    case cmd::kEraseSuspend:
        suspend(*slot, ArrayOp::Erase);
        break;
    default:
        if (accessible(*slot, Access::Array)) {
            status_out_ = false;
            start(*slot, slot->lun.resume(first == cmd::kProgramResume ? ArrayOp::Program
                                                                       : ArrayOp::Erase,
                                          begin_at()));
        }
        break;
    }
}

void Target::suspend(Slot& slot, ArrayOp kind)
{
    if (slot.silent) {
        return;
    }
    const Rule rule = slot.lun.suspend(kind, segment_end_);
    if (rule != Rule::None) {
        violate(rule, slot.index);
        return;
    }
    if (slot.lun.busy()) {
        slot.timer.arm(slot.lun.due());
    }
}

/// FFh and FCh: every LUN of the target, busy or not. FFh ends in SDR, timing mode 0.
void Target::reset(bool interface_too)
{
    end_sequence();
    status_out_ = false;
    output_ = Output::Page;
    feature_due_ = false;
    if (interface_too) {
        features_.reset();
        understood_ = nullptr;
    } else if (features_.interface() == config::BusInterface::Sdr) {
        violate(Rule::WrongInterface, selected_); // FCh is for the DDR interfaces
    }
    for (Slot& slot : slots_) {
        reset_slot(slot);
    }
}

void Target::reset_slot(Slot& slot)
{
    if (slot.silent) {
        return;
    }
    slot.retry_due = Slot::kNoRetry;
    const bool was_busy = slot.lun.busy();
    slot.lun.reset(begin_at());
    slot.timer.arm(slot.lun.due());
    if (!was_busy) {
        channel_.set_ready(ce_, slot.index, false);
    }
}

} // namespace tlmssd::nand
