// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: pages that cannot be read, in the buffer module alone and in the host interface layer alone.
#include "tb/firmware/buffer_rig.h"
#include "tb/firmware/hil_rig.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class HilErrors : public HilTest {
protected:
    /// Slots released since the last call.
    std::vector<u32> released()
    {
        std::vector<u32> slots;
        for (const fw_message& m : rig.take()) {
            if (m.kind == FW_MSG_PAGE_RELEASE) {
                slots.push_back(m.a);
            }
        }
        return slots;
    }
};

TEST_F(HilErrors, AReadEndsOnceWhenTheTransfersThatWereStartedHaveEnded)
{
    command(3, HAL_HOST_READ, 0, 5 * 8);
    answer(FW_MSG_PAGE_READY, 3, 0, 10); // goes to the host
    answer(FW_MSG_PAGE_READY, 3, 3, 13); // waits for its turn
    ASSERT_THAT(rig.dmas, SizeIs(1));
    rig.take();
    answer(FW_MSG_PAGE_FAILED, 3, 1);
    EXPECT_THAT(released(), ElementsAre(13)) << "nothing behind the error is sent";
    answer(FW_MSG_PAGE_READY, 3, 2, 12);
    EXPECT_THAT(released(), ElementsAre(12));
    answer(FW_MSG_PAGE_FAILED, 3, 4); // a second error changes nothing
    EXPECT_THAT(rig.dmas, SizeIs(1));
    EXPECT_THAT(rig.ended, IsEmpty()) << "page 0 is still on its way";
    dma_done(3, 0);
    EXPECT_THAT(released(), ElementsAre(10));
    EXPECT_THAT(rig.ended, ElementsAre(HostEnd{3, HAL_HOST_ERROR}));
    EXPECT_TRUE(idle());
}

TEST_F(HilErrors, AReadThatFailedAsksForNoFurtherPages)
{
    command(0, HAL_HOST_READ, 0, 70 * 8); // 64 are asked for
    command(1, HAL_HOST_READ, 69 * 8, 8); // held back by it
    EXPECT_THAT(rig.take(), SizeIs(64));
    answer(FW_MSG_PAGE_FAILED, 0, 5);
    const std::vector<fw_message> sent = rig.take();
    ASSERT_THAT(sent, SizeIs(1)) << "the other command's page only";
    EXPECT_EQ(sent[0].tag, 1);
    for (u32 page = 0; page < 64; ++page) {
        EXPECT_THAT(rig.ended, IsEmpty());
        if (page != 5) {
            answer(FW_MSG_PAGE_READY, 0, page, page);
        }
    }
    EXPECT_THAT(rig.dmas, IsEmpty());
    EXPECT_THAT(rig.ended, ElementsAre(HostEnd{0, HAL_HOST_ERROR}));
    answer(FW_MSG_PAGE_READY, 1, 0, 7);
    dma_done(1, 0);
    EXPECT_TRUE(idle());
}

TEST_F(HilErrors, AWriteTakesAllItsDataAndThenEndsWithTheError)
{
    command(2, HAL_HOST_WRITE, 4, 16); // three pages
    for (u32 page = 0; page < 3; ++page) {
        answer(FW_MSG_PAGE_GRANT, 2, page, page);
    }
    ASSERT_THAT(rig.dmas, SizeIs(3));
    answer(FW_MSG_PAGE_DONE, 2, 0, 0, 1);
    answer(FW_MSG_PAGE_DONE, 2, 1);
    EXPECT_THAT(rig.ended, IsEmpty());
    answer(FW_MSG_PAGE_DONE, 2, 2);
    EXPECT_THAT(rig.ended, ElementsAre(HostEnd{2, HAL_HOST_ERROR}));
    command(2, HAL_HOST_WRITE, 0, 8); // the tag's next command is not blamed
    answer(FW_MSG_PAGE_DONE, 2, 0);
    EXPECT_EQ(rig.ended.back(), (HostEnd{2, HAL_HOST_OK}));
}

