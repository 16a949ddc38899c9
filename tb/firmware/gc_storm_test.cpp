// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: storms over every victim, scope, write point, share and wear policy, with and without failing
// programs and erases: no lost, stale or doubled page, and nobody hangs.
#include <gtest/gtest.h>

#include "tb/firmware/storm.h"

namespace tlmssd::tb {
namespace {

const char* const kVictims[] = {
#define GC_POLICY(id, name, text) #name,
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
};

struct Variant {
    u32 policy, channel, mixed, share, hard, wear; ///< wear: 1 dynamic, 2 static
    u32 scheduler, buffer;
};

std::string name_of(const Variant& v)
{
    return std::string(kVictims[v.policy]) + (v.channel != 0 ? "_channel" : "_plane") +
           (v.mixed != 0 ? "_mixed" : "_separate") + "_share" + std::to_string(v.share) + "_hard" +
           std::to_string(v.hard) + "_wear" + std::to_string(v.wear) + "_" + kSchedulers[v.scheduler] +
           "_" + kPolicies[v.buffer];
}
/// GoogleTest prints each parameter when it registers a test, in every process: bytes in hex take ten times as long.
void PrintTo(const Variant& v, std::ostream* out) { *out << name_of(v); }

class GcStorm : public testing::TestWithParam<Variant> {
protected:
    static fw_config config(fw_config c)
    {
        const Variant& v = GetParam();
        c.gc_policy = v.policy;
        c.gc_choices = 3;
        c.gc_window = 4;
        c.gc_channel = v.channel;
        c.gc_mixed = v.mixed;
        c.gc_share = v.share;
        c.gc_hard = v.hard;
        c.wear_dynamic = v.wear & 1;
        c.wear_static = (v.wear & 2) != 0 ? 3 : 0;
        c.scheduler = v.scheduler;
        c.buffer_policy = v.buffer;
        if (v.hard > 1) {
            c.gc_threshold = v.hard + 1;
            c.logical_pages -= (v.hard - 1) * c.pages * c.channels * c.ways * c.dies * c.planes;
        }
        if (c.wear_static != 0) { // one more block is open
            c.logical_pages -= c.pages * c.channels * c.ways * c.dies * c.planes;
        }
        return c;
    }
    static void read_all(Device& d)
    {
        for (u32 lpn = 0; lpn < d.config().logical_pages; ++lpn) {
            d.tick_until(d.config().host_tags - 1);
            d.read_page(lpn);
        }
        d.tick_until(0);
        while (d.tick()) {
        }
    }
};

TEST_P(GcStorm, KeepsDataAndMap)
{
    Device d(config(small_config(2, 1, 2, 2, 12, 8)), 1);
    d.capacity = one_a_die(GetParam().scheduler) ? 3 : 20;
    for (u32 round = 0; round < 3; ++round) {
        storm(d, 500);
        ASSERT_EQ(d.inside(), 0u);
        d.expect_all_in_flash();
        ASSERT_NO_FATAL_FAILURE(check_map(d));
    }
    EXPECT_GT(d.stats().gc_blocks_erased, 100u) << "the storm is too weak to collect garbage";
    EXPECT_EQ(d.stats().gc_held != 0, GetParam().share != 0);
    EXPECT_EQ(d.programs, d.stats().host_pages_written + d.stats().gc_pages_moved);
    EXPECT_EQ(d.erases, d.stats().gc_blocks_erased);
    read_all(d);
}

TEST_P(GcStorm, LivesOnTheSmallestDevice)
{
    for (const u32 pages : {1u, 2u, 4u}) {
        Device d(config(small_config(1, 1, 1, 2, 11 + GetParam().hard, pages)), 7);
        storm(d, 800);
        d.expect_all_in_flash();
        ASSERT_NO_FATAL_FAILURE(check_map(d));
        EXPECT_GT(d.stats().gc_blocks_erased, 50u);
    }
}

TEST_P(GcStorm, LosesNothingWhereProgramsAndErasesFail)
{
    fw_config c = small_config(2, 1, 2, 2, 30, 8);
    c.logical_pages = 8 * 8 * 17;
    Device d(config(c), 5);
    d.capacity = one_a_die(GetParam().scheduler) ? 3 : 20;
    d.faults = {30, 150, 0, 20}; // 20 blocks of 240 in the end
    for (u32 round = 0; round < 3; ++round) {
        storm(d, 700);
        ASSERT_EQ(d.inside(), 0u);
        d.expect_all_in_flash();
        ASSERT_NO_FATAL_FAILURE(check_map(d));
    }
    EXPECT_GT(d.failed_programs, 0u);
    EXPECT_GT(d.failed_erases, 0u);
    read_all(d);
    EXPECT_EQ(d.read_errors, 0u);
}

TEST_P(GcStorm, EndsReadOnlyAndReadsOn)
{
    Device d(config(small_config(1, 1, 2, 2, 12 + GetParam().hard, 4)), 3);
    d.capacity = one_a_die(GetParam().scheduler) ? 3 : 20;
    d.faults = {100, 100, 0};
    for (u32 round = 0; round < 100 && d.stats().read_only == 0; ++round) {
        storm(d, 300);
        d.expect_all_in_flash();
        ASSERT_NO_FATAL_FAILURE(check_map(d));
    }
    ASSERT_EQ(d.stats().read_only, 1u);
    const u64 programs = d.programs;
    storm(d, 200);
    EXPECT_EQ(d.programs, programs);
    read_all(d); // the test's device knows what must be there
    ASSERT_NO_FATAL_FAILURE(check_map(d));
}

/// Where collection goes past the host's programs, they cannot share a block: configuration refuses it.
u32 shares(u32 s) { return has_trait(s, SCHED_LETS_GC_PASS) ? 0 : 1; }

std::vector<Variant> variants()
{
    std::vector<Variant> all;
    constexpr u32 schedulers[] = {FW_SCHED_INORDER, FW_SCHED_HYBRID, FW_SCHED_VAQ, FW_SCHED_SOST,
                                  FW_SCHED_HOST};
    u32 n = 0;
    for (u32 policy = 0; policy < FW_GC_POLICY_COUNT; ++policy) {
        for (u32 rest = 0; rest < 8; ++rest, ++n) { // all of scope, write point, share
            const u32 scheduler = schedulers[n % 5];
            all.push_back({policy, rest & 1, shares(scheduler) & rest >> 1, (rest & 4) != 0 ? 64u : 0u, 1 + n % 3 / 2, n % 4,
                           scheduler, n % 7 == 0 ? u32{FW_BUFFER_NONE} : u32{FW_BUFFER_LRU}});
        }
    }
    for (u32 s = 0; s < FW_SCHED_COUNT; ++s) { // every scheduler with everything on
        all.push_back({FW_GC_POLICY_GREEDY, 1, shares(s), 32, 2, 3, s, FW_BUFFER_LRU});
        all.push_back({FW_GC_POLICY_GREEDY, 0, shares(s), 32, 1, 3, s, FW_BUFFER_NONE});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, GcStorm, testing::ValuesIn(variants()),
                         [](const auto& test) { return name_of(test.param); });

} // namespace
} // namespace tlmssd::tb
