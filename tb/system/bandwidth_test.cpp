// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sequential reads on an idle device reach at least 95 percent of the smallest of link,
// channel and die rate, whichever of the three is the smallest.
#include <algorithm>
#include <limits>

#include "models/ssd/peak_rates.h"
#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

const char* const kDevice = R"(
nand: {page_bytes: 8192, spare_bytes: 448, t_read_us: 50, t_program_us: 1300}
geometry: {channels: 4, ways: 4, dies: 2, chip_enables: 2, planes: 2, blocks: 16, pages: 64}
onfi: {interface: nvddr, mode: 5}
host: {kind: sata, queue_depth: 32}
sata: {gbps: 6, handshake_dwords: 20}
ftl: {over_provisioning: 1.0}
buffer: {policy: none, size_mib: 16}
precondition: {fill: 1.0}
workload: {rw: read, bs: 128k, requests: 3000}
)";

void expect_95_percent(const Device& run, const char* limiter)
{
    run.expect_clean();
    const ssd::PeakRates peak = ssd::peak_rates(run.config());
    const double link = run.config().host.kind == config::HostKind::Sata
                            ? peak.link_to_host
                            : std::numeric_limits<double>::infinity();
    const double least = std::min({link, peak.channel_read, peak.die_read});
    EXPECT_GE(run.mb_per_s(), 0.95 * least);
    EXPECT_LE(run.mb_per_s(), 1.0001 * least); // a peak is a peak
    EXPECT_EQ(run.results()["bound"]["limiter"], limiter);
}

// 8 KiB and its frame: (2049 + 23) dwords of 6718.75 ps, 588.5 MB/s; the channels carry 750 MB/s.
TEST(SequentialRead, ReachesTheLinkRate)
{
    const Device run(kDevice);
    EXPECT_NEAR(ssd::peak_rates(run.config()).link_to_host, 588.5, 0.1);
    expect_95_percent(run, "link");
}

// 00h-30h 330 ns, burst 15 + 20 + 65 + 4312 * 10 ns: 8192 B each 43.55 us, 188.1 MB/s a channel.
TEST(SequentialRead, ReachesTheChannelRate)
{
    const Device run(kDevice, {"geometry.channels=2"});
    EXPECT_NEAR(ssd::peak_rates(run.config()).channel_read, 2 * 8192 / 43.55, 0.1);
    expect_95_percent(run, "channel");
}

// The same and tWB + tR = 50.1 us: 8192 B each 93.65 us and die.
TEST(SequentialRead, ReachesTheDieRate)
{
    const Device run(kDevice, {"geometry.ways=1", "geometry.dies=1", "geometry.chip_enables=1"});
    EXPECT_NEAR(ssd::peak_rates(run.config()).die_read, 4 * 8192 / 93.65, 0.1);
    expect_95_percent(run, "die");
}

TEST(SequentialRead, ReachesTheDieRateWithoutALinkToo)
{
    const Device run(kDevice, {"host.kind=direct", "geometry.channels=8", "geometry.ways=1"});
    expect_95_percent(run, "die");
}

TEST(SequentialRead, ReachesTheChannelRateWithLunsThatShareAChipEnable)
{
    const Device run(kDevice, {"geometry.channels=2", "geometry.chip_enables=1"});
    expect_95_percent(run, "channel");
}

// SDR-133 carries 2 bytes each 7.5 ns and rests for tRP + tRFC + tRCD = 106 ns each 7812.5 ns. Each byte
// crosses it twice: from the flash, to the host. Its rows change with each page, but hidden behind data.
TEST(SequentialRead, OfASlowDramReachesHalfItsRate)
{
    const Device run(kDevice, {"dram.model=banks", "dram.timing=configs/dram/sdr-133.yaml"});
    run.expect_clean();
    const double rate = 2 / 0.0075 * (1 - 106 / 7812.5);
    EXPECT_NEAR(run.mb_per_s() / (rate / 2), 1, 0.02);
    const observe::Json& banks = run.results()["dram"]["banks"];
    const double bytes = 3000.0 * 128 * 1024;
    EXPECT_NEAR(banks["data_s"].get<double>(), 2 * bytes / (2 / 7.5e-9), 1e-9);
    EXPECT_EQ(banks["row_hits"].get<u64>() + banks["rows_opened"].get<u64>() + banks["row_conflicts"].get<u64>(),
              static_cast<u64>(2 * bytes / 1024)); // whole rows
    EXPECT_GT(banks["turnarounds"].get<u64>(), 0u);
    EXPECT_NEAR(banks["refreshes"].get<double>(), run.results()["sim"]["time_s"].get<double>() / (1041 * 7.5e-9), 8)
        << "7812.5 ns are 1041 clocks at the most; those after the last access are not seen";
}

TEST(SequentialRead, HasNoRowsOnABus)
{
    const Device run(kDevice, {"workload.requests=10"});
    EXPECT_FALSE(run.results()["dram"].contains("banks"));
}

TEST(SequentialRead, OfTheDefaultDeviceReaches95Percent)
{
    const config::Config config =
        config::load("configs/ssd/default.yaml",
                     {{"workload=configs/workloads/seqread-128k.yaml"}});
    const Device run(config);
    expect_95_percent(run, "link");
}

} // namespace
} // namespace tlmssd::tb
