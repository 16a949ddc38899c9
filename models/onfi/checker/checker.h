// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: independent protocol checker: derives from observed cycles and the data sheet alone.
#pragma once

#include <vector>

#include "models/common/geometry.h"
#include "models/config/config.h"
#include "models/onfi/bus/bus_if.h"
#include "models/onfi/bus/timing.h"
#include "models/onfi/bus/violation.h"
#include "models/onfi/checker/bus_minima.h"
#include "models/onfi/checker/bus_timing_check.h"
#include "models/onfi/checker/lun_sequence.h"
#include "models/onfi/checker/page_order.h"
#include "models/onfi/checker/part_limits.h"
#include "models/onfi/checker/target_decoder.h"

namespace tlmssd::onfi {

/// Watches all channels of a device. Shares no function with Channel, the dies or segment_time():
/// it knows the part (geometry, config::Nand) and the data sheets of the timing modes, nothing
/// else. Rules, state and equations in docs/explanation/checker.md. A rule is reported once for each segment
/// or edge that breaks it. WP# is no cycle and stays with the dies.
///
/// The front of the classes that judge: BusTimingCheck for each channel, TargetDecoder for each
/// CE#, LunSequence for each LUN, PageOrder for the blocks. They report to one ViolationSink.
class Checker final : public BusObserverIf {
public:
    static constexpr u32 kMaxPlanes = PartLimits::kMaxPlanes;

    /// Every target starts in the data interface and mode of `onfi`. With `tolerate_silent_luns`
    /// (fault scripts) a LUN that does not answer a command with R/B#, or whose status reads FFh,
    /// is not judged until it answers again. Throws ModelError for more than kMaxPlanes planes.
    Checker(const Geometry& geometry, const config::Onfi& onfi, const config::Nand& nand,
            bool tolerate_silent_luns = false);
    /// The same on an x8 bus that starts in the mode of `sheet`.
    Checker(const Geometry& geometry, const DataSheet& sheet, const config::Nand& nand,
            bool tolerate_silent_luns = false);
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;

    void on_observed(u32 channel, const Segment& segment) override;
    void on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when) override;

    /// Take over what preconditioning has left: pages of the block that are programmed (once).
    /// `die` counts over the device.
    void learn(u32 die, u32 plane, u32 block, u32 next_page)
    {
        pages_.learn(pages_.block_at(die, plane, block), next_page);
    }

    u64 violations() const { return log_.count(); }
    const ViolationLog& log() const { return log_; } ///< the first 100 violations

private:
    PartLimits limits_;
    MinimaTable minima_;
    u8 initial_; ///< row of minima_
    u32 luns_of_ce_;
    u32 ces_of_channel_;
    std::vector<BusTimingCheck> buses_;  ///< by channel
    std::vector<TargetDecoder> targets_; ///< by device CE# number
    std::vector<LunSequence> luns_;      ///< by device die number
    PageOrder pages_;
    ViolationLog log_;
};

} // namespace tlmssd::onfi
