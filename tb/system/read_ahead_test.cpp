// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: read-ahead under one sequential reader at queue depth 1, against what times by hand give.
//
// One page of 4 KiB (docs/explanation/latency.md, but 8 codewords of 538 bytes): command 0.33 us, tWB + tR 50.1 us, data
// out 21.62 us, flash DMA 1.38 us, ECC 1 us; then host DMA 1.38 us: 75.81 us in all. The cores are so fast that
// firmware hardly counts.
#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

constexpr double kPage = 75.81;          // us, a read on its own
constexpr double kDie = 0.33 + 50.1 + 21.62; // us, from one read of a die to the next

std::string reader(u32 channels, u32 dies, const std::string& read_ahead, const char* rw)
{
    return "nand: {page_bytes: 4096, spare_bytes: 224, t_read_us: 50, array_variation: 0}\n"
           "geometry: {channels: " + std::to_string(channels) + ", ways: 1, dies: " + std::to_string(dies) +
           ", chip_enables: " + std::to_string(dies) + ", planes: 1, blocks: 64, pages: 32}\n"
           "onfi: {interface: nvddr, mode: 5}\n"
           "cpu: {mhz: 100000}\n"
           "controller: {ecc_us: 1}\n"
           "dram: {mb_per_s: 3200, access_ns: 100}\n"
           "host: {kind: direct, queue_depth: 1}\n"
           "ftl: {over_provisioning: 0.2}\n"
           "precondition: {fill: 1.0}\n"
           "buffer: {size_mib: 1, read_ahead: " + read_ahead + "}\n"
           "workload: {rw: " + rw + ", bs: 4096, requests: 1200}\n";
}

double us_a_read(const Device& run)
{
    run.expect_clean();
    return run.makespan().microseconds() / 1200;
}

TEST(ReadAhead, OffEachReadIsOnItsOwn)
{
    const Device run(reader(8, 2, "none", "read"));
    EXPECT_NEAR(us_a_read(run), kPage, 0.005 * kPage);
    EXPECT_FALSE(run.results()["buffer"].contains("read_ahead"));
}

/// The page that is 4 behind a read is begun with it: 5 are under way at any time instead of 1.
TEST(ReadAhead, FourPagesAheadReadFiveTimesAsFast)
{
    const Device run(reader(8, 2, "4", "read"));
    EXPECT_NEAR(us_a_read(run), kPage / 5, 0.03 * kPage / 5);
    const observe::Json& ahead = run.results()["buffer"]["read_ahead"];
    EXPECT_EQ(ahead["hits"], 1197); // all but the three that began the stream
    EXPECT_EQ(ahead["pages"], 1201);
    EXPECT_EQ(ahead["unused"], 0) << "the last four are still there";
}

/// 32 under way would need 2.4 us a page; 16 dies give one in 4.5 us.
TEST(ReadAhead, DiesAreTheLimit)
{
    const Device run(reader(8, 2, "31", "read"));
    EXPECT_NEAR(us_a_read(run), kDie / 16, 0.05 * kDie / 16);
}

TEST(ReadAhead, OneDieHidesOnlyWhatIsNotTheFlash)
{
    const Device run(reader(1, 1, "8", "read"));
    EXPECT_NEAR(us_a_read(run), kDie, 0.01 * kDie);
}

TEST(ReadAhead, ChangesNothingForRandomReads)
{
    const Device run(reader(8, 2, "8", "randread"));
    const double with = us_a_read(run);
    // A few of 1200 reads are hits of earlier ones, and none continues two others.
    EXPECT_EQ(run.firmware().read_ahead_pages, 0u);
    const double hits = static_cast<double>(run.firmware().read_hits) / 1200;
    EXPECT_NEAR(with, kPage * (1 - hits) + 1.38 * hits, 0.005 * kPage);
}

} // namespace
} // namespace tlmssd::tb
