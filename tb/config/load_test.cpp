// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: defaults, types and units of single keys, derived values, capacity.
#include <gmock/gmock.h>

#include "models/config/keys/keys.h"
#include "models/config/keys/value.h"
#include "models/config/text/names.h"
#include "tb/config/support.h"

namespace tlmssd::config {
namespace {

TEST(Defaults, AnEmptyFileIsAWholeConfiguration)
{
    const Config c = from("");
    EXPECT_EQ(c.geometry.channels, 4u);
    EXPECT_EQ(c.geometry.page_bytes, 8192u);
    EXPECT_EQ(c.geometry.spare_bytes, 448u);
    EXPECT_EQ(c.scheduler, Scheduler::INORDER);
    EXPECT_EQ(c.controller.mode, ControllerMode::InOrder);
    EXPECT_EQ(c.controller.rtl, "o3");
    EXPECT_EQ(c.controller.tags, 128u);
    EXPECT_EQ(c.controller.ecc_latency, microseconds(1));
    EXPECT_EQ(c.cpu.mhz, 800u);
    EXPECT_EQ(c.dram.mb_per_s, 3200u);
    EXPECT_EQ(c.host.kind, HostKind::Sata);
    EXPECT_EQ(c.sata.gbps_tenths, 60u);
    EXPECT_EQ(c.ftl.allocation, "CWDP");
    EXPECT_EQ(c.buffer.bytes, 32u << 20);
    EXPECT_EQ(c.workload.requests, 100000u);
    EXPECT_EQ(c.workload.rw, Rw::RandRead);
    EXPECT_EQ(c.workload.name, "generator");
    EXPECT_EQ(c.seed, 1u);
    EXPECT_TRUE(c.checker);
}

TEST(Defaults, EveryDefaultSatisfiesItsOwnKey)
{
    for (const Key& key : keys()) {
        EXPECT_NE(find_section(key.section()), nullptr) << key.path;
        EXPECT_FALSE(key.help.empty()) << key.path;
        if (key.derived.empty()) {
            EXPECT_NO_THROW(parse_value(key, key.fallback, false, Origin{})) << key.path;
        }
    }
}

TEST(Units, TimesBecomePicoseconds)
{
    const Config c = from("nand: {t_read_us: 48.5, t_program_us: 0.25}\n"
                          "dram: {access_ns: 62.5}\ncontroller: {ecc_us: 0.1}");
    EXPECT_EQ(c.nand.t_read.value(), 48500000u);
    EXPECT_EQ(c.nand.t_program.value(), 250000u);
    EXPECT_EQ(c.dram.access_time.value(), 62500u);
    EXPECT_EQ(c.controller.ecc_latency.value(), 100000u);
}

TEST(Units, SizesTakeSuffixesOfPowersOf1024)
{
    EXPECT_EQ(from("workload: {bs: 4096}").workload.bs, 4096u);
    EXPECT_EQ(from("workload: {bs: 4k}").workload.bs, 4096u);
    EXPECT_EQ(from("workload: {bs: 128K}").workload.bs, 131072u);
    EXPECT_EQ(from("workload: {bs: 1m}").workload.bs, 1048576u);
    EXPECT_EQ(from("buffer: {size_mib: 0.5}").buffer.bytes, 524288u);
}

TEST(Units, LineRateIsOneOfThreeNumbers)
{
    EXPECT_EQ(from("sata: {gbps: 1.5}").sata.gbps_tenths, 15u);
    EXPECT_EQ(from("sata: {gbps: 3}").sata.gbps_tenths, 30u);
    EXPECT_EQ(from("sata: {gbps: 6.0}").sata.gbps_tenths, 60u);
}

TEST(Units, LargeIntegersAreExact)
{
    EXPECT_EQ(from("seed: 18446744073709551615").seed, 18446744073709551615u);
}

TEST(Derived, GeometryFollowsThePartUnlessGiven)
{
    const std::string part = "nand: {planes: 4, blocks: 512, pages: 128}\n";
    const Config whole = from(part);
    EXPECT_EQ(whole.geometry.planes, 4u);
    EXPECT_EQ(whole.geometry.blocks, 512u);
    EXPECT_EQ(whole.geometry.pages, 128u);
    const Config cut = from(part + "geometry: {planes: 2, blocks: 256}");
    EXPECT_EQ(cut.geometry.planes, 2u);
    EXPECT_EQ(cut.geometry.blocks, 256u);
    EXPECT_EQ(cut.geometry.pages, 128u);
}

TEST(Derived, AutoModeFollowsTheScheduler)
{
    EXPECT_EQ(from("scheduler: serial").controller.mode, ControllerMode::Serial);
    EXPECT_EQ(from("scheduler: barrier").controller.mode, ControllerMode::InOrder);
    EXPECT_EQ(from("scheduler: vaq\ncontroller: {mode: auto}").controller.mode,
              ControllerMode::InOrder);
    EXPECT_EQ(from("scheduler: host").controller.mode, ControllerMode::Ooo);
    EXPECT_EQ(from("scheduler: serial\ncontroller: {mode: serial}").controller.mode,
              ControllerMode::Serial);
}

// 1 channel x 1 way x 1 die x 1 plane x 16 blocks x 64 pages = 1024 pages.
TEST(Capacity, IsRawOverOnePlusOverProvisioningRoundedDown)
{
    const std::string tiny = "geometry: {channels: 1, ways: 1, dies: 1, planes: 1, blocks: 16, "
                             "pages: 64}\nworkload: {bs: 512}\nftl: {over_provisioning: ";
    EXPECT_EQ(from(tiny + "1}").logical_pages(), 512u);
    EXPECT_EQ(from(tiny + "2}").logical_pages(), 341u);    // 341.33
    EXPECT_EQ(from(tiny + "0.28, gc: {threshold_blocks: 2}}", {"geometry.blocks=25"})
                  .logical_pages(),
              1250u);                                        // 1600 / 1.28, exactly
    EXPECT_EQ(from(tiny + "1}").logical_sectors(), 512u * 16); // 16 sectors in 8 KiB
}

TEST(Names, WordsAndEnumeratorsAgree)
{
    EXPECT_STREQ(to_string(Scheduler::VAQ), "vaq");
    EXPECT_STREQ(to_string(BufferPolicy::NONE), "none");
    EXPECT_STREQ(to_string(HostKind::Direct), "direct");
    EXPECT_STREQ(to_string(ControllerMode::Serial), "serial");
    EXPECT_STREQ(to_string(BusInterface::NvDdr2), "nvddr2");
    EXPECT_STREQ(to_string(Rw::RandRw), "randrw");
    EXPECT_STREQ(to_string(TimerBackend::Kernel), "kernel");
    EXPECT_EQ(from("workload: {rw: randrw}").workload.rw, Rw::RandRw);
    EXPECT_EQ(from("time: {backend: kernel}").timer_backend, TimerBackend::Kernel);
}

} // namespace
} // namespace tlmssd::config
