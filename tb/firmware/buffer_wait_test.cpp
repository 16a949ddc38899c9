// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the page buffer where something is exhausted: slots, temporaries, programs at once.
#include "tb/firmware/buffer_rig.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class BufferWaits : public BufferTest {};

/// Hit under miss: while a page comes from flash, others are read and written.
TEST_F(BufferWaits, HitsDoNotWaitForAMiss)
{
    boot(4, FW_BUFFER_LRU);
    read(1, 7);
    collect();
    op_done(ops[0]);
    collect();
    const u32 slot_7 = expect_answer(FW_MSG_PAGE_READY, 1);
    release(slot_7);
    read(2, 8); // the miss
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    const u32 miss = ops[0];
    read(3, 7);
    collect();
    EXPECT_EQ(expect_answer(FW_MSG_PAGE_READY, 3), slot_7);
    release(slot_7);
    write(4, 7);
    collect();
    EXPECT_EQ(expect_answer(FW_MSG_PAGE_GRANT, 4), slot_7);
    op_done(miss);
    collect();
    EXPECT_NE(expect_answer(FW_MSG_PAGE_READY, 2), slot_7);
    EXPECT_EQ(stats().read_hits, 1u);
    EXPECT_EQ(stats().read_misses, 2u);
}

TEST_F(BufferWaits, SlotsGoToWaitingRequestsInOrderOfArrival)
{
    boot(4, FW_BUFFER_NONE);
    std::vector<u32> loads;
    for (u16 tag = 0; tag < 4; ++tag) {
        read(tag, 10u + tag);
        collect();
        loads.push_back(ops.at(0));
    }
    read(4, 20);
    read(5, 21);
    write(6, 20); // behind tag 4, for the same page
    trim(7, 30);  // needs no slot, but does not overtake
    collect();
    EXPECT_THAT(ops, IsEmpty());
    EXPECT_THAT(trims, IsEmpty());
    read(8, 10); // a page that has a slot: does not wait for a free one
    op_done(loads[0]);
    collect();
    EXPECT_THAT(tags(), ElementsAre(0, 8));
    const u32 slot = answers[0].b;
    release(slot);
    collect();
    EXPECT_THAT(ops, IsEmpty()) << "tag 8 still holds it";
    release(slot);
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).lpn, 20u);
    const u32 load_20 = ops[0];
    op_done(loads[1]);
    collect();
    release(expect_answer(FW_MSG_PAGE_READY, 1));
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).lpn, 21u);
    op_done(load_20);
    collect();
    const u32 slot_20 = expect_answer(FW_MSG_PAGE_READY, 4);
    op_done(loads[2]);
    collect();
    // Now tag 6 gets to its page's slot, then the TRIM.
    release(expect_answer(FW_MSG_PAGE_READY, 2));
    collect();
    EXPECT_THAT(tags(), ElementsAre(7));
    EXPECT_THAT(trims, ElementsAre(30));
    release(slot_20);
    collect();
    EXPECT_EQ(expect_answer(FW_MSG_PAGE_GRANT, 6), slot_20);
}

TEST_F(BufferWaits, TheSeventeenthMergeWaitsForATemporary)
{
    boot(64, FW_BUFFER_NONE);
    std::vector<u32> merges;
    for (u16 tag = 0; tag < 18; ++tag) {
        write(tag, tag, 0, 4);
        collect();
        received(tag, expect_answer(FW_MSG_PAGE_GRANT, tag));
        collect();
        ASSERT_THAT(ops, SizeIs(tag < 16 ? 1 : 0));
        if (tag < 16) {
            EXPECT_EQ(op(0).buf, (64u + tag) * 4096);
            merges.push_back(ops[0]);
        }
    }
    op_done(merges[3]);
    collect();
    EXPECT_THAT(ops, IsEmpty()) << "the copy still needs the temporary";
    copied(0);
    collect(); // tag 3's program and tag 16's read, into the same temporary
    ASSERT_THAT(ops, SizeIs(2));
    EXPECT_EQ(op(0).opcode, FLASH_OP_PROGRAM);
    EXPECT_EQ(op(0).lpn, 3u);
    EXPECT_EQ(op(1).opcode, FLASH_OP_READ);
    EXPECT_EQ(op(1).lpn, 16u);
    EXPECT_EQ(op(1).buf, (64u + 3) * 4096);
    op_done(merges[0]);
    copied(1);
    collect();
    ASSERT_THAT(ops, SizeIs(2));
    EXPECT_EQ(op(1).lpn, 17u);
    EXPECT_EQ(stats().merges, 18u);
}

TEST_F(BufferWaits, FlushKeepsAtMost256ProgramsInFlight)
{
    boot(400, FW_BUFFER_LRU); // low water 50
    for (u32 lpn = 0; lpn < 300; ++lpn) {
        fill(0, lpn);
    }
    flush(9);
    collect();
    ASSERT_THAT(ops, SizeIs(256));
    std::vector<u32> running = ops;
    for (u32 done = 0; done < 300; ++done) {
        op_done(running.at(done));
        collect();
        if (done < 44) {
            ASSERT_THAT(ops, SizeIs(1));
            running.push_back(ops[0]);
        }
    }
    expect_answer(FW_MSG_FLUSH_DONE, 9);
}

} // namespace
} // namespace tlmssd::tb
