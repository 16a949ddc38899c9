// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: range and slope over five windows.
#include "models/observe/steady.h"

#include <algorithm>
#include <cmath>

namespace tlmssd::observe {

bool SteadyState::flat(const std::array<double, kWindows>& y, double tolerance)
{
    static_assert(kWindows == 5);
    const double mean = (y[0] + y[1] + y[2] + y[3] + y[4]) / 5;
    const auto [least, most] = std::minmax_element(y.begin(), y.end());
    // Least squares with x = -2..2: slope = sum(x y) / sum(x x); the line rises by 4 slopes in all.
    const double slope = (2 * (y[4] - y[0]) + (y[3] - y[1])) / 10;
    return mean > 0 && *most - *least <= tolerance * mean &&
           4 * std::fabs(slope) <= tolerance / 2 * mean;
}

bool SteadyState::add(double throughput, double latency)
{
    if (throughput <= 0) {
        count_ = 0;
        steady_ = false;
        return false;
    }
    std::rotate(throughput_.begin(), throughput_.begin() + 1, throughput_.end());
    std::rotate(latency_.begin(), latency_.begin() + 1, latency_.end());
    throughput_.back() = throughput;
    latency_.back() = latency;
    count_ = std::min(count_ + 1, kWindows);
    steady_ = count_ == kWindows && flat(throughput_, tolerance_) && flat(latency_, tolerance_);
    return steady_;
}

} // namespace tlmssd::observe
