// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the firmware's steps in a whole device, recorded by `run --steps`, give the same outputs when
// they are replayed natively and on the RV32 instruction set simulator.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "models/cpu/steps/steps_replay.h"
#include "models/run/simulation.h"
#include "tb/cpu/iss_support.h"
#include "tb/support/devices.h"

namespace tlmssd::run {
namespace {

constexpr u64 kRequests = 1000;

/// A device so small that 1,000 requests make garbage collection run, with what the firmware can do:
/// partial pages, FLUSH, TRIM, write-back.
const std::string kDevice = tb::tiny_flash() + R"(ftl: {over_provisioning: 0.5}
buffer: {policy: lru, size_mib: 1, flush_after_ms: 1}
precondition: {fill: 1.0, overwrite: 0.2}
workload: {rw: randrw, bs: 6144, rwmixread: 50, requests: 1000, flush_every: 100, trim_percent: 5}
)";

/// The same with four mapping units a page.
const std::string kUnits = R"(
nand: {page_bytes: 16384, spare_bytes: 1792, t_read_us: 50, t_program_us: 400, t_erase_us: 1000}
geometry: {channels: 2, ways: 1, dies: 2, planes: 2, blocks: 24, pages: 16}
onfi: {interface: nvddr, mode: 5}
ftl: {over_provisioning: 0.6, mapping_unit: 4KiB}
buffer: {policy: lru, size_mib: 2, flush_after_ms: 1}
precondition: {fill: 1.0, overwrite: 0.2}
workload: {rw: randrw, bs: 6144, rwmixread: 50, requests: 1000, flush_every: 100, trim_percent: 5}
)";

void expect_equal_replays(const std::string& name, const std::string& device, const std::string& scheduler)
{
    const std::string file = testing::TempDir() + "tlmssd_" + name + ".steps";
    {
        RunOptions options;
        options.steps = file;
        const config::Config config = config::load_text(device, "test", {{"scheduler=" + scheduler}});
        Simulation simulation(config, options);
        ASSERT_EQ(simulation.run(), RunStatus::Done);
        const host::InitiatorStats& h = simulation.host_stats();
        ASSERT_EQ(h.reads.count + h.writes.count + h.trims + h.flushes, kRequests);
        ASSERT_GT(simulation.ssd().firmware().stats.gc_blocks_erased, 0u);
        ASSERT_GT(simulation.ssd().firmware().stats.merges, 0u);
    }
    const cpu::ReplayReport native = cpu::replay_native(file);
    EXPECT_TRUE(native.equal) << native.text();
    const auto iss = cpu::load_iss_unicorn();
    const cpu::ReplayReport on_iss = cpu::replay_iss(file, *iss, cpu::test::rv32_image());
    EXPECT_TRUE(on_iss.equal) << on_iss.text();
    EXPECT_EQ(on_iss.steps, native.steps);
    EXPECT_EQ(on_iss.outputs, native.outputs);
    EXPECT_GT(native.outputs, 2 * kRequests);
    std::remove(file.c_str());
}

class RecordedRun : public testing::TestWithParam<const char*> {};

TEST_P(RecordedRun, IsTheSameOnBothCpus)
{
    TLMSSD_NEEDS_ISS();
    expect_equal_replays(GetParam(), kDevice, GetParam());
}

TEST(RecordedUnits, AreTheSameOnBothCpus)
{
    TLMSSD_NEEDS_ISS();
    expect_equal_replays("units", kUnits, "vaq");
}

INSTANTIATE_TEST_SUITE_P(Schedulers, RecordedRun,
                         testing::Values("serial", "barrier", "inorder", "vaq", "paq0", "paq1", "paq2"),
                         [](const auto& scheduler) { return std::string(scheduler.param); });

} // namespace
} // namespace tlmssd::run
