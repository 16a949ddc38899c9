// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: estimates of hand-made windows.
#include "models/sample/analysis.h"

#include <gtest/gtest.h>

#include "models/observe/histogram.h"

namespace tlmssd::sample {
namespace {

constexpr Plan kPlan{2, 8, 0}; // 2 requests of warm-up, 6 that count

/// Requests of 8 sectors that end every `each` ps, each with `latency`; the first two have another pace.
std::vector<Ended> requests(u64 each, u64 latency, workload::Kind kind = workload::Kind::Read)
{
    std::vector<Ended> all = {{7, 1'000'000, 8, kind}, {9, 2'000'000, 8, kind}};
    while (all.size() < kPlan.length) {
        all.push_back({all.back().at_ps + each, latency, 8, kind});
    }
    return all;
}

/// The control takes 1 us and 2 us a request, the measured controller 10 % more; latencies 3 and 5, and 20 % more.
std::vector<Window> slower_windows()
{
    return {{requests(1'100'000, 3'600'000), requests(1'000'000, 3'000'000)},
            {requests(2'200'000, 6'000'000), requests(2'000'000, 5'000'000)}};
}

Analysis of(const PassResult& pass, bool open_loop = false, double tolerance = 0.02)
{
    return analyse(pass, kPlan, open_loop, 0.95, tolerance);
}

TEST(Analysis, WindowsAloneGiveTheirSums)
{
    PassResult pass;
    pass.windows = {{requests(1'000'000, 3'000'000), {}}, {requests(3'000'000, 5'000'000), {}}};
    const Analysis a = of(pass);
    // 12 requests in 6 us + 18 us; 4096 bytes each.
    EXPECT_NEAR(a.iops.value, 500'000, 1e-3);
    EXPECT_NEAR(a.mb_s.value, 2048, 1e-6);
    EXPECT_NEAR(a.all.mean_us.value, 4, 1e-9);
    EXPECT_NEAR(a.all.p99_us.value, 5, 1e-9);
    ASSERT_TRUE(a.reads);
    EXPECT_NEAR(a.reads->mean_us.value, 4, 1e-9);
    EXPECT_FALSE(a.writes);
    EXPECT_TRUE(a.settled);
    // The time of a request is 2 us with residuals of 6 us in 12 requests: sqrt(2 * 36 * 2) / 12 = 1 us, times t = 12.7.
    // The allowance is 0.5 % of the mean, 1 % of the tail.
    EXPECT_NEAR(a.iops.low, 1e6 / (2 + 12.7062047 + 0.01), 1e-2);
    EXPECT_NEAR(a.all.p99_us.high, 5 + 0.05, 1e-9);
}

TEST(Analysis, TheWholeIsScaledByWhatWindowsDifferIn)
{
    PassResult pass;
    pass.windows = slower_windows();
    Whole& whole = pass.whole;
    whole.requests = whole.transfers = 1000;
    whole.bytes = 1000 * 4096;
    whole.time_ps = 1'500'000'000; // 1.5 us each
    for (Whole::Kind& kind : whole.kinds) {
        kind.buckets.resize(observe::Histogram::kBuckets);
    }
    whole.kinds[0].requests = 1000;
    whole.kinds[0].latency_ps = 1000 * 4e6;
    whole.kinds[0].buckets[observe::Histogram::bucket_of(3'000'000)] = 500;
    whole.kinds[0].buckets[observe::Histogram::bucket_of(5'000'000)] = 500;
    const Analysis a = of(pass);
    EXPECT_NEAR(a.iops.value, 1e6 / 1.65, 1);
    EXPECT_NEAR(a.iops.high, 1e6 / (1.65 * 0.995), 1); // no error, and the allowance
    EXPECT_NEAR(a.iops.low, 1e6 / (1.65 * 1.005), 1);
    EXPECT_NEAR(a.all.mean_us.value, 4.8, 1e-9);
    EXPECT_NEAR(a.all.mean_us.high, 4.8 * 1.005, 1e-9);
    EXPECT_NEAR(a.all.p99_us.value, 6, 0.003);
    EXPECT_NEAR(a.all.p99_us.low, 6 * 0.99, 0.003);
    EXPECT_NEAR(a.mb_s.value, 4096 / 1.65, 1);
    EXPECT_FALSE(a.writes);
}

TEST(Analysis, AnotherRunWidensTheIntervals)
{
    // 3200 requests in 32 parts of 100, 1.5 us each.
    PassResult pass;
    pass.windows = slower_windows();
    Whole part;
    part.requests = part.transfers = 100;
    part.time_ps = 150'000'000;
    for (Whole::Kind& kind : part.kinds) {
        kind.buckets.resize(observe::Histogram::kBuckets);
    }
    part.kinds[0].requests = 100;
    part.kinds[0].latency_ps = 100 * 4e6;
    part.kinds[0].buckets[observe::Histogram::bucket_of(3'000'000)] = 50;
    part.kinds[0].buckets[observe::Histogram::bucket_of(5'000'000)] = 50;
    pass.parts.resize(kParts, part);
    pass.whole = part;
    for (u64* const sum : {&pass.whole.requests, &pass.whole.transfers, &pass.whole.time_ps, &pass.whole.kinds[0].requests}) {
        *sum *= kParts;
    }
    pass.whole.kinds[0].latency_ps *= kParts;
    for (u64& count : pass.whole.kinds[0].buckets) {
        count *= kParts;
    }
    OtherRuns others;
    others.twins.pass = others.twins.other = pass.parts;
    std::vector<Whole>& other = others.twins.other;
    // Times are 3.2 % longer and shorter in turn: 0.001 of the whole each, sqrt(32) * 0.001 * t of 32 degrees (2.036933).
    for (u64 i = 0; i < kParts; ++i) {
        other[i].time_ps = i % 2 == 0 ? 154'800'000 : 145'200'000;
    }
    Analysis a = analyse(pass, kPlan, false, 0.95, 0.02, others);
    EXPECT_NEAR(a.runs_differ, 0.0115226, 1e-6);
    EXPECT_NEAR(a.iops.high, 1e6 / (1.65 * (1 - 0.0115226 - 0.005)), 1);
    EXPECT_NEAR(a.all.mean_us.high, 4.8 * 1.005, 1e-9); // the same latencies
    EXPECT_NEAR(a.all.p99_us.low, 6 * 0.99, 0.003);
    // All latencies of the other run are beyond 6 us: shares differ by 1/32 in each part, most in fours: 4/32 * sqrt(8) * t of
    // 8 degrees (2.306004) = 0.8153. The quantile at 0.99 - 0.8153 is 3.6 us; the allowance is 1 % of 6 us.
    for (Whole& run : other) {
        run.time_ps = part.time_ps;
        run.kinds[0].buckets.assign(observe::Histogram::kBuckets, 0);
        run.kinds[0].buckets[observe::Histogram::bucket_of(20'000'000)] = 100;
        run.kinds[0].latency_ps = 100 * 4.004e6; // 0.1 % more, 1/32 of it in each: most in fours
    }
    a = analyse(pass, kPlan, false, 0.95, 0.02, others);
    EXPECT_EQ(a.runs_differ, 0);
    EXPECT_NEAR(a.all.p99_us.low, 3.6 - 0.06, 0.003);
    EXPECT_NEAR(a.all.mean_us.high, 4.8 * (1 + 0.001 * 0.815292 + 0.005), 1e-5);
    // The same of a quarter of the workload: the whole differs by the root of 4 as many parts, in 4 times as much.
    others.twins.share = 0.25;
    a = analyse(pass, kPlan, false, 0.95, 0.02, others);
    EXPECT_NEAR(a.all.mean_us.high, 4.8 * (1 + 0.001 * 0.815292 / 2 + 0.005), 1e-5);
}

TEST(Analysis, SeveralRunsAreComparedAsWholes)
{
    PassResult pass;
    pass.windows = slower_windows();
    pass.whole.requests = pass.whole.transfers = 100;
    pass.whole.time_ps = 150'000'000;
    for (Whole::Kind& kind : pass.whole.kinds) {
        kind.buckets.resize(observe::Histogram::kBuckets);
    }
    pass.whole.kinds[0].requests = 100;
    pass.whole.kinds[0].latency_ps = 100 * 4e6;
    pass.whole.kinds[0].buckets[observe::Histogram::bucket_of(5'000'000)] = 100;
    PassResult slow = pass;
    slow.whole.time_ps = 156'000'000;
    PassResult fast = pass;
    fast.whole.time_ps = 144'000'000;
    EXPECT_FALSE(are_alike({{pass.whole}, {slow.whole}}));
    EXPECT_TRUE(are_alike({{pass.whole}, {pass.whole}}));
    EXPECT_TRUE(are_alike({{slow.whole, fast.whole}, {pass.whole, pass.whole}})); // their sums are
    // Mean 1.5 us; s 4 %, two degrees: 0.04 * 4.302653 * sqrt(4/3).
    const Analysis a = analyse(pass, kPlan, false, 0.95, 0.02, {{}, {slow, fast}});
    EXPECT_NEAR(a.runs_differ, 0.198730, 1e-5);
    EXPECT_NEAR(a.iops.value, 1e6 / 1.65, 1);
    EXPECT_NEAR(a.iops.high, 1e6 / (1.65 * (1 - 0.198730 - 0.005)), 10);
    EXPECT_NEAR(a.all.mean_us.high, 4.8 * 1.005, 1e-9);
    // The mean is that of all runs: 1.5, 1.56, 1.56.
    EXPECT_NEAR(analyse(pass, kPlan, false, 0.95, 0.02, {{}, {slow, slow}}).iops.value, 1e6 / (1.1 * 1.54), 1);
}

TEST(Analysis, RunsThatDifferInOneLatencyAreNotAlike)
{
    Whole a;
    a.requests = 100;
    a.time_ps = 1'000'000;
    for (Whole::Kind& kind : a.kinds) {
        kind.buckets.resize(observe::Histogram::kBuckets);
    }
    a.kinds[1].requests = 100;
    a.kinds[1].latency_ps = 1e8;
    a.kinds[1].buckets[observe::Histogram::bucket_of(1'000'000)] = 98;
    a.kinds[1].buckets[observe::Histogram::bucket_of(2'000'000)] = 2;
    Whole b = a;
    EXPECT_TRUE(are_alike({{a}, {b}}));
    b.kinds[1].latency_ps = 1.006e8;
    EXPECT_FALSE(are_alike({{a}, {b}}));
    b = a;
    b.kinds[1].buckets[observe::Histogram::bucket_of(2'000'000)] = 0; // rank 99 of 100
    b.kinds[1].buckets[observe::Histogram::bucket_of(1'000'000)] = 100;
    EXPECT_FALSE(are_alike({{a}, {b}}));
}

TEST(Analysis, KindsAreKeptApartAndFlushesHaveNoLatency)
{
    PassResult pass;
    std::vector<Ended> mixed = requests(1'000'000, 2'000'000);
    mixed[3].kind = workload::Kind::Write;
    mixed[3].latency_ps = 8'000'000;
    mixed[4] = {mixed[4].at_ps, 90'000'000, 0, workload::Kind::Flush};
    pass.windows = {{mixed, {}}, {mixed, {}}};
    const Analysis a = of(pass);
    ASSERT_TRUE(a.writes);
    EXPECT_NEAR(a.writes->mean_us.value, 8, 1e-9);
    EXPECT_NEAR(a.reads->mean_us.value, 2, 1e-9);
    EXPECT_NEAR(a.all.mean_us.value, (4 * 2 + 8) / 5.0, 1e-9);
    EXPECT_NEAR(a.iops.value, 1e6 * 7 / 8, 1e-3); // 7 of 8 requests move data
}

TEST(Analysis, ATrendIsLargerThanChanceAndThanTheTolerance)
{
    // The later three of the six requests that count take twice as long as the earlier three.
    std::vector<Ended> slowing = requests(1'000'000, 2'000'000);
    for (u64 i = 5; i < slowing.size(); ++i) {
        slowing[i].at_ps = slowing[i - 1].at_ps + 2'000'000;
    }
    PassResult pass;
    pass.windows = {{slowing, {}}, {slowing, {}}};
    EXPECT_FALSE(of(pass).settled);
    EXPECT_TRUE(of(pass, true).settled); // in open loop the workload sets the times
    EXPECT_TRUE(of(pass, false, 0.4).settled); // (6 - 3) / (6 + 3) = 0.33
    std::vector<Ended> rising = requests(1'000'000, 2'000'000);
    for (u64 i = 5; i < rising.size(); ++i) {
        rising[i].latency_ps = 3'000'000;
    }
    pass.windows = {{rising, {}}, {rising, {}}};
    EXPECT_FALSE(of(pass, true).settled);
    std::vector<Ended> falling = requests(1'000'000, 3'000'000);
    for (u64 i = 5; i < falling.size(); ++i) {
        falling[i].latency_ps = 2'000'000;
    }
    pass.windows = {{rising, {}}, {falling, {}}};
    EXPECT_TRUE(of(pass).settled); // one rises, one falls: chance
}

} // namespace
} // namespace tlmssd::sample
