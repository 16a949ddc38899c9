// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what happened interval by interval, in bounded memory (docs/reference/results.md).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::observe {

/// Counts of a device so far; only differences matter. Busy times are sums over all units of a
/// kind, exact at the moment of the reading.
struct SeriesCounters {
    u64 host_pages = 0; ///< or mapping units, both
    u64 flash_pages = 0;
    Picoseconds channels_busy;
    Picoseconds dies_busy;
    Picoseconds cores_busy;
};

/// One interval. Undefined values are absent.
struct SeriesPoint {
    Picoseconds start; ///< from the start of the series
    Picoseconds length;
    u64 reads = 0; ///< that ended in the interval
    u64 writes = 0;
    u64 bytes = 0;
    std::optional<Picoseconds> mean, p99, max; ///< latency of both
    double queue_depth = 0;                    ///< mean number of open requests
    std::optional<double> waf;
    double channels_busy = 0, dies_busy = 0, cores_busy = 0; ///< mean fractions
};

/// Intervals [n L, (n + 1) L) from the start. When there are more than `most` of them, neighbours
/// are merged and L doubles. All memory is allocated by the constructor.
class Series {
public:
    static constexpr u32 kMost = 256;
    /// L at the start where none is asked for: runs of 13 ms and more get 128 to 256 intervals.
    static constexpr Picoseconds kFirst = microseconds(100);

    /// Numbers of units, for the fractions.
    struct Units {
        u32 channels = 1;
        u32 dies = 1;
        u32 cores = 1;
    };

    /// `interval` zero: kFirst.
    Series(Picoseconds interval, const Units& units);

    /// Forget everything and start at `now` with `open` requests open.
    void start(Picoseconds now, const SeriesCounters& counters, u32 open);
    /// The end of the current interval: sample() is due then, before anything else of that time.
    Picoseconds due() const { return begin_ + interval_; }
    void sample(Picoseconds now, const SeriesCounters& counters);

    void on_issued(Picoseconds now)
    {
        account(now);
        ++open_;
    }
    /// Any request has ended; `counts`: a READ or WRITE that ended well.
    void on_ended(Picoseconds now, bool counts, bool read, u64 bytes, Picoseconds latency)
    {
        account(now);
        --open_;
        if (counts) {
            Interval& i = intervals_[count_];
            ++(read ? i.reads : i.writes);
            i.bytes += bytes;
            i.sum_ps += latency.value();
            i.max = tlmssd::max(i.max, latency);
            ++i.buckets[bucket_of(latency.value())];
        }
    }

    Picoseconds interval() const { return interval_; }
    /// All intervals up to `now`; the last may be shorter. `counters`: at `now`.
    std::vector<SeriesPoint> points(Picoseconds now, const SeriesCounters& counters) const;

private:
    // Latencies by octave, each cut into 32: a quantile is off by at most 1/64 of its value.
    static constexpr u32 kSubBits = 5;
    static constexpr u32 kBuckets = (64 - kSubBits + 1) << kSubBits;

    struct Interval {
        u64 reads = 0, writes = 0, bytes = 0;
        unsigned __int128 sum_ps = 0;
        unsigned __int128 open_ps = 0; ///< integral of the number of open requests
        Picoseconds max;
        SeriesCounters during; ///< differences
        std::array<u32, kBuckets> buckets{};
    };

    static u32 bucket_of(u64 v)
    {
        const u32 shift =
            63u - kSubBits - static_cast<u32>(__builtin_clzll(v | (u64{1} << kSubBits)));
        return (shift << kSubBits) + static_cast<u32>(v >> shift);
    }
    void account(Picoseconds now)
    {
        intervals_[count_].open_ps +=
            static_cast<unsigned __int128>(open_) * (now - since_).value();
        since_ = now;
    }
    void merge_pairs();
    SeriesPoint point(const Interval& i, Picoseconds start, Picoseconds length) const;

    Picoseconds asked_;
    Units units_;
    std::vector<Interval> intervals_; ///< [0, count_) are closed, [count_] is current
    u32 count_ = 0;
    Picoseconds interval_;
    Picoseconds origin_;
    Picoseconds begin_; ///< of the current interval
    Picoseconds since_; ///< account()ed up to here
    SeriesCounters before_; ///< at begin_
    u32 open_ = 0;
};

} // namespace tlmssd::observe
