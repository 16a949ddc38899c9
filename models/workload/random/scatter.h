// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a seeded permutation of 0..n-1 that needs no table.
#pragma once

#include <array>

#include "models/common/types.h"

namespace tlmssd::workload {

/// Multiply-and-shift rounds on the smallest power of two that holds n; values that fall outside
/// go round again (cycle walking, less than two turns on average). The seed fixes the permutation.
class Scatter {
public:
    /// 1 <= n <= 2^63.
    Scatter(u64 n, u64 seed, u64 purpose);
    /// A bijection of [0, n).
    u64 operator()(u64 value) const
    {
        do {
            for (const Round& round : rounds_) {
                value = (value * round.factor + round.offset) & mask_;
                value ^= value >> shift_;
            }
        } while (value >= n_);
        return value;
    }

private:
    struct Round {
        u64 factor; ///< odd: a bijection modulo any power of two
        u64 offset;
    };
    u64 n_;
    u64 mask_;
    u32 shift_;
    std::array<Round, 4> rounds_;
};

} // namespace tlmssd::workload
