// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: whether two runs of the same requests are alike.
#pragma once

#include <array>

#include "models/sample/windows.h"

namespace tlmssd::sample {

constexpr double kTail = 0.99; ///< of the requests are not slower than the "99 % latency"
/// Of what no window shows: events rarer than windows, differences that build up over more than a window
/// (docs/explanation/sampling.md).
constexpr double kMeanAllowance = 0.005;
constexpr double kTailAllowance = 0.01;

/// A Whole in few numbers.
struct Outline {
    u64 time_ps = 0;
    struct Kind {
        double mean_ps = 0; ///< latency; 0 where there are none
        double tail_ps = 0; ///< the 99 % latency
    };
    std::array<Kind, 2> kinds; ///< as Whole::kinds
};

Outline outline_of(const Whole& whole);

/// Whether they differ by less than what all intervals allow for.
bool are_alike(const Outline& a, const Outline& b);

} // namespace tlmssd::sample
