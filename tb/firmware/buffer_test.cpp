// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the page buffer: hits and misses, acknowledgement, partial pages, eviction, TRIM.
#include "tb/firmware/buffer_rig.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(BufferTest, LoadsAMissAndServesTheNextReadFromDram)
{
    boot(64, FW_BUFFER_LRU);
    read(1, 7);
    collect();
    EXPECT_THAT(answers, IsEmpty());
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).opcode, FLASH_OP_READ);
    EXPECT_EQ(op(0).lpn, 7u);
    EXPECT_EQ(op(0).col, 0);
    EXPECT_EQ(op(0).len, 8);
    const u32 buffer = op(0).buf;
    op_done(ops[0]);
    collect();
    const u32 slot = expect_answer(FW_MSG_PAGE_READY, 1);
    EXPECT_EQ(buffer, slot * 4096);
    EXPECT_EQ(answers[0].c, 1u) << "it waited for a flash read of its own";
    read(2, 7); // while the first transfer runs
    collect();
    EXPECT_EQ(expect_answer(FW_MSG_PAGE_READY, 2), slot);
    EXPECT_EQ(answers[0].c, 0u);
    EXPECT_THAT(ops, IsEmpty());
    EXPECT_EQ(stats().read_misses, 1u);
    EXPECT_EQ(stats().read_hits, 1u);
}

TEST_F(BufferTest, ClearsWhatWasNeverWritten)
{
    boot(64, FW_BUFFER_LRU);
    read(1, 7, 2, 3);
    collect();
    op_done(ops[0], true);
    ASSERT_THAT(rig->copies, SizeIs(1));
    EXPECT_EQ(rig->copies[0].src, HAL_COPY_ZERO_EMPTY);
    EXPECT_EQ(rig->copies[0].sectors, 0x1cu); // sectors 2, 3, 4
    collect();
    EXPECT_THAT(answers, IsEmpty());
    copied(0);
    collect();
    expect_answer(FW_MSG_PAGE_READY, 1);
    EXPECT_EQ(answers[0].c, 0u) << "nothing was read from flash";
}

TEST_F(BufferTest, TwoReadersOfOneMissCauseOneFlashRead)
{
    boot(64, FW_BUFFER_NONE);
    read(1, 7);
    collect();
    const u32 load = ops[0];
    read(2, 7);
    collect();
    EXPECT_THAT(ops, IsEmpty());
    op_done(load);
    collect();
    EXPECT_THAT(tags(), ElementsAre(1, 2));
    EXPECT_EQ(answers[0].c, 1u);
    EXPECT_EQ(answers[1].c, 0u);
}

TEST_F(BufferTest, ReadsOnlyTheSectorsAskedForAndMergesTheRestLater)
{
    boot(64, FW_BUFFER_LRU);
    read(1, 7, 2, 3);
    collect();
    EXPECT_EQ(op(0).col, 2);
    EXPECT_EQ(op(0).len, 3);
    op_done(ops[0]);
    collect();
    const u32 slot = expect_answer(FW_MSG_PAGE_READY, 1);
    read(2, 7, 0, 4); // sectors 0 and 1 are missing; a transfer still runs
    collect();
    EXPECT_THAT(ops, IsEmpty());
    release(slot);
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).opcode, FLASH_OP_READ);
    EXPECT_EQ(op(0).buf, 64u * 4096) << "the first temporary, behind the slots";
    EXPECT_EQ(op(0).col, 0); // missing: 0, 1, 5, 6, 7
    EXPECT_EQ(op(0).len, 8);
    op_done(ops[0]);
    ASSERT_THAT(rig->copies, SizeIs(1));
    EXPECT_EQ(rig->copies[0].dst, slot * 4096);
    EXPECT_EQ(rig->copies[0].src, 64u * 4096);
    EXPECT_EQ(rig->copies[0].sectors, 0xe3u) << "never over sectors that the slot holds";
    copied(0);
    collect();
    expect_answer(FW_MSG_PAGE_READY, 2);
    EXPECT_EQ(stats().merges, 1u);
}

