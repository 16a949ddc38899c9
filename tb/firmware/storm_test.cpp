// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random storms of commands in random order of events: data, map and liveness.
#include <gtest/gtest.h>

#include "tb/firmware/storm.h"

namespace tlmssd::tb {
namespace {

struct Variant {
    u32 scheduler, policy, cores, vaq_request;
    u32 flush_after_us = 0;
    u32 paq_switches = 0; ///< bit 0: cluster_limit die, 1: wait block, 2: age limit of 30 us
    /// Its parts: 1 leveler, 2 hit manager, 4 return of pages that are read, 8 priorities.
    u32 sost = 15;
    u32 queue_aware = 0;
    /// 1 hit manager, 2 joins writes, 4 places late, 8 packs, 16 defers collection, 32 priorities.
    u32 hybrid = 63;
    /// 1 join window, 2 conflicts of packages, 4 static placement, 8 lockstep.
    u32 palloc = 0;
    /// 1 reads bypass, 2 write-through, 4 read-ahead, 8 page padding.
    u32 buffer = 0;
};

std::string name_of(const Variant& v)
{
    return std::string(kSchedulers[v.scheduler]) + "_" + kPolicies[v.policy] + "_" +
           std::to_string(v.cores) + "core" + (v.vaq_request != 0 ? "_request" : "") +
           (v.flush_after_us != 0 ? "_background" : "") +
           (v.paq_switches != 0 ? "_switches" + std::to_string(v.paq_switches) : "") +
           (v.sost != 15 ? "_sost" + std::to_string(v.sost) : "") +
           (v.queue_aware != 0 ? "_queueaware" : "") +
           (v.hybrid != 63 ? "_hybrid" + std::to_string(v.hybrid) : "") +
           (v.palloc != 0 ? "_palloc" + std::to_string(v.palloc) : "") +
           (v.buffer != 0 ? "_buffer" + std::to_string(v.buffer) : "");
}
/// GoogleTest prints each parameter when it registers a test, in every process: bytes in hex take ten times as long.
void PrintTo(const Variant& v, std::ostream* out) { *out << name_of(v); }

class Storm : public testing::TestWithParam<Variant> {
protected:
    static fw_config config(const Variant& v, fw_config c)
    {
        c.scheduler = v.scheduler;
        c.buffer_policy = v.policy;
        c.vaq_block_request = v.vaq_request;
        c.flush_after_us = v.flush_after_us;
        c.paq_cluster_die = v.paq_switches & 1;
        c.paq_wait_block = v.paq_switches >> 1 & 1;
        c.paq_age_limit_us = (v.paq_switches >> 2 & 1) * 30;
        c.sost_leveler = v.sost & 1;
        c.hit_manager = v.sost >> 1 & 1;
        c.return_reads = (v.sost & 4) != 0 ? 1 : 0;
        c.sost_priorities = v.sost >> 3;
        c.sost_reads_first = v.sost & 1;
        c.sost_ranges[0] = {0, c.logical_pages / 4, 2};
        c.sost_ranges[7] = {c.logical_pages / 8, c.logical_pages / 2, 1};
        c.sost_age_limit_us = 1; // time passes only where timers fire
        if (v.scheduler == FW_SCHED_HYBRID) {
            c.hit_manager = v.hybrid & 1;
        }
        c.join_writes = v.hybrid >> 1 & 1;
        c.hybrid_place_late = v.hybrid >> 2 & 1;
        c.hybrid_pack = v.hybrid >> 3 & 1;
        c.hybrid_window = (v.hybrid & 8) != 0 ? 2 : 0;
        c.hybrid_defer_gc = v.hybrid >> 4 & 1;
        c.hybrid_gc_window = 1;
        c.hybrid_priorities = v.hybrid >> 5;
        c.hybrid_age_limit_us = 1;
        c.queue_aware = v.queue_aware;
        c.vaq_join_window = (v.palloc & 1) != 0 ? 8 : 1;
        c.vaq_conflict_dies = (v.palloc & 2) != 0 ? c.dies : 1;
        c.static_placement = v.palloc >> 2 & 1;
        c.lockstep = v.palloc >> 3 & 1;
        c.reads_bypass = v.buffer & 1;
        c.write_through = v.buffer >> 1 & 1;
        c.read_ahead = (v.buffer & 4) != 0 ? 6 : 0;
        c.page_padding = v.buffer >> 3 & 1;
        spread(c, v.cores);
        return c;
    }
};

TEST_P(Storm, KeepsDataAndMap)
{
    u64 joined = 0;
    for (const u64 seed : {1, 2, 3}) {
        Device d(config(GetParam(), small_config(2, 1, 2, 2, 12, 8)), seed);
        d.capacity = one_a_die(GetParam().scheduler) ? 3 : 20;
        for (u32 round = 0; round < 4; ++round) {
            storm(d, 500);
            ASSERT_EQ(d.inside(), 0u);
            d.expect_all_in_flash();
            ASSERT_NO_FATAL_FAILURE(check_map(d));
        }
        EXPECT_GT(d.stats().gc_blocks_erased, 100u) << "the storm is too weak to collect garbage";
        EXPECT_GT(d.refused, 0u) << "the controller was never full";
        if (GetParam().buffer != 0) {
            EXPECT_EQ(d.stats().padded_pages != 0, (GetParam().buffer & 8) != 0);
        }
        if (GetParam().scheduler == FW_SCHED_SOST && GetParam().policy == FW_BUFFER_LRU &&
            GetParam().buffer == 0) {
            const u32 parts = GetParam().sost;
            EXPECT_EQ(d.stats().reallocated != 0, (parts & 1) != 0);
            EXPECT_EQ(d.stats().hit_manager_reads != 0, (parts & 2) != 0);
            EXPECT_EQ(d.stats().cancelled_writes != 0, (parts & 2) != 0);
            EXPECT_EQ(d.stats().returned_pages != 0, (parts & 6) == 6);
        }
        if (GetParam().scheduler == FW_SCHED_HYBRID && GetParam().buffer == 0) {
            const u32 parts = GetParam().hybrid;
            joined += d.stats().joined_writes; // a few in most storms
            if (GetParam().policy == FW_BUFFER_LRU || (parts & 7) != 7) { // else all are awaited: seldom
                EXPECT_EQ(d.stats().cancelled_writes != 0,
                          (parts & 5) == 5 && GetParam().policy == FW_BUFFER_LRU);
            }
            EXPECT_EQ(d.stats().multi_plane_ops != 0, (parts & 8) != 0);
        }
        EXPECT_EQ(d.programs, d.stats().flash_pages_written);
        EXPECT_EQ(d.programs, d.stats().host_pages_written + d.stats().gc_pages_moved);
        EXPECT_EQ(d.erases, d.stats().gc_blocks_erased);
        for (u32 lpn = 0; lpn < d.config().logical_pages; ++lpn) { // read it all back
            d.tick_until(d.config().host_tags - 1);
            d.read_page(lpn);
        }
        d.tick_until(0);
    }
    if (GetParam().scheduler == FW_SCHED_HYBRID && GetParam().buffer == 0) {
        EXPECT_EQ(joined != 0, (GetParam().hybrid & 3) == 3);
    }
}

/// The smallest device that configuration allows, quite full, for each policy and scheduler.
TEST_P(Storm, LivesOnTheSmallestDevice)
{
    for (const u32 pages : {1u, 2u, 4u}) {
        for (const u32 planes : {1u, 2u}) {
            SCOPED_TRACE("pages " + std::to_string(pages) + " planes " + std::to_string(planes));
            Device d(config(GetParam(), small_config(1, 1, 1, planes, 10, pages)), 7);
            storm(d, 1500);
            d.expect_all_in_flash();
            ASSERT_NO_FATAL_FAILURE(check_map(d));
            EXPECT_GT(d.stats().gc_blocks_erased, 100u);
        }
    }
}

/// All live data in one plane's LPNs are overwritten again and again: other planes fill up to their
/// limit, and allocation has to pass them over.
TEST_P(Storm, LivesWhenOnlyOnePlanesPagesAreOverwritten)
{
    Device d(config(GetParam(), small_config(2, 1, 1, 2, 10, 4)), 5);
    for (u32 lpn = 0; lpn < d.config().logical_pages; ++lpn) {
        d.tick_until(d.config().host_tags - 1);
        d.write_page(lpn);
    }
    d.tick_until(d.config().host_tags - 1);
    d.flush();
    d.tick_until(0);
    std::vector<u32> victims; // pages of plane 0
    for (u32 lpn = 0; lpn < d.config().logical_pages; ++lpn) {
        if (ftl_plane_index(d.f()->ftl, d.f()->ftl->map[lpn] - 1) == 0) {
            victims.push_back(lpn);
        }
    }
    const u32 s = GetParam().scheduler;
    const bool by_scheduler = has_trait(s, SCHED_REALLOCATES) ? d.stats().reallocated != 0
                              : s == FW_SCHED_HYBRID          ? (GetParam().hybrid & 4) != 0
                                                              : has_trait(s, SCHED_PLACES_WRITES);
    if (!by_scheduler && GetParam().queue_aware == 0) { // the order has chosen all planes
        ASSERT_EQ(victims.size(), d.config().logical_pages / 4);
    }
    ASSERT_GT(victims.size(), d.config().logical_pages / 8);
    for (u32 i = 0; i < 4000; ++i) {
        d.tick_until(d.draw(d.config().host_tags));
        d.write_page(victims[d.draw(static_cast<u32>(victims.size()))]);
        if (i % 50 == 0) {
            d.tick_until(d.config().host_tags - 1);
            d.flush();
        }
    }
    d.tick_until(d.config().host_tags - 1);
    d.flush();
    d.tick_until(0);
    while (d.tick()) {
    }
    d.expect_all_in_flash();
    check_map(d);
}

std::vector<Variant> variants()
{
    std::vector<Variant> all;
    for (u32 s = 0; s < FW_SCHED_COUNT; ++s) {
        for (u32 p = 0; p < FW_BUFFER_COUNT; ++p) {
            all.push_back({s, p, 1, 0});
            all.push_back({s, p, 4, 0});
        }
    }
    all.push_back({FW_SCHED_VAQ, FW_BUFFER_LRU, 1, 1});
    all.push_back({FW_SCHED_VAQ, FW_BUFFER_NONE, 2, 1});
    all.push_back({FW_SCHED_INORDER, FW_BUFFER_LRU, 1, 0, 50});
    all.push_back({FW_SCHED_VAQ, FW_BUFFER_LRU, 4, 0, 50});
    for (u32 switches = 1; switches < 8; ++switches) {
        all.push_back({switches % 2 != 0 ? FW_SCHED_PAQ1 : FW_SCHED_PAQ2, FW_BUFFER_LRU,
                       switches % 3 + 1, 0, 0, switches});
    }
    all.push_back({FW_SCHED_SOST, FW_BUFFER_LRU, 1, 0, 0, 0, 15, 1});
    all.push_back({FW_SCHED_VAQ, FW_BUFFER_LRU, 4, 0, 0, 0, 15, 1});
    all.push_back({FW_SCHED_INORDER, FW_BUFFER_NONE, 1, 0, 0, 0, 15, 1});
    for (u32 palloc = 1; palloc < 16; ++palloc) { // static or lockstep, not both
        if ((palloc & 12) != 12) {
            all.push_back({FW_SCHED_VAQ, palloc & 1 ? FW_BUFFER_NONE : FW_BUFFER_LRU,
                           1 + 3 * (palloc >> 1 & 1), palloc & 1, 0, 0, 15, 0, 63, palloc});
        }
    }
    all.push_back({FW_SCHED_VAQ, FW_BUFFER_LRU, 4, 1, 0, 0, 15, 0, 63, 9});
    all.push_back({FW_SCHED_PAQ2, FW_BUFFER_NONE, 1, 0, 0, 0, 15, 0, 63, 4});
    all.push_back({FW_SCHED_INORDER, FW_BUFFER_LRU, 1, 0, 0, 0, 15, 0, 63, 8});
    for (u32 sost = 0; sost < 15; ++sost) {
        all.push_back({FW_SCHED_SOST, FW_BUFFER_LRU, 1 + 3 * (sost & 1), 0, sost & 2 ? 50u : 0, 0, sost});
    }
    for (u32 hybrid = 0; hybrid < 63; hybrid += 3) {
        all.push_back({FW_SCHED_HYBRID, hybrid & 2 ? FW_BUFFER_LRU : FW_BUFFER_NONE,
                       1 + 3 * (hybrid & 1), 0, 0, 0, 15, 0, hybrid});
    }
    for (const u32 s : {FW_SCHED_INORDER, FW_SCHED_VAQ, FW_SCHED_SOST, FW_SCHED_HYBRID}) {
        for (u32 p = 0; p < FW_BUFFER_COUNT; ++p) {
            for (const u32 mode : {1, 2, 4, 5, 6, 8, 9, 12}) {
                const bool pads = (mode & 8) != 0;
                if (p != FW_BUFFER_NONE && (!pads || p == FW_BUFFER_BPLRU)) {
                    all.push_back({s, p, 1 + 3 * ((s + p + mode) & 1), 0, 0, 0, 15, 0, 63, 0, mode});
                }
            }
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, Storm, testing::ValuesIn(variants()),
                         [](const auto& test) { return name_of(test.param); });

} // namespace
} // namespace tlmssd::tb
