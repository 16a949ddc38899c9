// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: garbage collection by the FTL alone: the victim, moves, races with the host.
#include <gmock/gmock.h>

#include "tb/firmware/ftl_rig.h"

namespace tlmssd::tb {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// The FTL alone on one plane of 12 blocks of 4 pages; collection starts at 2 free blocks.
class Gc : public testing::Test, public FtlRig {
protected:
    Gc() : FtlRig(config()) {}
    /// More logical pages than collection could serve: states that are easier to read.
    static fw_config config()
    {
        fw_config c = small_config(1, 1, 1, 1, 12, 4);
        c.logical_pages = 48;
        return c;
    }

    void occupy(std::initializer_list<u32> valid) { FtlRig::occupy(0, valid); }
    void check() { ftl_gc_check(rig.f(), 0); }
    /// The op of the only message, which must be OP_PLACED for sched.
    u32 placed()
    {
        const fw_message m = rig.take_one();
        EXPECT_EQ(m.kind, FW_MSG_OP_PLACED);
        return m.a;
    }
    u32 block_of(u32 i) const { return ftl_block_index(ftl, op(i).ppn); }
    /// The host writes `lpn`: placed and assigned at once. Returns the op.
    u32 host_write(u32 lpn)
    {
        const u32 o = start(FLASH_OP_PROGRAM, lpn);
        EXPECT_EQ(placed(), o);
        tell(FW_MSG_OP_ASSIGN, o);
        return o;
    }
};

TEST_F(Gc, PicksTheBlockWithTheFewestValidPages)
{
    occupy({4, 3, 2, 3, 1, 2, 4, 4, 4, 3}); // two blocks left free
    check();
    const u32 o = placed();
    EXPECT_EQ(op(o).opcode, FLASH_OP_READ);
    EXPECT_EQ(block_of(o), 4u);
    EXPECT_EQ(op(o).ppn % 4, 3u) << "its one valid page";
    EXPECT_NE(op(o).flags & FW_OP_WITH_OOB, 0);
    EXPECT_EQ(rig.stats().gc_runs, 1u);
}

TEST_F(Gc, PicksTheFirstOfEqualBlocks)
{
    occupy({4, 2, 2, 4, 4, 4, 4, 4, 4, 4});
    check();
    EXPECT_EQ(block_of(placed()), 1u);
}

TEST_F(Gc, WaitsUntilFreeBlocksAreAsFewAsTheThreshold)
{
    occupy({0, 0, 0, 0, 0, 0, 0, 0, 0}); // 3 free
    check();
    EXPECT_THAT(rig.take(), IsEmpty());
    occupy({4});
    check();
    EXPECT_THAT(rig.take(), SizeIs(1));
}

TEST_F(Gc, LeavesBlocksAloneThatAreOpenBusyOrFullOfValidPages)
{
    occupy({0, 1, 2, 4, 4, 4, 4, 4, 4, 4});
    gc_block_state(rig.f(), 0, 0, BLOCK_OPEN);
    ftl->blocks[1].pending = 1;
    check();
    EXPECT_EQ(block_of(placed()), 2u);
}

TEST_F(Gc, FindsNothingWhereEveryPageIsValid)
{
    occupy({4, 4, 4, 4, 4, 4, 4, 4, 4, 4});
    check();
    EXPECT_THAT(rig.take(), IsEmpty());
    EXPECT_EQ(ftl->gc_active, 0u);
}

TEST_F(Gc, ErasesABlockWithoutValidPagesAtOnce)
{
    occupy({4, 0, 4, 4, 4, 4, 4, 4, 4, 4});
    check();
    const u32 o = placed();
    EXPECT_EQ(op(o).opcode, FLASH_OP_ERASE);
    EXPECT_EQ(block_of(o), 1u);
    tell(FW_MSG_OP_DONE, o);
    EXPECT_EQ(ftl->planes[0].free_count, 3u);
    EXPECT_EQ(ftl->blocks[1].erases, 1u);
    EXPECT_EQ(ftl->blocks[1].state, BLOCK_FREE);
    EXPECT_EQ(rig.stats().gc_blocks_erased, 1u);
    EXPECT_EQ(rig.stats().gc_pages_moved, 0u);
}

TEST_F(Gc, MovesThePagesAndThenErases)
{
    occupy({4, 4, 2, 4, 4, 4, 4, 4, 4, 4}); // victim: block 2 with LPNs 8 and 9 in pages 2 and 3
    check();
    for (u32 i = 0; i < 2; ++i) {
        const u32 r = placed();
        EXPECT_EQ(op(r).ppn, ftl_ppn(ftl, 0, 2, 2 + i));
        ended(r, 8 + i);
        const u32 w = placed();
        EXPECT_EQ(op(w).opcode, FLASH_OP_PROGRAM);
        EXPECT_NE(op(w).flags & FW_OP_GC, 0);
        EXPECT_EQ(op(w).buf, ftl->gc_buffer_base) << "the plane's own page buffer";
        tell(FW_MSG_OP_ASSIGN, w);
        EXPECT_EQ(rig.take_one().kind, FW_MSG_OP_ASSIGNED);
        EXPECT_EQ(op(w).ppn, ftl_ppn(ftl, 0, 10, i)) << "the next free block";
        EXPECT_EQ(ftl->map[8 + i], ftl_ppn(ftl, 0, 10, i) + 1);
        EXPECT_EQ(op(w).oob.lpn, 8 + i);
        tell(FW_MSG_OP_DONE, w);
    }
    const u32 e = placed();
    EXPECT_EQ(op(e).opcode, FLASH_OP_ERASE);
    EXPECT_EQ(block_of(e), 2u);
    EXPECT_EQ(ftl->blocks[2].valid, 0u);
    EXPECT_EQ(rig.stats().gc_pages_moved, 2u);
    EXPECT_EQ(rig.stats().host_pages_written, 0u);
    EXPECT_EQ(rig.stats().flash_pages_written, 2u);
}

TEST_F(Gc, SkipsAPageThatTheHostOverwroteWhileItWasRead)
{
    occupy({4, 1, 3, 3, 3, 3, 3, 3, 3, 3}); // 29 pages: below the plane's limit of 8 blocks
    const u32 victim_lpn = 4;
    check();
    const u32 r = placed();
    const u32 w = host_write(victim_lpn);
    rig.take();
    ended(r, victim_lpn);
    const u32 e = placed();
    EXPECT_EQ(op(e).opcode, FLASH_OP_ERASE) << "nothing valid is left in the victim";
    EXPECT_EQ(ftl->map[victim_lpn], op(w).ppn + 1);
}

TEST_F(Gc, DoesNotMapACopyThatTheHostOverwroteBeforeItWasWritten)
{
    occupy({4, 1, 3, 3, 3, 3, 3, 3, 3, 3});
    const u32 victim_lpn = 4;
    check();
    ended(placed(), victim_lpn);
    const u32 copy = placed();
    const u32 w = host_write(victim_lpn); // assigned before the copy
    rig.take();
    tell(FW_MSG_OP_ASSIGN, copy);
    EXPECT_EQ(ftl->map[victim_lpn], op(w).ppn + 1);
    EXPECT_FALSE(ftl_is_valid(ftl, op(copy).ppn)) << "dead on arrival";
    EXPECT_EQ(ftl->blocks[ftl_block_index(ftl, op(copy).ppn)].valid, 0u);
}

TEST_F(Gc, ErasesOnlyWhenTheLastReadOfTheVictimHasEnded)
{
    occupy({4, 1, 4, 4, 4, 4, 4, 4, 4, 4});
    const u32 read = fw_op_alloc(rig.f());
    check();
    const u32 r = placed();
    rig.f()->ops[read].opcode = FLASH_OP_READ; // the host reads the same page meanwhile
    rig.f()->ops[read].lpn = 4;
    tell(FW_MSG_OP_NEW, read);
    placed();
    ended(r, 4);
    const u32 w = placed();
    tell(FW_MSG_OP_ASSIGN, w);
    rig.take();
    tell(FW_MSG_OP_DONE, w);
    EXPECT_THAT(rig.take(), IsEmpty()) << "the host still reads the old place";
    EXPECT_EQ(ftl->planes[0].gc_state, GC_WAITING);
    tell(FW_MSG_OP_DONE, read);
    const std::vector<fw_message> m = rig.take(); // the read's end for the buffer, the erase
    ASSERT_THAT(m, SizeIs(2));
    EXPECT_EQ(m[0].kind, FW_MSG_PAGE_OP_DONE);
    EXPECT_EQ(op(m[1].a).opcode, FLASH_OP_ERASE);
}

TEST_F(Gc, HostWritesWaitForTheLastFreeBlockButCollectionMayTakeIt)
{
    occupy({4, 3, 4, 4, 4, 4, 4, 4, 3, 4, 4}); // one free block; host and collection have none open
    const u32 first = fw_op_alloc(rig.f());
    rig.f()->ops[first].opcode = FLASH_OP_PROGRAM;
    rig.f()->ops[first].lpn = 44; // beyond what occupy() mapped
    rig.f()->ops[first].flags = FW_OP_TRANSLATED;
    rig.f()->ops[first].die = rig.f()->ops[first].plane = 0;
    ++ftl->planes[0].valid;
    tell(FW_MSG_OP_ASSIGN, first);
    const u32 r = placed(); // the write waits; the victim is block 1
    EXPECT_EQ(op(r).opcode, FLASH_OP_READ);
    EXPECT_EQ(ftl->waiting, 1u);
    for (u32 page = 0, read = r; page < 3; ++page) {
        ended(read, 4 + page);
        const u32 w = placed();
        tell(FW_MSG_OP_ASSIGN, w);
        EXPECT_EQ(op(w).ppn, ftl_ppn(ftl, 0, 11, page)) << "collection takes the last free block";
        rig.take();
        tell(FW_MSG_OP_DONE, w);
        read = placed();
        if (page == 2) {
            EXPECT_EQ(op(read).opcode, FLASH_OP_ERASE);
            tell(FW_MSG_OP_DONE, read);
        }
    }
    // One free block again, and it stays collection's: the next victim is block 8.
    EXPECT_EQ(ftl->planes[0].free_count, 1u);
    EXPECT_EQ(ftl->waiting, 1u);
    EXPECT_EQ(block_of(placed()), 8u);
}

TEST_F(Gc, StopsAtMetadataThatDoNotMatchTheMap)
{
    occupy({4, 1, 4, 4, 4, 4, 4, 4, 4, 4});
    check();
    const u32 r = placed();
    try {
        ended(r, 3); // the page holds LPN 4
        FAIL() << "accepted";
    } catch (const FirmwarePanic& panic) {
        EXPECT_EQ(panic.code, static_cast<u32>(FW_PANIC_OOB));
    }
}

/// The FTL alone: the destination is taken when the copy is sent, the map moves when it has ended.
TEST_F(Gc, CopiesBackWithTheMapAtTheSourceUntilItHasEnded)
{
    fw_config c = config();
    c.gc_copyback = 1;
    FtlRig copying(c);
    fw_ftl* const f = copying.ftl;
    copying.occupy(0, {2, 4, 4, 4, 4, 4, 4, 4, 4, 4});
    std::fill_n(f->copies, 10, static_cast<u8>(1));
    ftl_gc_check(copying.rig.f(), 0);
    const u32 first = copying.rig.take_one().a;
    const fw_op o = copying.op(first);
    EXPECT_EQ(o.opcode, FLASH_OP_COPYBACK);
    EXPECT_EQ(o.ppn, ftl_ppn(f, 0, 0, 2));
    EXPECT_EQ(o.copy_ppn, ftl_ppn(f, 0, 10, 0));
    EXPECT_EQ(o.row, 2u);              // one plane, one LUN, 4 pages: block << 2 | page
    EXPECT_EQ(o.copy_row, 10u << 2);
    EXPECT_EQ(o.len, 0u);
    EXPECT_EQ(f->map[0], o.ppn + 1);
    EXPECT_EQ(f->blocks[0].pending, 1u);
    EXPECT_EQ(f->blocks[10].pending, 1u);
    copying.ended(first, 0);
    EXPECT_EQ(f->map[0], o.copy_ppn + 1);
    EXPECT_EQ(f->blocks[10].valid, 1u);
    EXPECT_EQ(f->blocks[10].pending, 1u) << "the next copy's";
    const u32 second = copying.rig.take_one().a;
    ftl_invalidate(copying.rig.f(), f->map[1] - 1); // overwritten while it is copied
    f->map[1] = 0;
    copying.ended(second, 1);
    EXPECT_EQ(f->map[1], 0u);
    EXPECT_EQ(f->blocks[10].valid, 1u) << "dead on arrival";
    EXPECT_EQ(f->blocks[10].pending, 0u);
    EXPECT_EQ(copying.op(copying.rig.take_one().a).opcode, FLASH_OP_ERASE);
}

} // namespace
} // namespace tlmssd::tb