TEST_F(BufferTest, WriteBackAcknowledgesWhenTheDataAreInDram)
{
    boot(64, FW_BUFFER_LRU);
    write(1, 7);
    collect();
    const u32 slot = expect_answer(FW_MSG_PAGE_GRANT, 1);
    received(1, slot);
    collect();
    expect_answer(FW_MSG_PAGE_DONE, 1);
    EXPECT_THAT(ops, IsEmpty());
    EXPECT_EQ(rig->probes[FW_PROBE_BUFFER_DIRTY], 1u);
    write(2, 7, 0, 2); // over a dirty page: still one flash page to write, some day
    collect();
    EXPECT_EQ(expect_answer(FW_MSG_PAGE_GRANT, 2), slot);
    EXPECT_EQ(stats().write_hits, 1u);
    EXPECT_EQ(stats().write_misses, 1u);
}

TEST_F(BufferTest, AnAbortedWriteLeavesThePageAsItWas)
{
    boot(64, FW_BUFFER_LRU);
    write(1, 7); // no page of it in the buffer
    collect();
    aborted(1, expect_answer(FW_MSG_PAGE_GRANT, 1));
    collect();
    expect_answer(FW_MSG_PAGE_DONE, 1);
    EXPECT_THAT(ops, IsEmpty());
    read(2, 7); // comes from flash
    collect();
    EXPECT_THAT(ops, SizeIs(1));
    fill(3, 9);
    write(4, 9, 0, 8, HAL_HOST_FUA); // over a page that is there; the FUA has nothing to wait for
    collect();
    const u32 slot = expect_answer(FW_MSG_PAGE_GRANT, 4);
    aborted(4, slot);
    collect();
    expect_answer(FW_MSG_PAGE_DONE, 4);
    EXPECT_THAT(ops, IsEmpty());
    read(5, 9); // what fill() wrote
    collect();
    EXPECT_EQ(expect_answer(FW_MSG_PAGE_READY, 5), slot);
    release(slot);
    flush(6); // and it is still to be written to flash
    collect();
    EXPECT_THAT(ops, SizeIs(1));
}

TEST_F(BufferTest, WriteThroughAndFuaAcknowledgeWhenTheFlashHasIt)
{
    for (const u32 policy : {u32{FW_BUFFER_NONE}, u32{FW_BUFFER_LRU}}) {
        boot(64, policy);
        write(1, 7, 0, 8, policy == FW_BUFFER_LRU); // lru: FUA
        collect();
        received(1, expect_answer(FW_MSG_PAGE_GRANT, 1));
        collect();
        EXPECT_THAT(answers, IsEmpty());
        ASSERT_THAT(ops, SizeIs(1));
        EXPECT_EQ(op(0).opcode, FLASH_OP_PROGRAM);
        op_done(ops[0]);
        collect();
        expect_answer(FW_MSG_PAGE_DONE, 1);
        EXPECT_EQ(rig->f()->buffer->free_count, policy == FW_BUFFER_NONE ? 64u : 63u);
        EXPECT_EQ(rig->f()->buffer->dirty_count, 0u);
    }
}

TEST_F(BufferTest, CompletesAPartialPageBeforeItsProgram)
{
    boot(64, FW_BUFFER_NONE);
    write(1, 7, 2, 3);
    collect();
    const u32 slot = expect_answer(FW_MSG_PAGE_GRANT, 1);
    received(1, slot);
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).opcode, FLASH_OP_READ);
    EXPECT_EQ(op(0).buf, 64u * 4096);
    op_done(ops[0]);
    ASSERT_THAT(rig->copies, SizeIs(1));
    EXPECT_EQ(rig->copies[0].sectors, 0xe3u);
    copied(0);
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).opcode, FLASH_OP_PROGRAM);
    EXPECT_EQ(op(0).buf, slot * 4096);
    EXPECT_EQ(op(0).len, 8);
    EXPECT_THAT(answers, IsEmpty());
    op_done(ops[0]);
    collect();
    expect_answer(FW_MSG_PAGE_DONE, 1);
}

