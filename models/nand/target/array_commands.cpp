// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: commands of the array: read, program, erase, cache, copyback, suspend, reset.
#include "models/nand/target/command_decoder.h"

namespace tlmssd::nand {

namespace cmd = onfi::cmd;
using onfi::Rule;

void CommandDecoder::confirm_read(ReadEnd end)
{
    if (!closes(cmd::kRead, kMaxAddresses)) {
        return;
    }
    const RowAddress where = row();
    // 32h may belong to a 31h.
    const bool cache = end == ReadEnd::Cache || end == ReadEnd::QueuePlane;
    if (TimedLun* lun = ready_lun(where, cache ? Access::CacheRead : Access::Array)) {
        luns_.start(*lun, lun->lun.read(TargetLuns::place(*lun, where), sequence_.column(), end,
                                        luns_.begin_at()));
    }
}

/// 31h or 3Fh without an address: of the selected LUN.
void CommandDecoder::confirm_cache_read(bool last)
{
    const bool fits = !sequence_.is_open() || sequence_.bare_read();
    const bool dead = sequence_.dead;
    sequence_.end();
    if (dead) {
        return;
    }
    if (!fits) {
        luns_.violate(Rule::CommandSequence);
        return;
    }
    TimedLun& lun = luns_.selected();
    if (luns_.accessible(lun, Access::CacheRead)) {
        output_.deliver_page();
        luns_.start(lun, last ? lun.lun.read_cache_end(luns_.begin_at())
                              : lun.lun.read_cache_next(luns_.begin_at()));
    }
}

void CommandDecoder::confirm_erase(bool queue)
{
    if (!closes(cmd::kErase, kRowCycles)) {
        return;
    }
    const RowAddress where = row_only();
    TimedLun* lun = ready_lun(where, Access::Array);
    if (lun != nullptr && !luns_.protected_from(*lun, where.place.plane)) {
        luns_.start(*lun,
                    lun->lun.erase(TargetLuns::place(*lun, where), queue, luns_.begin_at()));
    }
}

/// 05h (2 column cycles, the selected LUN) or 06h (5 cycles, any LUN), then E0h.
void CommandDecoder::confirm_column()
{
    if (sequence_.first == cmd::kChangeReadColumn) {
        if (!closes(cmd::kChangeReadColumn, kColumnCycles)) {
            return;
        }
        TimedLun& lun = luns_.selected();
        sequence_.dead = !luns_.accessible(lun, Access::Register); // the burst that follows, too
        if (!sequence_.dead) {
            output_.is_bytes() ? output_.seek(sequence_.column())
                               : lun.lun.set_column(sequence_.column());
            output_.leave_status();
        }
        return;
    }
    if (!closes(cmd::kChangeReadColumnEnhanced, kMaxAddresses)) {
        return;
    }
    const RowAddress where = row();
    TimedLun* lun = ready_lun(where, Access::Register);
    sequence_.dead = lun == nullptr;
    if (lun != nullptr) {
        lun->lun.select(where.place.plane, sequence_.column());
    }
}

/// 85h: inside a program another column or row, else the program of a copyback.
void CommandDecoder::change_write()
{
    if (sequence_.first != cmd::kProgram || sequence_.dead) {
        open(cmd::kChangeWriteColumn);
        return;
    }
    if (!resolve_program()) {
        return;
    }
    sequence_.changing = true;
    sequence_.clear_address();
}

/// Data or a confirm cycle follow an address: take it in.
bool CommandDecoder::resolve_program()
{
    if (sequence_.changing) {
        return change_write_address();
    }
    if (sequence_.programming) {
        return true;
    }
    return sequence_.first == cmd::kProgram ? open_program() : open_copyback();
}

bool CommandDecoder::open_program()
{
    const RowAddress where = row();
    if (sequence_.address_count != kMaxAddresses) {
        luns_.violate(Rule::AddressCycles);
    } else if (TimedLun* lun = ready_lun(where, Access::CacheProgram)) {
        const Rule rule =
            lun->lun.begin_program(TargetLuns::place(*lun, where), sequence_.column());
        if (rule == Rule::None) {
            if (!features_.program_clear()) { // 80h empties what other LUNs have read
                for (TimedLun& other : luns_.all()) {
                    other.lun.clear_registers();
                }
            }
            sequence_.programming = true;
            return true;
        }
        luns_.violate(rule, lun->index());
    }
    sequence_.dead = true;
    return false;
}

/// 85h that opens a sequence. From here on it is a program like any other.
bool CommandDecoder::open_copyback()
{
    const RowAddress where = row();
    if (sequence_.address_count != kMaxAddresses) {
        luns_.violate(Rule::AddressCycles);
    } else if (TimedLun* lun = ready_lun(where, Access::Array)) {
        const Rule rule =
            lun->lun.begin_copyback(TargetLuns::place(*lun, where), sequence_.column());
        if (rule == Rule::None) {
            sequence_.first = cmd::kProgram;
            sequence_.programming = true;
            return true;
        }
        luns_.violate(rule, lun->index());
    }
    sequence_.dead = true;
    return false;
}

bool CommandDecoder::change_write_address()
{
    sequence_.changing = false;
    TimedLun& lun = luns_.selected();
    if (sequence_.address_count == kColumnCycles) {
        lun.lun.set_column(sequence_.column());
        return true;
    }
    Rule rule = Rule::AddressCycles;
    if (sequence_.address_count == kMaxAddresses) {
        const RowAddress where = row();
        const TimedLun* named = luns_.addressed(where);
        if (named == nullptr) {
            sequence_.dead = true;
            return false;
        }
        rule = named == &lun
                   ? lun.lun.change_row(TargetLuns::place(lun, where), sequence_.column())
                   : Rule::CommandSequence;
    }
    if (rule != Rule::None) {
        sequence_.dead = true;
        luns_.violate(rule);
    }
    return rule == Rule::None;
}

void CommandDecoder::confirm_program(ProgramEnd end)
{
    const bool opened =
        sequence_.first == cmd::kProgram || sequence_.first == cmd::kChangeWriteColumn;
    const bool dead = sequence_.dead;
    const bool taken = !dead && opened && resolve_program();
    sequence_.end();
    if (!taken) {
        if (!dead && !opened) {
            luns_.violate(Rule::CommandSequence);
        }
        return;
    }
    TimedLun& lun = luns_.selected();
    if (!luns_.protected_from(lun, lun.lun.selected_plane())) {
        luns_.start(lun, lun.lun.program(end, luns_.begin_at()));
    }
}

void CommandDecoder::suspend(TimedLun& lun, ArrayOp kind)
{
    if (lun.silent()) {
        return;
    }
    const Rule rule = lun.lun.suspend(kind, luns_.segment_end());
    if (rule != Rule::None) {
        luns_.violate(rule, lun.index());
        return;
    }
    if (lun.lun.busy()) {
        lun.follow_due();
    }
}

/// FFh and FCh: every LUN of the target, busy or not. FFh ends in SDR, timing mode 0.
void CommandDecoder::reset(bool interface_too)
{
    sequence_.end();
    output_.deliver_page();
    features_.cancel();
    if (interface_too) {
        features_.reset();
    } else if (features_.interface() == config::BusInterface::Sdr) {
        luns_.violate(Rule::WrongInterface); // FCh is for the DDR interfaces
    }
    for (TimedLun& each : luns_.all()) {
        each.reset(luns_.segment_end(), luns_.begin_at());
    }
}

} // namespace tlmssd::nand
