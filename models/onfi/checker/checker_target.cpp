// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: commands that the checker takes for the target: ID, features, suspend, reset.
#include <algorithm>

#include "models/onfi/checker/checker.h"

namespace tlmssd::onfi {

namespace {

constexpr bool known_feature(u8 address, bool of_lun)
{
    return address == feature::kReadRetry ||
           (!of_lun && (address == feature::kTimingMode || address == feature::kDriveStrength));
}

} // namespace

/// Which LUNs of the target answer with R/B# is the part's choice; one at least must.
void Checker::start_target(View& view, Busy kind, u64 least)
{
    bool answered = false;
    bool excused = false;
    for (u32 i = luns_of_ce_; i-- > 0;) {
        LunState& lun = view.luns[i];
        excused |= lun.unknown;
        if (!lun.low || lun.low_at != view.end || lun.busy != Busy::No) {
            continue;
        }
        answered = true;
        view.ce.lun = static_cast<u8>(i);
        start(view, lun, kind, view.end + least);
        if (kind == Busy::Register) {
            lun.valid = lun.loaded = lun.copied = 0;
            lun.caching = false;
        }
    }
    if (answered || excused) {
        return;
    }
    if (tolerate_) {
        for (u32 i = 0; i < luns_of_ce_; ++i) {
            silence(view.luns[i]);
        }
    } else {
        report(view, Rule::ReadyEdge, view.ce.opened);
    }
}

/// 90h, ECh, EDh and their address.
void Checker::read_registers(View& view)
{
    CeState& ce = view.ce;
    const u8 where = static_cast<u8>(ce.address);
    const bool id = ce.opener == 0x90;
    if (!all_usable(view)) {
        ce.spoiled = true;
        return;
    }
    if (where != 0x00 && !(id && where == 0x20)) {
        spoil(view, Rule::FeatureAddress);
        return;
    }
    ce.status = false;
    ce.registers = true;
    if (!id) {
        start_target(view, Busy::Register, array_.parameter);
    }
}

/// EEh or EFh and a feature address, D4h or D5h and LUN and feature address.
void Checker::feature_address(View& view)
{
    CeState& ce = view.ce;
    const bool of_lun = ce.opener == 0xd4 || ce.opener == 0xd5;
    const u32 first = static_cast<u32>(ce.address) & 0xff;
    const u8 wanted = static_cast<u8>(of_lun ? ce.address >> 8 : ce.address);
    if (of_lun && first >= luns_of_ce_) {
        spoil(view, Rule::RowRange);
        return;
    }
    if (of_lun) {
        ce.lun = static_cast<u8>(first);
    }
    if (of_lun ? !usable(view, view.luns[first], ce.from, Array::Idle, ce.opened)
               : !all_usable(view)) {
        ce.spoiled = true;
        return;
    }
    if (!known_feature(wanted, of_lun)) {
        spoil(view, Rule::FeatureAddress);
        return;
    }
    ce.status = false;
    ce.registers = true;
    if (ce.opener == 0xee) {
        start_target(view, Busy::Feature, array_.feature);
    } else if (ce.opener == 0xd4) {
        start(view, view.luns[first], Busy::Feature, view.end + array_.feature);
    }
}

bool Checker::known_value(u8 address, u8 p1) const
{
    switch (address) {
    case feature::kTimingMode:
        return (p1 & 0x80) == 0 && (p1 & 15u) < modes_[(p1 >> 4) & 3];
    case feature::kReadRetry:
        return p1 <= retry_levels_;
    default: // drive strength (ONFI 2.3, from memory)
        return p1 < 4;
    }
}

/// The four bytes of SET FEATURES.
void Checker::set_feature(View& view)
{
    CeState& ce = view.ce;
    const bool of_lun = ce.opener == 0xd5;
    const u8 address = static_cast<u8>(of_lun ? ce.address >> 8 : ce.address);
    if (ce.cycles != (of_lun ? 2 : 1)) {
        spoil(view, Rule::AddressCycles);
        return;
    }
    if (view.segment.data_bytes != 4) {
        spoil(view, Rule::BurstLength);
        return;
    }
    const DataCells* const cells = view.segment.data;
    const u8 p1 = cells != nullptr ? cells->bytes[0] : u8{0};
    if (!known_value(address, p1)) {
        spoil(view, Rule::FeatureAddress);
        return;
    }
    ce.open = false;
    ce.registers = false;
    if (of_lun) {
        start(view, view.luns[ce.lun], Busy::Feature, view.end + array_.feature);
        return;
    }
    if (address == feature::kTimingMode) {
        ce.setting_pending = true;
        ce.next_program_clear = (p1 & feature::kProgramClear) != 0;
        ce.next_setting =
            MinimaTable::index(static_cast<config::BusInterface>((p1 >> 4) & 3), p1 & 15);
        ce.set_by = ce.opened;
    }
    start_target(view, Busy::Feature, array_.feature);
}

/// 84h or 61h and a row.
void Checker::suspend(View& view, Busy kind)
{
    LunState* const taken = take_row(view, parts(view.ce.address));
    if (taken == nullptr || taken->unknown) {
        return;
    }
    LunState& lun = *taken;
    if (!lun.low && lun.ended == kind && lun.suspended == Busy::No) {
        return; // too late, which nobody can know before: no effect
    }
    if (lun.busy != kind || lun.suspended != Busy::No) {
        report(view, Rule::SuspendState, lun.by);
        return;
    }
    Suspended& s = suspended_[view.first_die + view.ce.lun];
    s.block = lun.block;
    s.planes = lun.planes;
    s.bad = lun.bad;
    s.page = lun.page;
    s.due = lun.may_rise_at;
    s.by = acting(view);
    const u64 least = kind == Busy::Program ? array_.suspend_program : array_.suspend_erase;
    lun.suspended = kind;
    lun.busy = Busy::Suspend; // or the operation comes to its end first
    lun.may_rise_at = std::min(lun.may_rise_at, view.end + least);
    lun.by = s.by;
}

/// 13h or D2h and a row.
void Checker::resume(View& view, Busy kind)
{
    CeState& ce = view.ce;
    LunState* const taken = take_row(view, parts(ce.address));
    if (taken == nullptr || !usable(view, *taken, ce.from, Array::Idle, ce.opened)) {
        return;
    }
    LunState& lun = *taken;
    if (lun.unknown) {
        start(view, lun, Busy::Other, view.end);
        return;
    }
    if (lun.suspended != kind || lun.planes != 0) {
        report(view, Rule::SuspendState, lun.by);
        return;
    }
    const u32 die = view.first_die + ce.lun;
    const Suspended& s = suspended_[die];
    lun.suspended = Busy::No;
    ce.status = false;
    if (s.perhaps_done && !(lun.low && lun.low_at == view.end)) { // nothing was left to resume
        if (kind == Busy::Erase) {
            finish_erase(die, s.block, s.planes & ~s.bad);
        }
        return;
    }
    lun.block = s.block;
    lun.planes = s.planes;
    lun.bad = s.bad;
    lun.page = s.page;
    lun.gathered = kind;
    lun.loaded = 0;
    lun.caching = false;
    start(view, lun, kind, view.end + s.remaining);
}

/// RDY with or without the suspended bit tells which of the two came first.
void Checker::resolve_suspended(u32 die, LunState& lun, u8 status)
{
    Suspended& s = suspended_[die];
    if (lun.suspended == Busy::No || lun.low || !s.perhaps_done || (status & 0x40) == 0) {
        return;
    }
    s.perhaps_done = false;
    if ((status & 0x04) == 0) {
        if (lun.suspended == Busy::Erase) {
            finish_erase(die, s.block, s.planes & ~s.bad);
        }
        lun.suspended = Busy::No;
    }
}

/// FFh and FCh reach every LUN of the CE#. FFh in a DDR interface goes back
/// to SDR mode 0; in SDR it leaves the mode (ONFI 2.3 clause 5.3, from memory).
void Checker::reset_target(View& view, u8 byte)
{
    CeState& ce = view.ce;
    const u32 driven = static_cast<u32>(&view.minima - &minima_[0]);
    if (byte == 0xfc && view.segment.timing != nullptr && driven < MinimaTable::kModes) {
        report(view, Rule::WrongInterface, ce.set_by); // FCh is for the DDR interfaces
    }
    ce.opened = current(view);
    ce.setting_pending = false;
    if (byte == 0xff && ce.setting >= MinimaTable::kModes) {
        ce.setting = 0;
        ce.set_by = ce.opened;
    }
    for (u32 i = 0; i < luns_of_ce_; ++i) {
        reset(view, view.luns[i]);
    }
}

/// FAh and a row.
void Checker::reset_lun(View& view)
{
    LunState* const lun = take_row(view, parts(view.ce.address));
    if (lun != nullptr) {
        reset(view, *lun);
    }
}

/// No least time: tRST is an upper bound in the data sheets.
void Checker::reset(View& view, LunState& lun)
{
    CeState& ce = view.ce;
    ce.open = false;
    ce.spoiled = false;
    ce.status = false;
    ce.registers = false;
    const bool answered = lun.low && lun.low_at == view.end;
    const bool excused = lun.unknown && !answered;
    lun.planes = lun.bad = lun.valid = lun.loaded = lun.copied = 0;
    lun.caching = false;
    lun.array = Array::Idle;
    lun.suspended = Busy::No;
    lun.by = lun.cleared = acting(view);
    if (excused) {
        return;
    }
    if (!lun.low) {
        if (tolerate_) {
            silence(lun);
        } else {
            report(view, Rule::ReadyEdge, previous(view));
        }
        return;
    }
    lun.unknown = false;
    lun.busy = Busy::Other;
    lun.may_rise_at = view.end;
}

} // namespace tlmssd::onfi
