// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the launch-recognising prefetcher under launches: each switch in its direction (docs/explanation/prefetch.md).
// A page of 4 KiB takes 75.81 us from flash and 1.38 us from the buffer (derived in read_ahead_test.cpp).
#include <array>

#include "tb/support/child.h"
#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

constexpr double kPageMs = 0.07581;
constexpr double kHitMs = 0.00138;
constexpr u32 kReads = 200;
constexpr u32 kApps = 3;

/// Applications of 200 pages each and 256 page buffers: what one has left there, the others take.
std::string device(const std::string& prefetch)
{
    return launch_device("lru") + "prefetch: {" + prefetch + "}\n";
}

std::string launcher(const std::string& prefetch, double cpu_ms, const std::string& more = "")
{
    return device(prefetch) + "workload: {launches: 12, launch_apps: 3, launch_reads: 200, launch_bs: 4096, launch_cpu_ms: " +
           std::to_string(cpu_ms) + more + "}\n";
}

constexpr u32 kLaunches = 12;

/// What a run says of itself.
struct Outcome {
    bool clean = false;
    double later_ms = 0; ///< mean time of the launches behind the first of each application
    double other_us = 0; ///< mean latency of the second job's reads
    std::array<double, kLaunches> ms{};
    std::array<bool, kLaunches> detour{};
    u64 recorded = 0, recognised = 0, finished = 0, aborted = 0, unused = 0, hits = 0;
};

Outcome outcome_of(const std::string& yaml)
{
    const Device run(yaml);
    Outcome o;
    const observe::Json& jobs = run.results()["host"]["jobs"];
    const observe::Json& list = jobs[0]["launches"]["list"];
    for (std::size_t i = 0; i < list.size(); ++i) {
        o.ms.at(i) = list[i]["time_ms"];
        o.detour.at(i) = list[i]["detour"];
        o.later_ms += i < kApps ? 0 : o.ms[i] / (kLaunches - kApps);
    }
    if (jobs.size() > 1 && jobs[1]["reads"]["count"] != 0) {
        o.other_us = jobs[1]["reads"]["latency_us"]["mean"];
    }
    const fw_stats& s = run.firmware();
    o.recorded = s.prefetch_recorded;
    o.recognised = s.prefetch_recognised;
    o.finished = s.prefetch_finished;
    o.aborted = s.prefetch_aborted;
    o.unused = s.prefetch_unused;
    o.hits = s.prefetch_hits;
    o.clean = run.status() == run::RunStatus::Done && run.host().mismatches == 0 && run.host().errors == 0 &&
              run.simulation().ssd().violations() == 0 && list.size() == kLaunches;
    return o;
}

Outcome run(const std::string& yaml)
{
    const Outcome o = in_child([&] { return outcome_of(yaml); }).value_or(Outcome{});
    EXPECT_TRUE(o.clean);
    return o;
}

double later_ms(const std::string& yaml) { return run(yaml).later_ms; }

TEST(PrefetchSystem, OffEveryLaunchIsCold)
{
    const Outcome off = run(launcher("mode: none", 20));
    EXPECT_NEAR(off.later_ms, 20 + kReads * kPageMs, 0.1);
    EXPECT_EQ(off.recorded, 0u);
}

/// Eight reads come from flash, until the sequence is known; then the buffer has all.
TEST(PrefetchSystem, FastComesDownToTheLink)
{
    const Outcome fast = run(launcher("mode: fast", 20));
    const double least = 20 + 8 * kPageMs + (kReads - 8) * kHitMs;
    EXPECT_GE(fast.later_ms, least - 0.02);
    EXPECT_LT(fast.later_ms, least + 0.3);
    EXPECT_EQ(fast.recorded, 3u);
    EXPECT_EQ(fast.finished, 9u);
    EXPECT_EQ(fast.unused, 0u);
}

/// One page in 75.81 us, one burst of 100 us on average: in order one by one it mostly keeps ahead.
TEST(PrefetchSystem, BaselineIsBetweenColdAndFast)
{
    const double cold = later_ms(launcher("mode: none", 8));
    const double fast = later_ms(launcher("mode: fast", 8));
    const double baseline = later_ms(launcher("mode: baseline", 8)); // bursts of 40 us: it cannot keep up
    EXPECT_GE(baseline, (kReads - 8) * kPageMs);                     // one after another
    EXPECT_LT(baseline, 0.9 * cold);
    EXPECT_GT(baseline, 1.3 * fast);
}

TEST(PrefetchSystem, DepthHelpsUntilTheDiesAreBusy)
{
    const auto with = [](const std::string& depth) { return later_ms(launcher("mode: fast, depth: " + depth, 2)); };
    const double one = with("1"), four = with("4"), idle = with("auto");
    EXPECT_GT(one, 1.5 * four);
    EXPECT_GT(four, idle);
}

TEST(PrefetchSystem, ALongerLeadHidesMore)
{
    EXPECT_GT(later_ms(launcher("mode: fast, lead: 1", 4)), 1.2 * later_ms(launcher("mode: fast, lead: 32", 4)));
}

