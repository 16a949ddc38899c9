// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: devices with hardly any room: few page buffers under large requests, no spare block to
// lose, more commands than buffers. Nothing may stop for ever.
#include <tuple>

#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

const char* const kSchedulers[] = {
#define SCHED(id, name, mode, traits, text) #name,
#include "firmware/hal/sched.def"
#undef SCHED
};

using Parameters = std::tuple<const char*, const char*, u32, u32>;

std::string name_of(const testing::TestParamInfo<Parameters>& info)
{
    const auto [scheduler, policy, depth, kib] = info.param;
    return std::string(scheduler) + "_" + policy + "_depth" + std::to_string(depth) + "_" +
           std::to_string(kib) + "KiB";
}

/// 64 page buffers, requests of 64 pages and more: commands wait for each other's buffers.
class FewBuffers : public testing::TestWithParam<Parameters> {};

TEST_P(FewBuffers, NeverBlockEachOther)
{
    const auto [scheduler, policy, depth, kib] = GetParam();
    const Device run(tiny_device() + "workload: {rw: randwrite, size: 10%, requests: 500, bs: " +
                         std::to_string(kib) + "k}\n",
                     {"buffer.size_mib=0.5", std::string("scheduler=") + scheduler,
                      std::string("buffer.policy=") + policy,
                      "host.queue_depth=" + std::to_string(depth)});
    run.expect_clean();
}

INSTANTIATE_TEST_SUITE_P(System, FewBuffers,
                         testing::Combine(testing::Values("inorder", "vaq", "host", "paq0", "paq2", "sost",
                                                          "hybrid"),
                                          testing::Values("none", "lru"),
                                          testing::Values(2u, 4u, 32u, 256u),
                                          testing::Values(512u, 1024u)),
                         name_of);

/// The least spare blocks that the configuration allows, every page written, all writes random:
/// planes run out of free blocks again and again, and writes wait for collection.
class LittleSpare : public testing::TestWithParam<Parameters> {};

TEST_P(LittleSpare, StillCollects)
{
    const auto [scheduler, policy, depth, kib] = GetParam();
    // 5 of 24 blocks are reserved: 24 / 19 - 1 = 0.2632.
    const Device run(tiny_device() + "workload: {rw: randwrite, requests: 1000, bs: " +
                         std::to_string(kib) + "k}\n",
                     {"ftl.gc.threshold_blocks=2", "ftl.over_provisioning=0.264",
                      "precondition.overwrite=0.5", "geometry.planes=1", "buffer.size_mib=2",
                      std::string("scheduler=") + scheduler, std::string("buffer.policy=") + policy,
                      "host.queue_depth=" + std::to_string(depth)});
    run.expect_clean();
    EXPECT_GT(run.firmware().gc_runs, 0u);
    EXPECT_GT(run.results()["ftl"]["waf"].get<double>(), 1.5);
}

INSTANTIATE_TEST_SUITE_P(System, LittleSpare,
                         testing::Combine(testing::ValuesIn(kSchedulers),
                                          testing::Values("none", "lru"), testing::Values(32u),
                                          testing::Values(8u, 128u)),
                         name_of);

TEST(Stress, OnePlaneOneDie)
{
    const Device run(tiny_device() + "workload: {rw: randrw, requests: 3000, bs: 12k}\n",
                     {"geometry.channels=1", "geometry.ways=1", "geometry.dies=1",
                      "geometry.planes=1", "geometry.blocks=40", "ftl.gc.threshold_blocks=2",
                      "ftl.over_provisioning=0.2", "scheduler=vaq", "buffer.size_mib=0.5"});
    run.expect_clean();
    EXPECT_GT(run.firmware().gc_runs, 0u);
}

TEST(Stress, EveryWriteIsFollowedByAFlushAndEverySecondIsATrim)
{
    const Device run(tiny_device() +
                         "workload: {rw: randwrite, requests: 3000, bs: 20k, flush_every: 1, "
                         "trim_percent: 50}\n",
                     {"buffer.policy=lru", "host.kind=sata", "scheduler=vaq"});
    run.expect_clean();
    EXPECT_GT(run.host().trims, 500u);
    EXPECT_GT(run.host().flushes, 500u);
}

TEST(Stress, RequestsLargerThanTheBuffer)
{
    const Device run(tiny_device() + "workload: {rw: readwrite, requests: 200, bs: 4m}\n",
                     {"buffer.policy=lru", "buffer.size_mib=0.5"});
    run.expect_clean();
}

} // namespace
} // namespace tlmssd::tb
