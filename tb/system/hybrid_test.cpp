// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler hybrid on whole devices: no wrong data with any set of its parts, and each switch
// changes results in the direction that it stands for.
#include "tb/system/child.h"

namespace tlmssd::tb {
namespace {

Sets parts(u32 set)
{
    const auto flag = [&](const char* key, u32 bit) {
        return std::string(key) + ((set & bit) != 0 ? "=true" : "=false");
    };
    Sets sets{"scheduler=hybrid", flag("hybrid.hit_manager", 1), flag("hybrid.place_late", 2),
              flag("hybrid.pack", 4), flag("hybrid.defer_gc", 8)};
    if ((set & 1) != 0) {
        sets.push_back(flag("hybrid.join_writes", 4));
    }
    return sets;
}

/// A hot region, read and overwritten while it is queued; partial pages, FLUSH, TRIM, FUA, background
/// write-back, and collection all the time.
class HybridParts : public testing::TestWithParam<u32> {};

TEST_P(HybridParts, KeepDataRight)
{
    const u32 set = GetParam();
    for (const char* const fua : {"false", "true"}) {
        for (const char* const policy : {"lru", "none"}) {
            Sets sets = parts(set);
            sets.insert(sets.end(),
                        {std::string("buffer.policy=") + policy, "buffer.size_mib=1",
                         std::string("workload.fua=") + fua, "workload.requests=3000",
                         "precondition.overwrite=0.5"});
            if (std::string(policy) == "lru") {
                sets.push_back("buffer.flush_after_ms=1");
            }
            const Figures run = run_apart(
                tiny_device() + "workload: {rw: randrw, rwmixread: 40, flush_every: 97, "
                                "trim_percent: 6, bs: 4k, size: 20%, random_distribution: zipf}\n",
                sets);
            EXPECT_TRUE(run.clean);
            EXPECT_GT(run.gc_runs, 0u);
            EXPECT_EQ(run.hit_manager_reads != 0, (set & 1) != 0);
            if ((set & 6) == 6) {
                EXPECT_GT(run.multi_plane_ops, 0u);
            } else if ((set & 4) == 0) {
                EXPECT_EQ(run.multi_plane_ops, 0u);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(System, HybridParts, testing::Range(0u, 16u));

Figures run_clean(const std::string& workload, const Sets& sets)
{
    Sets all{"scheduler=hybrid", "buffer.policy=none"};
    all.insert(all.end(), sets.begin(), sets.end());
    const Figures figures = run_apart(tiny_device() + "workload: {" + workload + "}\n", all);
    EXPECT_TRUE(figures.clean) << workload;
    return figures;
}

const char* const kWrites = "rw: randwrite, bs: 8k, size: 25%, iodepth: 16, requests: 3000";

// Reads of half the device, most of them of a few dies, beside writes.
const char* const kFlockedReads = "jobs: [{name: r, rw: randread, bs: 8k, size: 50%, "
                                  "random_distribution: 'zipf:1.5', iodepth: 24, requests: 6000}, "
                                  "{name: w, rw: randwrite, bs: 8k, offset: 50%, size: 25%, "
                                  "iodepth: 8, requests: 2500}]";

TEST(Hybrid, LatePlacementAvoidsBusyDies)
{
    const Figures off = run_clean(kFlockedReads, {"hybrid.place_late=false"});
    const Figures on = run_clean(kFlockedReads, {});
    EXPECT_LT(on.seconds, 0.95 * off.seconds);
    EXPECT_LT(on.write_us, off.write_us);
}

// More writes than dies: two pages a program.
TEST(Hybrid, PackedProgramsShortenTheRun)
{
    const Figures off = run_clean(kWrites, {"hybrid.pack=false"});
    const Figures on = run_clean(kWrites, {});
    EXPECT_EQ(off.multi_plane_ops, 0u);
    EXPECT_GT(on.multi_plane_ops, 500u);
    EXPECT_LT(on.seconds, 0.9 * off.seconds);
}

// Most programs are copies. Joined pages beyond those of the host are copies: at least half of these.
TEST(Hybrid, CopiesOfADiesPlanesShareAProgram)
{
    const char* const writes = "rw: randwrite, bs: 8k, iodepth: 16, requests: 6000";
    const Sets full{"precondition.overwrite=2", "ftl.over_provisioning=0.2", "geometry.blocks=48"};
    Sets apart = full;
    apart.push_back("hybrid.pack=false");
    const Figures off = run_clean(writes, apart);
    const Figures on = run_clean(writes, full);
    const double host = static_cast<double>(on.programs) / on.waf;
    const double copies = static_cast<double>(on.programs) - host;
    EXPECT_EQ(off.multi_plane_ops, 0u);
    EXPECT_GT(copies, host);
    EXPECT_GT(2.0 * static_cast<double>(on.multi_plane_ops) - host, copies / 2);
    EXPECT_LT(on.seconds, 0.9 * off.seconds); // erases and reads take as long as before
}

TEST(Hybrid, JoinedWritesSaveProgramsAndTime)
{
    const char* const hot = "rw: randwrite, bs: 4k, size: 64k, iodepth: 16, requests: 3000";
    const Figures off = run_clean(hot, {"hybrid.join_writes=false"});
    const Figures on = run_clean(hot, {});
    EXPECT_LT(on.programs, 0.7 * static_cast<double>(off.programs));
    EXPECT_LT(on.seconds, 0.8 * off.seconds);
}

TEST(Hybrid, HitManagerShortensReads)
{
    const char* const hot = "rw: randrw, rwmixread: 50, bs: 4k, size: 2%, iodepth: 16, requests: 3000";
    const Figures off = run_clean(hot, {"hybrid.hit_manager=false"});
    const Figures on = run_clean(hot, {});
    EXPECT_EQ(off.hit_manager_reads, 0u);
    EXPECT_GT(on.hit_manager_reads, 100u);
    EXPECT_LT(on.read_us, off.read_us);
}

// Collection keeps off the dies and the buses while the host is active.
TEST(Hybrid, DeferredCollectionLetsTheHostGoFirst)
{
    const char* const mixed = "rw: randrw, rwmixread: 70, bs: 4k, iodepth: 4, requests: 3000";
    const Figures off = run_clean(mixed, {"precondition.overwrite=0.5", "hybrid.defer_gc=false"});
    const Figures on = run_clean(mixed, {"precondition.overwrite=0.5"});
    EXPECT_GT(off.gc_runs, 0u);
    EXPECT_LT(on.read_us, off.read_us);
    EXPECT_LE(on.waf, off.waf);
}

// Thirds of what the schedulers of the papers can do, in one run: hits, chips, planes.
TEST(Hybrid, IsFasterThanTheOthersOnMixedLoads)
{
    const char* const load = "rw: randrw, rwmixread: 60, bs: 8k, iodepth: 32, requests: 4000";
    const Figures hybrid = run_clean(load, {"precondition.overwrite=0.5"});
    for (const char* const other : {"inorder", "vaq", "host", "paq2", "sost"}) {
        const Figures it = run_clean(
            load, {"precondition.overwrite=0.5", std::string("scheduler=") + other});
        EXPECT_LT(hybrid.seconds, it.seconds) << other;
    }
}

} // namespace
} // namespace tlmssd::tb
