// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: garbage collection: the victim, races with the host, write amplification by hand.
#include <gmock/gmock.h>

#include <algorithm>

#include "tb/firmware/device.h"

namespace tlmssd::tb {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// The FTL alone on one plane of 12 blocks of 4 pages; collection starts at 2 free blocks.
class Gc : public testing::Test {
protected:
    Gc() : rig(config()), ftl(rig.f()->ftl) {}
    /// More logical pages than collection could serve: states that are easier to read.
    static fw_config config()
    {
        fw_config c = small_config(1, 1, 1, 1, 12, 4);
        c.logical_pages = 48;
        return c;
    }

    /// Blocks 0.. become full with that many valid pages each (the last pages of the block, so
    /// that the first ones are skipped); LPNs count up.
    void occupy(std::initializer_list<u32> valid)
    {
        struct plane& p = ftl->planes[0];
        for (const u32 count : valid) {
            const u32 block = p.fresh++;
            gc_free_blocks(ftl, 0, -1);
            for (u32 page = 4 - count; page < 4; ++page) {
                ftl_map_set(rig.f(), next_lpn++, ftl_ppn(ftl, 0, block, page));
                ++p.valid;
            }
            gc_block_state(rig.f(), 0, block, BLOCK_FULL);
        }
    }
    void check() { ftl_gc_check(rig.f(), 0); }
    /// The op of the only message, which must be OP_PLACED for sched.
    u32 placed()
    {
        const fw_message m = rig.take_one();
        EXPECT_EQ(m.kind, FW_MSG_OP_PLACED);
        return m.a;
    }
    const fw_op& op(u32 i) const { return rig.f()->ops[i]; }
    u32 block_of(u32 i) const { return ftl_block_index(ftl, op(i).ppn); }
    void tell(u16 kind, u32 o)
    {
        fw_message m{};
        m.kind = kind;
        m.a = o;
        rig.deliver(FW_ROOM_FTL, m);
    }
    /// A read has ended and brought the page's metadata.
    void read_done(u32 o, u32 lpn)
    {
        fw_oob& oob = rig.f()->ops[o].oob;
        oob = fw_oob{};
        oob.lpn = lpn;
        oob.kind = 1;
        oob.check = fw_oob_check(&oob);
        tell(FW_MSG_OP_DONE, o);
    }
    /// The host writes `lpn`: placed and bound at once. Returns the op.
    u32 host_write(u32 lpn)
    {
        const u32 o = fw_op_alloc(rig.f());
        rig.f()->ops[o].opcode = FLASH_OP_PROGRAM;
        rig.f()->ops[o].lpn = lpn;
        tell(FW_MSG_OP_NEW, o);
        EXPECT_EQ(placed(), o);
        tell(FW_MSG_OP_BIND, o);
        return o;
    }

