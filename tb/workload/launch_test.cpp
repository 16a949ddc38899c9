// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: launches on a device of fixed latency, against closed forms derived by hand (docs/guides/launches.md).
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "models/common/error.h"
#include "models/workload/launch_source.h"

namespace tlmssd::workload {
namespace {

using config::LaunchCache;
using config::LaunchPrefetch;
using Next = ReactiveSource::Next;

constexpr u64 kDevice = 1u << 20; // sectors, 512 MiB
constexpr u64 kUs = 1000000;      // picoseconds

config::Workload launches(u32 count, u32 reads, u64 cpu_us)
{
    config::Workload w;
    w.launch.launches = count;
    w.launch.reads = reads;
    w.launch.cpu = Picoseconds(cpu_us * kUs);
    w.launch.gap = Picoseconds(100 * kUs);
    return w;
}

/// Each read takes a time of its own, however many are open.
struct World {
    explicit World(const config::Workload& w, u64 seed = 1) : source(w, kDevice, seed) {}

    void run()
    {
        Picoseconds now;
        for (;;) {
            Request request;
            const Next next = source.poll(now, request);
            if (next == Next::Request) {
                EXPECT_LE(request.lba + request.sectors, kDevice);
                seen.push_back(request);
                open.insert({now + latency(request), request.cookie});
                most_open = std::max(most_open, open.size());
                continue;
            }
            if (next == Next::End && open.empty()) {
                return;
            }
            Picoseconds at = next == Next::Later ? request.arrival : kTimeNever;
            if (!open.empty() && open.begin()->first <= at) {
                now = open.begin()->first;
                const u32 cookie = open.begin()->second;
                open.erase(open.begin());
                source.ended(cookie, now);
                continue;
            }
            ASSERT_NE(at, kTimeNever) << "nobody goes on";
            ASSERT_GT(at, now);
            now = at;
        }
    }
    LaunchSource source;
    std::function<Picoseconds(const Request&)> latency = [](const Request&) { return Picoseconds(200 * kUs); };
    std::vector<Request> seen;
    std::set<std::pair<Picoseconds, u32>> open;
    std::size_t most_open = 0;
};

TEST(Launch, ColdIsCpuTimePlusTheReadsOneAfterAnother)
{
    World world(launches(3, 50, 7000));
    world.run();
    ASSERT_EQ(world.source.records().size(), 3u);
    for (const LaunchRecord& l : world.source.records()) {
        EXPECT_EQ(l.time.value(), (7000 + 50 * 200) * kUs);
        EXPECT_EQ(l.reads, 50u);
        EXPECT_EQ(l.outstanding.value(), 50 * 200 * kUs);
        EXPECT_EQ(l.prefetched, 0u);
    }
    EXPECT_EQ(world.most_open, 1u);
    EXPECT_EQ(world.source.records()[1].start.value(), (17000 + 100) * kUs);
}

TEST(Launch, WarmIsTheCpuTimeAndReadsNothing)
{
    for (const LaunchPrefetch prefetch :
         {LaunchPrefetch::None, LaunchPrefetch::Baseline, LaunchPrefetch::TwoPhase, LaunchPrefetch::Fast}) {
        config::Workload w = launches(2, 50, 7000);
        w.launch.cache = LaunchCache::Warm;
        w.launch.prefetch = prefetch;
        World world(w);
        world.run();
        ASSERT_EQ(world.source.records().size(), 2u);
        EXPECT_EQ(world.source.records()[1].time.value(), 7000 * kUs);
        EXPECT_TRUE(world.seen.empty());
    }
}

TEST(Launch, SequencesRepeatAndDifferByApplication)
{
    config::Workload w = launches(4, 40, 1000);
    w.launch.apps = 2;
    World world(w);
    world.run();
    ASSERT_EQ(world.seen.size(), 160u);
    std::set<u64> first, second;
    for (u32 i = 0; i < 40; ++i) {
        EXPECT_EQ(world.seen[i].lba, world.seen[80 + i].lba);
        EXPECT_EQ(world.seen[40 + i].lba, world.seen[120 + i].lba);
        first.insert(world.seen[i].lba);
        second.insert(world.seen[40 + i].lba);
        EXPECT_EQ(world.seen[i].sectors == 8 || world.seen[i].sectors == 32, true);
    }
    EXPECT_EQ(world.seen[0].sectors, 8u); // the first is metadata
    EXPECT_EQ(first.size(), 40u);         // no place twice
    EXPECT_NE(first, second);
    EXPECT_EQ(world.source.records()[3].app, 1u);
    EXPECT_EQ(world.source.records()[3].number, 1u);
}

// One read after another beside the application: the recurrence of docs/guides/launches.md, from the plan's own bursts.
TEST(Launch, FastFollowsItsRecurrence)
{
    for (const u64 cpu_us : {0u, 3000u, 10000u, 40000u}) {
        config::Workload w = launches(2, 60, cpu_us);
        w.launch.prefetch = LaunchPrefetch::Fast;
        w.launch.depth = 1;
        World world(w);
        world.latency = [](const Request& r) { return Picoseconds((100 + r.lba % 7 * 40) * kUs); };
        world.run();
        const LaunchPlan plan(w, kDevice, 1, 0);
        u64 fetched = 0, application = 0, cpu = 0;
        for (const LaunchRead& read : plan.reads()) {
            fetched += (100 + read.lba % 7 * 40) * kUs;
            application = std::max(application + read.burst.value(), fetched);
            cpu += read.burst.value();
        }
        cpu += plan.last_burst().value();
        EXPECT_EQ(cpu, cpu_us * kUs);
        for (const LaunchRecord& l : world.source.records()) {
            EXPECT_EQ(l.time.value(), application + plan.last_burst().value());
            EXPECT_EQ(l.prefetched, 60u);
            EXPECT_EQ(l.reads, 0u);
            EXPECT_GE(l.time.value(), std::max(cpu, fetched));
        }
    }
}

// All reads take 200 us. In order each metadata read is waited for and what is behind it goes together, so the
// prefetcher takes one latency a metadata read and one for what follows the last; all at once, two in all.
TEST(Launch, TwoPhasesLiftTheDependency)
{
    config::Workload w = launches(1, 64, 5000);
    w.launch.depth = 64;
    const LaunchPlan plan(w, kDevice, 1, 0);
    u64 metadata = 0;
    for (const LaunchRead& read : plan.reads()) {
        metadata += read.metadata;
    }
    ASSERT_GT(metadata, 2u);
    ASSERT_FALSE(plan.reads().back().metadata);
    w.launch.prefetch = LaunchPrefetch::Baseline;
    World baseline(w);
    baseline.run();
    EXPECT_EQ(baseline.source.records()[0].prefetch.value(), (metadata + 1) * 200 * kUs);
    EXPECT_EQ(baseline.source.records()[0].time.value(), (metadata + 1) * 200 * kUs + 5000 * kUs);
    w.launch.prefetch = LaunchPrefetch::TwoPhase;
    World phases(w);
    phases.run();
    EXPECT_EQ(phases.source.records()[0].prefetch.value(), 400 * kUs);
    EXPECT_EQ(phases.source.records()[0].time.value(), 5400 * kUs);
    EXPECT_EQ(phases.most_open, std::max<std::size_t>(metadata, 64 - metadata));
    for (u32 i = 0; i < metadata; ++i) {
        EXPECT_EQ(phases.seen[i].sectors, 8u);
    }
}

TEST(Launch, TheDepthIsALimit)
{
    for (const LaunchPrefetch prefetch : {LaunchPrefetch::Baseline, LaunchPrefetch::TwoPhase}) {
        config::Workload w = launches(1, 100, 0);
        w.launch.metadata = 0;
        w.launch.prefetch = prefetch;
        w.launch.depth = 8;
        World world(w);
        world.run();
        EXPECT_EQ(world.most_open, 8u);
        EXPECT_EQ(world.source.records()[0].time.value(), 13 * 200 * kUs); // 100 / 8, rounded up
    }
}

TEST(Launch, NoiseMissesThePrefetchersPages)
{
    config::Workload w = launches(20, 200, 1000);
    w.launch.noise = 25;
    w.launch.prefetch = LaunchPrefetch::Fast;
    World world(w);
    world.run();
    u64 missed = 0;
    for (const LaunchRecord& l : world.source.records()) {
        EXPECT_EQ(l.useless, l.reads);
        EXPECT_LE(l.prefetched, 200u);
        missed += l.reads;
    }
    EXPECT_NEAR(static_cast<double>(missed), 1000, 110); // 4,000 draws of 0.25: four deviations of 27.4
    config::Workload warm = w;
    warm.launch.cache = LaunchCache::Warm;
    World cached(warm);
    cached.run();
    EXPECT_EQ(cached.seen.size(), missed); // of noise nothing is in the cache
}

TEST(Launch, ADetourLeavesTheSequenceBehindItsFirstReads)
{
    config::Workload w = launches(6, 60, 1000);
    w.launch.detour = 3;
    World world(w);
    world.run();
    for (u32 l = 0; l < 6; ++l) {
        EXPECT_EQ(world.source.records()[l].detour, l == 2 || l == 5);
        for (u32 i = 0; i < 60; ++i) {
            const bool same = world.seen[l * 60 + i].lba == world.seen[i].lba;
            EXPECT_EQ(same, l % 3 != 2 || i < 16) << l << " " << i;
        }
    }
}

TEST(Launch, RefusesWhatDoesNotFit)
{
    const auto error = [](config::Workload w) {
        try {
            LaunchSource source(w, kDevice, 1);
        } catch (const InputError& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    config::Workload w = launches(2, 50, 1000);
    EXPECT_EQ(error(w), "");
    w.launch.apps = 3;
    EXPECT_EQ(error(w), "workload.launch_apps: 3 applications are more than the 2 launches");
    w.launch.apps = 1;
    w.launch.bs = 1000;
    EXPECT_EQ(error(w), "workload.launch_bs: 1000 is not a multiple of 512 bytes between 512 and 33554432");
    w.launch.bs = 16384;
    w.launch.reads = 20000; // 512 MiB are 32768 blocks
    EXPECT_EQ(error(w), "workload.launch_reads: 20000 reads of 16384 bytes are more than half of the device; it holds 16384");
    w.launch.reads = 50;
    w.mode = config::LoopMode::Open;
    EXPECT_EQ(error(w), "workload.mode: launches issue a read when the one that it depends on has ended: closed only");
    w.mode = config::LoopMode::Closed;
    w.requests = 5;
    EXPECT_EQ(error(w), "workload.requests: launches end by their number; set workload.launches");
}

} // namespace
} // namespace tlmssd::workload
