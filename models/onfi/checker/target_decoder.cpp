// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: from cycles to command sequences.
#include "models/onfi/checker/target_decoder.h"

#include <array>
#include <cstring>
#include <initializer_list>

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

void TargetDecoder::on_segment(ObservedSegment& seen)
{
    const Segment& segment = seen.segment;
    if (segment.timing == nullptr || seen.driven == interface_.row() || spoken_to(seen)) {
        if (!closed_sequence(seen)) {
            cycles(seen, 0, segment.lead);
        }
        if (segment.direction != DataDirection::None) {
            seen.at = segment.lead;
            seen.in_burst = true;
            segment.direction == DataDirection::Out ? burst_out(seen) : burst_in(seen);
            seen.in_burst = false;
        }
        if (segment.trail != 0) {
            cycles(seen, segment.lead, u32{segment.lead} + segment.trail);
        }
    }
    if (seen.broken()) {
        for (u32 i = 0; i < limits_.luns_of_ce; ++i) {
            luns_[i].adopt(seen);
        }
    }
    seen.remember();
}

/// FFh reaches the target in any interface. What it does not understand is no command to it.
bool TargetDecoder::spoken_to(ObservedSegment& seen)
{
    const Segment& s = seen.segment;
    if (interface_.understands(seen.driven, s.start.value()) ||
        (s.lead != 0 && s.is_command(0) && s.bytes[0] == 0xff)) {
        return true;
    }
    seen.in_burst = s.lead + s.trail == 0;
    seen.report(Rule::WrongInterface, interface_.set_by());
    seen.in_burst = false;
    return false;
}

/// A sequence of five address cycles with its opener and its confirm in one run of cycles, as most are: it breaks no
/// rule of sequences but by what it leaves open. The rest is that of cycles(). False: nothing has been judged.
bool TargetDecoder::closed_sequence(ObservedSegment& seen)
{
    constexpr u32 kLast = 6;
    const Segment& segment = seen.segment;
    const u8 opener = segment.bytes[0];
    const u8 byte = segment.bytes[kLast];
    const Form form = kForms[byte];
    if (segment.lead != kLast + 1 || (segment.command_mask & 0x7f) != (1u << kLast | 1u) || left_open() ||
        form.kind != Kind::Confirm || form.cycles != 5 || form.opener != opener || opener == 0x80) {
        return false;
    }
    begin(seen, opener);
    u64 word = 0;
    std::memcpy(&word, &segment.bytes[0], sizeof word);
    sequence_.address = word << 16 >> 24;
    sequence_.cycles = 5;
    sequence_.open = false;
    seen.at = kLast;
    confirmed(seen, byte);
    return true;
}

/// Command cycles one by one, address cycles in runs.
void TargetDecoder::cycles(ObservedSegment& seen, u32 from, u32 to)
{
    while (from < to) {
        const u64 commands = seen.segment.command_mask >> from;
        seen.at = from;
        if ((commands & 1) != 0) {
            command(seen, seen.segment.bytes[from++]);
            continue;
        }
        const u32 run = commands == 0 ? to - from : static_cast<u32>(__builtin_ctzll(commands));
        const u32 count = run < to - from ? run : to - from;
        address(seen, count);
        from += count;
    }
}

void TargetDecoder::address(ObservedSegment& seen, u32 count)
{
    CommandSequence& s = sequence_;
    if (!s.open) {
        if (!s.spoiled) {
            s.spoiled = true;
            seen.report(Rule::CommandSequence, seen.previous());
        }
        return;
    }
    constexpr u32 kWord = sizeof(u64);
    if (s.cycles < kWord) {
        u64 word = 0;
        const u32 taken = count < kWord ? count : kWord;
        if (seen.at + kWord <= Segment::kMaxCycles) {
            std::memcpy(&word, &seen.segment.bytes[seen.at], kWord);
            word &= ~u64{0} >> (8 * (kWord - taken));
        } else {
            std::memcpy(&word, &seen.segment.bytes[seen.at], taken);
        }
        s.address |= word << (8 * s.cycles);
    }
    s.cycles += count;
    seen.at += count - 1;
    const u32 complete = kForms[s.opener].cycles;
    if (complete != 0 && s.cycles >= complete && !s.spoiled) {
        addressed(seen);
    }
}

/// The rest of the sequence is not judged any more.
void TargetDecoder::spoil(ObservedSegment& seen, Rule rule)
{
    sequence_.spoiled = true;
    seen.report(rule, sequence_.opened);
}

