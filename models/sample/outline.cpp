// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: time, means and tails of two runs.
#include "models/sample/outline.h"

#include <algorithm>
#include <cmath>

#include "models/observe/histogram.h"

namespace tlmssd::sample {
namespace {

/// The middle of the bucket of the 99 % latency.
double tail_of(const Whole::Kind& kind)
{
    const u64 rank = static_cast<u64>(std::ceil(kTail * static_cast<double>(kind.requests)));
    u64 below = 0;
    for (u32 bucket = 0; bucket < kind.buckets.size(); ++bucket) {
        below += kind.buckets[bucket];
        if (below >= rank && below != 0) {
            return static_cast<double>(observe::Histogram::middle_of(bucket));
        }
    }
    return 0;
}

bool within(double a, double b, double allowance) { return std::abs(a - b) <= allowance * std::min(a, b); }

} // namespace

Outline outline_of(const Whole& whole)
{
    Outline outline;
    outline.time_ps = whole.time_ps;
    for (std::size_t i = 0; i < outline.kinds.size(); ++i) {
        const Whole::Kind& kind = whole.kinds.at(i);
        if (kind.requests != 0) {
            outline.kinds.at(i) = {kind.latency_ps / static_cast<double>(kind.requests), tail_of(kind)};
        }
    }
    return outline;
}

bool are_alike(const Outline& a, const Outline& b)
{
    bool alike = within(static_cast<double>(a.time_ps), static_cast<double>(b.time_ps), kMeanAllowance);
    for (std::size_t i = 0; i < a.kinds.size(); ++i) {
        alike = alike && within(a.kinds.at(i).mean_ps, b.kinds.at(i).mean_ps, kMeanAllowance) &&
                within(a.kinds.at(i).tail_ps, b.kinds.at(i).tail_ps, kTailAllowance);
    }
    return alike;
}

} // namespace tlmssd::sample
