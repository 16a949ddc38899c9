// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: addresses of reads and programs, columns and data bursts.
#include "models/onfi/checker/target_decoder.h"

namespace tlmssd::onfi {

/// 60h R3, closed by D0h or D1h; 00h C2R3, closed by 30h, 31h, 32h or 35h.
void TargetDecoder::confirm_array(ObservedSegment& seen, u8 byte)
{
    const bool erase = byte == 0xd0 || byte == 0xd1;
    const RowAddress row =
        limits_.split(erase ? sequence_.address : sequence_.row_after_column());
    LunSequence* const lun = take_row(seen, row);
    if (lun == nullptr) {
        return;
    }
    if (erase) {
        lun->erase(seen, row, byte == 0xd1);
    } else {
        lun->read(seen, row, byte);
    }
}

/// 80h or 85h, closed by 10h, 11h or 15h.
void TargetDecoder::confirm_program(ObservedSegment& seen, u8 byte)
{
    if (take_program_address(seen)) {
        luns_[sequence_.row.lun].program(seen, sequence_.row, byte);
    }
}

/// 85h inside a program: a new column, or a new row of the same LUN and plane.
void TargetDecoder::change_write_column(ObservedSegment& seen)
{
    CommandSequence& s = sequence_;
    if (s.spoiled) {
        return;
    }
    if (!take_program_address(seen)) {
        s.spoiled = true;
        return;
    }
    s.change = true;
    s.address = 0;
    s.cycles = 0;
}

/// 80h or 85h with its address: judged when the first data arrive, else with the confirm.
bool TargetDecoder::take_program_row(ObservedSegment& seen)
{
    CommandSequence& s = sequence_;
    if (s.row_done) {
        return true;
    }
    if (s.cycles != 5) {
        seen.report(Rule::AddressCycles, s.opened);
        return false;
    }
    const RowAddress row = limits_.split(s.row_after_column());
    LunSequence* const lun = take_row(seen, row);
    const Array through = s.opener == 0x80 ? Array::Programming : Array::Idle;
    if (lun == nullptr || !lun->usable(seen, through) || lun->barred(seen, Busy::Program, row)) {
        return false;
    }
    if (s.opener == 0x80) {
        clear_registers(seen, *lun, row.plane);
    } else if (!take_copy(seen, *lun, row.plane)) {
        return false;
    }
    s.row = row;
    s.row_done = true;
    s.deliver_page();
    lun->set_column(s.column());
    return true;
}

/// 80h: the first of a program clears all page registers of its LUN, and without program clear
/// those of all LUNs of the CE#, what is on its way to them included.
void TargetDecoder::clear_registers(ObservedSegment& seen, LunSequence& lun, u32 plane)
{
    if (!lun.begin_program(seen, plane) || interface_.program_clear()) {
        return;
    }
    for (u32 i = 0; i < limits_.luns_of_ce; ++i) {
        if (&luns_[i] != &lun) {
            luns_[i].lose_registers(sequence_.opened);
        }
    }
}

/// 85h that opens a sequence: the plane holds a page of 35h.
bool TargetDecoder::take_copy(ObservedSegment& seen, const LunSequence& lun, u32 plane)
{
    if (lun.copy_allowed(plane)) {
        return true;
    }
    Cycle read = lun.registers().copy_by(); // or that of another LUN
    for (u32 i = 0; i < limits_.luns_of_ce; ++i) {
        const PageRegisters& other = luns_[i].registers();
        read = other.holds_any_copy() && other.copy_by().at > read.at ? other.copy_by() : read;
    }
    seen.report(Rule::CopybackPlane, read.kind == CycleKind::None ? lun.by() : read);
    return false;
}

/// The address of 85h inside a program is complete.
bool TargetDecoder::take_change(ObservedSegment& seen)
{
    CommandSequence& s = sequence_;
    s.change = false;
    if (s.cycles == 5) {
        const RowAddress row = limits_.split(s.row_after_column());
        if (row.lun != s.row.lun && row.lun < limits_.luns_of_ce) {
            seen.report(Rule::CommandSequence, s.opened);
            return false;
        }
        LunSequence* const lun = take_row(seen, row);
        if (lun == nullptr || lun->barred(seen, Busy::Program, row)) {
            return false;
        }
        if (row.plane != s.row.plane) {
            seen.report(Rule::MultiPlane, s.opened);
            return false;
        }
        s.row = row;
    } else if (s.cycles != 2) {
        seen.report(Rule::AddressCycles, s.opened);
        return false;
    }
    selected().set_column(s.column());
    return true;
}

/// 05h or 06h, closed by E0h.
void TargetDecoder::confirm_column(ObservedSegment& seen)
{
    CommandSequence& s = sequence_;
    const bool enhanced = s.opener == 0x06;
    const RowAddress row = limits_.split(s.row_after_column());
    LunSequence* const lun = enhanced ? take_row(seen, row) : &selected();
    if (lun == nullptr || !lun->usable(seen, lun->array())) {
        return;
    }
    s.status = false;
    if (enhanced) {
        s.registers = false;
        lun->select(row.plane);
    }
    if (!s.registers) {
        lun->set_column(s.column());
    }
}

void TargetDecoder::burst_in(ObservedSegment& seen)
{
    CommandSequence& s = sequence_;
    if (s.spoiled) {
        return;
    }
    if (s.open && (s.opener == 0xef || s.opener == 0xd5)) {
        set_feature(seen);
        return;
    }
    if (!s.open || (s.opener != 0x80 && s.opener != 0x85)) {
        seen.report(Rule::CommandSequence, s.open ? s.opened : seen.previous());
        return;
    }
    if (!take_program_address(seen)) {
        s.spoiled = true;
        return;
    }
    if (!selected().burst_in(seen.segment.data_bytes)) {
        spoil(seen, Rule::BurstLength);
    }
}

void TargetDecoder::burst_out(ObservedSegment& seen)
{
    CommandSequence& s = sequence_;
    if (s.spoiled) {
        return;
    }
    if (s.open && !(s.opener == 0x00 && s.cycles == 0)) {
        seen.report(Rule::CommandSequence, s.opened);
        return;
    }
    s.open = false;
    LunSequence& lun = selected();
    if (!s.status) {
        lun.burst_out(seen);
        return;
    }
    lun.judge_status_start(seen);
    if (lun.judges_status() && seen.segment.data != nullptr) {
        lun.on_status(seen.segment.data->bytes[0]);
    }
}

} // namespace tlmssd::onfi
