// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: yes or no in random order, with an exact number of each.
#pragma once

#include "models/common/hash.h"
#include "models/common/types.h"

namespace tlmssd::workload {

/// Selection sampling (Knuth, The Art of Computer Programming 2, algorithm 3.4.2S): among each
/// `total` draws, counted from the first, exactly `yes` say yes; each order is equally likely.
class Quota {
public:
    /// yes <= total, total > 0.
    Quota(u64 total, u64 yes, u64 seed, u64 purpose)
        : total_(total), yes_(yes), seed_(seed), purpose_(purpose)
    {
    }

    bool draw()
    {
        if (left_ == 0) {
            left_ = total_;
            yes_left_ = yes_;
        }
        const bool yes = draw_below(draw64(seed_, purpose_, index_++), left_) < yes_left_;
        --left_;
        yes_left_ -= yes ? 1 : 0;
        return yes;
    }

private:
    u64 total_;
    u64 yes_;
    u64 seed_;
    u64 purpose_;
    u64 index_ = 0;
    u64 left_ = 0;
    u64 yes_left_ = 0;
};

} // namespace tlmssd::workload
