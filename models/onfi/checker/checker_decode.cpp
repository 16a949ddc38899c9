// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the checker's own reading of command, address and data cycles.
#include <cstring>
#include <initializer_list>

#include "models/onfi/checker/checker.h"

namespace tlmssd::onfi {

namespace {

enum class Kind : u8 { Unknown, Opener, Immediate, Confirm, CacheRead, ChangeWrite, Reset };

/// What a command byte is.
struct Form {
    Kind kind = Kind::Unknown;
    u8 opener = 0; ///< of a confirm: what must stand before it
    u8 cycles = 0; ///< address cycles: between opener and confirm, or after which an opener acts
};

// ONFI 2.3 and 3.1 clause 5: column 2 cycles, row 3 cycles.
constexpr std::array<Form, 256> make_forms()
{
    std::array<Form, 256> forms{};
    for (const u8 opener : std::initializer_list<u8>{0x00, 0x05, 0x06, 0x60, 0x80}) {
        forms[opener].kind = Kind::Opener;
    }
    for (const u8 opener : std::initializer_list<u8>{0x78, 0xfa, 0x84, 0x13, 0x61, 0xd2}) {
        forms[opener] = Form{Kind::Opener, 0, 3};
    }
    for (const u8 opener : std::initializer_list<u8>{0x90, 0xec, 0xed, 0xee, 0xef}) {
        forms[opener] = Form{Kind::Opener, 0, 1};
    }
    forms[0xd4] = forms[0xd5] = Form{Kind::Opener, 0, 2};
    forms[0x85].kind = Kind::ChangeWrite; // or the opener of a copyback program
    forms[0x70].kind = Kind::Immediate;
    forms[0xff].kind = forms[0xfc].kind = Kind::Reset;
    forms[0x30] = forms[0x32] = forms[0x35] = Form{Kind::Confirm, 0x00, 5};
    forms[0x31] = Form{Kind::CacheRead, 0x00, 5}; // alone: sequential
    forms[0x3f].kind = Kind::CacheRead;
    forms[0x10] = forms[0x11] = forms[0x15] = Form{Kind::Confirm, 0x80, 5};
    forms[0xd0] = forms[0xd1] = Form{Kind::Confirm, 0x60, 3};
    forms[0xe0] = Form{Kind::Confirm, 0x06, 5}; // or 05h and 2
    return forms;
}

constexpr std::array<Form, 256> kForms = make_forms();

} // namespace

void Checker::on_observed(u32 channel, const Segment& segment)
{
    const u32 ce_index = channel * ces_of_channel_ + segment.ce;
    const u32 first_die = ce_index * luns_of_ce_;
    u8 driven = initial_;
    if (segment.timing != nullptr) {
        const DataSheet& sheet = segment.timing->sheet;
        const u8 index = MinimaTable::index(sheet.interface, sheet.mode);
        driven = index == MinimaTable::kNoIndex ? initial_ : index;
    }
    View view{segment, ces_[ce_index], &luns_[first_die], minima_[driven], channel, first_die,
              0,       segment.end.value()};
    check_bus(channels_[channel], view);
    if (segment.timing == nullptr || driven == view.ce.setting || spoken_to(view, driven)) {
        cycles(view, 0, segment.lead);
        if (segment.direction != DataDirection::None) {
            view.at = segment.lead;
            view.in_burst = true;
            segment.direction == DataDirection::Out ? burst_out(view) : burst_in(view);
            view.in_burst = false;
        }
        cycles(view, segment.lead, u32{segment.lead} + segment.trail);
    }
    if (view.broken) {
        adopt(view);
    }
    remember(view);
}

/// Command cycles one by one, address cycles in runs.
void Checker::cycles(View& view, u32 from, u32 to)
{
    while (from < to) {
        const u64 commands = view.segment.command_mask >> from;
        view.at = from;
        if ((commands & 1) != 0) {
            command(view, view.segment.bytes[from++]);
            continue;
        }
        const u32 run = commands == 0 ? to - from : static_cast<u32>(__builtin_ctzll(commands));
        const u32 count = run < to - from ? run : to - from;
        address(view, count);
        from += count;
    }
}

void Checker::address(View& view, u32 count)
{
    CeState& ce = view.ce;
    if (!ce.open) {
        if (!ce.spoiled) {
            ce.spoiled = true;
            report(view, Rule::CommandSequence, previous(view));
        }
        return;
    }
    constexpr u32 kWord = sizeof(u64);
    if (ce.cycles < kWord) {
        u64 word = 0;
        const u32 taken = count < kWord ? count : kWord;
        if (view.at + kWord <= Segment::kMaxCycles) {
            std::memcpy(&word, &view.segment.bytes[view.at], kWord);
            word &= ~u64{0} >> (8 * (kWord - taken));
        } else {
            std::memcpy(&word, &view.segment.bytes[view.at], taken);
        }
        ce.address |= word << (8 * ce.cycles);
    }
    ce.cycles += count;
    view.at += count - 1;
    if (kForms[ce.opener].cycles != 0 && ce.cycles >= kForms[ce.opener].cycles && !ce.spoiled) {
        addressed(view);
    }
}

/// The rest of the sequence is not judged any more.
void Checker::spoil(View& view, Rule rule)
{
    view.ce.spoiled = true;
    report(view, rule, view.ce.opened);
}

/// A command that acts when its address is complete.
void Checker::addressed(View& view)
{
    CeState& ce = view.ce;
    if (ce.cycles > kForms[ce.opener].cycles) {
        ce.open = false;
        spoil(view, Rule::AddressCycles);
        return;
    }
    ce.open = ce.opener == 0xef || ce.opener == 0xd5; // their data are still to come
    switch (ce.opener) {
    case 0x78:
        ce.status = take_row(view, parts(ce.address)) != nullptr;
        ce.spoiled = !ce.status;
        break;
    case 0x90:
    case 0xec:
    case 0xed:
        read_registers(view);
        break;
    case 0xfa:
        reset_lun(view);
        break;
    case 0x84:
        suspend(view, Busy::Program);
        break;
    case 0x61:
        suspend(view, Busy::Erase);
        break;
    case 0x13:
        resume(view, Busy::Program);
        break;
    case 0xd2:
        resume(view, Busy::Erase);
        break;
    default:
        feature_address(view);
        break;
    }
}

void Checker::command(View& view, u8 byte)
{
    CeState& ce = view.ce;
    switch (kForms[byte].kind) {
    case Kind::Confirm:
        confirm(view, byte);
        return;
    case Kind::Reset:
        reset_target(view, byte);
        return;
    case Kind::CacheRead:
        if (byte == 0x31 && ce.open && ce.opener == 0x00 && ce.cycles != 0) {
            confirm(view, byte);
        } else {
            open(view, byte);
            ce.open = false;
            if (!view.broken) {
                lone_cache_read(view, byte);
            }
        }
        return;
    case Kind::ChangeWrite:
        if (ce.open && (ce.opener == 0x80 || ce.opener == 0x85)) {
            change_write_column(view);
        } else {
            open(view, byte);
        }
        return;
    case Kind::Unknown:
        report(view, Rule::UnknownCommand, previous(view));
        ce.spoiled = true;
        ce.open = false;
        return;
    case Kind::Immediate:
        open(view, byte);
        ce.open = false;
        ce.status = true;
        return;
    case Kind::Opener:
        open(view, byte);
        return;
    }
}

/// First cycle of a sequence. Only a bare 00h (back to data output) may be left without an end;
/// this holds across the LUNs of the CE#.
void Checker::open(View& view, u8 byte)
{
    CeState& ce = view.ce;
    if (ce.open && !ce.spoiled && !(ce.opener == 0x00 && ce.cycles == 0)) {
        report(view, Rule::CommandSequence, ce.opened);
    }
    ce.open = true;
    ce.spoiled = false;
    ce.row_done = false;
    ce.change = false;
    ce.opener = byte;
    ce.address = 0;
    ce.cycles = 0;
    ce.from = view.first_cycle;
    ce.opened = cycle(view, view.at);
    if (byte == 0x00) {
        ce.status = false;
    }
}

/// 85h inside a program: a new column, or a new row of the same LUN and plane.
void Checker::change_write_column(View& view)
{
    CeState& ce = view.ce;
    if (ce.spoiled) {
        return;
    }
    if (ce.change ? !take_change(view) : !take_program_row(view)) {
        ce.spoiled = true;
        return;
    }
    ce.change = true;
    ce.address = 0;
    ce.cycles = 0;
}

void Checker::confirm(View& view, u8 byte)
{
    CeState& ce = view.ce;
    const Form form = kForms[byte];
    const bool program = form.opener == 0x80;
    const bool column = byte == 0xe0 && ce.opener == 0x05;
    const bool fits = ce.open && (ce.opener == form.opener || column ||
                                  (program && ce.opener == 0x85));
    const bool judged = !ce.spoiled;
    ce.open = false;
    ce.spoiled = false;
    if (!judged) {
        return;
    }
    if (!fits) {
        report(view, Rule::CommandSequence, previous(view));
        return;
    }
    if (program) { // its row may have been judged with the first data
        confirm_program(view, byte);
        return;
    }
    if (ce.cycles != (column ? 2 : form.cycles)) {
        report(view, Rule::AddressCycles, ce.opened);
        return;
    }
    if (byte == 0xe0) {
        confirm_column(view);
    } else if (form.opener == 0x60) {
        confirm_erase(view, byte == 0xd1);
    } else {
        confirm_read(view, byte);
    }
}

void Checker::burst_in(View& view)
{
    CeState& ce = view.ce;
    if (ce.spoiled) {
        return;
    }
    if (ce.open && (ce.opener == 0xef || ce.opener == 0xd5)) {
        set_feature(view);
        return;
    }
    if (!ce.open || (ce.opener != 0x80 && ce.opener != 0x85)) {
        report(view, Rule::CommandSequence, ce.open ? ce.opened : previous(view));
        return;
    }
    if (ce.change ? !take_change(view) : !take_program_row(view)) {
        ce.spoiled = true;
        return;
    }
    LunState& lun = view.luns[ce.lun];
    lun.column += view.segment.data_bytes;
    if (lun.column > physical_bytes_) {
        spoil(view, Rule::BurstLength);
    }
}

void Checker::burst_out(View& view)
{
    CeState& ce = view.ce;
    if (ce.spoiled) {
        return;
    }
    if (ce.open && !(ce.opener == 0x00 && ce.cycles == 0)) {
        report(view, Rule::CommandSequence, ce.opened);
        return;
    }
    ce.open = false;
    LunState& lun = view.luns[ce.lun];
    if (ce.status) {
        if (tolerate_ || lun.suspended != Busy::No) {
            status_out(view);
        }
        return;
    }
    if (!usable(view, lun, view.first_cycle, lun.array, burst(view)) || lun.unknown ||
        ce.registers) {
        return;
    }
    if (((lun.valid >> lun.out_plane) & 1) == 0) {
        const bool cleared = lun.cleared.kind != CycleKind::None && lun.cleared.at > lun.by.at;
        report(view, Rule::NoData, cleared ? lun.cleared : lun.by);
        return;
    }
    if (lun.column + view.segment.data_bytes > physical_bytes_) {
        report(view, Rule::BurstLength, ce.opened);
        return;
    }
    lun.column += view.segment.data_bytes;
}

/// The status byte tells of dead dies, and whether a suspend came before the operation's end.
void Checker::status_out(View& view)
{
    const DataCells* const cells = view.segment.data;
    if (cells == nullptr) {
        return;
    }
    LunState& lun = view.luns[view.ce.lun];
    const u8 status = cells->bytes[0];
    if (tolerate_ && status == 0xff) {
        silence(lun);
    } else {
        resolve_suspended(view.first_die + view.ce.lun, lun, status);
    }
}

/// 05h or 06h, closed by E0h.
void Checker::confirm_column(View& view)
{
    CeState& ce = view.ce;
    const bool enhanced = ce.opener == 0x06;
    const Row row = parts(ce.address >> 16);
    LunState* const lun = enhanced ? take_row(view, row) : &view.luns[ce.lun];
    if (lun == nullptr || !usable(view, *lun, ce.from, lun->array, ce.opened)) {
        return;
    }
    ce.status = false;
    if (enhanced) {
        ce.registers = false;
        lun->out_plane = static_cast<u8>(row.plane);
    }
    if (!ce.registers) {
        lun->column = static_cast<u32>(ce.address) & 0xffff;
    }
}

} // namespace tlmssd::onfi
