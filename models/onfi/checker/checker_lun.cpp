// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which LUN a command is for, whether it may take it, and whether it has answered.
#include "models/onfi/checker/checker.h"

namespace tlmssd::onfi {

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
        report(view, Rule::RowRange, view.ce.opened);
        return nullptr;
    }
    view.ce.lun = static_cast<u8>(row.lun);
    return &view.luns[row.lun];
}

/// RDY is 1 at `from`, and the array idle or busy with what the command goes `through`.
bool Checker::usable(View& view, LunState& lun, u64 from, Array through, Cycle second)
{
    if (lun.unknown) {
        return true;
    }
    // A falling edge at the end of this very segment is the answer to it.
    const bool low_before = lun.low && lun.low_at < view.end;
    if (low_before || lun.busy != Busy::No || from < lun.ready_at ||
        (lun.array != through && lun.array != Array::Idle && from < lun.array_until)) {
        view.ce.lun = static_cast<u8>(&lun - view.luns);
        const bool by_edge = low_before && lun.busy == Busy::No;
        report(view, Rule::LunBusy,
               by_edge ? Cycle{CycleKind::Busy, 0, Picoseconds(lun.low_at)} : lun.by, second);
        return false;
    }
    if (lun.array != through) {
        lun.array = Array::Idle;
    }
    return true;
}

/// Commands to the target need all of its LUNs.
bool Checker::all_usable(View& view)
{
    for (u32 i = 0; i < luns_of_ce_; ++i) {
        if (!usable(view, view.luns[i], view.ce.from, Array::Idle, view.ce.opened)) {
            return false;
        }
    }
    return true;
}

/// The LUN must have pulled R/B# low at the end of the command's segment.
bool Checker::start(View& view, LunState& lun, Busy kind, u64 may_rise_at)
{
    lun.by = acting(view);
    if (!lun.low || lun.low_at != view.end) {
        lun.planes = 0;
        lun.array = Array::Idle;
        if (tolerate_) {
            silence(lun);
        } else {
            report(view, Rule::ReadyEdge, view.ce.opened);
        }
        return false;
    }
    lun.unknown = false;
    lun.busy = kind;
    lun.may_rise_at = may_rise_at;
    return true;
}

/// Nobody knows what a die does that does not answer.
void Checker::silence(LunState& lun)
{
    lun.unknown = lun.relearn = true;
    lun.busy = lun.suspended = lun.ended = Busy::No;
    lun.array = Array::Idle;
    lun.caching = false;
    lun.planes = lun.bad = lun.valid = lun.loaded = lun.copied = 0;
}

/// After a broken rule the die may be busy with whatever it made of the cycles.
void Checker::adopt(View& view)
{
    for (u32 i = 0; i < luns_of_ce_; ++i) {
        LunState& lun = view.luns[i];
        if (lun.low && lun.low_at == view.end && lun.busy == Busy::No) {
            lun.busy = Busy::Other;
            lun.may_rise_at = 0;
            lun.by = acting(view);
        }
    }
}

} // namespace tlmssd::onfi
