// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a warm-up leaves out exactly its part, and what is left agrees with itself.
#include <sstream>
#include <tuple>

#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

using observe::Json;

std::string device(const std::string& workload)
{
    return tiny_device() + "workload: {" + workload + "}\n";
}

const Json& of(const Device& run, const char* pointer)
{
    return run.results().at(Json::json_pointer(pointer));
}

/// Intervals and totals count the same requests.
void expect_series_equal_totals(const Device& run)
{
    u64 reads = 0, writes = 0;
    double seconds = 0;
    for (const Json& point : of(run, "/series/points")) {
        reads += point["reads"].get<u64>();
        writes += point["writes"].get<u64>();
        seconds = point["t_s"];
    }
    EXPECT_EQ(reads, of(run, "/host/reads/count"));
    EXPECT_EQ(writes, of(run, "/host/writes/count"));
    EXPECT_LE(seconds, of(run, "/sim/time_s").get<double>());
}

TEST(Warmup, IsNothingByDefault)
{
    const Device run(device("rw: randread, bs: 4096, requests: 500"));
    run.expect_clean();
    EXPECT_EQ(of(run, "/warmup/kind"), "none");
    EXPECT_EQ(of(run, "/warmup/requests"), 0);
    EXPECT_EQ(of(run, "/warmup/time_s"), 0.0);
    EXPECT_TRUE(of(run, "/warmup/steady").is_null());
}

TEST(Warmup, OfMRequestsLeavesNOfMPlusN)
{
    const Device run(device("rw: randrw, bs: 4096, flush_every: 50, trim_percent: 5, requests: 3000, "
                            "warmup: requests, warmup_requests: 1234"));
    EXPECT_EQ(run.status(), run::RunStatus::Done) << run.failure_text();
    EXPECT_EQ(run.completed(), 3000u - 1234u); // reads, writes, FLUSH and TRIM
    EXPECT_EQ(of(run, "/warmup/requests"), 1234);
    EXPECT_EQ(of(run, "/workload/source_requests"), 3000);
    EXPECT_GT(of(run, "/host/flushes/count").get<u64>(), 0u);
    expect_series_equal_totals(run);
}

TEST(Warmup, AndMeasuredPartMakeUpTheTimeOfTheWholeRun)
{
    const Device run(device("rw: randrw, bs: 4096, requests: 2000, "
                            "warmup: requests, warmup_requests: 700"));
    EXPECT_EQ(run.status(), run::RunStatus::Done) << run.failure_text();
    const double whole =
        of(run, "/warmup/time_s").get<double>() + of(run, "/sim/time_s").get<double>();
    EXPECT_NEAR(run.host().last_completion.seconds(), whole, 1e-9 * whole);
}

TEST(Warmup, OfATimeEndsAtThatTime)
{
    const Device run(device("rw: randread, bs: 4096, requests: 4000, warmup: time, warmup_ms: 3.5"));
    EXPECT_EQ(run.status(), run::RunStatus::Done) << run.failure_text();
    EXPECT_DOUBLE_EQ(of(run, "/warmup/time_s").get<double>(), 3.5e-3);
    EXPECT_EQ(run.host().started, microseconds(3500));
    EXPECT_EQ(run.completed() + of(run, "/warmup/requests").get<u64>(), 4000u);
    EXPECT_GT(of(run, "/warmup/requests").get<u64>(), 0u);
    expect_series_equal_totals(run);
}

TEST(Warmup, CountsDeviceWorkOfTheMeasuredPartOnly)
{
    // Reads of one page each, no buffer: every request is one page read of flash, except those that
    // are under way when the warm-up ends; there are at most 32 of them.
    const Device run(device("rw: randread, bs: 4096, requests: 3000, "
                            "warmup: requests, warmup_requests: 2000"));
    EXPECT_EQ(run.status(), run::RunStatus::Done) << run.failure_text();
    EXPECT_EQ(of(run, "/host/reads/count"), 1000);
    const u64 reads = of(run, "/flash/ops/read");
    EXPECT_LE(reads, 1000u);
    EXPECT_GE(reads, 1000u - 32u);
    u64 by_channel = 0;
    for (const Json& channel : of(run, "/flash/channels")) {
        by_channel += channel["reads"].get<u64>();
        EXPECT_LE(channel["busy_s"].get<double>(), of(run, "/sim/time_s").get<double>());
    }
    EXPECT_EQ(by_channel, reads);
    EXPECT_EQ(of(run, "/integrity/pages_checked"), 3000); // the whole run: no error stays hidden
}

TEST(Warmup, KeepsLatenciesWhole)
{
    // One request at a time: all latencies are equal but for the firmware's closing of the one
    // before, so the mean of the second half is that of any request.
    const Device run(device("rw: read, bs: 8192, requests: 200, warmup: requests, "
                            "warmup_requests: 100"),
                     {"host.queue_depth=1", "nand.array_variation=0"});
    EXPECT_EQ(run.status(), run::RunStatus::Done) << run.failure_text();
    EXPECT_EQ(run.host().reads.count, 100u);
    EXPECT_EQ(run.host().reads.latency.min(), run.host().reads.latency.max());
    // Back to back: the measured time is the sum of the latencies.
    EXPECT_EQ(run.makespan().value(), 100 * run.host().reads.latency.max().value());
}