class BufferErrors : public BufferTest {
protected:
    void op_failed(u32 o, bool unmapped = false)
    {
        rig->f()->ops[o].status = FLASH_STATUS_UNCORRECTABLE;
        op_done(o, unmapped);
    }
    u32 lost(u32 lpn) { return static_cast<u32>(lost_get(rig->f()->buffer, lpn)); }
};

TEST_F(BufferErrors, AReadMissFailsAndTheNextOneReadsAgain)
{
    for (const u32 policy : {FW_BUFFER_NONE, FW_BUFFER_LRU}) {
        boot(64, policy);
        read(0, 5);
        read(1, 5); // waits at the slot
        collect();
        ASSERT_THAT(ops, SizeIs(1));
        op_failed(ops[0]);
        collect();
        expect_answer(FW_MSG_PAGE_FAILED, 0);
        ASSERT_THAT(ops, SizeIs(1)) << "for tag 1";
        op_done(ops[0]);
        collect();
        release(expect_answer(FW_MSG_PAGE_READY, 1));
        EXPECT_TRUE(fw_buffer_idle(rig->f()));
    }
}

TEST_F(BufferErrors, APageThatTheFtlHasLostFailsWithoutBeingCleared)
{
    boot(64, FW_BUFFER_NONE);
    read(0, 5);
    collect();
    op_failed(ops[0], true);
    collect();
    expect_answer(FW_MSG_PAGE_FAILED, 0);
    EXPECT_THAT(rig->copies, IsEmpty());
    EXPECT_EQ(rig->f()->buffer->free_count, 64u);
}

TEST_F(BufferErrors, SectorsMissingFromADirtyPageFailButTheWrittenOnesAreKept)
{
    boot(64, FW_BUFFER_LRU);
    write(0, 5, 0, 4);
    collect();
    received(0, expect_answer(FW_MSG_PAGE_GRANT, 0));
    collect();
    read(1, 5, 2, 4); // sectors 4 and 5 are not there
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    op_failed(ops[0]);
    collect();
    expect_answer(FW_MSG_PAGE_FAILED, 1);
    EXPECT_THAT(rig->copies, IsEmpty()) << "nothing of the temporary gets into the page";
    read(2, 5, 0, 4);
    collect();
    release(expect_answer(FW_MSG_PAGE_READY, 2));
    EXPECT_EQ(lost(5), 0u) << "the flash may give them back next time";
}

TEST_F(BufferErrors, AnEvictedPartialPageLosesWhatCannotBeRead)
{
    boot(64, FW_BUFFER_LRU);
    write(0, 5, 0, 4);
    collect();
    received(0, expect_answer(FW_MSG_PAGE_GRANT, 0));
    collect();
    flush(9);
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).opcode, FLASH_OP_READ);
    op_failed(ops[0]);
    ASSERT_THAT(rig->copies, SizeIs(1));
    EXPECT_EQ(rig->copies[0].src, HAL_COPY_ZERO);
    EXPECT_EQ(rig->copies[0].sectors, 0xf0u);
    copied(0);
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).opcode, FLASH_OP_PROGRAM);
    EXPECT_THAT(answers, IsEmpty());
    op_done(ops[0]);
    collect();
    expect_answer(FW_MSG_FLUSH_DONE, 9);
    EXPECT_EQ(lost(5), 0xf0u);
    read(1, 5, 3, 2); // sector 4 is lost: no flash read
    collect();
    EXPECT_THAT(ops, IsEmpty());
    expect_answer(FW_MSG_PAGE_FAILED, 1);
    write(2, 5, 4, 2); // heals sectors 4 and 5, and needs no flash read to be programmed
    collect();
    received(2, expect_answer(FW_MSG_PAGE_GRANT, 2));
    collect();
    read(3, 5, 0, 6);
    collect();
    release(expect_answer(FW_MSG_PAGE_READY, 3));
    flush(9);
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).opcode, FLASH_OP_PROGRAM);
    op_done(ops[0]);
    EXPECT_EQ(lost(5), 0xc0u);
    trim(4, 5);
    EXPECT_EQ(lost(5), 0u);
    EXPECT_EQ(rig->f()->buffer->lost_pages, 0u);
}