    RoomRig rig;
    fw_ftl* ftl;
    u32 next_lpn = 0;
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
        read_done(r, 8 + i);
        const u32 w = placed();
        EXPECT_EQ(op(w).opcode, FLASH_OP_PROGRAM);
        EXPECT_NE(op(w).flags & FW_OP_GC, 0);
        EXPECT_EQ(op(w).buf, ftl->gc_buffer_base) << "the plane's own page buffer";
        tell(FW_MSG_OP_BIND, w);
        EXPECT_EQ(rig.take_one().kind, FW_MSG_OP_BOUND);
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
    read_done(r, victim_lpn);
    const u32 e = placed();
    EXPECT_EQ(op(e).opcode, FLASH_OP_ERASE) << "nothing valid is left in the victim";
    EXPECT_EQ(ftl->map[victim_lpn], op(w).ppn + 1);
}

TEST_F(Gc, DoesNotMapACopyThatTheHostOverwroteBeforeItWasWritten)
{
    occupy({4, 1, 3, 3, 3, 3, 3, 3, 3, 3});
    const u32 victim_lpn = 4;
    check();
    read_done(placed(), victim_lpn);
    const u32 copy = placed();
    const u32 w = host_write(victim_lpn); // bound before the copy
    rig.take();
    tell(FW_MSG_OP_BIND, copy);
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
    read_done(r, 4);
    const u32 w = placed();
    tell(FW_MSG_OP_BIND, w);
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
    tell(FW_MSG_OP_BIND, first);
    const u32 r = placed(); // the write waits; the victim is block 1
    EXPECT_EQ(op(r).opcode, FLASH_OP_READ);
    EXPECT_EQ(ftl->waiting, 1u);
    for (u32 page = 0, read = r; page < 3; ++page) {
        read_done(read, 4 + page);
        const u32 w = placed();
        tell(FW_MSG_OP_BIND, w);
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
        read_done(r, 3); // the page holds LPN 4
        FAIL() << "accepted";
    } catch (const FirmwarePanic& panic) {
        EXPECT_EQ(panic.code, static_cast<u32>(FW_PANIC_OOB));
    }
}

// ---- copyback ----

class GcCopyback : public testing::Test {
protected:
    static fw_config config()
    {
        fw_config c = small_config(1, 1, 1, 1, 10, 4);
        c.buffer_policy = FW_BUFFER_NONE;
        c.scheduler = FW_SCHED_SERIAL;
        c.gc_copyback = 2;
        return c;
    }
    /// As WriteAmplification.OfAHandSizedCase: blocks 0 and 1 are collected, two pages each.
    void collect_twice()
    {
        for (u32 lpn = 0; lpn < 20; ++lpn) {
            write(lpn);
        }
        for (const u32 lpn : {0, 4, 8, 12, 16, 1, 5, 9, 13}) {
            write(lpn);
        }
    }
    void write(u32 lpn)
    {
        device.write_page(lpn);
        device.drain();
    }
    u32 count(u8 opcode) const
    {
        return static_cast<u32>(std::count_if(device.submitted.begin(), device.submitted.end(),
                                              [=](const flash_op& op) { return op.opcode == opcode; }));
    }
    Device device{config()};
};

/// The hand-sized case: 4 pages of victims 0 and 1 go to block 8, one operation each and no read.
TEST_F(GcCopyback, MovesPagesInOneOperation)
{
    collect_twice();
    EXPECT_EQ(count(FLASH_OP_COPYBACK), 4u);
    EXPECT_EQ(count(FLASH_OP_READ), 0u);
    EXPECT_EQ(device.stats().gc_copybacks, 4u);
    EXPECT_EQ(device.stats().gc_pages_moved, 4u);
    EXPECT_EQ(device.stats().flash_pages_written, 33u);
    EXPECT_EQ(device.stats().gc_blocks_erased, 2u);
    const fw_ftl* ftl = device.f()->ftl;
    EXPECT_EQ(ftl->map[2], ftl_ppn(ftl, 0, 8, 0) + 1);
    EXPECT_EQ(ftl->map[7], ftl_ppn(ftl, 0, 8, 3) + 1);
    EXPECT_EQ(ftl->copies[8], 1) << "of 2";
    EXPECT_EQ(ftl->copies[7], 2) << "the host's";
    check_map(device);
}

/// What a block holds has been copied at most `gc_copyback` times; the device fails where a page has more. With
/// every page cold but one some are copied again and again.
TEST_F(GcCopyback, ReadsAPageThatHasBeenCopiedTooOften)
{
    collect_twice();
    for (u32 i = 0; i < 400; ++i) {
        write(i % 3 == 0 ? device.draw(20) : 13);
    }
    EXPECT_GT(device.stats().gc_copybacks, 20u);
    EXPECT_GT(count(FLASH_OP_READ), 5u);
    EXPECT_EQ(device.stats().gc_copybacks + count(FLASH_OP_READ), device.stats().gc_pages_moved);
    check_map(device);
}

/// Block 8 does not take its first page: it is read and goes to a block of its own, as does all that follows.
TEST_F(GcCopyback, ReadsAndWritesWhereTheCopyFails)
{
    device.failing_blocks.insert(8);
    collect_twice();
    EXPECT_EQ(device.stats().program_fails, 1u);
    EXPECT_EQ(count(FLASH_OP_READ), 1u);
    EXPECT_EQ(device.stats().gc_copybacks + 1, device.stats().gc_pages_moved);
    for (u32 lpn = 0; lpn < 20; ++lpn) {
        EXPECT_NE(device.f()->ftl->map[lpn], 0u);
    }
    check_map(device);
}

/// Each record that comes with a copy is unreadable: the copy is dead, the page is read and written.
TEST_F(GcCopyback, ReadsAPageThatDoesNotSayWhoseItIs)
{
    device.faults.read = 5000; // of 10,000
    for (u32 i = 0; i < 200; ++i) {
        write(device.draw(20));
    }
    EXPECT_GT(device.stats().gc_copybacks, 0u);
    EXPECT_GT(count(FLASH_OP_COPYBACK), device.stats().gc_copybacks);
    EXPECT_GE(count(FLASH_OP_READ), count(FLASH_OP_COPYBACK) - device.stats().gc_copybacks);
    EXPECT_EQ(device.stats().program_fails, 0u);
}

/// The FTL alone: the destination is taken when the copy is sent, the map moves when it has ended.
TEST_F(Gc, CopiesBackWithTheMapAtTheSourceUntilItHasEnded)
{
    fw_config c = config();
    c.gc_copyback = 1;
    RoomRig copying(c);
    fw_ftl* const f = copying.f()->ftl;
    struct plane& p = f->planes[0];
    for (u32 i = 0; i < 10; ++i) { // block 0: one valid page; the others all
        const u32 block = p.fresh++;
        gc_free_blocks(f, 0, -1);
        for (u32 page = block == 0 ? 2 : 0; page < 4; ++page) {
            ftl_map_set(copying.f(), next_lpn++, ftl_ppn(f, 0, block, page));
            ++p.valid;
        }
        f->copies[block] = 1;
        gc_block_state(copying.f(), 0, block, BLOCK_FULL);
    }
    const auto ended = [&](u32 o, u32 lpn) {
        fw_oob& oob = copying.f()->ops[o].oob;
        oob = fw_oob{};
        oob.lpn = lpn;
        oob.kind = 1;
        oob.check = fw_oob_check(&oob);
        fw_message m{};
        m.kind = FW_MSG_OP_DONE;
        m.a = o;
        copying.deliver(FW_ROOM_FTL, m);
    };
    ftl_gc_check(copying.f(), 0);
    const u32 first = copying.take_one().a;
    const fw_op o = copying.f()->ops[first];
    EXPECT_EQ(o.opcode, FLASH_OP_COPYBACK);
    EXPECT_EQ(o.ppn, ftl_ppn(f, 0, 0, 2));
    EXPECT_EQ(o.lpn, ftl_ppn(f, 0, 10, 0));
    EXPECT_EQ(o.row, 2u);              // one plane, one LUN, 4 pages: block << 2 | page
    EXPECT_EQ(o.buf, 10u << 2);
    EXPECT_EQ(o.len, 0u);
    EXPECT_EQ(f->map[0], o.ppn + 1);
    EXPECT_EQ(f->blocks[0].pending, 1u);
    EXPECT_EQ(f->blocks[10].pending, 1u);
    ended(first, 0);
    EXPECT_EQ(f->map[0], o.lpn + 1);
    EXPECT_EQ(f->blocks[10].valid, 1u);
    EXPECT_EQ(f->blocks[10].pending, 1u) << "the next copy's";
    const u32 second = copying.take_one().a;
    ftl_invalidate(copying.f(), f->map[1] - 1); // overwritten while it is copied
    f->map[1] = 0;
    ended(second, 1);
    EXPECT_EQ(f->map[1], 0u);
    EXPECT_EQ(f->blocks[10].valid, 1u) << "dead on arrival";
    EXPECT_EQ(f->blocks[10].pending, 0u);
    EXPECT_EQ(copying.f()->ops[copying.take_one().a].opcode, FLASH_OP_ERASE);
}

// ---- whole device: one plane, 10 blocks of 4 pages, 20 logical pages, one thing at a time ----

class WriteAmplification : public testing::Test {
protected:
    WriteAmplification() : device(config()) {}
    static fw_config config()
    {
        fw_config c = small_config(1, 1, 1, 1, 10, 4);
        c.buffer_policy = FW_BUFFER_NONE;
        c.scheduler = FW_SCHED_SERIAL;
        return c;
    }
    void write(u32 lpn)
    {
        device.write_page(lpn);
        device.drain();
    }
    Device device;
};

TEST_F(WriteAmplification, IsOneForSequentialOverwrites)
{
    ASSERT_EQ(device.config().logical_pages, 20u);
    for (u32 round = 0; round < 10; ++round) {
        for (u32 lpn = 0; lpn < 20; ++lpn) {
            write(lpn);
        }
    }
    EXPECT_EQ(device.stats().host_pages_written, 200u);
    EXPECT_EQ(device.stats().flash_pages_written, 200u);
    EXPECT_EQ(device.stats().gc_pages_moved, 0u);
    EXPECT_GT(device.stats().gc_blocks_erased, 0u);
    check_map(device);
}

/// Blocks 0 to 4 hold LPNs 0-3, 4-7, 8-11, 12-15, 16-19. 0, 4, 8, 12 go to block 5 and 16, 1, 5, 9
/// to block 6: 2, 2, 2, 3, 3 valid pages are left. 13 opens block 7 (2 blocks free: collection) and
/// leaves 2 in block 3. Victim 0: 2 pages move to block 8, 1 + 1 free; still no more than 2: victim
/// 1, 2 more pages fill block 8; 3 free: enough. 29 host pages, 4 moved.
TEST_F(WriteAmplification, OfAHandSizedCase)
{
    for (u32 lpn = 0; lpn < 20; ++lpn) {
        write(lpn);
    }
    for (const u32 lpn : {0, 4, 8, 12, 16, 1, 5, 9}) {
        write(lpn);
    }
    EXPECT_EQ(device.stats().gc_runs, 0u);
    write(13);
    EXPECT_EQ(device.stats().gc_runs, 2u);
    EXPECT_EQ(device.stats().gc_pages_moved, 4u);
    EXPECT_EQ(device.stats().gc_blocks_erased, 2u);
    EXPECT_EQ(device.stats().host_pages_written, 29u);
    EXPECT_EQ(device.stats().flash_pages_written, 33u);
    const fw_ftl* ftl = device.f()->ftl;
    EXPECT_EQ(ftl->map[2], ftl_ppn(ftl, 0, 8, 0) + 1);
    EXPECT_EQ(ftl->map[3], ftl_ppn(ftl, 0, 8, 1) + 1);
    EXPECT_EQ(ftl->map[6], ftl_ppn(ftl, 0, 8, 2) + 1);
    EXPECT_EQ(ftl->map[7], ftl_ppn(ftl, 0, 8, 3) + 1);
    EXPECT_EQ(ftl->map[13], ftl_ppn(ftl, 0, 7, 0) + 1);
    check_map(device);
    u32 least = 0;
    u32 most = 0;
    u64 sum = 0;
    u64 squares = 0;
    fw_wear(device.f(), &least, &most, &sum, &squares);
    EXPECT_EQ(least, 0u);
    EXPECT_EQ(most, 1u);
    EXPECT_EQ(sum, 2u);
    EXPECT_EQ(squares, 2u);
}

} // namespace
} // namespace tlmssd::tb
