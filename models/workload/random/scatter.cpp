// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a seeded permutation of 0..n-1 that needs no table.
#include "models/workload/random/scatter.h"

#include "models/common/hash.h"

namespace tlmssd::workload {

Scatter::Scatter(u64 n, u64 seed, u64 purpose) : n_(n), mask_(0), shift_(1), rounds_{}
{
    u32 bits = 0;
    while (mask_ < n - 1) {
        mask_ = mask_ << 1 | 1;
        ++bits;
    }
    shift_ = bits < 2 ? 1 : (bits + 1) / 2;
    for (u64 i = 0; i < rounds_.size(); ++i) {
        rounds_[i].factor = draw64(seed, purpose, 2 * i) | 1;
        rounds_[i].offset = draw64(seed, purpose, 2 * i + 1);
    }
}

} // namespace tlmssd::workload