TEST(Warmup, ThatOutlastsTheRunLeavesOutNothingAndSaysSo)
{
    const Device run(device("rw: randread, bs: 4096, requests: 300, warmup: requests, "
                            "warmup_requests: 301"));
    run.expect_clean();
    EXPECT_EQ(run.host().reads.count, 300u);
    EXPECT_EQ(of(run, "/warmup/requests"), 0);
    EXPECT_NE(run.simulation().measurement().warning().find("within the warm-up"),
              std::string::npos);
}

TEST(Warmup, UntilSteadyEndsEarlyOnAConstantStream)
{
    const Device run(device("rw: randread, bs: 4096, requests: 20000, warmup: until_steady, "
                            "steady_window_ms: 2"));
    EXPECT_EQ(run.status(), run::RunStatus::Done) << run.failure_text();
    EXPECT_EQ(of(run, "/warmup/steady"), true);
    EXPECT_EQ(run.simulation().measurement().warning(), "");
    // Five windows, or a few more where noise was in the way.
    EXPECT_GE(of(run, "/warmup/time_s").get<double>(), 10e-3 - 1e-12);
    EXPECT_LE(of(run, "/warmup/time_s").get<double>(), 20e-3);
    EXPECT_EQ(run.completed() + of(run, "/warmup/requests").get<u64>(), 20000u);
}

TEST(Warmup, UntilSteadyNeverEndsWhileTheDeviceDrifts)
{
    // A device full of sequential data, overwritten at random: 64 ms go to free blocks, then collection comes
    // in waves of some 150 ms, in which throughput changes by a factor of ten. Windows of 20 ms see it.
    const Device run(device("rw: randwrite, bs: 8192, requests: 3000, warmup: until_steady, "
                            "steady_window_ms: 20"));
    run.expect_clean();
    EXPECT_GT(of(run, "/sim/time_s").get<double>(), 0.2); // ten windows at least
    EXPECT_EQ(of(run, "/warmup/steady"), false);
    EXPECT_EQ(of(run, "/warmup/requests"), 0);
    EXPECT_EQ(run.host().writes.count, 3000u);
    EXPECT_NE(run.simulation().measurement().warning().find("no steady state"),
              std::string::npos);
}

// ---- the bound, with and without a warm-up ----

class BoundWith : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(BoundWith, IsNeverAboveWhatWasMeasured)
{
    const auto [setting, warmup] = GetParam();
    Sets sets;
    std::istringstream words(setting + std::string(" ") + warmup);
    for (std::string word; words >> word;) {
        sets.push_back(word);
    }
    const Device run(device("rw: randrw, rwmixread: 50, bs: 8192, requests: 1200"), sets);
    EXPECT_EQ(run.status(), run::RunStatus::Done) << run.failure_text();
    const double fraction = of(run, "/bound/fraction_of_bound");
    EXPECT_GT(fraction, 0.0);
    EXPECT_LE(fraction, 1.0);
    const double seconds = of(run, "/sim/time_s");
    for (const Json& channel : of(run, "/flash/channels")) {
        EXPECT_LE(channel["busy_s"].get<double>(), seconds);
    }
    EXPECT_LE(of(run, "/link/busy_to_host_s").get<double>(), seconds);
    EXPECT_LE(of(run, "/dram/busy_s").get<double>(), seconds);
    EXPECT_GE(of(run, "/flash/die_idle_s").get<double>(), 0.0);
    for (const Json& point : of(run, "/series/points")) {
        for (const char* key : {"channels_busy", "dies_busy", "cores_busy"}) {
            EXPECT_LE(point[key].get<double>(), 1.0) << key;
        }
    }
    expect_series_equal_totals(run);
}

INSTANTIATE_TEST_SUITE_P(
    System, BoundWith,
    testing::Combine(
        testing::Values("host.queue_depth=32", "host.queue_depth=1", "host.queue_depth=4",
                        "host.kind=sata", "host.kind=sata sata.gbps=1.5", "scheduler=serial",
                        "scheduler=barrier", "scheduler=vaq", "buffer.policy=lru",
                        "buffer.policy=lru workload.fua=true", "cpu.mhz=5",
                        "cpu.cores=2 cpu.core_of.ftl=1 cpu.mhz=20", "onfi.mode=0",
                        "onfi.ready=status onfi.poll_us=0.5",
                        "onfi.ready=target geometry.chip_enables=1 onfi.poll_us=0.5",
                        "geometry.channels=1", "geometry.channels=1 geometry.ways=1 "
                        "geometry.dies=1 geometry.planes=1 geometry.blocks=64",
                        "workload.rw=randread", "workload.rw=read workload.bs=65536",
                        "workload.rw=randwrite workload.requests=3000", "dram.mb_per_s=40",
                        "workload.mode=open workload.rate_iops=3000",
                        "workload.mode=open workload.rate_iops=3000000",
                        "controller.kind=rtl geometry.ways=1",
                        "nand.t_read_us=0.001 nand.t_program_us=0.001"),
        testing::Values("", "workload.warmup=requests workload.warmup_requests=500",
                        "workload.warmup=requests workload.warmup_requests=1199",
                        "workload.warmup=time workload.warmup_ms=1")));

} // namespace
} // namespace tlmssd::tb
