// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: log-linear histogram of latencies: fixed memory, O(1) record, exact count, sum, min, max.
#pragma once

#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::observe {

/// Counts values of 0..2^64-1 ps in buckets of equal relative width (the layout of HdrHistogram):
/// each power of two is cut into 1024 buckets, so a value below 2048 ps has a bucket of its own and
/// any other bucket is narrower than 1/1024 of its lowest value. A quantile is reported as the
/// middle of its bucket: relative error at most 1/2048 (0.049 %). See docs/reference/results.md.
/// The 440 KiB are allocated by the constructor; record() allocates nothing.
class Histogram {
public:
    static constexpr u32 kSubBits = 10;
    static constexpr u32 kBuckets = (64 - kSubBits + 1) << kSubBits;

    Histogram();

    void record(Picoseconds latency)
    {
        const u64 v = latency.value();
        ++buckets_[bucket_of(v)];
        ++count_;
        sum_ += v;
        min_ = v < min_ ? v : min_;
        max_ = v > max_ ? v : max_;
    }
    /// Afterwards this histogram is the one that had seen the values of both.
    void merge(const Histogram& other);
    void reset();

    u64 count() const { return count_; }
    Picoseconds min() const; ///< 0 if empty
    Picoseconds max() const; ///< 0 if empty
    double mean_ps() const;  ///< from the exact 128-bit sum; 0 if empty

    /// The value of rank max(1, ceil(q * n)) in ascending order, n = count(). q is in [0, 1] and
    /// taken to 9 decimals, so that 0.07 * 100 is 7. Ranks 1 and n are exact, all others are the
    /// middle of their bucket, kept inside [min, max]. 0 if empty.
    Picoseconds quantile(double q) const;

    /// Bucket of value `v`: 0..kBuckets-1, monotonic in v.
    static constexpr u32 bucket_of(u64 v)
    {
        const u32 shift =
            63u - kSubBits - static_cast<u32>(__builtin_clzll(v | (u64{1} << kSubBits)));
        return (shift << kSubBits) + static_cast<u32>(v >> shift);
    }
    /// The middle of a bucket, rounded up: at most half a bucket from any value in it.
    static constexpr u64 middle_of(u32 bucket)
    {
        const u32 shift = bucket < (2u << kSubBits) ? 0 : (bucket >> kSubBits) - 1;
        return (u64{bucket - (shift << kSubBits)} << shift) + ((u64{1} << shift) >> 1);
    }

private:
    std::vector<u64> buckets_;
    unsigned __int128 sum_ = 0;
    u64 count_ = 0;
    u64 min_ = ~u64{0};
    u64 max_ = 0;
};

} // namespace tlmssd::observe
