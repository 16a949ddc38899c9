// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: each switch changes results in the direction that it stands for.
#include "tb/system/child.h"

namespace tlmssd::tb {
namespace {

Figures run_clean(const std::string& workload, const Sets& sets)
{
    const Figures figures = run_apart(tiny_device() + "workload: {" + workload + "}\n", sets);
    EXPECT_TRUE(figures.clean) << workload;
    return figures;
}

const char* const kRandomReads = "rw: randread, bs: 32k, requests: 3000";
const char* const kSmallReads = "rw: randread, bs: 4k, requests: 5000";
const char* const kSequentialReads = "rw: read, bs: 128k, requests: 500";
const char* const kRandomWrites = "rw: randwrite, bs: 8k, requests: 8000";

TEST(Scheduler, SerialIsSlowerThanBarrierWhichIsSlowerThanInorder)
{
    const Figures serial = run_clean(kRandomReads, {"scheduler=serial"});
    const Figures barrier = run_clean(kRandomReads, {"scheduler=barrier"});
    const Figures inorder = run_clean(kRandomReads, {"scheduler=inorder"});
    EXPECT_GT(serial.seconds, barrier.seconds);
    EXPECT_GT(barrier.seconds, inorder.seconds);
}

// A request of one page: the barrier between requests leaves nothing to overlap.
TEST(Scheduler, BarrierGainsNothingOnRequestsOfOnePage)
{
    const Figures serial = run_clean(kSmallReads, {"scheduler=serial"});
    const Figures barrier = run_clean(kSmallReads, {"scheduler=barrier"});
    const Figures inorder = run_clean(kSmallReads, {"scheduler=inorder"});
    EXPECT_GE(serial.seconds, barrier.seconds);
    EXPECT_GT(barrier.seconds, inorder.seconds);
}

// Sequential pages under PCWD lie on the planes of one die, at one page offset.
TEST(Vaq, JoinsAdjacentPagesOfTwoPlanes)
{
    const Sets base{"scheduler=vaq", "ftl.allocation=PCWD"};
    Sets off = base;
    off.push_back("vaq.join_adjacent=false");
    const Figures joined = run_clean(kSequentialReads, base);
    const Figures single = run_clean(kSequentialReads, off);
    EXPECT_EQ(joined.multi_plane_ops, 500u * 16 / 2); // every page of 8 KiB finds its partner
    EXPECT_EQ(joined.transactions, joined.multi_plane_ops);
    EXPECT_EQ(single.multi_plane_ops, 0u);
    EXPECT_EQ(single.transactions, 500u * 16);
    EXPECT_LE(joined.seconds, single.seconds);
}

// Worked example 5, an aligned request of four pages on 8 x 8 x 2 x 2: only orders that start with
// the planes put neighbours on one die.
TEST(Vaq, JoinsWhatTheAllocationOrderPutsSideBySide)
{
    const char* const request = "rw: read, bs: 32k, requests: 1";
    const struct {
        const char* order;
        u64 transactions, multi_plane;
    } cases[] = {{"CWDP", 4, 0}, {"WDCP", 4, 0}, {"DCWP", 4, 0},
                 {"PCWD", 2, 2}, {"PWCD", 2, 2}, {"PDWC", 2, 2}};
    for (const auto& c : cases) {
        const Figures f =
            run_clean(request, {"scheduler=vaq", std::string("ftl.allocation=") + c.order,
                                "geometry.channels=8", "geometry.ways=8"});
        EXPECT_EQ(f.transactions, c.transactions) << c.order;
        EXPECT_EQ(f.multi_plane_ops, c.multi_plane) << c.order;
    }
}

TEST(Vaq, BlockingForWholeRequestsIsNotFaster)
{
    for (const char* workload : {kSmallReads, kRandomReads}) {
        const Figures die = run_clean(workload, {"scheduler=vaq", "vaq.block=die"});
        const Figures request = run_clean(workload, {"scheduler=vaq", "vaq.block=request"});
        EXPECT_GE(request.seconds, die.seconds) << workload;
    }
}

TEST(Buffer, LruAnswersWritesFasterThanNone)
{
    const char* const few = "rw: randwrite, bs: 8k, requests: 2000, random_distribution: zipf";
    const Figures none = run_clean(few, {"buffer.policy=none"});
    const Figures lru = run_clean(few, {"buffer.policy=lru"});
    EXPECT_LT(lru.write_us, none.write_us);
    EXPECT_LT(lru.seconds, none.seconds);
}

TEST(Buffer, LruServesPopularReadsFasterThanNone)
{
    const char* const popular = "rw: randread, bs: 8k, requests: 5000, random_distribution: zipf";
    const Figures none = run_clean(popular, {"buffer.policy=none"});
    const Figures lru = run_clean(popular, {"buffer.policy=lru"});
    EXPECT_LT(lru.read_us, none.read_us);
    EXPECT_LT(lru.transactions, none.transactions);
}

TEST(Buffer, LruWithMoreRoomReadsLessFlash)
{
    const char* const popular = "rw: randread, bs: 8k, requests: 5000, random_distribution: zipf";
    const Figures small = run_clean(popular, {"buffer.policy=lru", "buffer.size_mib=1"});
    const Figures large = run_clean(popular, {"buffer.policy=lru", "buffer.size_mib=4"});
    EXPECT_LT(large.transactions, small.transactions);
}

TEST(Buffer, FuaMakesLruWaitForFlash)
{
    const char* const plain = "rw: randwrite, bs: 8k, size: 5%, requests: 1000";
    const char* const fua = "rw: randwrite, bs: 8k, size: 5%, requests: 1000, fua: true";
    const Figures without = run_clean(plain, {"buffer.policy=lru", "buffer.size_mib=4"});
    const Figures with = run_clean(fua, {"buffer.policy=lru", "buffer.size_mib=4"});
    EXPECT_LT(without.write_us, 400.0); // answered from DRAM
    EXPECT_GT(with.write_us, 400.0);    // tPROG
}

TEST(GarbageCollection, MovesLessWithMoreOverProvisioning)
{
    double last = 1e9;
    for (const char* spare : {"0.45", "0.7", "1.0", "2.0"}) {
        const Figures f = run_clean(kRandomWrites, {std::string("ftl.over_provisioning=") + spare,
                                                    "precondition.overwrite=2"});
        EXPECT_GT(f.gc_runs, 0u) << spare;
        EXPECT_GE(f.waf, 1.0) << spare;
        EXPECT_LT(f.waf, last) << spare;
        last = f.waf;
    }
}

TEST(GarbageCollection, MovesNothingUnderSequentialWrites)
{
    const Figures f = run_clean("rw: write, bs: 128k, requests: 1024", {});
    EXPECT_GT(f.gc_runs, 0u);
    EXPECT_LT(f.waf, 1.02);
}

/// `better` is not slower than `worse` in any case, and faster in the mean read.
struct Direction {
    const char* name;
    const char* workload;
    Sets worse, better;
};

class Faster : public testing::TestWithParam<Direction> {};

TEST_P(Faster, InTheStatedDirection)
{
    const Direction& d = GetParam();
    const Figures worse = run_clean(d.workload, d.worse);
    const Figures better = run_clean(d.workload, d.better);
    EXPECT_LT(better.seconds, worse.seconds);
}

INSTANTIATE_TEST_SUITE_P(
    System, Faster,
    testing::Values(
        Direction{"DeeperQueue", kSmallReads, {"host.queue_depth=2"}, {"host.queue_depth=16"}},
        Direction{"FasterLink", kSequentialReads, {"host.kind=sata", "sata.gbps=1.5"},
                  {"host.kind=sata", "sata.gbps=3"}},
        Direction{"FewerHandshakeDwords", kSequentialReads,
                  {"host.kind=sata", "sata.gbps=1.5", "sata.handshake_dwords=200"},
                  {"host.kind=sata", "sata.gbps=1.5", "sata.handshake_dwords=0"}},
        Direction{"NoLink", kSmallReads, {"host.kind=sata", "sata.gbps=1.5"}, {"host.kind=direct"}},
        Direction{"FasterBus", kSequentialReads, {"onfi.mode=0"}, {"onfi.mode=5"}},
        Direction{"DdrBus", kSequentialReads, {"onfi.interface=sdr"}, {"onfi.interface=nvddr"}},
        Direction{"ShorterRead", kSmallReads, {"nand.t_read_us=100"}, {"nand.t_read_us=25"}},
        Direction{"ShorterProgram", kRandomWrites, {"nand.t_program_us=1300"},
                  {"nand.t_program_us=200"}},
        Direction{"ShorterErase", kRandomWrites, {"nand.t_erase_us=10000"},
                  {"nand.t_erase_us=1000"}},
        Direction{"MoreChannels", kSequentialReads, {"geometry.channels=1"},
                  {"geometry.channels=4"}},
        Direction{"MoreWays", kSmallReads, {"geometry.ways=1"}, {"geometry.ways=4"}},
        Direction{"FasterCpu", kSmallReads, {"cpu.mhz=10"}, {"cpu.mhz=100"}},
        Direction{"MoreCores", kSmallReads, {"cpu.mhz=10"},
                  {"cpu.mhz=10", "cpu.cores=2", "cpu.core_of.ftl=1", "cpu.core_of.sched=1"}},
        Direction{"FasterEcc", kSmallReads, {"controller.ecc_us=100"}, {"controller.ecc_us=1"}},
        Direction{"FasterDram", kSequentialReads, {"dram.mb_per_s=200"}, {"dram.mb_per_s=3200"}},
        Direction{"ShorterDramAccess", kSequentialReads, {"dram.access_ns=50000"},
                  {"dram.access_ns=100"}},
        Direction{"ChannelsFirst", "rw: read, bs: 16k, requests: 500",
                  {"ftl.allocation=PDWC", "host.queue_depth=1"},
                  {"ftl.allocation=CWDP", "host.queue_depth=1"}},
        Direction{"NoFlush", kRandomWrites, {"buffer.policy=lru", "workload.flush_every=4"},
                  {"buffer.policy=lru"}}),
    [](const auto& it) { return std::string(it.param.name); });

} // namespace
} // namespace tlmssd::tb
