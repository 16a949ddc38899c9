// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random requests that visit each block once before any comes again (fio's random map).
#pragma once

#include <vector>

#include "models/config/workload.h"
#include "models/workload/random/permutation.h"

namespace tlmssd::workload {

/// The region is cut once into pieces, in the sizes and shares of bssplit; each pass visits every
/// piece once, in an order hashed again. fio keeps a bit map instead and cuts requests where blocks
/// are used up; this needs memory for one period of the sizes only (at most 10,000 pieces).
class RandomMap {
public:
    struct Piece {
        u64 start; ///< sectors from the start of the region
        u32 sectors;
    };

    /// `split` may be empty: all pieces have `sectors`. At least one piece fits into the region.
    RandomMap(const std::vector<config::SizeShare>& split, u32 sectors, u64 region_sectors,
              u64 seed);

    Piece next();
    /// A pass.
    u64 pieces() const { return order_.size(); }

private:
    Piece piece(u64 number) const;

    std::vector<u64> starts_; ///< of the pieces of a period; the last entry is its length
    u64 whole_;               ///< pieces of uncut size
    u32 cut_ = 0;             ///< size of a last piece that is cut short; 0: none
    Permutation order_;
    u64 seed_;
    u64 passes_ = 0;
    u64 key_ = 0;
    u64 at_ = 0;
};

} // namespace tlmssd::workload
