// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bad blocks one at a time: from the factory, failed programs and erases, lost pages.
#include <gmock/gmock.h>

#include "tb/firmware/device.h"
#include "tb/firmware/ftl_rig.h"

namespace tlmssd::tb {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

void settle(Device& d) // collection goes on by itself
{
    d.run();
    while (!d.flights().empty()) {
        d.finish(0);
        d.run();
    }
}

u32 block_state(const Device& d, u32 plane, u32 block)
{
    const fw_ftl* ftl = d.f()->ftl;
    return ftl->blocks[plane << ftl->block_bits | block].state;
}

TEST(FactoryBadBlocks, AreNeverUsedAndLowerThePlanesLimit)
{
    fw_config c = small_config(1, 1, 1, 2, 16, 4);
    c.logical_pages = 2 * 4 * 6; // 6 of 16 blocks a plane
    c.buffer_policy = FW_BUFFER_NONE;
    Device d(c, 3);
    for (const u32 block : {0u, 1u, 5u, 15u}) {
        d.mark_bad(0, 1, block);
    }
    d.mark_bad(0, 1, 5); // twice is once
    EXPECT_EQ(d.stats().factory_bad, 4u);
    EXPECT_EQ(d.f()->ftl->planes[0].limit, (16u - 4) * 4);
    EXPECT_EQ(d.f()->ftl->planes[1].limit, (16u - 4 - 4) * 4);
    EXPECT_EQ(d.f()->ftl->planes[1].free_count, 12u);
    for (u32 i = 0; i < 2000; ++i) { // the device throws at an operation on a bad block
        d.tick_until(d.draw(d.config().host_tags));
        d.write_page(d.draw(c.logical_pages));
    }
    d.tick_until(0);
    while (d.tick()) {
    }
    EXPECT_GT(d.stats().gc_blocks_erased, 100u);
    EXPECT_EQ(d.stats().blocks_retired, 0u);
    check_map(d);
}

TEST(FactoryBadBlocks, CannotBeMarkedLaterOrOutsideTheDevice)
{
    Device d(small_config(1, 1, 1, 1, 12, 4));
    EXPECT_THROW(d.mark_bad(1, 0, 0), FirmwarePanic);
    EXPECT_THROW(d.mark_bad(0, 1, 0), FirmwarePanic);
    EXPECT_THROW(d.mark_bad(0, 0, 12), FirmwarePanic);
    d.write_page(0, HAL_HOST_FUA);
    settle(d);
    EXPECT_THROW(d.mark_bad(0, 0, 5), FirmwarePanic);
}

TEST(FailedProgram, IsDoneAgainInAnotherBlockBeforeAFlushEnds)
{
    fw_config c = small_config(1, 1, 1, 1, 14, 4);
    c.logical_pages = 24;
    Device d(c);
    d.failing_blocks = {0};
    d.write_page(7);
    d.run();
    EXPECT_EQ(d.inside(), 0u) << "write-back: acknowledged";
    const u32 flush = d.flush();
    d.run();
    ASSERT_THAT(d.flights(), SizeIs(1));
    EXPECT_EQ(d.flights()[0].op.row[0], 0u) << "block 0, page 0";
    d.finish(0);
    d.run();
    EXPECT_TRUE(d.inside(flush)) << "the page is not in flash yet";
    ASSERT_THAT(d.flights(), SizeIs(1));
    EXPECT_EQ(d.flights()[0].op.row[0], 1u << d.f()->ftl->page_bits) << "block 1, page 0";
    EXPECT_EQ(block_state(d, 0, 0), static_cast<u32>(BLOCK_BAD)) << "nothing valid was in it";
    d.finish(0);
    d.run();
    EXPECT_FALSE(d.inside(flush));
    d.expect_all_in_flash();
    check_map(d);
    EXPECT_EQ(d.stats().program_fails, 1u);
    EXPECT_EQ(d.stats().blocks_retired, 1u);
    EXPECT_EQ(d.stats().host_pages_written, 1u);
    EXPECT_EQ(d.stats().flash_pages_written, 2u);
}

TEST(FailedProgram, KeepsAFuaWriteWaiting)
{
    fw_config c = small_config(1, 1, 1, 1, 14, 4);
    c.logical_pages = 24;
    Device d(c);
    d.failing_blocks = {0};
    const u32 tag = d.write_page(7, HAL_HOST_FUA);
    d.run();
    d.finish(0);
    d.run();
    EXPECT_TRUE(d.inside(tag));
    settle(d);
    EXPECT_FALSE(d.inside(tag));
    EXPECT_EQ(d.write_errors, 0u);
    d.expect_all_in_flash();
}

/// Pages 0 to 2 of block 0 are good, page 3 fails: collection moves three pages and retires it.
TEST(FailedProgram, HasTheValidPagesOfItsBlockMovedAndTheBlockRetired)
{
    fw_config c = small_config(1, 1, 1, 1, 14, 4);
    c.logical_pages = 24;
    c.buffer_policy = FW_BUFFER_NONE;
    Device d(c);
    for (u32 lpn = 0; lpn < 3; ++lpn) {
        d.write_page(lpn);
        settle(d);
    }
    d.failing_blocks = {0};
    d.write_page(3);
    settle(d);
    EXPECT_EQ(block_state(d, 0, 0), static_cast<u32>(BLOCK_BAD));
    EXPECT_EQ(d.stats().gc_pages_moved, 3u);
    EXPECT_EQ(d.stats().gc_blocks_erased, 0u);
    EXPECT_EQ(d.erases, 0u) << "retired, not erased";
    EXPECT_EQ(d.programs_on_failed, 0u);
    EXPECT_EQ(d.f()->ftl->planes[0].good, 13u);
    d.expect_all_in_flash();
    check_map(d);
}

/// vaq joins pages 0 and 1 on the two planes; the one on plane 1 fails.
TEST(FailedProgram, OfOnePlaneIsDoneAgainAlone)
{
    fw_config c = small_config(1, 1, 1, 2, 14, 4);
    c.logical_pages = 48;
    c.scheduler = FW_SCHED_VAQ;
    c.buffer_policy = FW_BUFFER_NONE;
    Device d(c);
    d.failing_blocks = {1u << d.f()->ftl->block_bits}; // plane 1, block 0
    d.issue(HAL_HOST_WRITE, 0, 16);
    d.run();
    d.finish(0); // page 0 may have gone alone
    settle(d);
    EXPECT_EQ(d.inside(), 0u);
    EXPECT_EQ(d.stats().program_fails, 1u);
    EXPECT_EQ(d.programs, 3u) << "two pages and one of them again";
    d.expect_all_in_flash();
    check_map(d);
}

TEST(FailedErase, RetiresTheBlockAndCollectionGoesOn)
{
    fw_config c = small_config(1, 1, 1, 1, 14, 4);
    c.logical_pages = 24;
    c.buffer_policy = FW_BUFFER_NONE;
    Device d(c);
    for (u32 i = 0; i < 12 * 4; ++i) { // LPNs 0 to 23 twice: blocks 0 to 5 hold nothing valid
        d.write_page(i % 24);
        settle(d);
        if (i == 43) { // the next write leaves two free blocks, and collection begins with block 0
            d.failing_blocks = {0};
        }
    }
    settle(d);
    EXPECT_EQ(d.stats().erase_fails, 1u);
    EXPECT_EQ(d.stats().blocks_retired, 1u);
    EXPECT_EQ(block_state(d, 0, 0), static_cast<u32>(BLOCK_BAD));
    EXPECT_GE(d.stats().gc_blocks_erased, 1u);
    EXPECT_GT(d.f()->ftl->planes[0].free_count, c.gc_threshold);
    d.expect_all_in_flash();
    check_map(d);
}

/// Collection has to move LPN 1 out of block 0, whose other pages are overwritten.
class Collection : public testing::Test {
protected:
    Collection() : d(config()) {}
    static fw_config config()
    {
        fw_config c = small_config(1, 1, 1, 1, 14, 4);
        c.logical_pages = 24;
        c.buffer_policy = FW_BUFFER_NONE;
        return c;
    }
    void write(u32 lpn)
    {
        d.write_page(lpn);
        settle(d);
    }
    /// Blocks 0 to 5 hold LPNs 0 to 23, 6 to 11 others again; 0, 2 and 3 are overwritten.
    void fill()
    {
        for (u32 lpn = 0; lpn < 24; ++lpn) {
            write(lpn);
        }
        for (u32 i = 0; i < 22; ++i) {
            write(i % 2 == 0 ? 0 : i % 4 == 1 ? 2 : 3);
        }
    }
    /// Until block 0 has been a victim.
    void collect()
    {
        const u32 first = d.f()->ftl->map[1];
        for (u32 i = 0; i < 200 && d.f()->ftl->map[1] == first; ++i) {
            write(4 + d.draw(20));
        }
    }
    Device d;
};

TEST_F(Collection, LosesAPageThatCannotBeReadUntilItIsWrittenAgain)
{
    fill();
    const u32 ppn = d.f()->ftl->map[1] - 1;
    ASSERT_EQ(ppn, 1u);
    d.unreadable = {ppn};
    collect();
    EXPECT_EQ(d.f()->ftl->map[1], FTL_LOST);
    EXPECT_EQ(d.stats().pages_lost, 1u);
    EXPECT_EQ(d.stats().read_errors, 1u);
    const u64 flash_reads = d.reads;
    d.read_page(1);
    settle(d);
    EXPECT_EQ(d.read_errors, 1u);
    EXPECT_EQ(d.reads, flash_reads) << "there is nothing to read";
    write(1);
    d.read_page(1);
    settle(d);
    EXPECT_EQ(d.read_errors, 1u);
    check_map(d);
}

TEST_F(Collection, LosesAPageUntilItIsTrimmed)
{
    fill();
    d.unreadable = {1};
    collect();
    ASSERT_EQ(d.f()->ftl->map[1], FTL_LOST);
    d.issue(HAL_HOST_TRIM, 8, 8);
    settle(d);
    EXPECT_EQ(d.f()->ftl->map[1], 0u);
    d.read_page(1); // zeros
    settle(d);
    EXPECT_EQ(d.read_errors, 0u);
    check_map(d);
}

TEST_F(Collection, KeepsTheSectorsThatWereWrittenToALostPage)
{
    fill();
    d.unreadable = {1};
    collect();
    ASSERT_EQ(d.f()->ftl->map[1], FTL_LOST);
    d.issue(HAL_HOST_WRITE, 8 + 2, 3); // sectors 2 to 4 of page 1; not acknowledged before it is done
    settle(d);
    EXPECT_EQ(d.write_errors, 1u) << "the host is told that the rest is lost";
    EXPECT_EQ(lost_get(d.f()->buffer, 1), 0xffu & ~0x1cu);
    d.issue(HAL_HOST_READ, 8 + 2, 3);
    settle(d);
    EXPECT_EQ(d.read_errors, 0u);
    d.issue(HAL_HOST_READ, 8 + 1, 2);
    settle(d);
    EXPECT_EQ(d.read_errors, 1u);
    d.issue(HAL_HOST_WRITE, 8, 2); // sectors 0 and 1: now 5 to 7 are lost
    settle(d);
    EXPECT_EQ(lost_get(d.f()->buffer, 1), 0xe0u);
    d.issue(HAL_HOST_WRITE, 8 + 5, 3);
    settle(d);
    EXPECT_EQ(d.f()->buffer->lost_pages, 0u);
    d.read_page(1);
    settle(d);
    EXPECT_EQ(d.read_errors, 1u);
    EXPECT_EQ(d.write_errors, 1u) << "later writes lose nothing more";
    d.expect_all_in_flash();
    check_map(d);
}

TEST_F(Collection, WritesAFailedCopyAgain)
{
    fill();
    struct plane& p = d.f()->ftl->planes[0];
    const u32 next = p.fresh; // what collection will open, or the host; either is done again
    d.failing_blocks = {next};
    collect();
    EXPECT_GE(d.stats().program_fails, 1u);
    EXPECT_EQ(block_state(d, 0, next), static_cast<u32>(BLOCK_BAD));
    EXPECT_EQ(d.stats().pages_lost, 0u);
    for (u32 lpn = 0; lpn < 24; ++lpn) {
        d.read_page(lpn);
        settle(d);
    }
    EXPECT_EQ(d.read_errors, 0u);
    d.expect_all_in_flash();
    check_map(d);
}

/// The FTL alone, two planes of 12 blocks of 4 pages; plane 0 has 7 full blocks of valid pages.
class FullPlane : public testing::Test, public FtlRig {
protected:
    FullPlane() : FtlRig(config()) { occupy(0, {4, 4, 4, 4, 4, 4, 4}); }
    static fw_config config()
    {
        fw_config c = small_config(1, 1, 1, 2, 12, 4);
        c.logical_pages = 96;
        return c;
    }
    /// A host write of an LPN that has no page yet, as far as its plane. Returns the op.
    u32 place(u32 lpn)
    {
        const u32 o = start(FLASH_OP_PROGRAM, lpn);
        EXPECT_EQ(rig.take_one().kind, FW_MSG_OP_PLACED);
        return o;
    }
};

/// Limit (12 - 4) x 4 = 32 pages, 28 valid and one promised; a failed block makes it 28.
TEST_F(FullPlane, PassesAPromisedWriteOnWhenABlockFails)
{
    const u32 o = place(90);
    EXPECT_EQ(rig.f()->ops[o].plane, 0);
    EXPECT_EQ(ftl->planes[0].valid, 29u);
    ftl_block_failed(rig.f(), ftl_ppn(ftl, 0, 6, 3));
    EXPECT_EQ(ftl->planes[0].limit, 28u);
    tell(FW_MSG_OP_ASSIGN, o);
    EXPECT_EQ(rig.take_one().kind, FW_MSG_OP_ASSIGNED);
    EXPECT_EQ(rig.f()->ops[o].plane, 1);
    EXPECT_EQ(rig.f()->ops[o].ppn, ftl_ppn(ftl, 1, 0, 0));
    EXPECT_EQ(ftl->planes[0].valid, 28u);
    EXPECT_EQ(ftl->planes[1].valid, 1u);
    EXPECT_EQ(ftl->promised, 0u);
}

TEST_F(FullPlane, KeepsAPromisedWriteWhileItIsWithinItsLimit)
{
    ftl_block_failed(rig.f(), ftl_ppn(ftl, 0, 6, 3)); // 28 of 28
    ftl_invalidate(rig.f(), ftl_ppn(ftl, 0, 0, 0));
    ftl->map[0] = 0;
    ftl->counter = 0; // plane 0 is next
    const u32 o = place(90);
    tell(FW_MSG_OP_ASSIGN, o);
    EXPECT_EQ(rig.f()->ops[o].plane, 0);
}

TEST_F(FullPlane, LeavesCollectionTwoFreeBlocksOnceABlockHasFailed)
{
    ftl->planes[0].free_count = 2; // as if the others were in use
    u32 ppn = 0;
    EXPECT_TRUE(ftl_write_point_take(rig.f(), 0, false, &ppn));
    ftl->planes[0].host.block = FW_NONE;
    ftl->planes[0].free_count = 2;
    ftl_block_failed(rig.f(), ftl_ppn(ftl, 0, 6, 3));
    EXPECT_FALSE(ftl_write_point_take(rig.f(), 0, false, &ppn));
    EXPECT_TRUE(ftl_write_point_take(rig.f(), 0, true, &ppn));
}

/// Three valid pages to move, and one free block: it must stay for a victim that is erased.
TEST_F(FullPlane, EmptiesAFailedBlockOnlyWhereCollectionKeepsABlock)
{
    ftl_invalidate(rig.f(), ftl_ppn(ftl, 0, 6, 3));
    ftl->map[27] = 0;
    ftl_block_failed(rig.f(), ftl_ppn(ftl, 0, 6, 3));
    ftl->planes[0].free_count = 1;
    EXPECT_EQ(ftl_failed_victim(rig.f(), 0), FW_NONE);
    ftl->planes[0].free_count = 2;
    EXPECT_EQ(ftl_failed_victim(rig.f(), 0), 6u);
    ftl->planes[0].free_count = 1;
    ftl->planes[0].gc = {8, 1}; // three pages left in its open block
    EXPECT_EQ(ftl_failed_victim(rig.f(), 0), 6u);
    ftl->planes[0].gc = {8, 2};
    EXPECT_EQ(ftl_failed_victim(rig.f(), 0), FW_NONE);
    ftl->blocks[6].pending = 1;
    ftl->planes[0].free_count = 2;
    EXPECT_EQ(ftl_failed_victim(rig.f(), 0), FW_NONE) << "an operation runs on it";
}

} // namespace
} // namespace tlmssd::tb