TEST_F(BufferTest, CompletesAPageThatWasNeverWrittenWithZeros)
{
    boot(64, FW_BUFFER_NONE);
    write(1, 7, 0, 1);
    collect();
    received(1, expect_answer(FW_MSG_PAGE_GRANT, 1));
    collect();
    EXPECT_EQ(op(0).col, 1);
    EXPECT_EQ(op(0).len, 7);
    op_done(ops[0], true);
    EXPECT_EQ(rig->copies.at(0).src, HAL_COPY_ZERO);
    EXPECT_EQ(rig->copies[0].sectors, 0xfeu);
}

/// 8 slots keep 1 free: low water is slots / 8.
TEST_F(BufferTest, EvictsTheLeastRecentlyUsedPage)
{
    boot(8, FW_BUFFER_LRU);
    for (u16 lpn = 0; lpn < 7; ++lpn) {
        fill(0, lpn);
    }
    read(1, 0); // LPN 0 becomes the newest; LPN 1 is the oldest now
    collect();
    release(expect_answer(FW_MSG_PAGE_READY, 1));
    write(2, 20); // takes the last free slot
    collect();
    expect_answer(FW_MSG_PAGE_GRANT, 2);
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).opcode, FLASH_OP_PROGRAM);
    EXPECT_EQ(op(0).lpn, 1u);
    const u32 evicted = ops[0];
    write(3, 21); // no slot: it waits; the program that runs will free one
    collect();
    EXPECT_THAT(answers, IsEmpty());
    EXPECT_THAT(ops, IsEmpty());
    op_done(evicted);
    collect();
    expect_answer(FW_MSG_PAGE_GRANT, 3);
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).lpn, 2u) << "0 was used after 2";
}

/// A FUA write that ends while slots are short does not leave in the place of the page that was evicted.
TEST_F(BufferTest, OnlyEvictedPagesLeave)
{
    boot(8, FW_BUFFER_LRU);
    for (u16 lpn = 0; lpn < 7; ++lpn) {
        fill(0, lpn);
    }
    write(1, 6, 0, 8, HAL_HOST_FUA);
    collect();
    received(1, expect_answer(FW_MSG_PAGE_GRANT, 1));
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    const u32 fua = ops[0];
    write(2, 20); // the last free slot; LPN 0 is evicted
    collect();
    expect_answer(FW_MSG_PAGE_GRANT, 2);
    const u32 evicted = ops.empty() ? FW_NONE : ops[0];
    op_done(fua);
    collect();
    expect_answer(FW_MSG_PAGE_DONE, 1);
    const u32 second = evicted == FW_NONE ? ops.at(0) : evicted;
    EXPECT_EQ(rig->f()->ops[second].lpn, 0u);
    read(3, 6);
    collect();
    release(expect_answer(FW_MSG_PAGE_READY, 3)); // still there
    EXPECT_THAT(ops, IsEmpty());
    op_done(second);
    EXPECT_EQ(rig->f()->buffer->free_count, 1u);
    EXPECT_EQ(line_find(rig->f(), 0), FW_NONE);
}

TEST_F(BufferTest, EvictsCleanPagesWithoutAProgram)
{
    boot(8, FW_BUFFER_LRU);
    for (u16 lpn = 0; lpn < 8; ++lpn) {
        read(0, lpn);
        collect();
        op_done(ops.at(0));
        collect();
        release(expect_answer(FW_MSG_PAGE_READY, 0));
    }
    EXPECT_EQ(rig->f()->buffer->free_count, 1u) << "LPN 0 has left";
    read(0, 1);
    collect();
    expect_answer(FW_MSG_PAGE_READY, 0);
    read(1, 0);
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).opcode, FLASH_OP_READ);
    EXPECT_EQ(op(0).lpn, 0u);
}

