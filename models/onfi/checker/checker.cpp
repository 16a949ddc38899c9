// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the checker knows at the start, and what the edges of R/B# tell it.
#include "models/onfi/checker/checker.h"

#include <algorithm>

#include "models/common/error.h"

namespace tlmssd::onfi {

namespace {

config::Onfi starting_in(const DataSheet& sheet)
{
    config::Onfi onfi;
    onfi.interface = sheet.interface;
    onfi.mode = sheet.mode;
    return onfi;
}

u64 total_blocks(const Geometry& geometry)
{
    return u64{geometry.total_planes()} * geometry.blocks;
}

} // namespace

Checker::Checker(const Geometry& geometry, const DataSheet& sheet, const config::Nand& nand,
                 bool tolerate_silent_luns)
    : Checker(geometry, starting_in(sheet), nand, tolerate_silent_luns)
{
}

Checker::Checker(const Geometry& geometry, const config::Onfi& onfi, const config::Nand& nand,
                 bool tolerate_silent_luns)
    : geometry_(geometry), minima_(nand, onfi.width, onfi.timeless), array_(array_minima(nand)),
      initial_(MinimaTable::index(onfi.interface, onfi.mode)), tolerate_(tolerate_silent_luns),
      block_restriction_(nand.block_restriction),
      modes_{nand.sdr_modes, nand.nvddr_modes, nand.nvddr2_modes, nand.nvddr3_modes},
      retry_levels_(nand.errors.retry_levels), partial_programs_(nand.partial_programs),
      plane_shift_(bits_for(geometry.pages)),
      block_shift_(plane_shift_ + bits_for(geometry.planes)),
      lun_shift_(block_shift_ + bits_for(geometry.blocks)), luns_of_ce_(geometry.luns_per_ce()),
      ces_of_channel_(geometry.ces_per_channel()),
      physical_bytes_(geometry.physical_bytes()),
      channels_(geometry.channels), ces_(u64{geometry.channels} * geometry.ces_per_channel()),
      luns_(geometry.total_dies()), suspended_(geometry.total_dies()),
      next_page_(total_blocks(geometry)),
      repeats_(nand.partial_programs > 1 ? total_blocks(geometry) : 1)
{
    if (geometry.planes > kMaxPlanes) {
        throw ModelError("checker: more than 16 planes");
    }
    if (initial_ == MinimaTable::kNoIndex) {
        throw ModelError("checker: no such timing mode");
    }
    for (CeState& ce : ces_) {
        ce.setting = initial_;
        ce.program_clear = nand.program_clear;
    }
}

u64 Checker::block_at(u32 die, u32 plane, u32 block) const
{
    return (u64{die} * geometry_.planes + plane) * geometry_.blocks + block;
}

void Checker::learn(u32 die, u32 plane, u32 block, u32 next_page)
{
    const u64 at = block_at(die, plane, block);
    next_page_[at] = static_cast<u16>(next_page);
    if (partial_programs_ > 1) {
        repeats_[at] = 0;
    }
}

void Checker::finish_erase(u32 die, const std::array<u32, kMaxPlanes>& block, u32 planes)
{
    for (; planes != 0; planes &= planes - 1) {
        const u32 plane = static_cast<u32>(__builtin_ctz(planes));
        learn(die, plane, block[plane], 0);
    }
}

/// The end of tFEAT: what has been asked for holds from now on.
void Checker::apply_setting(CeState& ce, u64 now)
{
    if (!ce.setting_pending) {
        return;
    }
    ce.setting_pending = false;
    ce.program_clear = ce.next_program_clear;
    if (ce.next_setting != MinimaTable::kNoIndex) {
        ce.old_setting = ce.setting;
        ce.setting = ce.next_setting;
        ce.set_at = now;
    }
}

void Checker::on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when)
{
    const u32 ce_index = channel * ces_of_channel_ + ce;
    const u32 die = ce_index * luns_of_ce_ + lun;
    const u64 now = when.value();
    LunState& state = luns_[die];
    const auto report_edge = [&](Rule rule, CycleKind kind) {
        const CycleKind before = kind == CycleKind::Busy ? CycleKind::Busy : CycleKind::Ready;
        const u64 before_at = kind == CycleKind::Busy ? state.low_at : state.ready_at;
        const bool by_command = state.by.kind != CycleKind::None;
        const Cycle first = by_command ? state.by : Cycle{before, 0, Picoseconds(before_at)};
        log_.on_violation({when, channel, ce, lun, rule, first, Cycle{kind, 0, when}});
    };
    if (!ready) {
        if (state.low && !state.unknown) {
            report_edge(Rule::ReadyEdge, CycleKind::Busy);
        }
        state.low = true;
        state.low_at = now;
        return;
    }
    const Busy was = state.busy;
    const bool explained = state.low && was != Busy::No;
    state.low = false;
    state.busy = Busy::No;
    state.ended = was;
    state.ready_at = now;
    if (state.unknown) {
        return;
    }
    if (!explained || now < state.may_rise_at) {
        if (tolerate_) { // power has come back to a die that was dead
            silence(state);
            return;
        }
        report_edge(explained ? Rule::ReadyTooEarly : Rule::ReadyEdge, CycleKind::Ready);
    }
    const u32 good = state.planes & ~state.bad;
    switch (was) {
    case Busy::No:
    case Busy::Queue: // the planes stay gathered
        return;
    case Busy::Read:
        state.valid |= good;
        state.loaded = state.copying || state.bad != 0 ? 0 : good;
        state.read_page = state.page;
        state.copied |= state.copying ? good : 0;
        break;
    case Busy::CacheRead: // the pages read before can be put out, the next ones are on the way
        state.valid |= state.loaded;
        state.loaded = state.loading;
        break;
    case Busy::CacheEnd:
        state.valid |= state.loaded;
        state.loaded = 0;
        break;
    case Busy::Erase:
        finish_erase(die, state.block, good);
        break;
    case Busy::Feature:
        apply_setting(ces_[ce_index], now);
        break;
    case Busy::Suspend: {
        Suspended& s = suspended_[die];
        s.perhaps_done = now >= s.due;
        s.remaining = s.perhaps_done ? 0 : s.due - now;
        break;
    }
    case Busy::Program:
    case Busy::CacheProgram:
    case Busy::Register:
    case Busy::Other:
        break;
    }
    state.planes = 0;
}

} // namespace tlmssd::onfi
