// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: launches on a whole device without noise, against closed forms (docs/guides/launches.md). A read of one page of
// 4 KiB takes 75.81 us (derived in read_ahead_test.cpp).
#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

constexpr double kPageMs = 0.07581;
constexpr u32 kReads = 200;

std::string launcher(const std::string& launch)
{
    return launch_device("none") +
           "workload: {launches: 3, launch_reads: 200, launch_bs: 4096" + launch + "}\n";
}

void expect_clean(const Device& run)
{
    const observe::Json results = run.results();
    EXPECT_EQ(results["status"], "done");
    EXPECT_EQ(results["integrity"]["mismatches"], 0);
    EXPECT_EQ(results["checker"]["violations"], 0);
    EXPECT_EQ(run.host().errors, 0u);
}

observe::Json launches(const Device& run) { return run.results()["host"]["jobs"][0]["launches"]; }

TEST(LaunchSystem, ColdIsCpuTimeAndReadsInSum)
{
    const Device run(launcher(", launch_cpu_ms: 20"));
    expect_clean(run);
    const double cold = 20 + kReads * kPageMs;
    const observe::Json list = launches(run)["list"];
    for (const observe::Json& l : list) {
        EXPECT_NEAR(l["time_ms"], cold, 0.002 * cold);
        EXPECT_NEAR(l["mean_depth"], 1 - 20 / cold, 0.002);
        EXPECT_EQ(l["reads"], kReads);
    }
    EXPECT_EQ(launches(run)["count"], 3);
}

TEST(LaunchSystem, WarmIsCpuTime)
{
    const Device run(launcher(", launch_cpu_ms: 20, launch_cache: warm"));
    EXPECT_EQ(launches(run)["mean_ms"], 20.0);
    EXPECT_EQ(run.results()["workload"]["source_requests"], 0);
    EXPECT_NEAR(launches(run)["list"][2]["start_s"].get<double>(), 0.06, 1e-12); // two gaps of 10 ms before it
}

TEST(LaunchSystem, FastIsAboveTheLongerOfCpuAndReads)
{
    const Device run(launcher(", launch_cpu_ms: 20, launch_prefetch: fast, launch_depth: 1"));
    expect_clean(run);
    const double reads = kReads * kPageMs;
    const double least = std::max(20.0, reads);
    const observe::Json list = launches(run)["list"];
    for (const observe::Json& l : list) {
        EXPECT_GE(l["time_ms"].get<double>(), least);
        EXPECT_LT(l["time_ms"].get<double>(), least + 2); // it waits at the beginning only
        EXPECT_EQ(l["reads"], 0);
    }
}

TEST(LaunchSystem, PrefetchersBeforeTheApplicationAddUp)
{
    const Device baseline(launcher(", launch_cpu_ms: 20, launch_prefetch: baseline"));
    const observe::Json list = launches(baseline)["list"];
    for (const observe::Json& l : list) {
        EXPECT_NEAR(l["time_ms"].get<double>(), l["prefetch_ms"].get<double>() + 20, 1e-9);
        EXPECT_LT(l["prefetch_ms"].get<double>(), kReads * kPageMs);
    }
}

TEST(LaunchSystem, ARuntimeEndsThem)
{
    const Device run(launcher(", launch_cpu_ms: 20, runtime_ms: 40"));
    expect_clean(run);
    EXPECT_EQ(launches(run)["count"], 1); // the first takes 35 ms, the second begins at 45 ms
}

// A load beside them has its own requests, and makes them wait.
TEST(LaunchSystem, BackgroundLoadMakesThemLonger)
{
    const std::string yaml = launcher(", launch_cpu_ms: 20");
    const std::string head = yaml.substr(0, yaml.find("workload:"));
    const Device run(head + "workload:\n  jobs:\n"
                            "    - {launches: 3, launch_reads: 200, launch_bs: 4096, launch_cpu_ms: 20}\n"
                            "    - {rw: randread, bs: 16384, iodepth: 8, runtime_ms: 100}\n");
    expect_clean(run);
    EXPECT_EQ(launches(run)["count"], 3);
    EXPECT_GT(launches(run)["mean_ms"].get<double>(), 1.1 * (20 + kReads * kPageMs));
    EXPECT_EQ(run.results()["host"]["jobs"][0]["reads"]["count"], 3 * kReads);
    EXPECT_FALSE(run.results()["host"]["jobs"][1].contains("launches"));
}

} // namespace
} // namespace tlmssd::tb
