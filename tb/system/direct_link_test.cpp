// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the link of the direct port (host.direct_mb_per_s): its stage, what it limits, and that its
// directions do not wait for each other. What it adds to one request: latency_test.cpp.
#include <cmath>

#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

using observe::Json;

// 100 Mb/s are 12.5 MB/s: 80 ns a byte, 327.68 us for 4096 bytes.
constexpr u64 kByte = 80000;
constexpr u64 kPage = 4096 * kByte;
const std::string kEthernet = "host.direct_mb_per_s=12.5";

/// Commands of 4 KiB on a device whose dies are faster than the link.
config::Config device(const std::string& workload, Sets sets)
{
    return configured(tiny_device() + "workload: {bs: 4096, " + workload + "}", std::move(sets));
}

double seconds(const Json& results, const char* key) { return results["link"][key].get<double>(); }

TEST(DirectLink, IsAStageOfItsOwn)
{
    const Device run(device("rw: randread, requests: 1", {kEthernet, "host.queue_depth=1"}));
    run.expect_clean();
    EXPECT_EQ(std::llround(run.results()["stages"]["link_us"]["mean"].get<double>() * 1e6),
              static_cast<long long>(kPage));
}

TEST(DirectLink, IsAStageOfItsOwnForWritesToo)
{
    const Device run(device("rw: randwrite, requests: 1", {kEthernet, "host.queue_depth=1"}));
    run.expect_clean();
    EXPECT_EQ(std::llround(run.results()["stages"]["link_us"]["mean"].get<double>() * 1e6),
              static_cast<long long>(kPage));
}

TEST(DirectLink, LimitsReadsToItsRateAndTheBoundSaysSo)
{
    const Device run(device("rw: randread, requests: 500", {kEthernet}));
    run.expect_clean();
    const Json& r = run.results();
    EXPECT_EQ(r["bound"]["limiter"], "link");
    EXPECT_DOUBLE_EQ(r["bound"]["makespan_s"].get<double>(), 500 * kPage / 1e12);
    EXPECT_DOUBLE_EQ(seconds(r, "busy_to_host_s"), 500 * kPage / 1e12);
    EXPECT_EQ(seconds(r, "busy_to_device_s"), 0);
    // Busy from the first page's arrival in DRAM on: a page of 50 us, its transfer and firmware.
    EXPECT_GT(r["bound"]["fraction_of_bound"].get<double>(), 500 * 327.68 / (500 * 327.68 + 300));
}

TEST(DirectLink, CarriesBothDirectionsAtOnce)
{
    // 250 pages each way take 82 ms each: together less than the 164 ms of a shared wire.
    const Device run(device("rw: randrw, reads: 1, writes: 1, requests: 500", {kEthernet}));
    run.expect_clean();
    const Json& r = run.results();
    EXPECT_DOUBLE_EQ(seconds(r, "busy_to_host_s"), 250 * kPage / 1e12);
    EXPECT_DOUBLE_EQ(seconds(r, "busy_to_device_s"), 250 * kPage / 1e12);
    EXPECT_LT(r["sim"]["time_s"].get<double>(), 1.6 * 250 * kPage / 1e12);
    EXPECT_EQ(r["bound"]["limiter"], "link");
}

TEST(DirectLink, IsNotThereByDefault)
{
    const Device run(device("rw: randread, requests: 50", {}));
    run.expect_clean();
    EXPECT_EQ(seconds(run.results(), "busy_to_host_s"), 0);
    EXPECT_NE(run.results()["bound"]["limiter"], "link");
}

TEST(DirectLink, MovesRealBytesUnharmed)
{
    const Device run(device("rw: randrw, requests: 2000", {kEthernet, "data=full"}));
    run.expect_clean();
    EXPECT_GT(run.results()["integrity"]["bytes_checked"].get<u64>(), 0u);
}

TEST(DirectLink, StagesAddUpWithAWarmUpAndTheLinkIsNeverBusyForLonger)
{
    const Device run(device("rw: randrw, requests: 600, warmup: requests, warmup_requests: 100",
                            {kEthernet}));
    const Json& r = run.results();
    EXPECT_EQ(r["status"], "done");
    EXPECT_EQ(r["integrity"]["mismatches"], 0);
    const double time = r["sim"]["time_s"];
    EXPECT_LE(seconds(r, "busy_to_host_s"), time);
    EXPECT_LE(seconds(r, "busy_to_device_s"), time);
    EXPECT_LE(r["bound"]["fraction_of_bound"].get<double>(), 1.0);
}

TEST(DirectLink, HasNoEffectOverSata)
{
    try {
        device("rw: randread", {kEthernet, "host.kind=sata"});
        FAIL() << "must be refused";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("has no effect because host.kind is sata"),
                  std::string::npos)
            << error.what();
    }
}

} // namespace
} // namespace tlmssd::tb
