// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the FTL with recovery alone: programs that fail while collection is at work, by hand.
#include <gtest/gtest.h>

#include "tb/firmware/ftl_rig.h"
extern "C" {
#include "firmware/ftl/gc/victim.h"
#include "firmware/ftl/recovery/recovery.h"
}

namespace tlmssd::tb {
namespace {

/// The FTL alone, with recovery: 14 blocks of 4 pages.
class PowerRevert : public testing::Test, public FtlRig {
protected:
    PowerRevert() : FtlRig(config()) {}
    static fw_config config()
    {
        fw_config c = small_config(1, 1, 1, 1, 14, 4);
        c.gc_threshold = 4;
        c.recovery_span = 64;
        c.logical_pages = 64;
        c.oob_base = static_cast<u32>(fw_page_buffer_bytes(&c));
        return c;
    }
    void occupy(std::initializer_list<u32> valid) { FtlRig::occupy(0, valid); }
    void tell(u16 kind, u32 op, u8 status = FLASH_STATUS_OK)
    {
        rig.f()->ops[op].status = status;
        FtlRig::tell(kind, op);
    }
    u32 overwrite(u32 lpn)
    {
        const u32 op = start(FLASH_OP_PROGRAM, lpn);
        tell(FW_MSG_OP_ASSIGN, op);
        return op;
    }
    /// Collection's read of that page; neither the data nor the OOB record can be had.
    void cannot_read(u32 page)
    {
        const std::vector<u32> reads = collected();
        ASSERT_FALSE(reads.empty());
        const u32 op = reads.back();
        ASSERT_EQ(rig.f()->ops[op].ppn, page);
        rig.f()->ops[op].oob.lpn = 0xa5a5a5a5;
        tell(FW_MSG_OP_DONE, op, FLASH_STATUS_UNCORRECTABLE);
    }
};

/// Block 1 lacks a page, and so does block 0 while its first page is overwritten. That program fails: block 1
/// is the only victim again.
TEST_F(PowerRevert, LeavesTheIndexOfVictimsRight)
{
    occupy({4, 3, 4});
    tell(FW_MSG_OP_DONE, overwrite(0), FLASH_STATUS_FAIL);
    ASSERT_EQ(ftl->map[0], ftl_ppn(ftl, 0, 0, 0) + 1) << "the old page again";
    ASSERT_EQ(ftl->blocks[0].valid, 4u);
    EXPECT_EQ(ftl->gc->choose(rig.f(), 0), 1u);
}

/// A trim that is volatile ends with the overwrite of its page. That program fails: it is trimmed again, and a
/// FLUSH makes that durable, should the overwrite never be repeated. The next program ends well, and it is not.
TEST_F(PowerRevert, BringsAVolatileTrimBack)
{
    occupy({4, 3, 4});
    ftl_trim_later(rig.f(), 0);
    ftl->recovery->dirty[0] = 0;
    const u32 op = overwrite(0);
    ASSERT_FALSE(ftl_is_trimmed(ftl, 0));
    tell(FW_MSG_OP_DONE, op, FLASH_STATUS_FAIL);
    EXPECT_TRUE(ftl_is_trimmed(ftl, 0));
    EXPECT_EQ(ftl->recovery->dirty[0], 1u);
    EXPECT_EQ(ftl->map[0], ftl_ppn(ftl, 0, 0, 0) + 1);
    tell(FW_MSG_OP_ASSIGN, op);
    EXPECT_FALSE(ftl_is_trimmed(ftl, 0));
    tell(FW_MSG_OP_DONE, op);
    EXPECT_FALSE(ftl_is_trimmed(ftl, 0));
    fw_op_free(rig.f(), op);
    ASSERT_EQ(overwrite(0), op) << "the same record: nothing of the operation before counts";
    tell(FW_MSG_OP_DONE, op, FLASH_STATUS_FAIL);
    EXPECT_FALSE(ftl_is_trimmed(ftl, 0));
}

/// Collection reads page 2 of its victim while page 3 is overwritten, and looks up whose page 2 is; then the
/// overwrite fails and page 3 counts again. Whose it is was not known at the first look.
TEST_F(PowerRevert, OfAPageThatCannotBeReadFindsItsOwner)
{
    occupy({2, 4, 4, 4, 4, 4, 4, 4, 4, 4}); // 4 free
    ftl_gc_check(rig.f(), 0);
    const u32 op = overwrite(1);
    cannot_read(2);
    EXPECT_EQ(ftl->map[0], FTL_LOST);
    tell(FW_MSG_OP_DONE, op, FLASH_STATUS_FAIL);
    ASSERT_NO_THROW(cannot_read(3));
    EXPECT_EQ(ftl->map[1], FTL_LOST);
    EXPECT_EQ(rig.stats().pages_lost, 2u);
}

/// vaq assigns a page to a write whose old page collection is reading, and wants the next one to join it. That one waits for
/// a block of the plane that collects, collection for the first one's program: it must not wait for the other.
TEST(PowerHold, EndsThoughTheNextWriteWaitsForABlock)
{
    fw_config c = small_config(1, 1, 1, 2, 14, 4);
    c.scheduler = FW_SCHED_VAQ;
    c.gc_threshold = 3;
    c.recovery_span = 64;
    c.logical_pages = 64;
    c.oob_base = static_cast<u32>(fw_page_buffer_bytes(&c));
    FtlRig alone(c);
    ModuleRig& rig = alone.rig;
    const struct plane& p = alone.ftl->planes[1];
    // 2 free blocks, which the host leaves; the first of the others is the victim
    alone.occupy(1, {1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3});
    const auto carry = [&rig] { // messages, in order, until there are none
        for (std::vector<fw_message> all = rig.take(); !all.empty(); all = rig.take()) {
            for (const fw_message& m : all) {
                rig.deliver(static_cast<fw_module>(m.module), m);
            }
        }
    };
    u32 write[2];
    for (u32 i = 0; i < 2; ++i) {
        write[i] = fw_op_alloc(rig.f());
        fw_op& o = rig.f()->ops[write[i]];
        o.opcode = FLASH_OP_PROGRAM;
        o.lpn = i; // 0: the victim's
        rig.tell(FW_MODULE_SCHED, FW_MSG_OP_NEW, write[i]);
    }
    for (const u16 kind : {FW_MSG_OP_TRANSLATE, FW_MSG_OP_TRANSLATED}) {
        const fw_message m = rig.take_one();
        ASSERT_EQ(m.kind, kind);
        rig.deliver(static_cast<fw_module>(m.module), m);
    }
    ftl_gc_check(rig.f(), 1); // its read is on its way while the write is being assigned
    carry();
    ASSERT_EQ(rig.submitted.size(), 1u);
    ASSERT_EQ(rig.submitted[0].opcode, FLASH_OP_READ);
    hal_event event{};
    event.kind = HAL_EVENT_FLASH;
    event.u.flash.tag = rig.submitted[0].tag;
    rig.give(FW_MODULE_SCHED, event);
    carry();
    EXPECT_EQ(p.gc_state, GC_WAITING);
    EXPECT_EQ(p.waiting.head, write[1]);
    ASSERT_EQ(rig.submitted.size(), 2u) << "both wait for ever";
    EXPECT_EQ(rig.submitted[1].opcode, FLASH_OP_PROGRAM);
    EXPECT_EQ(rig.submitted[1].cookie, write[0]);
}

TEST(NoRecovery, TrimsAtOnceAndAnswersAFlushWithoutAWrite)
{
    FtlRig alone(small_config(1, 1, 1, 1, 14, 4));
    alone.occupy(0, {2});
    ASSERT_NE(alone.ftl->map[1], 0u);
    alone.tell(FW_MSG_TRIM, 1);
    EXPECT_EQ(alone.ftl->map[1], 0u);
    alone.rig.take();
    alone.tell(FW_MSG_FTL_FLUSH, 0);
    const std::vector<fw_message> answers = alone.rig.take();
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].kind, FW_MSG_FTL_FLUSHED);
    EXPECT_EQ(answers[0].a, 0u);
    EXPECT_TRUE(fw_mounted(alone.rig.f()));
}

} // namespace
} // namespace tlmssd::tb
