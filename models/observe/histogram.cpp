// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: merging and reading the latency histogram.
#include "models/observe/histogram.h"

#include <algorithm>
#include <cmath>

namespace tlmssd::observe {

Histogram::Histogram() : buckets_(kBuckets) {}

void Histogram::merge(const Histogram& other)
{
    if (other.count_ == 0) {
        return;
    }
    const u32 last = bucket_of(other.max_);
    for (u32 b = bucket_of(other.min_); b <= last; ++b) {
        buckets_[b] += other.buckets_[b];
    }
    count_ += other.count_;
    sum_ += other.sum_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
}

void Histogram::reset()
{
    std::fill(buckets_.begin(), buckets_.end(), 0);
    sum_ = 0;
    count_ = 0;
    min_ = ~u64{0};
    max_ = 0;
}

Picoseconds Histogram::min() const { return Picoseconds(count_ == 0 ? 0 : min_); }

Picoseconds Histogram::max() const { return Picoseconds(max_); }

double Histogram::mean_ps() const
{
    return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

Picoseconds Histogram::quantile(double q) const
{
    if (count_ == 0) {
        return Picoseconds(0);
    }
    constexpr u64 kParts = 1000000000;
    const u64 parts = static_cast<u64>(std::llround(std::clamp(q, 0.0, 1.0) * 1e9));
    const auto product = static_cast<unsigned __int128>(parts) * count_;
    const u64 rank = static_cast<u64>((product + kParts - 1) / kParts);
    if (rank <= 1) {
        return min();
    }
    if (rank >= count_) {
        return max();
    }
    u64 seen = 0;
    u32 b = bucket_of(min_);
    for (;; ++b) {
        seen += buckets_[b];
        if (seen >= rank) {
            break;
        }
    }
    return Picoseconds(std::clamp(middle_of(b), min_, max_));
}

} // namespace tlmssd::observe