TEST_F(BufferTest, ServesReadsWhileAPageIsProgrammedAndHoldsWrites)
{
    boot(64, FW_BUFFER_LRU);
    const u32 slot = fill(0, 5);
    flush(9);
    collect();
    const u32 program = ops.at(0);
    read(1, 5);
    collect();
    EXPECT_EQ(expect_answer(FW_MSG_PAGE_READY, 1), slot);
    write(2, 5);
    collect();
    EXPECT_THAT(answers, IsEmpty());
    op_done(program);
    collect();
    EXPECT_THAT(tags(), ElementsAre(9)) << "the reader still holds the page";
    release(slot);
    collect();
    EXPECT_EQ(expect_answer(FW_MSG_PAGE_GRANT, 2), slot);
}

TEST_F(BufferTest, TrimDropsDirtyDataAndFreesTheSlot)
{
    boot(64, FW_BUFFER_LRU);
    fill(0, 5);
    trim(1, 5);
    collect();
    expect_answer(FW_MSG_PAGE_DONE, 1);
    EXPECT_THAT(trims, ElementsAre(5));
    EXPECT_EQ(rig->f()->buffer->free_count, 64u);
    EXPECT_EQ(rig->f()->buffer->dirty_count, 0u);
    flush(2);
    collect();
    expect_answer(FW_MSG_FLUSH_DONE, 2);
    EXPECT_THAT(ops, IsEmpty());
}

TEST_F(BufferTest, TrimOfAPageOutsideTheBufferGoesToTheFtl)
{
    boot(64, FW_BUFFER_LRU);
    trim(1, 5);
    collect();
    EXPECT_THAT(trims, ElementsAre(5));
    expect_answer(FW_MSG_PAGE_DONE, 1);
    EXPECT_EQ(rig->f()->buffer->free_count, 64u);
}

TEST_F(BufferTest, TrimWaitsForThoseBefore)
{
    boot(64, FW_BUFFER_LRU);
    read(1, 5);
    collect();
    const u32 load = ops[0];
    trim(2, 5);
    read(3, 5); // after the TRIM: must see nothing
    collect();
    EXPECT_THAT(answers, IsEmpty());
    op_done(load);
    collect();
    const u32 slot = expect_answer(FW_MSG_PAGE_READY, 1);
    release(slot);
    collect();
    expect_answer(FW_MSG_PAGE_DONE, 2);
    EXPECT_THAT(trims, ElementsAre(5));
    ASSERT_THAT(ops, SizeIs(1)) << "the read goes to the flash, which no longer maps the page";
    op_done(ops[0], true);
    ASSERT_THAT(rig->copies, SizeIs(1));
    copied(0);
    collect();
    expect_answer(FW_MSG_PAGE_READY, 3);
}

TEST_F(BufferTest, WritesBackInTheBackground)
{
    boot(64, FW_BUFFER_LRU, 100);
    rig->now_us = 1000;
    fill(0, 5);
    EXPECT_EQ(rig->timers[FW_MODULE_BUFFER], 1100u);
    rig->now_us = 1050;
    fill(0, 6);
    EXPECT_EQ(rig->timers[FW_MODULE_BUFFER], 1100u) << "counted from the first";
    EXPECT_THAT(ops, IsEmpty());
    rig->fire(FW_MODULE_BUFFER);
    rig->step(FW_MODULE_BUFFER);
    collect();
    ASSERT_THAT(ops, SizeIs(2));
    EXPECT_EQ(op(0).opcode, FLASH_OP_PROGRAM);
    const std::vector<u32> both = ops;
    op_done(both[0]);
    op_done(both[1]);
    collect();
    EXPECT_THAT(answers, IsEmpty()) << "nobody asked for it";
    EXPECT_EQ(rig->f()->buffer->dirty_count, 0u);
    EXPECT_EQ(rig->f()->buffer->free_count, 62u) << "clean pages stay in the cache";
}

} // namespace
} // namespace tlmssd::tb