/// The knowledge outlives the page buffer: without a cache each command has its own.
TEST_F(BufferErrors, LostSectorsAreRememberedWhenThePageHasLeft)
{
    boot(64, FW_BUFFER_NONE);
    write(0, 5, 2, 1);
    collect();
    received(0, expect_answer(FW_MSG_PAGE_GRANT, 0));
    collect();
    op_failed(ops.at(0));
    copied(0);
    collect();
    op_done(ops.at(0));
    collect();
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_EQ(answers[0].kind, FW_MSG_PAGE_DONE);
    EXPECT_EQ(answers[0].c, 1u) << "it was not acknowledged yet: the host is told";
    EXPECT_EQ(rig->f()->buffer->free_count, 64u);
    read(1, 5, 0, 1);
    collect();
    EXPECT_THAT(ops, IsEmpty());
    expect_answer(FW_MSG_PAGE_FAILED, 1);
    EXPECT_EQ(rig->f()->buffer->free_count, 64u) << "the page buffer is free again";
    read(2, 5, 2, 1);
    collect();
    ASSERT_THAT(ops, SizeIs(1)) << "the sector that was written is in flash";
    op_done(ops[0]);
    collect();
    release(expect_answer(FW_MSG_PAGE_READY, 2));
    write(3, 5, 0, 8); // all of it
    collect();
    received(3, expect_answer(FW_MSG_PAGE_GRANT, 3));
    collect();
    op_done(ops.at(0));
    collect();
    EXPECT_EQ(answers.at(0).c, 0u);
    EXPECT_EQ(lost(5), 0u);
}

/// Nor does what the page buffer held before get into flash for them.
TEST_F(BufferErrors, LostSectorsGoToFlashAsZeros)
{
    boot(64, FW_BUFFER_NONE);
    write(0, 5, 2, 1);
    collect();
    received(0, expect_answer(FW_MSG_PAGE_GRANT, 0));
    collect();
    op_failed(ops.at(0));
    copied(0); // sectors 0, 1 and 3 to 7 are lost
    collect();
    op_done(ops.at(0));
    collect();
    ASSERT_EQ(lost(5), 0xfbu);
    write(1, 5, 4, 2);
    collect();
    received(1, expect_answer(FW_MSG_PAGE_GRANT, 1));
    collect();
    // Sector 2 has to be read; the buffer was another page's meanwhile.
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).opcode, FLASH_OP_READ);
    EXPECT_EQ(op(0).col, 2u);
    EXPECT_EQ(op(0).len, 1u);
    op_done(ops[0]);
    ASSERT_THAT(rig->copies, SizeIs(2));
    copied(1);
    collect();
    EXPECT_THAT(ops, IsEmpty()) << "first the lost ones are cleared";
    ASSERT_THAT(rig->copies, SizeIs(3));
    EXPECT_EQ(rig->copies[2].src, HAL_COPY_ZERO);
    EXPECT_EQ(rig->copies[2].sectors, 0xcbu);
    EXPECT_FALSE(fw_buffer_idle(rig->f()));
    copied(2);
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).opcode, FLASH_OP_PROGRAM);
    op_done(ops[0]);
    EXPECT_EQ(lost(5), 0xcbu);
    EXPECT_TRUE(fw_buffer_idle(rig->f()));
}

TEST_F(BufferErrors, AFailedMergeHandsItsTemporaryOn)
{
    boot(64, FW_BUFFER_NONE);
    std::vector<u32> merges;
    for (u16 tag = 0; tag < 17; ++tag) { // the 17th waits for a temporary
        write(tag, tag, 0, 4);
        collect();
        received(tag, expect_answer(FW_MSG_PAGE_GRANT, tag));
        collect();
        if (tag < 16) {
            merges.push_back(ops.at(0));
        }
    }
    EXPECT_THAT(ops, IsEmpty());
    op_failed(merges[2]);
    copied(0);
    collect();
    ASSERT_THAT(ops, SizeIs(2));
    EXPECT_EQ(op(0).opcode, FLASH_OP_PROGRAM);
    EXPECT_EQ(op(1).opcode, FLASH_OP_READ);
    EXPECT_EQ(op(1).buf, (64u + 2) * 4096);
}

} // namespace
} // namespace tlmssd::tb
