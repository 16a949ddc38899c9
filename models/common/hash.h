// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: counter-based random numbers: a draw is a hash of what it is for, never a shared sequence.
#pragma once

#include "models/common/types.h"

namespace tlmssd {

/// Finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64-bit words.
constexpr u64 mix64(u64 x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    x ^= x >> 31;
    return x;
}

/// Random 64-bit word for (seed, purpose, counter); independent for different arguments.
constexpr u64 draw64(u64 seed, u64 purpose, u64 counter)
{
    return mix64(mix64(mix64(seed + 0x9e3779b97f4a7c15ull) ^ purpose) + counter * 0x9e3779b97f4a7c15ull);
}

/// Uniform integer in [0, n), n > 0, by the high half of a product (bias below n / 2^64).
constexpr u64 draw_below(u64 word, u64 n)
{
    return static_cast<u64>((static_cast<unsigned __int128>(word) * n) >> 64);
}

/// Uniform double in [0, 1) with 53 bits.
constexpr double draw_unit(u64 word) { return static_cast<double>(word >> 11) * 0x1.0p-53; }

} // namespace tlmssd
