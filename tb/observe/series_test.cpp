// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: intervals: what falls into which, merging, and that nothing is lost.
#include <gtest/gtest.h>

#include "models/observe/series.h"

namespace tlmssd::observe {
namespace {

constexpr Series::Units kUnits{2, 4, 1};

SeriesCounters counters(u64 host, u64 flash, Picoseconds channels = {}, Picoseconds dies = {},
                        Picoseconds cores = {})
{
    return {host, flash, channels, dies, cores};
}

/// Runs to `end` and samples whenever it is due.
void run_to(Series& series, Picoseconds end, const SeriesCounters& c = {})
{
    while (series.due() <= end) {
        series.sample(series.due(), c);
    }
}

TEST(Series, PutsARequestIntoTheIntervalInWhichItEnds)
{
    Series series(milliseconds(1), kUnits);
    series.start(Picoseconds(), {}, 0);
    series.on_issued(microseconds(100));
    series.on_ended(microseconds(400), true, true, 4096, microseconds(300));
    series.on_issued(microseconds(900));
    run_to(series, microseconds(1000)); // the end at 1 ms belongs to the second interval
    series.on_ended(microseconds(1000), true, false, 8192, microseconds(100));
    const auto points = series.points(milliseconds(2), {});
    ASSERT_EQ(points.size(), 2u);
    EXPECT_EQ(points[0].start, Picoseconds());
    EXPECT_EQ(points[0].length, milliseconds(1));
    EXPECT_EQ(points[0].reads, 1u);
    EXPECT_EQ(points[0].writes, 0u);
    EXPECT_EQ(points[0].bytes, 4096u);
    EXPECT_EQ(points[0].mean, microseconds(300));
    EXPECT_EQ(points[0].max, microseconds(300));
    EXPECT_DOUBLE_EQ(points[0].queue_depth, 0.4); // 300 us and 100 us of 1 ms
    EXPECT_EQ(points[1].start, milliseconds(1));
    EXPECT_EQ(points[1].writes, 1u);
    EXPECT_EQ(points[1].mean, microseconds(100));
    EXPECT_DOUBLE_EQ(points[1].queue_depth, 0.0);
}

TEST(Series, LeavesUndefinedWhatNothingWasCountedFor)
{
    Series series(milliseconds(1), kUnits);
    series.start(Picoseconds(), {}, 0);
    run_to(series, milliseconds(1));
    const auto points = series.points(milliseconds(1), {});
    ASSERT_EQ(points.size(), 1u);
    EXPECT_FALSE(points[0].mean);
    EXPECT_FALSE(points[0].p99);
    EXPECT_FALSE(points[0].max);
    EXPECT_FALSE(points[0].waf);
}

TEST(Series, ReadsCountersAsDifferencesAndFractions)
{
    Series series(milliseconds(1), kUnits);
    series.start(milliseconds(10), counters(100, 200, microseconds(50)), 0);
    series.sample(milliseconds(11), counters(110, 215, microseconds(550), microseconds(1000),
                                             microseconds(250)));
    const auto points = series.points(
        milliseconds(12), counters(110, 219, microseconds(550), microseconds(1000),
                                   microseconds(250)));
    ASSERT_EQ(points.size(), 2u);
    EXPECT_DOUBLE_EQ(points[0].waf.value(), 1.5);           // 15 / 10
    EXPECT_DOUBLE_EQ(points[0].channels_busy, 0.25);        // 500 us of 2 x 1 ms
    EXPECT_DOUBLE_EQ(points[0].dies_busy, 0.25);            // 1000 us of 4 x 1 ms
    EXPECT_DOUBLE_EQ(points[0].cores_busy, 0.25);
    EXPECT_FALSE(points[1].waf); // 4 pages for nobody
    EXPECT_DOUBLE_EQ(points[1].channels_busy, 0.0);
}

TEST(Series, CountsRequestsThatWereOpenWhenItStarted)
{
    Series series(milliseconds(1), kUnits);
    series.start(milliseconds(5), {}, 3);
    series.on_ended(microseconds(5500), true, true, 4096, milliseconds(2));
    const auto points = series.points(milliseconds(6), {});
    ASSERT_EQ(points.size(), 1u);
    EXPECT_DOUBLE_EQ(points[0].queue_depth, 2.5);
    EXPECT_EQ(points[0].reads, 1u);
}

TEST(Series, ShowsTheShortRestAsAnIntervalOfItsLength)
{
    Series series(milliseconds(1), kUnits);
    series.start(Picoseconds(), {}, 0);
    run_to(series, microseconds(2250));
    const auto points = series.points(microseconds(2250), {});
    ASSERT_EQ(points.size(), 3u);
    EXPECT_EQ(points[2].start, milliseconds(2));
    EXPECT_EQ(points[2].length, microseconds(250));
}

TEST(Series, MergesNeighboursWhenThereAreTooManyAndLosesNothing)
{
    Series series(microseconds(10), kUnits);
    series.start(Picoseconds(), {}, 0);
    constexpr u64 kRequests = 6000; // one a microsecond
    u64 host = 0;
    for (u64 i = 0; i < kRequests; ++i) {
        run_to(series, microseconds(i), counters(host, 2 * host));
        series.on_issued(microseconds(i));
        series.on_ended(microseconds(i), true, i % 3 != 0, 512, nanoseconds(i + 1));
        ++host;
    }
    const auto points = series.points(microseconds(kRequests), counters(host, 2 * host));
    // 600 intervals of 10 us: merged at 256 and again at 256 of 20 us -> 150 of 40 us.
    EXPECT_EQ(series.interval(), microseconds(40));
    ASSERT_EQ(points.size(), 150u);
    u64 reads = 0, writes = 0, bytes = 0;
    Picoseconds sum;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const SeriesPoint& p = points[i];
        EXPECT_EQ(p.start, i * microseconds(40));
        EXPECT_EQ(p.reads + p.writes, 40u);
        EXPECT_EQ(p.max, nanoseconds(40 * (i + 1)));
        EXPECT_DOUBLE_EQ(p.waf.value(), 2.0);
        reads += p.reads;
        writes += p.writes;
        bytes += p.bytes;
        sum += (p.reads + p.writes) * p.mean.value();
    }
    EXPECT_EQ(reads, 4000u);
    EXPECT_EQ(writes, 2000u);
    EXPECT_EQ(bytes, 512 * kRequests);
    EXPECT_EQ(sum, nanoseconds(kRequests * (kRequests + 1) / 2));
}

TEST(Series, GivesTheP99OfAnIntervalToWithinOnePartIn64)
{
    Series series(milliseconds(1), kUnits);
    series.start(Picoseconds(), {}, 0);
    for (u64 i = 1; i <= 1000; ++i) {
        series.on_issued(Picoseconds());
        series.on_ended(Picoseconds(), true, true, 512, nanoseconds(100 * i));
    }
    const auto points = series.points(milliseconds(1), {});
    ASSERT_EQ(points.size(), 1u);
    const double p99 = static_cast<double>(points[0].p99.value().value());
    EXPECT_NEAR(p99, 99e6, 99e6 / 64); // rank 990: 99 us
}

TEST(Series, TakesThePassOfSeveralIntervalsAtOnce)
{
    Series series(milliseconds(1), kUnits);
    series.start(Picoseconds(), {}, 2);
    series.sample(microseconds(3500), counters(7, 7));
    const auto points = series.points(microseconds(3500), counters(7, 7));
    ASSERT_EQ(points.size(), 4u);
    for (const SeriesPoint& p : points) {
        EXPECT_DOUBLE_EQ(p.queue_depth, 2.0);
    }
    EXPECT_DOUBLE_EQ(points[0].waf.value(), 1.0);
    EXPECT_FALSE(points[1].waf);
}

TEST(Series, DoesNotCountWhatEndedWithAnErrorOrMovedNoData)
{
    Series series(milliseconds(1), kUnits);
    series.start(Picoseconds(), {}, 0);
    series.on_issued(Picoseconds());
    series.on_ended(microseconds(500), false, false, 0, microseconds(500));
    const auto points = series.points(milliseconds(1), {});
    ASSERT_EQ(points.size(), 1u);
    EXPECT_EQ(points[0].reads + points[0].writes, 0u);
    EXPECT_DOUBLE_EQ(points[0].queue_depth, 0.5);
}

} // namespace
} // namespace tlmssd::observe