/// A command that acts when its address is complete.
void TargetDecoder::addressed(ObservedSegment& seen)
{
    CommandSequence& s = sequence_;
    if (s.cycles > kForms[s.opener].cycles) {
        s.open = false;
        spoil(seen, Rule::AddressCycles);
        return;
    }
    s.open = s.opener == 0xef || s.opener == 0xd5; // their data are still to come
    switch (s.opener) {
    case 0x78:
        s.status = take_row(seen, limits_.split(s.address)) != nullptr;
        s.spoiled = !s.status;
        break;
    case 0x90:
    case 0xec:
    case 0xed:
        read_registers(seen);
        break;
    case 0xfa:
    case 0x84:
    case 0x61:
    case 0x13:
    case 0xd2:
        lun_command(seen, s.opener);
        break;
    default:
        feature_address(seen);
        break;
    }
}

/// The LUN that a row names; null (and reported) outside the part.
LunSequence* TargetDecoder::take_row(ObservedSegment& seen, const RowAddress& row)
{
    if (!limits_.contains(row)) {
        seen.report(Rule::RowRange, sequence_.opened);
        return nullptr;
    }
    sequence_.lun = static_cast<u8>(row.lun);
    return &luns_[row.lun];
}

void TargetDecoder::command(ObservedSegment& seen, u8 byte)
{
    CommandSequence& s = sequence_;
    switch (kForms[byte].kind) {
    case Kind::Confirm:
        confirm(seen, byte);
        return;
    case Kind::Reset:
        reset_target(seen, byte);
        return;
    case Kind::CacheRead:
        if (byte == 0x31 && s.open && s.opener == 0x00 && s.cycles != 0) {
            confirm(seen, byte);
        } else {
            open(seen, byte);
            s.open = false;
            if (!seen.broken()) {
                selected().cache_read(seen, byte);
            }
        }
        return;
    case Kind::ChangeWrite:
        if (s.open && (s.opener == 0x80 || s.opener == 0x85)) {
            change_write_column(seen);
        } else {
            open(seen, byte);
        }
        return;
    case Kind::Unknown:
        seen.report(Rule::UnknownCommand, seen.previous());
        s.spoiled = true;
        s.open = false;
        return;
    case Kind::Immediate:
        open(seen, byte);
        s.open = false;
        s.status = true;
        return;
    case Kind::Opener:
        open(seen, byte);
        return;
    }
}

/// First cycle of a sequence. Only a bare 00h (back to data output) may be left without an end;
/// this holds across the LUNs of the CE#.
void TargetDecoder::open(ObservedSegment& seen, u8 byte)
{
    CommandSequence& s = sequence_;
    if (left_open()) {
        seen.report(Rule::CommandSequence, s.opened);
    }
    begin(seen, byte);
}

void TargetDecoder::begin(const ObservedSegment& seen, u8 byte)
{
    CommandSequence& s = sequence_;
    s.open = true;
    s.spoiled = false;
    s.row_done = false;
    s.change = false;
    s.opener = byte;
    s.address = 0;
    s.cycles = 0;
    s.from = seen.first_cycle;
    s.opened = seen.cycle(seen.at);
    if (byte == 0x00) {
        s.status = false;
    }
}

void TargetDecoder::confirm(ObservedSegment& seen, u8 byte)
{
    CommandSequence& s = sequence_;
    const Form form = kForms[byte];
    const bool program = form.opener == 0x80;
    const bool column = byte == 0xe0 && s.opener == 0x05;
    const bool fits =
        s.open && (s.opener == form.opener || column || (program && s.opener == 0x85));
    const bool judged = !s.spoiled;
    s.open = false;
    s.spoiled = false;
    if (!judged) {
        return;
    }
    if (!fits) {
        seen.report(Rule::CommandSequence, seen.previous());
        return;
    }
    if (program) { // its row may have been judged with the first data
        confirm_program(seen, byte);
        return;
    }
    if (s.cycles != (column ? 2 : form.cycles)) {
        seen.report(Rule::AddressCycles, s.opened);
        return;
    }
    confirmed(seen, byte);
}

/// A sequence other than a program has all of its cycles.
void TargetDecoder::confirmed(ObservedSegment& seen, u8 byte)
{
    if (byte == 0xe0) {
        confirm_column(seen);
    } else {
        confirm_array(seen, byte);
    }
}

} // namespace tlmssd::onfi
