// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the classes of the checker, and to which of them a segment or an edge of R/B# goes.
#include "models/onfi/checker/checker.h"

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

} // namespace

Checker::Checker(const Geometry& geometry, const DataSheet& sheet, const config::Nand& nand,
                 bool tolerate_silent_luns)
    : Checker(geometry, starting_in(sheet), nand, tolerate_silent_luns)
{
}

Checker::Checker(const Geometry& geometry, const config::Onfi& onfi, const config::Nand& nand,
                 bool tolerate_silent_luns)
    : limits_(geometry, nand, tolerate_silent_luns), minima_(nand, onfi.width, onfi.timeless),
      initial_(MinimaTable::index(onfi.interface, onfi.mode)), luns_of_ce_(geometry.luns_per_ce()),
      ces_of_channel_(geometry.ces_per_channel()),
      buses_(geometry.channels, BusTimingCheck(geometry.ces_per_channel())),
      pages_(geometry, nand.partial_programs)
{
    if (initial_ == MinimaTable::kNoIndex) {
        throw ModelError("checker: no such timing mode");
    }
    const u32 ces = geometry.channels * ces_of_channel_;
    luns_.reserve(u64{ces} * luns_of_ce_);
    targets_.reserve(ces);
    for (u32 ce = 0; ce < ces; ++ce) {
        const u32 first_die = ce * luns_of_ce_;
        for (u32 lun = 0; lun < luns_of_ce_; ++lun) {
            const LunPlace place{ce / ces_of_channel_, ce % ces_of_channel_, lun, first_die + lun};
            luns_.emplace_back(limits_, pages_, log_, place);
        }
        targets_.emplace_back(limits_, TargetInterface(initial_, nand.program_clear),
                              &luns_[first_die]);
    }
}

void Checker::on_observed(u32 channel, const Segment& segment)
{
    u8 driven = initial_;
    if (segment.timing != nullptr) {
        const DataSheet& sheet = segment.timing->sheet;
        const u8 index = MinimaTable::index(sheet.interface, sheet.mode);
        driven = index == MinimaTable::kNoIndex ? initial_ : index;
    }
    TargetDecoder& target = targets_[channel * ces_of_channel_ + segment.ce];
    BusTimingCheck& bus = buses_[channel];
    ObservedSegment seen(channel, segment, minima_[driven], driven, target.sequence(), log_);
    if (limits_.falls_late) {
        target.settle(segment.end.value());
    }
    bus.check(seen);
    target.on_segment(seen);
    bus.close(target.sequence().last);
}

void Checker::on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when)
{
    const u32 ce_index = channel * ces_of_channel_ + ce;
    LunSequence& state = luns_[ce_index * luns_of_ce_ + lun];
    if (!ready) {
        state.on_fall(when.value());
    } else if (state.on_rise(when.value()) == LunSequence::Busy::Feature) {
        targets_[ce_index].on_feature_end(when.value());
    }
}

} // namespace tlmssd::onfi
