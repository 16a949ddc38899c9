// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the demand-cached map: counts by closed form and by hand, reads that fail, the end of life.
#include <gtest/gtest.h>

#include <cmath>

#include "tb/firmware/storm.h"

namespace tlmssd::tb {
namespace {

/// 16 planes; a translation page has 256 entries. No page stays in a buffer.
fw_config map_config(u32 entries, u32 logical = 2048, u32 scheduler = FW_SCHED_INORDER)
{
    fw_config c = small_config(2, 2, 2, 2, logical / 128 + 10, 8); // nine blocks a plane are not for logical pages
    c.page_bytes = 1024;
    c.logical_pages = logical;
    c.buffer_policy = FW_BUFFER_NONE;
    c.scheduler = scheduler;
    c.map_entries = entries;
    c.map_buffers = 8;
    c.map_planes = 2;
    c.oob_base = static_cast<u32>(fw_page_buffer_bytes(&c));
    return c;
}

class MapDevice : public Device {
public:
    using Device::Device;
    /// Reads of this page may end with an error: its translation page is gone.
    void explain(u32 lpn)
    {
        for (u32 s = 0; s < spp(); ++s) {
            unread_.insert({u64{lpn} * spp() + s, expected()[u64{lpn} * spp() + s]});
        }
    }
    void one(u8 opcode, u32 lpn, u32 pages = 1)
    {
        issue(opcode, u64{lpn} * spp(), pages * spp());
        drain();
    }
    void fill()
    {
        for (u32 lpn = 0; lpn < config().logical_pages; ++lpn) {
            one(HAL_HOST_WRITE, lpn);
        }
    }
    /// Reads until nothing in the CMT is dirty.
    void clean()
    {
        for (u32 lpn = 0; lpn < config().logical_pages; ++lpn) {
            one(HAL_HOST_READ, lpn);
        }
    }
    bool cached(u32 lpn) const { return cmt_find(f()->ftl->dftl, lpn) != FW_NONE; }
    const ftl_dftl& map() const { return *f()->ftl->dftl; }
};

// Uniform reads, one at a time: whatever the table holds, a read finds its entry with probability C / N.
// 20,000 reads: within four standard errors, sqrt(c (1 - c) / 20000) <= 0.0036.
TEST(CachedMap, HitsUniformReadsAsOftenAsItsShareOfTheMap)
{
    for (const u32 entries : {256u, 1024u, 1536u}) {
        MapDevice d(map_config(entries));
        d.fill();
        d.clean();
        const fw_stats before = d.stats();
        constexpr u32 kReads = 20000;
        for (u32 i = 0; i < kReads; ++i) {
            d.one(HAL_HOST_READ, d.draw(2048));
        }
        const fw_stats s = d.stats();
        const double c = entries / 2048.0;
        const double misses = static_cast<double>(s.map_misses - before.map_misses) / kReads;
        EXPECT_NEAR(misses, 1 - c, 4 * std::sqrt(c * (1 - c) / kReads)) << entries;
        EXPECT_EQ(s.map_misses + s.map_hits - before.map_misses - before.map_hits, kReads);
        EXPECT_EQ(s.map_reads - before.map_reads, s.map_misses - before.map_misses) << "a read of flash each";
        EXPECT_EQ(s.map_evictions - before.map_evictions, s.map_misses - before.map_misses);
        EXPECT_EQ(s.map_writes, before.map_writes) << "all is clean";
        ASSERT_NO_FATAL_FAILURE(check_map(d));
    }
}

// LRU on a loop that is longer than the table: no hit ever. A miss loads one entry, so page after page
// costs a read of flash each; eight at a time are of one translation page (256 / 8), and share one.
TEST(CachedMap, LoadsOneEntryAMiss)
{
    MapDevice d(map_config(512));
    d.fill();
    d.clean();
    u64 reads = d.stats().map_reads;
    d.clean();
    EXPECT_EQ(d.stats().map_reads - reads, 2048u);
    reads = d.stats().map_reads;
    for (u32 lpn = 0; lpn < 2048; lpn += 8) {
        d.one(HAL_HOST_READ, lpn, 8);
    }
    EXPECT_EQ(d.stats().map_reads - reads, 2048u / 8);
}

// By hand, 64 entries. Ten pages of one translation page are written: 10 dirty entries. Reads of pages that
// were never written need no flash, and bring an entry each. With the 54th the table is full; the 55th finds
// the ten dirty entries at the end and takes the oldest clean one behind them; the write-back that it starts has
// no page to read, and takes all ten along: 1 program, 10 merged. Later page 3 is written: 1 read for its entry,
// and when that leaves, 1 read and 1 program for it alone.
TEST(CachedMap, WritesAllDirtyEntriesOfATranslationPageTogether)
{
    MapDevice d(map_config(64));
    for (u32 lpn = 0; lpn < 10; ++lpn) {
        d.one(HAL_HOST_WRITE, lpn);
    }
    for (u32 lpn = 256; lpn < 256 + 54; ++lpn) {
        d.one(HAL_HOST_READ, lpn);
    }
    EXPECT_EQ(d.stats().map_evictions, 0u);
    EXPECT_EQ(d.stats().map_writes, 0u);
    d.one(HAL_HOST_READ, 256 + 54);
    EXPECT_EQ(d.stats().map_evictions, 1u);
    EXPECT_FALSE(d.cached(256));
    EXPECT_TRUE(d.cached(0)) << "it was dirty";
    EXPECT_EQ(d.stats().map_writes, 1u);
    EXPECT_EQ(d.stats().map_merged, 10u);
    EXPECT_EQ(d.stats().map_reads, 0u);
    for (u32 lpn = 512; lpn < 512 + 64; ++lpn) {
        d.one(HAL_HOST_READ, lpn);
    }
    EXPECT_FALSE(d.cached(3));
    d.one(HAL_HOST_WRITE, 3);
    EXPECT_EQ(d.stats().map_reads, 1u);
    for (u32 lpn = 768; lpn < 768 + 64; ++lpn) {
        d.one(HAL_HOST_READ, lpn);
    }
    EXPECT_EQ(d.stats().map_reads, 2u);
    EXPECT_EQ(d.stats().map_writes, 2u);
    EXPECT_EQ(d.stats().map_merged, 11u);
    EXPECT_EQ(d.stats().flash_pages_written, 11u + 2u);
    ASSERT_NO_FATAL_FAILURE(check_map(d));
}

TEST(CachedMap, NeedsNoFlashWhereItHoldsTheWholeMap)
{
    MapDevice d(map_config(2048 + 2 * 16));
    d.fill();
    d.fill();
    d.clean();
    EXPECT_EQ(d.stats().map_reads + d.stats().map_writes + d.stats().map_evictions, 0u);
    EXPECT_EQ(d.stats().map_misses, 2048u) << "the first write of each page";
    EXPECT_GT(d.stats().gc_blocks_erased, 0u);
}

TEST(CachedMap, TrimsWithoutAnEntryTakeEffectAtOnceAndFreeTheirPages)
{
    MapDevice d(map_config(64));
    d.fill();
    d.clean();
    const u64 writes = d.stats().map_writes;
    d.issue(HAL_HOST_TRIM, 0, 2048 * d.spp());
    d.run();
    d.issue(HAL_HOST_READ, 0, 2048 * d.spp()); // zeros, or the device throws
    d.drain();
    u32 valid = 0;
    for (u32 plane = 0; plane < 16; ++plane) {
        valid += d.f()->ftl->planes[plane].valid;
    }
    EXPECT_EQ(valid, 0u);
    EXPECT_EQ(d.stats().pages_trimmed, 2048u);
    EXPECT_GE(d.stats().map_writes - writes, 8u) << "each translation page";
    ASSERT_NO_FATAL_FAILURE(check_map(d));
    d.fill();
    d.clean();
    ASSERT_NO_FATAL_FAILURE(check_map(d));
}

// 256 entries are lost but for those in the table. Reads of lost pages fail; the data are still there, so
// that collection brings some back, and drops those that have been written since.
TEST(CachedMap, LosesWhatATranslationPageHadAlone)
{
    MapDevice d(map_config(128));
    d.fill();
    for (u32 i = 0; i < 4000; ++i) { // blocks of mixed contents, which are collected
        d.one(HAL_HOST_WRITE, d.draw(2048));
    }
    d.clean();
    const u32 page = 2;
    d.unreadable.insert(d.map().directory[page] - 1);
    u32 known = 0;
    u32 lost = FW_NONE;
    for (u32 lpn = page * 256; lpn < (page + 1) * 256; ++lpn) {
        known += d.cached(lpn);
        lost = d.cached(lpn) ? lost : lpn;
        if (!d.cached(lpn)) {
            d.explain(lpn);
        }
    }
    ASSERT_NE(lost, FW_NONE);
    d.one(HAL_HOST_READ, lost);
    EXPECT_EQ(d.read_errors, 1u);
    EXPECT_EQ(d.stats().pages_lost, 256u - known);
    for (u32 lpn = page * 256; lpn < page * 256 + 100; ++lpn) { // others' old copies stay where they are
        d.one(HAL_HOST_WRITE, lpn);
    }
    for (u32 i = 0; i < 8000; ++i) {
        const u32 lpn = d.draw(2048);
        if (lpn / 256 != page) {
            d.one(HAL_HOST_WRITE, lpn);
        }
    }
    u32 back = 0;
    const u64 errors = d.read_errors;
    for (u32 lpn = 0; lpn < 2048; ++lpn) {
        d.one(HAL_HOST_READ, lpn); // the right data, or an error where it was lost
        back += lpn / 256 == page && lpn % 256 >= 100 && !(d.map_entry(lpn) == FTL_LOST);
    }
    EXPECT_GT(back, 0u);
    EXPECT_EQ(d.read_errors - errors, 156u - back);
    EXPECT_EQ(d.stats().read_only, 0u);
}

TEST(CachedMap, FindsWhoseAPageWasThatCollectionCannotRead)
{
    for (const u64 seed : {1, 2, 3}) {
        MapDevice d(map_config(128, 1024, FW_SCHED_HOST), seed);
        d.fill();
        for (u32 round = 0; round < 20; ++round) {
            for (u32 i = 0; i < 10; ++i) {
                const u32 entry = d.map_entry(d.draw(1024));
                if (ftl_is_mapped(entry)) {
                    d.unreadable.insert(entry - 1);
                }
            }
            storm(d, 200);
            d.expect_all_in_flash();
            ASSERT_NO_FATAL_FAILURE(check_map(d));
        }
        EXPECT_GT(d.stats().pages_lost, 5u);
        EXPECT_EQ(d.stats().read_only, 0u);
    }
}

// Half of what is programmed and erased fails: it ends read-only, and nothing hangs or is wrong before or after.
TEST(CachedMap, WearsOutLikeTheOther)
{
    u32 ended = 0;
    for (u32 scheduler = 0; scheduler < FW_SCHED_COUNT; ++scheduler) {
        SCOPED_TRACE(kSchedulers[scheduler]);
        MapDevice d(map_config(128, 1024, scheduler), 10 + scheduler);
        d.capacity = one_a_die(scheduler) ? 4 : 20;
        d.fill();
        d.faults = {100, 500, 0, ~0u};
        for (u32 round = 0; round < 60 && d.stats().read_only == 0; ++round) {
            storm(d, 100);
        }
        storm(d, 100);
        ended += d.stats().read_only != 0;
        EXPECT_EQ(d.inside(), 0u);
    }
    EXPECT_EQ(ended, u32{FW_SCHED_COUNT});
}

} // namespace
} // namespace tlmssd::tb
