// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the checker's own reading of command, address and data cycles.
#include "models/onfi/checker.h"

namespace tlmssd::onfi {

namespace {

enum class Kind : u8 { Unknown, Opener, Immediate, Confirm, Reset };

/// What a command byte is; of a confirm also what must stand before it.
struct Form {
    Kind kind = Kind::Unknown;
    u8 opener = 0;
    u8 cycles = 0; ///< address cycles between opener and confirm
};

// ONFI 2.3 clause 5: column 2 cycles, row 3 cycles.
constexpr std::array<Form, 256> make_forms()
{
    std::array<Form, 256> forms{};
    for (const u8 opener : {0x00, 0x05, 0x06, 0x60, 0x78, 0x80}) {
        forms[opener].kind = Kind::Opener;
    }
    forms[0x70].kind = Kind::Immediate;
    forms[0xff].kind = Kind::Reset;
    forms[0x30] = forms[0x32] = Form{Kind::Confirm, 0x00, 5};
    forms[0x10] = forms[0x11] = Form{Kind::Confirm, 0x80, 5};
    forms[0xd0] = forms[0xd1] = Form{Kind::Confirm, 0x60, 3};
    forms[0xe0] = Form{Kind::Confirm, 0x06, 5}; // or 05h and 2
    return forms;
}

constexpr std::array<Form, 256> kForms = make_forms();

} // namespace

void Checker::on_observed(u32 channel, const Segment& segment)
{
    check_bus(channels_[channel], channel, segment);
    const u32 ce = channel * ces_of_channel_ + segment.ce;
    const u32 first_die = ce * luns_of_ce_;
    View view{segment,
              ces_[ce],
              &luns_[first_die],
              channel,
              first_die,
              segment.start + sheet_.t_cs};
    const u32 cycles = u32{segment.lead} + segment.trail;
    bool burst_due = segment.direction != DataDirection::None;
    for (u32 i = 0; i < cycles || burst_due;) {
        if (burst_due && i == segment.lead) {
            burst_due = false;
            segment.direction == DataDirection::Out ? burst_out(view) : burst_in(view);
        } else if (segment.is_command(i)) {
            command(view, segment.bytes[i++]);
        } else {
            const u32 stop = i < segment.lead ? u32{segment.lead} : cycles;
            const u32 from = i;
            while (i < stop && !segment.is_command(i)) {
                ++i;
            }
            address(view, from, i - from);
        }
    }
}

void Checker::address(View& view, u32 from, u32 count)
{
    CeState& ce = view.ce;
    if (!ce.open) {
        if (!ce.spoiled) {
            ce.spoiled = true;
            report(view, Rule::CommandSequence);
        }
        return;
    }
    u64 collected = ce.address;
    for (u32 i = 0; i < count && ce.cycles + i < 8; ++i) {
        collected |= u64{view.segment.bytes[from + i]} << (8 * (ce.cycles + i));
    }
    ce.address = collected;
    ce.cycles += count;
    if (ce.opener == 0x78 && ce.cycles >= 3) {
        ce.open = false;
        if (ce.cycles > 3) {
            report(view, Rule::AddressCycles);
        } else {
            ce.status = take_row(view, parts(ce.address)) != nullptr;
        }
    }
}

void Checker::command(View& view, u8 byte)
{
    CeState& ce = view.ce;
    const Kind kind = kForms[byte].kind;
    if (kind == Kind::Confirm) {
        confirm(view, byte);
        return;
    }
    if (kind == Kind::Reset) {
        reset(view);
        return;
    }
    const bool unfinished = ce.open && !ce.spoiled && !(ce.opener == 0x00 && ce.cycles == 0);
    if (kind == Kind::Unknown) {
        report(view, Rule::UnknownCommand);
    } else if (unfinished) {
        report(view, Rule::CommandSequence);
    }
    ce.open = kind == Kind::Opener;
    ce.spoiled = kind == Kind::Unknown;
    ce.opener = byte;
    ce.address = 0;
    ce.cycles = 0;
    ce.row_done = false;
    if (kind == Kind::Immediate) {
        ce.status = true;
    } else if (byte == 0x00) {
        ce.status = false;
    }
}

/// Row address, least significant first: page | plane | block | LUN.
Checker::Row Checker::parts(u64 row) const
{
    const u32 r = static_cast<u32>(row) & 0xffffff;
    return Row{r >> lun_shift_, (r & ((1u << block_shift_) - 1)) >> plane_shift_,
               (r & ((1u << lun_shift_) - 1)) >> block_shift_, r & ((1u << plane_shift_) - 1)};
}

/// The LUN that a row names; null (and reported) outside the part.
Checker::LunState* Checker::take_row(View& view, const Row& row)
{
    if (row.lun >= luns_of_ce_ || row.plane >= geometry_.planes ||
        row.block >= geometry_.blocks || row.page >= geometry_.pages) {
        report(view, Rule::RowRange);
        return nullptr;
    }
    view.ce.lun = static_cast<u8>(row.lun);
    return &view.luns[row.lun];
}

bool Checker::usable(const View& view, const LunState& lun)
{
    // A falling edge at the end of this very segment is the answer to it.
    const bool low_before = lun.low && lun.low_at < view.segment.end;
    if (low_before || lun.busy != Busy::No || view.first_cycle < lun.ready_at) {
        report(view, Rule::LunBusy);
        return false;
    }
    return true;
}

void Checker::confirm(View& view, u8 byte)
{
    CeState& ce = view.ce;
    Form form = kForms[byte];
    if (byte == 0xe0 && ce.opener == 0x05) {
        form.opener = 0x05;
        form.cycles = 2;
    }
    const bool judged = !ce.spoiled;
    const bool fits = ce.open && ce.opener == form.opener;
    ce.open = false;
    ce.spoiled = false;
    if (!judged) {
        return;
    }
    if (!fits || ce.cycles != form.cycles) {
        report(view, fits ? Rule::AddressCycles : Rule::CommandSequence);
        return;
    }
    const u32 column = static_cast<u32>(ce.address) & 0xffff;
    const Row row = parts(form.cycles == 5 ? ce.address >> 16 : ce.address);
    LunState* lun = &view.luns[ce.lun];
    if (!ce.row_done) { // after data in, the row has been judged with the first byte
        lun = form.cycles == 2 ? lun : take_row(view, row);
        if (lun == nullptr || !usable(view, *lun)) {
            return;
        }
    }
    ce.status = false;
    switch (byte) {
    case 0x30:
    case 0x32:
        gather(view, *lun, Busy::Read, row);
        lun->valid &= ~(1u << row.plane);
        lun->out_plane = static_cast<u8>(row.plane);
        lun->column = column;
        start(view, *lun, byte == 0x32 ? Busy::Queue : Busy::Read,
              byte == 0x32 ? least_queue_ : least_read_);
        break;
    case 0x10:
    case 0x11:
        confirm_program(view, *lun, row, byte == 0x11);
        break;
    case 0xd0:
    case 0xd1:
        gather(view, *lun, Busy::Erase, row);
        lun->valid &= ~(1u << row.plane);
        start(view, *lun, byte == 0xd1 ? Busy::Queue : Busy::Erase,
              byte == 0xd1 ? least_queue_ : least_erase_);
        break;
    default: // E0h
        if (form.opener == 0x06) {
            lun->out_plane = static_cast<u8>(row.plane);
        }
        lun->column = column;
        break;
    }
}

/// Add a plane to a (multi-plane) operation: same kind, same page offset, each plane once.
void Checker::gather(View& view, LunState& lun, Busy kind, const Row& row)
{
    const u32 plane = row.plane;
    const u32 page = kind == Busy::Erase ? 0 : row.page;
    if (lun.planes == 0) {
        lun.bad = 0;
        lun.page = page;
        lun.gathered = kind;
    } else if (lun.gathered != kind || lun.page != page || ((lun.planes >> plane) & 1) != 0) {
        report(view, Rule::MultiPlane);
        lun.bad |= lun.planes | (1u << plane);
        lun.gathered = kind;
    }
    lun.planes |= 1u << plane;
    lun.block[plane] = row.block;
}

/// The LUN must have pulled R/B# low at the end of the confirm's segment.
void Checker::start(View& view, LunState& lun, Busy kind, Picoseconds least_time)
{
    if (!lun.low || lun.low_at != view.segment.end) {
        report(view, Rule::ReadyEdge);
        return;
    }
    lun.busy = kind;
    lun.may_rise_at = view.segment.end + least_time;
}

void Checker::confirm_program(View& view, LunState& lun, const Row& row, bool queue)
{
    if (!view.ce.row_done) {
        lun.valid &= ~(1u << row.plane);
    }
    gather(view, lun, Busy::Program, row);
    const u32 die = view.first_die + view.ce.lun;
    const u32 plane = row.plane;
    const u32 page = row.page;
    const u32 next = next_page_[block_at(die, plane, row.block)];
    if (page != next) {
        report(view, page < next ? Rule::NotErased : Rule::PageOrder);
        lun.bad |= 1u << plane;
    }
    if (!queue) {
        for (u32 left = lun.planes & ~lun.bad; left != 0; left &= left - 1) {
            const u32 p = static_cast<u32>(__builtin_ctz(left));
            next_page_[block_at(die, p, lun.block[p])] = static_cast<u16>(lun.page + 1);
        }
    }
    start(view, lun, queue ? Busy::Queue : Busy::Program, queue ? least_queue_ : least_program_);
}

/// 80h: the row is judged when the first data arrive.
bool Checker::take_program_row(View& view)
{
    CeState& ce = view.ce;
    if (ce.row_done) {
        return true;
    }
    if (ce.cycles != 5) {
        report(view, Rule::AddressCycles);
        return false;
    }
    const Row row = parts(ce.address >> 16);
    LunState* lun = take_row(view, row);
    if (lun == nullptr || !usable(view, *lun)) {
        return false;
    }
    lun->valid &= ~(1u << row.plane);
    lun->column = static_cast<u32>(ce.address) & 0xffff;
    ce.row_done = true;
    return true;
}

void Checker::burst_in(View& view)
{
    CeState& ce = view.ce;
    if (ce.spoiled) {
        return;
    }
    if (!ce.open || ce.opener != 0x80) {
        report(view, Rule::CommandSequence);
        return;
    }
    if (!take_program_row(view)) {
        ce.spoiled = true;
        return;
    }
    LunState& lun = view.luns[ce.lun];
    lun.column += view.segment.data_bytes;
    if (lun.column > physical_bytes_) {
        report(view, Rule::BurstLength);
        ce.spoiled = true;
    }
}

void Checker::burst_out(View& view)
{
    CeState& ce = view.ce;
    if (ce.spoiled) {
        return;
    }
    if (ce.open && !(ce.opener == 0x00 && ce.cycles == 0)) {
        report(view, Rule::CommandSequence);
        return;
    }
    ce.open = false;
    LunState& lun = view.luns[ce.lun];
    if (ce.status || !usable(view, lun)) {
        return;
    }
    if (((lun.valid >> lun.out_plane) & 1) == 0) {
        report(view, Rule::NoData);
        return;
    }
    if (lun.column + view.segment.data_bytes > physical_bytes_) {
        report(view, Rule::BurstLength);
        return;
    }
    lun.column += view.segment.data_bytes;
}

/// FFh reaches every LUN of the CE#. No minimum: tRST is an upper bound in the data sheets.
void Checker::reset(View& view)
{
    view.ce.open = false;
    view.ce.spoiled = false;
    view.ce.status = false;
    for (u32 i = 0; i < luns_of_ce_; ++i) {
        LunState& lun = view.luns[i];
        lun.planes = 0;
        lun.bad = 0;
        lun.valid = 0;
        if (!lun.low) {
            report(view, Rule::ReadyEdge);
            continue;
        }
        lun.busy = Busy::Reset;
        lun.may_rise_at = view.segment.end;
    }
}

} // namespace tlmssd::onfi
