// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which page burst goes first by controller.issue_policy: clump
// (docs/explanation/o3-bus.md, "The policy `clump`").
// The executable specification of rtl/o3/o3_clump.sv.
#pragma once

#include "models/common/types.h"

namespace tlmssd::flash {

/// How much a LUN's burst holds up: others of its LUN wait in stations, else others of its CE#, else nobody.
enum class ClumpLevel : u8 { None, Cluster, Node };

/// The choice among the bursts of one channel that wait for the bus.
class Clump {
public:
    static constexpr u32 kPasses = 8; ///< bursts that pass the oldest one at most

    /// Place of the burst that goes: of the highest level, of equal ones who asked first; after kPasses
    /// that were not the oldest, the oldest. `level_at(i)`: of the i-th in the order of asking, as it is
    /// now; `count` of them, at least 1.
    template <class LevelAt>
    u32 grant(u32 count, LevelAt level_at)
    {
        u32 place = 0;
        if (passed_ < kPasses) {
            ClumpLevel best = level_at(0);
            for (u32 i = 1; i < count && best != ClumpLevel::Node; ++i) {
                if (const ClumpLevel level = level_at(i); level > best) {
                    best = level;
                    place = i;
                }
            }
        }
        passed_ = place == 0 ? 0 : passed_ + 1;
        return place;
    }

private:
    u32 passed_ = 0; ///< bursts that went since the oldest one came to the front
};

} // namespace tlmssd::flash
