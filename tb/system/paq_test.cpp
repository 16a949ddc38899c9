// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: whole devices under paq0, paq1 and paq2: right data, not slower than vaq, and each switch
// in the direction that it stands for.
#include "tb/system/child.h"

namespace tlmssd::tb {
namespace {

Figures run_clean(const char* workload, const Sets& sets)
{
    const Figures figures =
        run_apart(tiny_device() + "workload: {" + workload + "}\n", sets);
    EXPECT_TRUE(figures.clean) << workload; // no mismatch, no violation, all requests done
    return figures;
}

const char* const kRandomReads = "rw: randread, bs: 8k, requests: 4000";
const char* const kLargeReads = "rw: randread, bs: 32k, requests: 2000";
const char* const kSequentialReads = "rw: read, bs: 128k, requests: 300";
/// One package of eight dies a channel: the limit of one read a package costs most.
const Sets kDies{"geometry.ways=1", "geometry.dies=8"};

Sets with(Sets base, const Sets& more)
{
    base.insert(base.end(), more.begin(), more.end());
    return base;
}

/// Random reads: the oldest blocks all behind it under vaq, and only its own package under paq. With
/// one read a package, a channel needs packages enough to keep its bus busy: 8, or one read a die.
const std::vector<Sets> kPaqDevices{{"geometry.ways=8"}, {"paq.cluster_limit=die"}};
/// The same device for vaq, which has no clumps.
Sets without_paq(const Sets& sets) { return sets[0].rfind("paq.", 0) == 0 ? Sets{} : sets; }

TEST(Paq, ClumpingIsFasterThanVaqOnRandomReads)
{
    for (const Sets& device : kPaqDevices) {
        for (const char* workload : {kRandomReads, kLargeReads}) {
            const Figures vaq = run_clean(workload, with(without_paq(device), {"scheduler=vaq"}));
            const Figures paq1 = run_clean(workload, with(device, {"scheduler=paq1"}));
            const Figures paq2 = run_clean(workload, with(device, {"scheduler=paq2"}));
            SCOPED_TRACE(workload + (" " + device[0]));
            EXPECT_LT(paq1.seconds, vaq.seconds);
            EXPECT_LT(paq2.seconds, vaq.seconds);
            EXPECT_LT(paq2.read_us, vaq.read_us);
            EXPECT_EQ(vaq.reordered, 0u);
            EXPECT_GT(paq1.reordered, 0u);
        }
    }
}

/// CWDP puts the planes of a die 8 pages apart: never neighbours in the queue, often in one entry.
TEST(Paq, PackingJoinsWhatAllocationPutFarApart)
{
    constexpr u64 kPages = 300 * 16; // of 8 KiB
    const Figures paq1 = run_clean(kSequentialReads, {"scheduler=paq1"});
    EXPECT_EQ(paq1.multi_plane_ops, 0u);
    EXPECT_EQ(paq1.transactions, kPages);
    for (const char* scheduler : {"scheduler=paq0", "scheduler=paq2"}) {
        const Figures packed = run_clean(kSequentialReads, {scheduler});
        EXPECT_GT(packed.multi_plane_ops, 0u);
        EXPECT_EQ(packed.transactions + packed.multi_plane_ops, kPages);
    }
}

TEST(Paq, LosesNothingAgainstVaqOnSequentialReadsAndOnWrites) // tolerance: 1 percent
{
    for (const Sets& device : kPaqDevices) {
        for (const char* workload : {kSequentialReads, "rw: randwrite, bs: 8k, requests: 4000"}) {
            const Figures vaq = run_clean(workload, with(without_paq(device), {"scheduler=vaq"}));
            const Figures paq2 = run_clean(workload, with(device, {"scheduler=paq2"}));
            EXPECT_LE(paq2.seconds, vaq.seconds * 1.01) << workload << " " << device[0];
        }
    }
}

TEST(Paq, OneReadADieIsFasterThanOneAPackage)
{
    const Figures package = run_clean(kRandomReads, with(kDies, {"scheduler=paq2"}));
    const Figures die =
        run_clean(kRandomReads, with(kDies, {"scheduler=paq2", "paq.cluster_limit=die"}));
    EXPECT_LT(die.seconds, package.seconds);
}

TEST(Paq, WaitingClumpByClumpIsSlowerThanSkippingBusyPackages)
{
    const Figures skip = run_clean(kRandomReads, {"scheduler=paq2"});
    const Figures block = run_clean(kRandomReads, {"scheduler=paq2", "paq.wait=block"});
    EXPECT_GT(block.seconds, skip.seconds);
}

TEST(Paq, AnAgeLimitShortensTheLongestRead)
{
    const Figures off = run_clean(kRandomReads, with(kDies, {"scheduler=paq2"}));
    const Figures on =
        run_clean(kRandomReads, with(kDies, {"scheduler=paq2", "paq.age_limit_us=400"}));
    EXPECT_LT(on.longest_read_us, off.longest_read_us);
}

/// 8 jobs read pages of one half, 24 write the other: collection has work in all dies, most of the time.
/// By docs/explanation/paq-age.md, for single pages: at most 7 reads are before one. A channel has 4 dies.
TEST(Paq, NoReadWaitsLongerThanTheAgeLimitsBound)
{
    const std::string load = "jobs: [{name: r, rw: randread, bs: 8k, size: 50%, iodepth: 8, requests: 3000}, "
                             "{name: w, rw: randwrite, bs: 8k, offset: 50%, size: 50%, iodepth: 24, requests: 4000}]";
    constexpr double kBurst = 46;                   // 8,640 bytes at 200 MB/s, and what comes before and after
    constexpr double kBus = (1 + 2 * 4) * kBurst;   // one that runs, and two planes of each die
    constexpr double kRead = 50 * 1.3 + kBus;       // the array's times vary
    constexpr double kOther = 1000 * 1.3 + kBus;    // an erase
    for (const int limit : {500, 3000}) {
        const double bound = limit + kOther + 8 * kRead + kRead + 100; // its own read; firmware and host
        for (const char* scheduler : {"scheduler=paq1", "scheduler=paq2"}) {
            for (u32 seed = 1; seed <= 3; ++seed) {
                const std::string its_seed = "seed=" + std::to_string(seed);
                const Figures off = run_clean(load.c_str(), {scheduler, its_seed});
                const Figures on = run_clean(
                    load.c_str(), {scheduler, its_seed, "paq.age_limit_us=" + std::to_string(limit)});
                EXPECT_GT(off.longest_read_us, 2 * bound) << "collection holds reads up";
                EXPECT_LT(on.longest_read_us, bound) << scheduler << " " << limit;
                EXPECT_GT(on.gc_runs, 50u);
            }
        }
    }
}

class PaqMix : public testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

/// Partial pages, overwrites, trims and collection under reads that are translated early.
TEST_P(PaqMix, KeepsDataWhileCollecting)
{
    const auto [scheduler, policy, switches] = GetParam();
    Sets sets{std::string("scheduler=") + scheduler, std::string("buffer.policy=") + policy,
              "ftl.over_provisioning=0.45", "precondition.overwrite=0.5"};
    if (*switches != 0) {
        sets.insert(sets.end(), {"paq.cluster_limit=die", "paq.wait=block",
                                 "paq.age_limit_us=300", "cpu.cores=4", "cpu.core_of.buffer=1",
                                 "cpu.core_of.ftl=2", "cpu.core_of.sched=3"});
    }
    const Device run(tiny_device() +
                         "workload: {rw: randrw, rwmixread: 60, bs: 12k, requests: 4000}\n",
                     sets);
    run.expect_clean();
    EXPECT_GT(run.firmware().gc_blocks_erased, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    System, PaqMix,
    testing::Values(std::tuple{"paq0", "none", ""}, std::tuple{"paq0", "lru", ""},
                    std::tuple{"paq1", "none", ""}, std::tuple{"paq1", "lru", ""},
                    std::tuple{"paq2", "none", ""}, std::tuple{"paq2", "lru", ""},
                    std::tuple{"paq1", "none", "all"}, std::tuple{"paq2", "lru", "all"}),
    [](const auto& test) {
        return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param) +
               (*std::get<2>(test.param) != 0 ? "_switches" : "");
    });

} // namespace
} // namespace tlmssd::tb
