// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a mount finds in flash, reads and counts, with journal pages and without.
#include <gtest/gtest.h>

#include "tb/firmware/device_power.h"

namespace tlmssd::tb {
namespace {

/// A full block and copies of its pages in one that was not finished: the full one's count, whichever
/// is read first, so that the other can be erased.
TEST(PowerMount, PrefersOriginalsOfAFullBlock)
{
    for (const u32 full : {2u, 5u}) {
        const u32 open = 7 - full;
        PowerDevice d(power_config(FW_SCHED_INORDER, FW_BUFFER_LRU));
        const fw_ftl* ftl = d.f()->ftl;
        for (u32 page = 0; page < 4; ++page) {
            d.plant(ftl_ppn(ftl, 3, full, page), 10 + page, 20 + page);
        }
        for (u32 page = 0; page < 3; ++page) {
            d.plant(ftl_ppn(ftl, 3, open, page), 10 + page, page == 1 ? 30 : 20 + page);
        }
        ASSERT_TRUE(d.mount());
        EXPECT_EQ(ftl->map[10], ftl_ppn(ftl, 3, full, 0) + 1);
        EXPECT_EQ(ftl->map[11], ftl_ppn(ftl, 3, open, 1) + 1) << "younger";
        EXPECT_EQ(ftl->map[12], ftl_ppn(ftl, 3, full, 2) + 1);
        EXPECT_EQ(ftl->map[13], ftl_ppn(ftl, 3, full, 3) + 1);
        EXPECT_EQ(ftl->sequence, 31u) << "behind every number in flash";
    }
}

/// 8 planes, 11 blocks of 4 pages: every page is read once where all are written; else a block costs
/// its pages and the first erased one.
TEST(PowerMount, ReadsEachBlockToItsFirstErasedPage)
{
    PowerDevice d(power_config(FW_SCHED_INORDER, FW_BUFFER_LRU));
    const fw_ftl* ftl = d.f()->ftl;
    for (u32 page = 0; page < 4; ++page) {
        d.plant(ftl_ppn(ftl, 0, 0, page), page, 1 + page);
    }
    d.plant(ftl_ppn(ftl, 0, 1, 0), 4, 5);
    ASSERT_TRUE(d.mount());
    EXPECT_EQ(d.stats().mount_reads, 4u + 2u + (8u * 11u - 2u));
}

/// 8 planes, 13 blocks of 3 pages and a journal page. 24 writes fill a block a plane: one read for each of
/// these, two for an erased one.
TEST(JournalMount, ReadsAPageOfEachFullBlock)
{
    auto d = std::make_unique<PowerDevice>(journal_config(FW_SCHED_INORDER, FW_BUFFER_NONE));
    for (u32 lpn = 0; lpn < 24; ++lpn) {
        d->write_page(lpn);
        d->tick_until(0);
    }
    while (d->tick()) {
    }
    EXPECT_EQ(d->stats().journal_pages_written, 8u);
    EXPECT_EQ(d->stats().flash_pages_written, 32u);
    d = d->cut(2);
    ASSERT_TRUE(d->mount());
    EXPECT_EQ(d->stats().mount_reads, 8u + 8u * 12u * 2u);
    EXPECT_EQ(d->stats().mount_journals, 8u);
    EXPECT_EQ(d->stats().mount_doubts, 0u);
    ASSERT_NO_THROW(d->expect_as_scanned());
    ASSERT_NO_THROW(d->read_all());
}

/// A block is filled between two erases of it, and its journal page says how often it had been erased: so at
/// most one erase is forgotten, and none of a full block.
TEST(JournalMount, KnowsEraseCounts)
{
    auto d = std::make_unique<PowerDevice>(journal_config(FW_SCHED_INORDER, FW_BUFFER_NONE));
    for (u32 n = 0; n < 188 * 20; ++n) {
        d->tick_until(8);
        d->write_page(n * 7 % 188);
    }
    d->tick_until(0);
    while (d->tick()) {
    }
    const fw_ftl* ftl = d->f()->ftl;
    const u32 count = 8u << ftl->block_bits;
    const std::vector<block> before(ftl->blocks, ftl->blocks + count);
    d = d->cut(2);
    ASSERT_TRUE(d->mount());
    u32 full = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 known = d->f()->ftl->blocks[i].erases;
        full += before[i].state == BLOCK_FULL;
        if (before[i].state == BLOCK_FULL) {
            EXPECT_EQ(known, before[i].erases) << "block " << i;
            EXPECT_GT(known, 3u);
        } else {
            EXPECT_LE(known, before[i].erases) << "block " << i;
            EXPECT_GE(known + 1, before[i].erases) << "block " << i;
        }
    }
    EXPECT_GE(full, 64u);
    EXPECT_EQ(d->stats().mount_journals, full) << "of the host's pages, of copies, of both";
}

/// Seven blocks of a plane fail, one more than it has buffers for journal pages: those that are full in the end
/// have theirs all the same.
TEST(JournalMount, AFailedBlockTakesNoBuffer)
{
    auto d = std::make_unique<PowerDevice>(journal_config(FW_SCHED_INORDER, FW_BUFFER_NONE, 1, 20));
    for (u32 block = 1; block <= 7; ++block) {
        d->failing_blocks.insert(block);
    }
    for (u32 n = 0; n < 188 * 20; ++n) {
        d->tick_until(8);
        d->write_page(n * 7 % 188);
    }
    d->tick_until(0);
    while (d->tick()) {
    }
    const fw_ftl* ftl = d->f()->ftl;
    ASSERT_EQ(d->stats().blocks_retired, 7u);
    u32 full = 0;
    for (u32 block = 0; block < 8u << ftl->block_bits; ++block) {
        full += ftl->blocks[block].state == BLOCK_FULL;
    }
    d = d->cut(2);
    ASSERT_TRUE(d->mount());
    EXPECT_EQ(d->stats().mount_journals, full);
}

/// Block 2 is full and has its journal page, but its other pages have been erased: a cut in its erase.
TEST(JournalMount, ReadsBlocksWhoseVersionsAreElsewhereToo)
{
    PowerDevice d(journal_config(FW_SCHED_INORDER, FW_BUFFER_LRU));
    const fw_ftl* ftl = d.f()->ftl;
    d.plant_journal(2, {{10, 20}, {11, 21}, {12, 22}}, 5);
    d.plant(ftl_ppn(ftl, 0, 5, 0), 10, 20);
    d.plant(ftl_ppn(ftl, 0, 5, 1), 11, 21);
    d.plant(ftl_ppn(ftl, 0, 6, 0), 12, 30);
    ASSERT_TRUE(d.mount());
    EXPECT_EQ(ftl->map[10], ftl_ppn(ftl, 0, 5, 0) + 1);
    EXPECT_EQ(ftl->map[11], ftl_ppn(ftl, 0, 5, 1) + 1);
    EXPECT_EQ(ftl->map[12], ftl_ppn(ftl, 0, 6, 0) + 1) << "younger";
    EXPECT_EQ(ftl->blocks[2].erases, 5u);
    EXPECT_EQ(d.stats().mount_doubts, 1u);
    EXPECT_EQ(d.stats().mount_scans, 0u);
}

/// A whole journal page with a wrong sum: the block's pages count, and they say something else.
TEST(JournalMount, TrustsNoDamagedPage)
{
    for (const bool damaged : {false, true}) {
        PowerDevice d(journal_config(FW_SCHED_INORDER, FW_BUFFER_LRU));
        const fw_ftl* ftl = d.f()->ftl;
        for (u32 page = 0; page < 3; ++page) {
            d.plant(ftl_ppn(ftl, 0, 2, page), 50 + page, 60 + page);
        }
        d.plant_journal(2, {{10, 20}, {11, 21}, {12, 22}}, 5, damaged);
        ASSERT_TRUE(d.mount());
        for (u32 page = 0; page < 3; ++page) {
            EXPECT_EQ(ftl->map[10 + page], damaged ? 0 : ftl_ppn(ftl, 0, 2, page) + 1);
            EXPECT_EQ(ftl->map[50 + page], damaged ? ftl_ppn(ftl, 0, 2, page) + 1 : 0);
        }
        EXPECT_EQ(ftl->blocks[2].erases, damaged ? 0u : 5u);
        EXPECT_EQ(d.stats().mount_journals, damaged ? 0u : 1u);
    }
}

/// Two journal pages name one version, and neither block has it: everything is read, and an older one found.
TEST(JournalMount, ReadsAllWhereAPageIsMissing)
{
    PowerDevice d(journal_config(FW_SCHED_INORDER, FW_BUFFER_LRU));
    const fw_ftl* ftl = d.f()->ftl;
    d.plant_journal(2, {{10, 20}, {11, 21}, {12, 22}}, 5);
    d.plant_journal(3, {{10, 20}, {13, 23}, {14, 24}}, 5);
    d.plant(ftl_ppn(ftl, 0, 5, 0), 10, 3);
    ASSERT_TRUE(d.mount());
    EXPECT_EQ(ftl->map[10], ftl_ppn(ftl, 0, 5, 0) + 1);
    EXPECT_EQ(ftl->map[11], 0u);
    EXPECT_EQ(d.stats().mount_doubts, 2u);
    EXPECT_EQ(d.stats().mount_scans, 1u);
}

/// Collection cannot read a page of its victim: the block is retired, not erased, and after a cut the page still
/// cannot be read, rather than being something older.
TEST(JournalMount, ALostPageStaysLost)
{
    auto d = std::make_unique<PowerDevice>(journal_config(FW_SCHED_INORDER, FW_BUFFER_NONE, 1, 14));
    d->write_page(5);
    d->tick_until(0);
    const u32 lost = d->f()->ftl->map[5] - 1;
    d->unreadable.insert(lost);
    for (u32 n = 0; n < 188 * 100 && d->stats().pages_lost == 0; ++n) {
        d->tick_until(8);
        d->write_page(6 + d->draw(182));
    }
    d->tick_until(0);
    while (d->tick()) {
    }
    ASSERT_EQ(d->stats().pages_lost, 1u);
    EXPECT_EQ(d->f()->ftl->map[5], FTL_LOST);
    EXPECT_EQ(d->f()->ftl->blocks[ftl_block_index(d->f()->ftl, lost)].state, BLOCK_BAD);
    auto after = d->cut(2);
    after->unreadable = d->unreadable;
    ASSERT_TRUE(after->mount());
    EXPECT_EQ(after->f()->ftl->map[5], lost + 1);
}

/// What a FLUSH has written about a retired block is known after a cut.
TEST(PowerMount, KnowsRetiredBlocks)
{
    auto d = std::make_unique<PowerDevice>(power_config(FW_SCHED_INORDER, FW_BUFFER_NONE, 1, 20));
    const u32 block = 2u << d->f()->ftl->block_bits; // the first that plane 2 programs
    d->failing_blocks.insert(block);
    for (u32 lpn = 0; lpn < 64; ++lpn) {
        d->write_page(lpn);
        d->tick_until(0);
    }
    while (d->tick()) {
    }
    ASSERT_EQ(d->f()->ftl->blocks[block].state, BLOCK_BAD);
    d->flush();
    d->tick_until(0);
    EXPECT_EQ(d->stats().table_pages_written, 1u);
    d = d->cut(2);
    ASSERT_TRUE(d->mount());
    EXPECT_EQ(d->f()->ftl->blocks[block].state, BLOCK_BAD);
    EXPECT_EQ(d->stats().blocks_retired, 1u);
    ASSERT_NO_THROW(d->read_all());
}

} // namespace
} // namespace tlmssd::tb