TEST(PrefetchSystem, ALargerShareHoldsMore)
{
    EXPECT_GT(later_ms(launcher("mode: two_phase, share: 0.01", 4)), 1.1 * later_ms(launcher("mode: two_phase", 4)));
}

TEST(PrefetchSystem, WithoutDisplacingThereIsNoRoom)
{
    EXPECT_GT(later_ms(launcher("mode: fast, displace: false", 20)), 1.2 * later_ms(launcher("mode: fast", 20)));
}

TEST(PrefetchSystem, SequencesHaveToBeRemembered)
{
    const Outcome two = run(launcher("mode: fast, sequences: 2", 20)); // three take turns
    EXPECT_EQ(two.recognised, 0u);
    EXPECT_NEAR(two.later_ms, 20 + kReads * kPageMs, 0.1);
    const double pages = later_ms(launcher("mode: fast, sequence_pages: 64", 20)); // 56 of 200 can be brought
    EXPECT_NEAR(pages, 20 + (kReads - 56) * kPageMs + 56 * kHitMs, 0.4);
}

TEST(PrefetchSystem, APauseHasToBeLongEnough)
{
    EXPECT_EQ(run(launcher("mode: fast, gap_us: 20000", 20)).recorded, 0u); // they are 10 ms apart
}

TEST(PrefetchSystem, MoreAnchorsAndShorterWindowsStandMoreNoise)
{
    const auto recognised = [](const std::string& keys) {
        return run(launcher("mode: fast, misses: 100, " + keys, 20, ", launch_noise: 15")).recognised;
    };
    const u64 first = recognised("match: 8, anchors: 1");
    const u64 more = recognised("match: 8, anchors: 64");
    const u64 shorter = recognised("match: 2, anchors: 16");
    EXPECT_LT(first, more);
    EXPECT_LE(more, shorter);
    EXPECT_EQ(shorter, 9u);
}

TEST(PrefetchSystem, FewMissesGiveUpEarly)
{
    const auto aborted = [](u32 misses) {
        return run(launcher("mode: fast, match: 2, misses: " + std::to_string(misses), 20, ", launch_noise: 40")).aborted;
    };
    EXPECT_GT(aborted(2), aborted(30));
}

/// After a wrong prediction: what was brought is lost, the launch is as long as a cold one.
TEST(PrefetchSystem, AWrongPredictionCostsLittle)
{
    const std::string detour = ", launch_detour: 2";
    const Outcome none = run(launcher("mode: none", 20, detour)), fast = run(launcher("mode: fast", 20, detour));
    for (std::size_t i = kApps; i < kLaunches; ++i) {
        const double cold = none.ms[i], prefetched = fast.ms[i];
        if (fast.detour[i]) {
            EXPECT_LT(prefetched, 1.01 * cold) << i;
            EXPECT_GT(prefetched, 0.95 * cold) << i;
        } else {
            EXPECT_LT(prefetched, 0.7 * cold) << i;
        }
    }
    EXPECT_GT(fast.aborted, 0u);
    EXPECT_GT(fast.unused, 0u);
}

std::string beside_a_reader(const std::string& prefetch, const std::string& rate = "iodepth: 2, thinktime_us: 100")
{
    return device(prefetch) +
           "workload:\n  jobs:\n"
           "    - {launches: 12, launch_apps: 3, launch_reads: 200, launch_bs: 4096, launch_cpu_ms: 20, priority: 3}\n"
           "    - {rw: randread, bs: 4096, runtime_ms: 400, " + rate + "}\n";
}

/// Reads of others break the windows; only their priority tells them apart.
TEST(PrefetchSystem, PriorityTellsLaunchesFromOthers)
{
    EXPECT_EQ(run(beside_a_reader("mode: fast")).recognised, 0u);
    const Outcome told = run(beside_a_reader("mode: fast, priority: 3"));
    EXPECT_EQ(told.recognised, 9u);
    EXPECT_LT(told.later_ms, 0.85 * later_ms(beside_a_reader("mode: none")));
}

TEST(PrefetchSystem, YieldingSparesTheReadsOfOthers)
{
    const auto latency = [](const std::string& yield) {
        const Outcome o = run(beside_a_reader("mode: two_phase, priority: 3, depth: 16, yield: " + yield, "iodepth: 8"));
        EXPECT_EQ(o.recognised, 9u);
        return o.other_us;
    };
    EXPECT_LT(latency("true"), latency("false"));
}

/// What is brought may be overwritten at any time (`integrity` compares every read).
TEST(PrefetchSystem, WritesBesideItKeepTheirData)
{
    const Outcome o = run(device("mode: two_phase, priority: 3") +
                     "workload:\n  jobs:\n"
                     "    - {launches: 12, launch_apps: 3, launch_reads: 200, launch_bs: 4096, launch_cpu_ms: 20, priority: 3}\n"
                     "    - {rw: randwrite, bs: 4096, iodepth: 4, runtime_ms: 400, rate_iops: 20000}\n");
    EXPECT_GT(o.hits, 500u);
}

} // namespace
} // namespace tlmssd::tb
