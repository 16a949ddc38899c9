// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: where two replays of one stream differ.
#pragma once

#include <optional>
#include <string>

#include "models/common/geometry.h"
#include "models/replay/op_replay.h"

namespace tlmssd::replay {

/// `a` is this replay, `b` the one to hold it against.
struct ReplayDifference {
    struct First {
        u32 die = 0;
        u32 position = 0; ///< in the die's order
        Picoseconds at;   ///< the earlier of the two
    };
    u64 starts = 0;    ///< operations of all dies that have started in `a`
    u64 displaced = 0; ///< of them: another one stands at this position of the die's order in `b`
    Picoseconds total_a, total_b;
    double mean_a = 0, mean_b = 0; ///< latency, ps
    u64 moved = 0; ///< operations that start or complete more than the tolerance apart
    std::optional<First> order; ///< first in time of those displaced
    std::optional<First> times; ///< first in time of those moved, at its position in `a`

    double displaced_fraction() const
    {
        return starts == 0 ? 0 : static_cast<double>(displaced) / static_cast<double>(starts);
    }
    /// (a - b) / b; 0 where b is 0.
    double total_difference() const;
    double mean_difference() const;
};

/// InputError: they are not of one stream.
ReplayDifference compare(const ReplayRecord& a, const ReplayRecord& b, const Geometry& geometry,
                         Picoseconds tolerance);

/// Figures, the first difference in order and the first in time, each with the operations around it in
/// both replays.
std::string text_of(const ReplayDifference& difference, const ReplayRecord& a,
                    const ReplayRecord& b, const std::string& name_a, const std::string& name_b,
                    const Geometry& geometry);

} // namespace tlmssd::replay
