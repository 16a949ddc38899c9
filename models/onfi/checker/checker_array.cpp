// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the checker knows of page registers and cells: reads, programs, erases.
#include <algorithm>

#include "models/onfi/checker/checker.h"

namespace tlmssd::onfi {

/// 00h C2 R3, closed by 30h, 31h, 32h or 35h.
void Checker::confirm_read(View& view, u8 byte)
{
    CeState& ce = view.ce;
    const Row row = parts(ce.address >> 16);
    const Array through = byte == 0x31 || byte == 0x32 ? Array::Reading : Array::Idle;
    LunState* const taken = take_row(view, row);
    if (taken == nullptr || !usable(view, *taken, ce.from, through, ce.opened)) {
        return;
    }
    LunState& lun = *taken;
    const u32 bit = 1u << row.plane;
    ce.status = false;
    ce.registers = false;
    if (barred(view, lun, Busy::Read, row)) {
        return;
    }
    if (byte == 0x31 && lun.loaded == 0 && !lun.unknown) {
        report(view, Rule::CacheState, lun.by);
        return;
    }
    gather(view, lun, Busy::Read, row);
    lun.out_plane = static_cast<u8>(row.plane);
    if (byte == 0x31) {
        start_cache_read(view, lun, lun.planes & ~lun.bad, row.page);
        return;
    }
    lun.valid &= ~bit;
    lun.copied &= ~bit;
    lun.column = static_cast<u32>(ce.address) & 0xffff;
    if (byte == 0x32) {
        start(view, lun, Busy::Queue, view.end + array_.queue);
        lun.queued = lun.by;
        return;
    }
    lun.array = Array::Idle;
    lun.caching = false;
    lun.loaded = 0;
    lun.copying = byte == 0x35;
    start(view, lun, Busy::Read, view.end + array_.read);
    if (lun.copying) {
        lun.copy_by = lun.by;
    }
}

/// 31h or 3Fh without an address: of the LUN that the bus talks to.
void Checker::lone_cache_read(View& view, u8 byte)
{
    CeState& ce = view.ce;
    LunState& lun = view.luns[ce.lun];
    if (!usable(view, lun, ce.from, Array::Reading, ce.opened)) {
        return;
    }
    ce.status = false;
    ce.registers = false;
    const bool last_page = lun.read_page + 1 >= geometry_.pages;
    const bool possible =
        byte == 0x3f ? lun.caching : lun.loaded != 0 && lun.planes == 0 && !last_page;
    if (!possible && !lun.unknown) {
        report(view, Rule::CacheState, lun.by);
        return;
    }
    if (byte == 0x31) {
        const u32 die = view.first_die + ce.lun;
        for (u32 left = lun.loaded; left != 0; left &= left - 1) {
            const u32 plane = static_cast<u32>(__builtin_ctz(left));
            if (touches(die, lun, plane, lun.block[plane], lun.read_page + 1)) {
                report(view, Rule::SuspendState, suspended_[die].by);
                return;
            }
        }
        start_cache_read(view, lun, lun.loaded, lun.read_page + 1);
        return;
    }
    const u64 fetched = lun.array == Array::Reading ? lun.array_until : 0;
    lun.array = Array::Idle;
    lun.caching = false;
    lun.column = 0;
    start(view, lun, Busy::CacheEnd, std::max(view.end + array_.read_cache, fetched));
}

/// The page registers move to the cache registers when the array has filled them; then it goes on
/// with page `page` of the planes `next`.
void Checker::start_cache_read(View& view, LunState& lun, u32 next, u32 page)
{
    const u64 fetched = lun.array == Array::Reading ? lun.array_until : 0;
    lun.loading = next;
    lun.read_page = page;
    lun.caching = true;
    lun.column = 0;
    lun.array = Array::Reading;
    lun.array_until = std::max(view.end, fetched) + array_.read;
    start(view, lun, Busy::CacheRead, std::max(view.end + array_.read_cache, fetched));
}

/// Add a plane to a (multi-plane) operation: same kind, same page offset, each plane once; the
/// same block where the part asks for it.
bool Checker::gather(View& view, LunState& lun, Busy kind, const Row& row)
{
    const u32 bit = 1u << row.plane;
    const u32 page = kind == Busy::Erase ? 0 : row.page;
    bool legal = true;
    if (lun.planes == 0) {
        lun.bad = 0;
        lun.page = page;
    } else {
        const u32 other = static_cast<u32>(__builtin_ctz(lun.planes));
        legal = lun.gathered == kind && lun.page == page && (lun.planes & bit) == 0 &&
                (!block_restriction_ || lun.block[other] == row.block);
    }
    if (!legal) {
        report(view, Rule::MultiPlane, lun.queued);
        lun.bad |= lun.planes | bit;
    }
    lun.gathered = kind;
    lun.planes |= bit;
    lun.block[row.plane] = row.block;
    return legal;
}

/// 80h or 85h with its address: judged when the first data arrive, else with the confirm.
bool Checker::take_program_row(View& view)
{
    CeState& ce = view.ce;
    if (ce.row_done) {
        return true;
    }
    if (ce.cycles != 5) {
        report(view, Rule::AddressCycles, ce.opened);
        return false;
    }
    const Row row = parts(ce.address >> 16);
    LunState* const lun = take_row(view, row);
    const Array through = ce.opener == 0x80 ? Array::Programming : Array::Idle;
    if (lun == nullptr || !usable(view, *lun, ce.from, through, ce.opened) ||
        barred(view, *lun, Busy::Program, row)) {
        return false;
    }
    if (ce.opener == 0x80) {
        clear_registers(view, *lun, row.plane);
    } else if (((lun->copied >> row.plane) & 1) == 0 && !lun->unknown) {
        Cycle read = lun->copy_by; // or that of another LUN
        for (u32 i = 0; i < luns_of_ce_; ++i) {
            const LunState& other = view.luns[i];
            read = other.copied != 0 && other.copy_by.at > read.at ? other.copy_by : read;
        }
        report(view, Rule::CopybackPlane, read.kind == CycleKind::None ? lun->by : read);
        return false;
    }
    ce.row = row;
    ce.row_done = true;
    ce.status = false;
    ce.registers = false;
    lun->column = static_cast<u32>(ce.address) & 0xffff;
    return true;
}

/// The address of 85h inside a program is complete.
bool Checker::take_change(View& view)
{
    CeState& ce = view.ce;
    ce.change = false;
    if (ce.cycles == 5) {
        const Row row = parts(ce.address >> 16);
        if (row.lun != ce.row.lun && row.lun < luns_of_ce_) {
            report(view, Rule::CommandSequence, ce.opened);
            return false;
        }
        if (take_row(view, row) == nullptr ||
            barred(view, view.luns[row.lun], Busy::Program, row)) {
            return false;
        }
        if (row.plane != ce.row.plane) {
            report(view, Rule::MultiPlane, ce.opened);
            return false;
        }
        ce.row = row;
    } else if (ce.cycles != 2) {
        report(view, Rule::AddressCycles, ce.opened);
        return false;
    }
    view.luns[ce.lun].column = static_cast<u32>(ce.address) & 0xffff;
    return true;
}

/// 80h: the first of a program clears all page registers of its LUN, and without program clear
/// those of all LUNs of the CE#, what is on its way to them included.
void Checker::clear_registers(View& view, LunState& lun, u32 plane)
{
    lun.cleared = view.ce.opened;
    if (lun.planes != 0 && lun.gathered == Busy::Program) {
        lun.valid &= ~(1u << plane);
        lun.copied &= ~(1u << plane);
        return;
    }
    lun.valid = lun.loaded = lun.copied = 0;
    lun.caching = false;
    if (view.ce.program_clear) {
        return;
    }
    for (u32 i = 0; i < luns_of_ce_; ++i) {
        LunState& other = view.luns[i];
        if (&other != &lun) {
            other.cleared = view.ce.opened;
            other.valid = other.loaded = other.loading = other.copied = 0;
            other.bad |= other.gathered == Busy::Read ? other.planes : 0;
        }
    }
}

Rule Checker::page_rule(u64 block, u32 page) const
{
    const u32 next = next_page_[block];
    if (page >= next) {
        return page == next ? Rule::None : Rule::PageOrder;
    }
    if (partial_programs_ > 1 && page + 1 == next) {
        return 1u + repeats_[block] < partial_programs_ ? Rule::None : Rule::PartialPrograms;
    }
    return Rule::NotErased;
}

void Checker::mark_programmed(u32 die, const LunState& lun)
{
    for (u32 left = lun.planes & ~lun.bad; left != 0; left &= left - 1) {
        const u32 plane = static_cast<u32>(__builtin_ctz(left));
        const u64 block = block_at(die, plane, lun.block[plane]);
        if (lun.page == next_page_[block]) {
            learn(die, plane, lun.block[plane], lun.page + 1);
        } else {
            ++repeats_[block];
        }
    }
}

/// Does a suspended operation need this page? An erase needs its whole block.
bool Checker::touches(u32 die, const LunState& lun, u32 plane, u32 block, u32 page) const
{
    if (lun.suspended == Busy::No) {
        return false;
    }
    const Suspended& s = suspended_[die];
    return ((s.planes >> plane) & 1) != 0 && s.block[plane] == block &&
           (lun.suspended == Busy::Erase || s.page == page);
}

/// A suspended operation bars reads of its pages, programs of its blocks and every erase; a
/// suspended program bars every program.
bool Checker::barred(View& view, const LunState& lun, Busy kind, const Row& row)
{
    if (lun.suspended == Busy::No) {
        return false;
    }
    const u32 die = view.first_die + row.lun;
    const Suspended& s = suspended_[die];
    const u32 page = kind == Busy::Program ? s.page : row.page;
    if (kind != Busy::Erase && !(kind == Busy::Program && lun.suspended == Busy::Program) &&
        !touches(die, lun, row.plane, row.block, page)) {
        return false;
    }
    report(view, Rule::SuspendState, s.by);
    return true;
}

/// 80h or 85h, closed by 10h, 11h or 15h.
void Checker::confirm_program(View& view, u8 byte)
{
    CeState& ce = view.ce;
    if (ce.change ? !take_change(view) : !take_program_row(view)) {
        return;
    }
    const Row row = ce.row;
    LunState& lun = view.luns[row.lun];
    if (byte == 0x15 && ce.opener == 0x85) {
        report(view, Rule::CacheState, ce.opened);
        return;
    }
    ce.status = false;
    gather(view, lun, Busy::Program, row);
    const u32 die = view.first_die + row.lun;
    const u32 bit = 1u << row.plane;
    const u64 block = block_at(die, row.plane, row.block);
    if (lun.relearn) {
        next_page_[block] = static_cast<u16>(row.page);
    } else if (const Rule rule = page_rule(block, row.page); rule != Rule::None) {
        report(view, rule, ce.opened);
        lun.bad |= bit;
    }
    lun.valid &= ~bit;
    lun.copied &= ~bit;
    lun.loaded = 0;
    lun.caching = false;
    if (byte == 0x11) {
        start(view, lun, Busy::Queue, view.end + array_.queue);
        lun.queued = lun.by;
        return;
    }
    mark_programmed(die, lun);
    const u64 free_at = lun.array == Array::Programming ? lun.array_until : 0;
    const u64 done_at = std::max(view.end, free_at) + array_.program;
    if (byte == 0x10) {
        lun.array = Array::Idle;
        start(view, lun, Busy::Program, done_at);
    } else {
        lun.array = Array::Programming;
        lun.array_until = done_at;
        start(view, lun, Busy::CacheProgram, std::max(view.end + array_.program_cache, free_at));
    }
}

/// 60h R3, closed by D0h, or D1h where `queue`.
void Checker::confirm_erase(View& view, bool queue)
{
    CeState& ce = view.ce;
    const Row row = parts(ce.address);
    LunState* const taken = take_row(view, row);
    if (taken == nullptr || !usable(view, *taken, ce.from, Array::Idle, ce.opened)) {
        return;
    }
    LunState& lun = *taken;
    if (barred(view, lun, Busy::Erase, row)) {
        return;
    }
    const u32 bit = 1u << row.plane;
    ce.status = false;
    ce.registers = false;
    gather(view, lun, Busy::Erase, row);
    lun.valid &= ~bit;
    lun.copied &= ~bit;
    lun.loaded = 0;
    lun.caching = false;
    start(view, lun, queue ? Busy::Queue : Busy::Erase,
          view.end + (queue ? array_.queue : array_.erase));
    if (queue) {
        lun.queued = lun.by;
    }
}

} // namespace tlmssd::onfi
