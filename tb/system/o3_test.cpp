// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the scheduler `host` above the out-of-order controller, whole devices: faster where dies
// are hot spots, its keys in their directions, faults.
#include <cmath>
#include <fstream>

#include "models/common/hash.h"
#include "tb/system/child.h"

namespace tlmssd::tb {
namespace {

Sets with(Sets sets, const Sets& more)
{
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

/// Bursts of 8 page reads that fall on one of the 8 dies each: under CWDP that is the page number
/// modulo 8. Queue depth 32: the device sees four bursts at a time.
Figures bursts(const Sets& sets)
{
    const std::string path = testing::TempDir() + "o3_bursts" + std::to_string(getpid()) + ".trace";
    std::ofstream out(path);
    u64 draws = 0;
    for (u32 burst = 0; burst < 250; ++burst) {
        const u64 die = draw_below(draw64(1, 1, draws++), 8);
        for (u32 i = 0; i < 8; ++i) { // time, device, first sector, sectors, read
            const u64 page = draw_below(draw64(1, 1, draws++), 100) * 8 + die;
            out << burst << ".0 0 " << page * 16 << " 16 1\n";
        }
    }
    out.close();
    const Figures f = run_apart(tiny_device() + "workload: {format: disksim, mode: closed, "
                                                "requests: 2000, trace: " + path + "}\n",
                                with({"nand.t_read_us=200"}, sets));
    EXPECT_TRUE(f.clean);
    return f;
}

// One after the other, 2000 reads of 200 us and more take 400 ms; in order at least 7 of 8 reads
// of a burst do, 350 ms. Out of order the device is free to work on all dies of four bursts at once:
// 8 x (1 - (7/8)^4) = 3.3 dies on average where the queue is always full of whole bursts.
TEST(O3, IsFasterThanInOrderWhereDiesAreHotSpots)
{
    const Figures inorder = bursts({"scheduler=inorder"});
    const Figures host = bursts({"scheduler=host"});
    EXPECT_GT(inorder.seconds, 0.350);
    EXPECT_LT(host.seconds, 0.7 * inorder.seconds);
    EXPECT_EQ(inorder.issued_early, 0u);
    EXPECT_EQ(inorder.held, 0u);
    EXPECT_GT(host.issued_early, 500u);
    EXPECT_GT(host.held, 500u);
}

// A completion that need not wait makes room for the next command.
TEST(O3, AStreamForEachRequestHoldsFewerBackAndIsFaster)
{
    const Figures one = bursts({"scheduler=host"});
    const Figures each = bursts({"scheduler=host", "controller.streams=per_request"});
    EXPECT_LT(each.held, one.held / 4);
    EXPECT_LT(each.read_us, one.read_us);
    EXPECT_LT(each.seconds, one.seconds);
}

// Request k + 62 waits for request k where each has one of 62 streams; where they have none, nothing is held back.
TEST(O3, NoStreamHoldsNothingBack)
{
    const Figures each = bursts({"scheduler=host", "controller.streams=per_request"});
    const Figures none = bursts({"scheduler=host", "controller.streams=free"});
    EXPECT_EQ(none.held, 0u);
    EXPECT_GT(none.issued_early, 500u);
    EXPECT_LE(none.seconds, each.seconds);
}

// With one station the third read of a burst for a die holds up its channel.
TEST(O3, MoreStationsAreFaster)
{
    const Figures one = bursts({"scheduler=host", "controller.stations=1"});
    const Figures all = bursts({"scheduler=host", "controller.stations=16"});
    EXPECT_LT(all.seconds, one.seconds);
}

const char* const kMixed =
    "workload: {rw: randrw, rwmixread: 50, bs: 8k, requests: 6000, flush_every: 50}\n";

Figures mixed(const Sets& sets)
{
    const Figures f = run_apart(
        tiny_device() + kMixed, with({"scheduler=host", "controller.streams=per_request"}, sets));
    EXPECT_TRUE(f.clean);
    EXPECT_GT(f.gc_runs, 0u);
    return f;
}

TEST(O3, ReadsFirstMakesReadsFasterAtThePriceOfWrites)
{
    const Figures none = mixed({});
    const Figures first = mixed({"controller.priorities=reads_first"});
    EXPECT_LT(first.read_us, none.read_us);
    EXPECT_GT(first.write_us, none.write_us);
}

// At limit 0 the oldest always goes first: priorities decide nothing, and all is as without.
TEST(O3, TheAgeLimitBoundsWhatPrioritiesDo)
{
    const Figures none = mixed({});
    const Figures at_once = mixed({"controller.priorities=reads_first", "controller.age_limit_us=by_age"});
    const Figures late = mixed({"controller.priorities=reads_first",
                                "controller.age_limit_us=100000"});
    EXPECT_EQ(at_once.seconds, none.seconds);
    EXPECT_EQ(at_once.read_us, none.read_us);
    EXPECT_EQ(at_once.write_us, none.write_us);
    EXPECT_LT(late.read_us, at_once.read_us);
}

/// Partial pages, FLUSH, TRIM, collection; every table as small as it can be or as it should be.
class O3Mix : public testing::TestWithParam<std::pair<const char*, Sets>> {};

TEST_P(O3Mix, IsServedWithoutAnError)
{
    const Device run(tiny_device() + "workload: {rw: randrw, rwmixread: 35, flush_every: 23, "
                                     "trim_percent: 8, bs: 13824, requests: 2500}\n",
                     with({"scheduler=host"}, GetParam().second));
    run.expect_clean();
    EXPECT_GT(run.firmware().gc_pages_moved, 0u);
    EXPECT_GT(run.host().flushes, 0u);
    EXPECT_GT(run.host().units_checked, 0u);
    EXPECT_EQ(run.results()["controller"]["effective_mode"], "ooo");
    EXPECT_GT(run.results()["controller"]["reordered"].get<u64>(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    System, O3Mix,
    testing::Values(
        std::pair{"one_stream", Sets{}},
        std::pair{"bytes", Sets{"data=full", "buffer.policy=lru"}},
        std::pair{"reads_first", Sets{"controller.streams=per_request",
                                      "controller.priorities=reads_first"}},
        std::pair{"reads_first_for_long", Sets{"controller.priorities=reads_first",
                                               "controller.age_limit_us=1e6",
                                               "buffer.policy=lru"}},
        std::pair{"free_streams", Sets{"controller.streams=free", "controller.priorities=reads_first"}},
        std::pair{"one_station", Sets{"controller.stations=1"}},
        std::pair{"few_tags", Sets{"controller.tags=16", "controller.streams=per_request"}},
        std::pair{"many_tags", Sets{"controller.tags=256", "host.queue_depth=256",
                                    "controller.streams=per_request"}},
        std::pair{"status_polls", Sets{"onfi.ready=status"}},
        std::pair{"one_line_a_chip_enable", Sets{"onfi.ready=target"}},
        std::pair{"failing_operations",
                  Sets{"nand.errors.enabled=true", "nand.errors.e=0", "nand.errors.a=0",
                       "nand.errors.b=0", "nand.errors.g=0", "nand.errors.program_fail=5e-4",
                       "nand.errors.erase_fail=2e-3", "ftl.over_provisioning=1.0",
                       "controller.priorities=reads_first"}}),
    [](const auto& p) { return p.param.first; });

// The error rate of errors_test.cpp: four of five pages are lost at the hard read, none at level 2.
TEST(O3, ReadRetryRecoversLostPages)
{
    const Device run(tiny_device() + "workload: {rw: randread, bs: 8k, requests: 4000}\n",
                     {"scheduler=host", "nand.errors.enabled=true", "nand.errors.e=2e-3",
                      "nand.errors.a=0", "nand.errors.b=0", "nand.errors.g=0",
                      "controller.ecc_bits=12", "controller.read_retries=7"});
    run.expect_clean();
    EXPECT_EQ(run.results()["ecc"]["uncorrectable_pages"], 0);
    EXPECT_GT(run.results()["ecc"]["retries"].get<u64>(), 2500u);
}

// One die of eight holds an eighth of the pages, but for the first 2 ms.
TEST(O3, ADeadDieGivesErrorsForItsPagesAndNothingElseStops)
{
    const std::string script = testing::TempDir() + "o3_dead_die.txt";
    std::ofstream(script) << "at 2 ms: die 1/0/1 stops answering\n";
    const Device run(tiny_device() + "workload: {rw: randread, bs: 8k, requests: 4000}\n",
                     {"scheduler=host", "inject.fault_script=" + script,
                      "controller.timeout_us=5000"});
    EXPECT_EQ(run.status(), run::RunStatus::Done) << run.failure_text();
    EXPECT_EQ(run.host().mismatches, 0u);
    EXPECT_EQ(run.simulation().ssd().violations(), 0u);
    const u64 errors = run.results()["host"]["errors"]["reads"];
    EXPECT_EQ(run.completed() + errors, 4000u);
    EXPECT_GT(errors, 350u);
    EXPECT_LT(errors, 600u);
}

} // namespace
} // namespace tlmssd::tb
