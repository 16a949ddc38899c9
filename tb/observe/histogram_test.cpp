// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the latency histogram keeps its error bound, its exact figures and merges like a union.
#include "models/observe/histogram.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <initializer_list>

#include "models/common/hash.h"

namespace tlmssd::observe {
namespace {

constexpr double kBoundPromised = 0.001;
constexpr double kBoundOfLayout = 1.0 / 2048;

Histogram of(std::initializer_list<u64> values)
{
    Histogram h;
    for (const u64 v : values) {
        h.record(Picoseconds(v));
    }
    return h;
}

/// Rank ceil(num * n / den), at least 1, by integers alone.
u64 exact_quantile(const std::vector<u64>& sorted, u64 num, u64 den)
{
    const u64 rank = std::max<u64>(1, (num * sorted.size() + den - 1) / den);
    return sorted[rank - 1];
}

double relative_error(u64 reported, u64 exact)
{
    const u64 difference = reported > exact ? reported - exact : exact - reported;
    return exact == 0 ? static_cast<double>(difference)
                      : static_cast<double>(difference) / static_cast<double>(exact);
}

TEST(Histogram, EmptyIsZero)
{
    const Histogram h;
    EXPECT_EQ(h.count(), 0u);
    EXPECT_EQ(h.min(), Picoseconds(0));
    EXPECT_EQ(h.max(), Picoseconds(0));
    EXPECT_EQ(h.mean_ps(), 0.0);
    EXPECT_EQ(h.quantile(0.5), Picoseconds(0));
}

TEST(Histogram, SmallValuesAreExact)
{
    // Below 2048 ps each value has its own bucket. n = 10: p50 has rank 5, p95 and p99 rank 10.
    const Histogram h = of({10, 9, 8, 7, 6, 5, 4, 3, 2, 2047});
    EXPECT_EQ(h.count(), 10u);
    EXPECT_EQ(h.min(), Picoseconds(2));
    EXPECT_EQ(h.max(), Picoseconds(2047));
    EXPECT_EQ(h.mean_ps(), 210.1); // (2 + ... + 10 = 54, + 2047 = 2101) / 10
    EXPECT_EQ(h.quantile(0.0), Picoseconds(2));
    EXPECT_EQ(h.quantile(0.1), Picoseconds(2));
    EXPECT_EQ(h.quantile(0.11), Picoseconds(3));
    EXPECT_EQ(h.quantile(0.5), Picoseconds(6));
    EXPECT_EQ(h.quantile(0.9), Picoseconds(10));
    EXPECT_EQ(h.quantile(0.95), Picoseconds(2047));
    EXPECT_EQ(h.quantile(1.0), Picoseconds(2047));
}

TEST(Histogram, RankIsNotPushedUpByBinaryFractions)
{
    // 0.07 * 100 is 7.000000000000001 in doubles; the rank is 7 all the same.
    Histogram h;
    for (u64 v = 1; v <= 100; ++v) {
        h.record(Picoseconds(v));
    }
    EXPECT_EQ(h.quantile(0.07), Picoseconds(7));
    EXPECT_EQ(h.quantile(0.29), Picoseconds(29));
    EXPECT_EQ(h.quantile(0.99), Picoseconds(99));
}

TEST(Histogram, LargeValueIsReportedAsMiddleOfItsBucket)
{
    // 4096..8191 is cut into 1024 buckets of 4: 5001 lies in 5000..5003, middle 5002.
    // The other two are exact: they are the minimum and the maximum.
    const Histogram h = of({4097, 5001, 1000003});
    EXPECT_EQ(h.quantile(0.5), Picoseconds(5002));
    EXPECT_EQ(h.quantile(0.3), Picoseconds(4097));
    EXPECT_EQ(h.quantile(1.0), Picoseconds(1000003));
}

TEST(Histogram, QuantileStaysInsideTheRangeOfTheValues)
{
    // 2^40 .. 2^40 + 2^30 - 1 is one bucket with middle 2^40 + 2^29, above all four values.
    const u64 v = u64{1} << 40;
    const Histogram h = of({v, v + 1, v + 2, v + 3});
    EXPECT_EQ(h.quantile(0.5), Picoseconds(v + 3));
}

TEST(Histogram, BucketsAreContiguousAndMonotonic)
{
    // Each bucket's middle lies in it, and the last value before each power of two is one bucket
    // below the power itself.
    for (u32 b = 0; b < Histogram::kBuckets; ++b) {
        ASSERT_EQ(Histogram::bucket_of(Histogram::middle_of(b)), b);
    }
    for (u32 e = 1; e < 64; ++e) {
        const u64 power = u64{1} << e;
        ASSERT_EQ(Histogram::bucket_of(power), Histogram::bucket_of(power - 1) + 1) << e;
    }
    EXPECT_EQ(Histogram::bucket_of(0), 0u);
    EXPECT_EQ(Histogram::bucket_of(~u64{0}), Histogram::kBuckets - 1);
}

TEST(Histogram, ErrorOfAnyValueIsBelowOneInTwoThousand)
{
    // First and last value of every bucket: the worst cases of the layout.
    for (u32 e = 11; e < 64; ++e) {
        const u64 width = u64{1} << (e - 10);
        for (u64 i = 0; i < 1024; ++i) {
            const u64 first = (u64{1} << e) + i * width;
            const u64 middle = Histogram::middle_of(Histogram::bucket_of(first));
            ASSERT_EQ(Histogram::bucket_of(first), Histogram::bucket_of(first + width - 1));
            ASSERT_LE(relative_error(middle, first), kBoundOfLayout);
            ASSERT_LE(relative_error(middle, first + width - 1), kBoundOfLayout);
        }
    }
    EXPECT_LE(kBoundOfLayout, kBoundPromised);
}

class RandomValues : public testing::TestWithParam<u32> {};

TEST_P(RandomValues, QuantilesKeepTheBound)
{
    // Log-uniform over all magnitudes, uniform, two narrow modes, and sums that overflow 64 bits.
    const u32 kind = GetParam();
    Histogram h;
    std::vector<u64> values;
    unsigned __int128 sum = 0;
    for (u64 i = 0; i < 20011; ++i) {
        const u64 r = draw64(7, kind, i);
        u64 v = r;
        switch (kind) {
        case 0:
            v = r >> (mix64(r + 1) % 64);
            break;
        case 1:
            v = draw_below(r, 1000000000);
            break;
        case 2:
            v = ((r & 1) != 0 ? 50000000 : 900000000) + draw_below(r, 5000);
            break;
        default:
            v = r | (u64{1} << 63);
            break;
        }
        h.record(Picoseconds(v));
        values.push_back(v);
        sum += v;
    }
    std::sort(values.begin(), values.end());
    EXPECT_EQ(h.min(), Picoseconds(values.front()));
    EXPECT_EQ(h.max(), Picoseconds(values.back()));
    EXPECT_EQ(h.mean_ps(), static_cast<double>(sum) / static_cast<double>(values.size()));
    for (u64 q = 0; q <= 10000; ++q) {
        const u64 reported = h.quantile(static_cast<double>(q) / 10000).value();
        ASSERT_LE(relative_error(reported, exact_quantile(values, q, 10000)), kBoundOfLayout)
            << "q = " << q << " / 10000";
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RandomValues, testing::Values(0u, 1u, 2u, 3u));

void expect_equal(const Histogram& a, const Histogram& b)
{
    EXPECT_EQ(a.count(), b.count());
    EXPECT_EQ(a.min(), b.min());
    EXPECT_EQ(a.max(), b.max());
    EXPECT_EQ(a.mean_ps(), b.mean_ps());
    for (u32 q = 0; q <= 1000; ++q) {
        ASSERT_EQ(a.quantile(q / 1000.0), b.quantile(q / 1000.0)) << q;
    }
}

TEST(Histogram, MergeEqualsUnion)
{
    Histogram left;
    Histogram right;
    Histogram both;
    for (u64 i = 0; i < 5000; ++i) {
        const u64 r = draw64(3, 1, i);
        const Picoseconds v(r >> (r % 50));
        (i % 3 == 0 ? left : right).record(v);
        both.record(v);
    }
    left.merge(right);
    expect_equal(left, both);
}

TEST(Histogram, MergeWithEmptyChangesNothing)
{
    Histogram h = of({5, 6, 7000});
    h.merge(Histogram());
    expect_equal(h, of({5, 6, 7000}));
    Histogram empty;
    empty.merge(h);
    expect_equal(empty, h);
}

TEST(Histogram, ResetForgetsEverything)
{
    Histogram h = of({5, 6, 7000});
    h.reset();
    EXPECT_EQ(h.count(), 0u);
    h.record(Picoseconds(9));
    expect_equal(h, of({9}));
}

} // namespace
} // namespace tlmssd::observe
