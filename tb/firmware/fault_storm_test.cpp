// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random storms on flash where programs, erases and reads fail: nothing is lost, stale or
// doubled but what could not be read, every command ends once, and a device that is worn out says so.
#include <gtest/gtest.h>

#include "tb/firmware/storm.h"
#include "tb/support/long_form.h"

namespace tlmssd::tb {
namespace {

struct Variant {
    u32 scheduler, policy, cores;
    u32 queue_aware = 0;
    /// 1 join window, 2 conflicts of packages, 4 static placement, 8 lockstep.
    u32 palloc = 0;
};

std::string name_of(const Variant& v)
{
    return std::string(kSchedulers[v.scheduler]) + "_" + kPolicies[v.policy] + "_" +
           std::to_string(v.cores) + "core" +
           (v.queue_aware != 0 ? "_queueaware" : "") +
           (v.palloc != 0 ? "_palloc" + std::to_string(v.palloc) : "");
}
/// GoogleTest prints each parameter when it registers a test, in every process: bytes in hex take ten times as long.
void PrintTo(const Variant& v, std::ostream* out) { *out << name_of(v); }

class FaultStorm : public testing::TestWithParam<Variant> {
protected:
    static fw_config config(fw_config c)
    {
        const Variant& v = GetParam();
        c.scheduler = v.scheduler;
        c.buffer_policy = v.policy;
        c.queue_aware = v.queue_aware;
        c.vaq_join_window = (v.palloc & 1) != 0 ? 8 : 1;
        c.vaq_conflict_dies = (v.palloc & 2) != 0 ? c.ways * c.dies : 1;
        c.static_placement = v.palloc >> 2 & 1;
        c.lockstep = v.palloc >> 3 & 1;
        spread(c, v.cores);
        return c;
    }
    /// 2 x 1 x 2 x 2 planes of 30 blocks of 8 pages, of which the host has `blocks` blocks a plane.
    static fw_config roomy(u32 blocks)
    {
        fw_config c = small_config(2, 1, 2, 2, 30, 8);
        c.logical_pages = 8 * 8 * blocks;
        return config(c);
    }
    static void submit_limits(Device& d)
    {
        d.capacity = one_a_die(GetParam().scheduler) ? 3 : 20;
    }
    static void read_all(Device& d)
    {
        for (u32 lpn = 0; lpn < d.config().logical_pages; ++lpn) {
            d.tick_until(d.config().host_tags - 1);
            d.read_page(lpn);
        }
        d.tick_until(0);
        while (d.tick()) { // collection goes on
        }
    }
    static void write_all(Device& d)
    {
        for (u32 lpn = 0; lpn < d.config().logical_pages; ++lpn) {
            d.tick_until(d.config().host_tags - 1);
            d.write_page(lpn);
        }
        d.tick_until(d.config().host_tags - 1);
        d.flush();
        d.tick_until(0);
        while (d.tick()) {
        }
    }
};

TEST_P(FaultStorm, RedoesProgramsAndRetiresBlocks)
{
    for (u64 seed = 1; seed <= (long_form() ? 4 : 2); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Device d(roomy(16), seed);
        submit_limits(d);
        d.mark_bad(1, 0, 0);
        d.mark_bad(1, 0, 29);
        d.mark_bad(3, 1, 7);
        d.faults = {40, 400, 0, 40};
        for (u32 round = 0; round < 4; ++round) {
            storm(d, 800);
            ASSERT_EQ(d.inside(), 0u);
            d.expect_all_in_flash();
            ASSERT_NO_FATAL_FAILURE(check_map(d));
        }
        const fw_stats& s = d.stats();
        EXPECT_GT(s.program_fails, 8u);
        EXPECT_GT(s.erase_fails, 3u);
        EXPECT_EQ(s.program_fails, d.failed_programs);
        EXPECT_EQ(s.erase_fails, d.failed_erases);
        EXPECT_EQ(s.factory_bad, 3u);
        EXPECT_EQ(s.pages_lost, 0u);
        EXPECT_EQ(d.read_errors + d.write_errors, 0u) << "no read has failed";
        EXPECT_EQ(d.programs, s.flash_pages_written);
        EXPECT_EQ(d.programs - d.failed_programs - s.gc_pages_moved, s.host_pages_written)
            << "a page that is redone counts once";
        EXPECT_EQ(d.erases - d.failed_erases, s.gc_blocks_erased);
        read_all(d);
    }
}

TEST_P(FaultStorm, ReportsWhatCannotBeReadAndNothingElse)
{
    for (u64 seed = 1; seed <= (long_form() ? 4 : 2); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Device d(roomy(20), seed);
        submit_limits(d);
        d.faults = {30, 30, 60, 30};
        for (u32 round = 0; round < 4; ++round) {
            storm(d, 800);
            ASSERT_EQ(d.inside(), 0u);
            d.expect_all_in_flash();
            ASSERT_NO_FATAL_FAILURE(check_map(d));
        }
        EXPECT_GT(d.read_errors, 10u);
        EXPECT_GT(d.stats().pages_lost, 5u);
        EXPECT_GT(d.stats().read_errors, d.stats().pages_lost);
        EXPECT_LE(d.stats().read_errors, d.failed_reads) << "some were of pages that had moved";
        // Whole writes heal every page.
        d.faults.read = 0;
        write_all(d);
        const u64 errors = d.read_errors;
        read_all(d);
        EXPECT_EQ(d.read_errors, errors);
        EXPECT_EQ(d.f()->buffer->lost_pages, 0u);
        ASSERT_NO_FATAL_FAILURE(check_map(d));
    }
}

TEST_P(FaultStorm, SurvivesADieThatStopsAnswering)
{
    for (u64 seed = 1; seed <= (long_form() ? 2 : 1); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Device d(roomy(16), seed);
        submit_limits(d);
        storm(d, 800);
        d.dead_dies.insert(2);
        for (u32 round = 0; round < 3; ++round) {
            storm(d, 800);
            d.expect_all_in_flash();
            ASSERT_NO_FATAL_FAILURE(check_map(d));
        }
        EXPECT_GT(d.read_errors, 0u);
        write_all(d); // 8 x 16 blocks of data fit on the 6 planes that are left: 6 x 26
        const u64 errors = d.read_errors;
        read_all(d);
        EXPECT_EQ(d.read_errors, errors) << "all of it is on the other dies now";
        ASSERT_NO_FATAL_FAILURE(check_map(d));
    }
}

/// The smallest devices, where a plane has hardly a block to spare: in the end nothing can be written.
/// Then writes and trims end with an error and reads go on; what had been acknowledged and not written is
/// lost, and FLUSH says so. A page is lost only for a write that came while the device was alive.
TEST_P(FaultStorm, BecomesReadOnlyWhenItIsWornOut)
{
    for (const u32 planes : {1u, 2u}) {
        for (u64 seed = 1; seed <= (long_form() ? 3 : 1); ++seed) {
            SCOPED_TRACE("planes " + std::to_string(planes) + " seed " + std::to_string(seed));
            Device d(config(small_config(1, 1, 2, planes, 12, 4)), seed);
            submit_limits(d);
            d.faults = {100, 100, 0};
            for (u32 round = 0; round < 100 && d.stats().read_only == 0; ++round) {
                d.now_us += 1000;
                storm(d, 300);
                d.expect_all_in_flash();
                ASSERT_NO_FATAL_FAILURE(check_map(d));
            }
            ASSERT_EQ(d.stats().read_only, 1u) << "it did not wear out";
            EXPECT_GE(d.stats().read_only_us, 1000u);
            const u64 writes = d.write_errors;
            const u64 programs = d.programs;
            const u64 erases = d.erases;
            const u64 errors = d.read_errors;
            storm(d, 300);
            EXPECT_GT(d.write_errors, writes);
            EXPECT_EQ(d.programs, programs);
            EXPECT_EQ(d.erases, erases);
            u32 lost = 0;
            for (u32 lpn = 0; lpn < d.config().logical_pages; ++lpn) {
                lost += lost_get(d.f()->buffer, lpn) != 0 || d.f()->ftl->map[lpn] == FTL_LOST;
            }
            if (GetParam().policy != FW_BUFFER_GATING) { // there all pages may be on their way at that time
                EXPECT_LT(lost, d.config().logical_pages);
            }
            const u64 before = d.read_errors;
            read_all(d);
            EXPECT_EQ(d.read_errors - before, lost) << "all others can be read";
            if (GetParam().policy == FW_BUFFER_NONE) {
                EXPECT_EQ(d.flush_errors, 0u) << "nothing was acknowledged before it was in flash";
                EXPECT_LE(errors, before);
            } else {
                EXPECT_EQ(d.flush_errors != 0, d.f()->buffer->write_lost);
            }
            d.expect_all_in_flash();
            ASSERT_NO_FATAL_FAILURE(check_map(d));
        }
    }
}

std::vector<Variant> variants()
{
    std::vector<Variant> all;
    for (u32 s = 0; s < FW_SCHED_COUNT; ++s) {
        for (u32 p = 0; p < FW_BUFFER_COUNT; ++p) {
            all.push_back({s, p, 1});
            all.push_back({s, p, 4});
        }
    }
    all.push_back({FW_SCHED_SOST, FW_BUFFER_LRU, 1, 1});
    all.push_back({FW_SCHED_INORDER, FW_BUFFER_LRU, 1, 1});
    all.push_back({FW_SCHED_VAQ, FW_BUFFER_LRU, 1, 0, 1 + 4});
    all.push_back({FW_SCHED_VAQ, FW_BUFFER_NONE, 4, 0, 1 + 2 + 8});
    all.push_back({FW_SCHED_INORDER, FW_BUFFER_LRU, 1, 0, 8});
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, FaultStorm, testing::ValuesIn(variants()),
                         [](const auto& test) { return name_of(test.param); });

} // namespace
} // namespace tlmssd::tb
