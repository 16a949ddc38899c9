// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: request sizes in the shares that bssplit gives.
#pragma once

#include <vector>

#include "models/config/workload.h"
#include "models/workload/random/permutation.h"

namespace tlmssd::workload {

/// Sizes of one direction. fio draws each size on its own; here each window of requests holds each
/// size as often as its share says (to within one request), in an order hashed again for each window,
/// so that even short runs have the mean that was asked for.
class Sizes {
public:
    /// `split` may be empty: then all have `sectors`. `window`: requests of the direction that come
    /// before a quota starts again; 0: the least number that holds all shares exactly.
    Sizes(const std::vector<config::SizeShare>& split, u32 sectors, u64 window, u64 seed,
          u64 purpose);

    /// Sectors of the next request.
    u32 next()
    {
        if (single_ != 0) {
            return single_;
        }
        if (at_ == permutation_.size()) {
            at_ = 0;
            rekey();
        }
        return size_at(permutation_(at_++, key_));
    }

private:
    struct Step {
        u64 end; ///< places below it, from the end of the step before
        u32 sectors;
    };

    u32 size_at(u64 place) const
    {
        std::size_t i = 0;
        while (place >= steps_[i].end) {
            ++i;
        }
        return steps_[i].sectors;
    }
    void rekey();

    u32 single_; ///< 0: several sizes
    std::vector<Step> steps_;
    Permutation permutation_;
    u64 seed_;
    u64 purpose_;
    u64 windows_ = 0;
    u64 key_ = 0;
    u64 at_ = 0;
};

/// The least number of requests that holds all shares exactly.
u64 exact_window(const std::vector<config::SizeShare>& split);

} // namespace tlmssd::workload
