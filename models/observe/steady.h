// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: when a device has come to a steady state (docs/reference/results.md, "Warm-up").
#pragma once

#include <array>

#include "models/common/types.h"

namespace tlmssd::observe {

/// The rule of SNIA's Performance Test Specification on windows of simulated time: over the last
/// five windows y_1..y_5 with mean m, of throughput and of mean latency both,
///     max(y) - min(y) <= tolerance * m  and  4 |slope of the least-squares line| <= tolerance / 2 * m.
/// Pure.
class SteadyState {
public:
    static constexpr u32 kWindows = 5;

    explicit SteadyState(double tolerance) : tolerance_(tolerance) {}

    /// A window has ended. `latency`: mean of the requests that ended in it. A window without any
    /// is not steady, and neither are those before it. Returns steady().
    bool add(double throughput, double latency);
    bool steady() const { return steady_; }

    /// The rule for one quantity, oldest value first.
    static bool flat(const std::array<double, kWindows>& values, double tolerance);

private:
    double tolerance_;
    u32 count_ = 0;
    std::array<double, kWindows> throughput_{}; ///< oldest first
    std::array<double, kWindows> latency_{};
    bool steady_ = false;
};

} // namespace tlmssd::observe
