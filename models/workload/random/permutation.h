// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: keyed permutations of 0..n-1 that need no table.
#pragma once

#include "models/common/hash.h"
#include "models/common/types.h"

namespace tlmssd::workload {

/// A Feistel network on the bits of the smallest power of two that holds n (halves that differ by
/// at most one bit, after Luby and Rackoff 1988); values that fall outside go round again (cycle
/// walking, Black and Rogaway 2002: less than two turns on average). The key picks the permutation.
class Permutation {
public:
    /// 1 <= n <= 2^63.
    explicit Permutation(u64 n) : n_(n)
    {
        u32 bits = 0;
        while (bits < 63 && (u64{1} << bits) < n) {
            ++bits;
        }
        low_bits_ = bits / 2;
        low_mask_ = (u64{1} << low_bits_) - 1;
        high_mask_ = (u64{1} << (bits - low_bits_)) - 1;
    }

    u64 size() const { return n_; }

    /// A bijection of [0, n).
    u64 operator()(u64 value, u64 key) const
    {
        do {
            u64 low = value & low_mask_;
            u64 high = value >> low_bits_;
            for (u64 round = 0; round < kRounds; round += 2) {
                high ^= word(key, round, low) & high_mask_;
                low ^= word(key, round + 1, high) & low_mask_;
            }
            value = high << low_bits_ | low;
        } while (value >= n_);
        return value;
    }

private:
    static constexpr u64 kRounds = 6;

    /// Cheaper than draw64(): the key is a random word already.
    static u64 word(u64 key, u64 round, u64 half)
    {
        return mix64((key + round * 0x9e3779b97f4a7c15ull) ^ (half * 0xd6e8feb86659fd93ull));
    }

    u64 n_;
    u32 low_bits_ = 0;
    u64 low_mask_ = 0;
    u64 high_mask_ = 0;
};

} // namespace tlmssd::workload
