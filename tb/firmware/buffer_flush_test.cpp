// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the page buffer: FLUSH.
#include "tb/firmware/buffer_rig.h"

namespace tlmssd::tb {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST_F(BufferTest, FlushProgramsEveryDirtyPageAndAnswersAfterTheLast)
{
    boot(64, FW_BUFFER_LRU);
    fill(0, 1);
    fill(0, 2);
    write(0, 3, 0, 4); // partial
    collect();
    received(0, expect_answer(FW_MSG_PAGE_GRANT, 0));
    collect();
    flush(9);
    collect();
    EXPECT_THAT(answers, IsEmpty());
    ASSERT_THAT(ops, SizeIs(3));
    std::vector<u32> rest = ops;
    u32 programs = 0;
    for (const u32 o : rest) {
        programs += rig->f()->ops[o].opcode == FLASH_OP_PROGRAM;
        op_done(o);
    }
    EXPECT_EQ(programs, 2u) << "the third is being completed first";
    copied(0);
    collect();
    EXPECT_THAT(answers, IsEmpty());
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).opcode, FLASH_OP_PROGRAM);
    op_done(ops[0]);
    collect();
    expect_answer(FW_MSG_FLUSH_DONE, 9);
    flush(10); // nothing is dirty
    collect();
    expect_answer(FW_MSG_FLUSH_DONE, 10);
    EXPECT_THAT(ops, IsEmpty());
    read(1, 2); // flushed pages stay
    collect();
    expect_answer(FW_MSG_PAGE_READY, 1);
}

TEST_F(BufferTest, FlushWritesAPageThatIsRead)
{
    boot(64, FW_BUFFER_LRU);
    fill(0, 1);
    read(1, 1);
    collect();
    const u32 slot = expect_answer(FW_MSG_PAGE_READY, 1);
    flush(9);
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).lpn, 1u);
    op_done(ops[0]);
    collect();
    expect_answer(FW_MSG_FLUSH_DONE, 9);
    release(slot);
    read(2, 1);
    collect();
    expect_answer(FW_MSG_PAGE_READY, 2);
}

TEST_F(BufferTest, FlushWaitsForAnEvictionThatRuns)
{
    boot(8, FW_BUFFER_LRU);
    for (u16 lpn = 0; lpn < 7; ++lpn) {
        fill(0, lpn);
    }
    write(1, 7); // the last free slot: LPN 0 has to leave
    collect();
    const u32 slot = expect_answer(FW_MSG_PAGE_GRANT, 1);
    ASSERT_THAT(ops, SizeIs(1));
    const u32 eviction = ops[0];
    EXPECT_EQ(op(0).lpn, 0u);
    received(1, slot);
    flush(9);
    collect();
    ASSERT_THAT(ops, SizeIs(7)); // LPNs 1 to 7
    const std::vector<u32> rest = ops;
    for (const u32 o : rest) {
        op_done(o);
    }
    collect();
    EXPECT_THAT(answers, IsEmpty());
    op_done(eviction);
    collect();
    expect_answer(FW_MSG_FLUSH_DONE, 9);
}

} // namespace
} // namespace tlmssd::tb
