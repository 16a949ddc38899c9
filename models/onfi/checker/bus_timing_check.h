// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the time that the segments of one channel must take on the bus.
#pragma once

#include <vector>

#include "models/onfi/checker/observed_segment.h"

namespace tlmssd::onfi {

/// One channel of `ces` targets (CE#). Keeps the times that earlier segments ask of later ones.
class BusTimingCheck {
public:
    explicit BusTimingCheck(u32 ces) : data_from_(ces) {}

    /// The segment must come after the one before it, and must not end before the sum of its
    /// minima (docs/explanation/checker.md). Sets its first_cycle.
    void check(ObservedSegment& seen);
    /// The judgement of the segment has ended; `last` is its last cycle.
    void close(const Cycle& last) { last_ = last; }

private:
    u64 least_end(ObservedSegment& seen, u64 t);

    u64 free_at_ = 0;
    u64 command_from_ = 0; ///< end of the last burst out + tRHW
    Cycle last_;           ///< of the last segment
    std::vector<u64> data_from_; ///< by CE#: earliest burst: tCCS, tWHR, tADL of the segment before
};

} // namespace tlmssd::onfi
