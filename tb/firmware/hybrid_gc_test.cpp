// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler hybrid, its room alone: when collection goes, and what its programs must not pass.
#include <gmock/gmock.h>

#include "tb/firmware/hal_log.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Two channels of four dies.
class HybridGc : public testing::Test {
protected:
    void boot(bool defer, u32 window = 8)
    {
        fw_config c = small_config();
        c.scheduler = FW_SCHED_HYBRID;
        c.hybrid_defer_gc = defer;
        c.hybrid_gc_window = window;
        c.hybrid_age_limit_us = 1000;
        rig = std::make_unique<ModuleRig>(c);
    }
    fw_op& op(u32 i) { return rig->f()->ops[i]; }
    void tell(u16 kind, u32 o) { rig->tell(FW_MODULE_SCHED, kind, o); }
    u32 add(u8 opcode, u32 die, u8 flags = 0, u8 need = 0, u8 left = 0, u32 request = 0)
    {
        const u32 i = fw_op_alloc(rig->f());
        fw_op& o = op(i);
        o.opcode = opcode;
        o.die = die;
        o.channel = static_cast<u8>(die / 4);
        o.lun = static_cast<u8>(die % 2);
        o.ce = static_cast<u8>(die / 2 % 2);
        o.row = 0x40 + i;
        o.flags = static_cast<u8>(flags | FW_OP_TRANSLATED);
        o.gc_need = need;
        o.gc_valid = left;
        o.request = request;
        tell(FW_MSG_OP_PLACED, i);
        return i;
    }
    u32 collect(u8 opcode, u32 die, fw_gc_need need, u8 left = 5)
    {
        return add(opcode, die, FW_OP_GC, static_cast<u8>(need), left);
    }
    u32 read(u32 die) { return add(FLASH_OP_READ, die); }
    std::vector<u32> submitted() const
    {
        std::vector<u32> cookies;
        for (const flash_op& o : rig->submitted) {
            cookies.push_back(o.cookie);
        }
        return cookies;
    }
    void end(u32 cookie)
    {
        for (const flash_op& o : rig->submitted) {
            if (o.cookie == cookie) {
                hal_event event{};
                event.kind = HAL_EVENT_FLASH;
                event.u.flash.tag = o.tag;
                rig->give(FW_MODULE_SCHED, event);
                return;
            }
        }
        FAIL() << "not in flight";
    }
    std::unique_ptr<ModuleRig> rig;
};

TEST_F(HybridGc, WithoutNeedItWaitsUntilTheHostIsQuiet)
{
    boot(true);
    const u32 r = read(0);
    const u32 gc = collect(FLASH_OP_READ, 5, FW_GC_EARLY); // the other channel is idle
    EXPECT_THAT(submitted(), ElementsAre(r));
    end(r);
    EXPECT_THAT(submitted(), ElementsAre(r, gc));
}

TEST_F(HybridGc, WithoutDeferringItGoesToItsFreeDieAtOnce)
{
    boot(false);
    const u32 r = read(0);
    const u32 gc = collect(FLASH_OP_READ, 5, FW_GC_EARLY);
    EXPECT_THAT(submitted(), ElementsAre(r, gc));
}

TEST_F(HybridGc, WithSomeNeedItGoesWhereTheChannelHasNoReads)
{
    boot(true);
    const u32 r = read(0);
    const u32 near = collect(FLASH_OP_READ, 1, FW_GC_SOON);
    const u32 far = collect(FLASH_OP_READ, 5, FW_GC_SOON);
    const u32 second = collect(FLASH_OP_READ, 6, FW_GC_SOON); // one a channel
    EXPECT_THAT(submitted(), ElementsAre(r, far));
    end(r);
    EXPECT_THAT(submitted(), ElementsAre(r, far, near, second)); // nothing of the host is left
}

TEST_F(HybridGc, InNeedItGoesBesideTheHostWithinItsWindow)
{
    boot(true, 2);
    const u32 r = read(0);
    const u32 a = collect(FLASH_OP_READ, 1, FW_GC_NOW);
    const u32 b = collect(FLASH_OP_READ, 2, FW_GC_NOW);
    const u32 c = collect(FLASH_OP_READ, 3, FW_GC_NOW);
    EXPECT_THAT(submitted(), ElementsAre(r, a, b));
    end(b);
    EXPECT_THAT(submitted(), ElementsAre(r, a, b, c));
}

TEST_F(HybridGc, TheVictimWithTheFewestPagesGoesFirst)
{
    boot(true, 1);
    const u32 r = read(0);
    const u32 a = collect(FLASH_OP_READ, 1, FW_GC_NOW, 9);
    const u32 b = collect(FLASH_OP_READ, 2, FW_GC_NOW, 7);
    const u32 c = collect(FLASH_OP_READ, 3, FW_GC_NOW, 3);
    end(a);
    EXPECT_THAT(submitted(), ElementsAre(r, a, c));
    end(c);
    EXPECT_THAT(submitted(), ElementsAre(r, a, c, b));
}

TEST_F(HybridGc, ReadsOfItsDieGoFirstUntilItIsAged)
{
    boot(true);
    const u32 r1 = read(0), r2 = read(0), r3 = read(0);
    const u32 gc = collect(FLASH_OP_READ, 0, FW_GC_NOW);
    end(r1);
    EXPECT_THAT(submitted(), ElementsAre(r1, r2));
    rig->now_us = 1000;
    const u32 young = read(0);
    end(r2); // r3 is as old, and of the host
    EXPECT_THAT(submitted(), ElementsAre(r1, r2, r3));
    end(r3);
    EXPECT_THAT(submitted(), ElementsAre(r1, r2, r3, young));
    end(young);
    EXPECT_THAT(submitted(), ElementsAre(r1, r2, r3, young, gc));
}

// The second is in front of the die while the first one's data are on their way; not where anything else waits for it.
TEST_F(HybridGc, ADieThatReadsGetsOneMoreReadUnlessSomethingElseWaits)
{
    boot(true);
    const u32 a = read(0), b = read(0), c = read(0);
    EXPECT_THAT(submitted(), ElementsAre(a, b));
    end(a);
    EXPECT_THAT(submitted(), ElementsAre(a, b, c));
    const u32 gc = collect(FLASH_OP_READ, 0, FW_GC_NOW);
    const u32 d = read(0);
    end(b);
    EXPECT_THAT(submitted(), ElementsAre(a, b, c)) << "c alone: garbage collection waits";
    end(c);
    EXPECT_THAT(submitted(), ElementsAre(a, b, c, d));
    add(FLASH_OP_PROGRAM, 1);
    end(d);
    EXPECT_THAT(submitted(), ElementsAre(a, b, c, d, gc));
}

// Command 5 has been here for the limit: what it asks for now goes before what came since.
TEST_F(HybridGc, PagesOfAnAgedCommandGoInItsPlace)
{
    for (const u64 now_us : {999, 1000}) {
        boot(true);
        const u32 first = add(FLASH_OP_READ, 0, 0, 0, 0, 5);
        const u32 ahead = add(FLASH_OP_READ, 0, 0, 0, 0, 7);
        const u32 other = add(FLASH_OP_READ, 0, 0, 0, 0, 6);
        rig->now_us = now_us;
        const u32 second = add(FLASH_OP_READ, 0, 0, 0, 0, 5);
        end(first);
        EXPECT_THAT(submitted(), ElementsAre(first, ahead, now_us == 1000 ? second : other));
    }
}

// The same for writes, whose queue is that of the device.
TEST_F(HybridGc, WritesOfAnAgedCommandGoInItsPlace)
{
    boot(true);
    std::vector<u32> busy;
    for (u32 die = 0; die < 8; ++die) {
        busy.push_back(read(die));
    }
    add(FLASH_OP_PROGRAM, 0, 0, 0, 0, 5);
    const u32 other = add(FLASH_OP_PROGRAM, 0, 0, 0, 0, 6);
    rig->now_us = 1000;
    const u32 second = add(FLASH_OP_PROGRAM, 0, 0, 0, 0, 5);
    rig->take();
    end(busy[3]);
    const std::vector<fw_message> sent = rig->take();
    ASSERT_EQ(sent.size(), 2u); // the read's end, and both of command 5 to the die's two planes
    EXPECT_EQ(sent[1].kind, FW_MSG_OP_MOVE);
    EXPECT_EQ(op(sent[1].a).mate, second);
    EXPECT_NE(op(sent[1].a).mate, other);
}

// The map names the copy as soon as it is assigned: a read of it comes behind its program.
TEST_F(HybridGc, AProgramThatHasItsPageGoesBeforeReads)
{
    boot(true);
    const u32 gc = collect(FLASH_OP_PROGRAM, 2, FW_GC_NOW);
    EXPECT_THAT(submitted(), IsEmpty());
    EXPECT_EQ(rig->take_one().kind, FW_MSG_OP_MOVE);
    const u32 r = read(2); // while the FTL assigns
    EXPECT_THAT(submitted(), IsEmpty());
    tell(FW_MSG_OP_ASSIGNED, gc);
    EXPECT_THAT(submitted(), ElementsAre(gc));
    end(gc);
    EXPECT_THAT(submitted(), ElementsAre(gc, r));
}

// The answer may never come: the die goes on, and the program comes when it is assigned.
TEST_F(HybridGc, ADieDoesNotWaitForAProgramThatWaitsInTheFtl)
{
    boot(true);
    const u32 gc = collect(FLASH_OP_PROGRAM, 2, FW_GC_NOW);
    const u32 r = read(2);
    tell(FW_MSG_OP_LATER, gc);
    EXPECT_THAT(submitted(), ElementsAre(r));
    op(gc).die = 3; // on a damaged device
    op(gc).ce = 1;
    op(gc).lun = 1;
    tell(FW_MSG_OP_ASSIGNED, gc);
    EXPECT_THAT(submitted(), ElementsAre(r, gc));
}

// The window is full, so that both programs are there when the die is chosen.
TEST_F(HybridGc, ProgramsOfADiesPlanesGoTogether)
{
    boot(true, 1);
    const u32 r = read(0);
    const u32 busy = collect(FLASH_OP_READ, 1, FW_GC_NOW);
    const u32 a = collect(FLASH_OP_PROGRAM, 2, FW_GC_NOW, 3);
    const u32 b = collect(FLASH_OP_PROGRAM, 2, FW_GC_NOW, 4);
    const u32 same = collect(FLASH_OP_PROGRAM, 2, FW_GC_NOW, 9);
    op(b).plane = 1;
    rig->take();
    end(busy);
    const std::vector<fw_message> sent = rig->take();
    ASSERT_EQ(sent.size(), 2u); // the read's end, and one question
    EXPECT_EQ(sent[1].kind, FW_MSG_OP_MOVE);
    EXPECT_EQ(sent[1].a, a);
    EXPECT_EQ(op(a).mate, b);
    EXPECT_EQ(op(b).mate, FW_NONE); // the third is of plane 0 too
    tell(FW_MSG_OP_ASSIGNED, a);
    tell(FW_MSG_OP_ASSIGNED, b);
    EXPECT_THAT(submitted(), ElementsAre(r, busy, a));
    EXPECT_EQ(rig->submitted.back().nplanes, 2u);
    rig->take();
    end(a);
    EXPECT_EQ(rig->take().back().a, same);
}

TEST_F(HybridGc, ACopyThatStaysIsAskedForAgainWhenItsDieIsFree)
{
    boot(true, 1);
    const u32 r = read(0);
    const u32 busy = collect(FLASH_OP_READ, 1, FW_GC_NOW);
    const u32 ahead = collect(FLASH_OP_PROGRAM, 2, FW_GC_NOW, 3);
    const u32 behind = collect(FLASH_OP_PROGRAM, 2, FW_GC_NOW, 4);
    op(behind).plane = 1;
    end(busy);
    rig->take();
    tell(FW_MSG_OP_STAYS, ahead);
    EXPECT_THAT(rig->take(), IsEmpty()); // the die waits for the other answer
    tell(FW_MSG_OP_ASSIGNED, behind);
    EXPECT_THAT(submitted(), ElementsAre(r, busy, behind));
    EXPECT_EQ(rig->submitted.back().nplanes, 1u);
    end(behind);
    const std::vector<fw_message> sent = rig->take();
    EXPECT_EQ(sent.back().kind, FW_MSG_OP_MOVE);
    EXPECT_EQ(sent.back().a, ahead);
}

TEST_F(HybridGc, APageIsReadBeforeAProgramOfItsDieThatItCouldJoin)
{
    boot(true, 1);
    const u32 r = read(0);
    const u32 busy = collect(FLASH_OP_READ, 1, FW_GC_NOW);
    collect(FLASH_OP_PROGRAM, 2, FW_GC_NOW, 3);
    const u32 other = collect(FLASH_OP_READ, 2, FW_GC_EARLY, 9);
    op(other).plane = 1;
    end(busy);
    EXPECT_THAT(submitted(), ElementsAre(r, busy, other));
}

// Writes of two planes each: the order of allocation would come back to every second die.
TEST_F(HybridGc, EachDieGetsItsPagesInTurn)
{
    boot(true);
    std::vector<u32> pages(8);
    for (u32 i = 0; i < 256; ++i) {
        const u32 w = add(FLASH_OP_PROGRAM, 2 * i % 8);
        const fw_message asked = rig->take().back();
        ASSERT_EQ(asked.kind, FW_MSG_OP_MOVE);
        ++pages.at(asked.b);
        op(w).die = asked.b;
        op(w).channel = static_cast<u8>(asked.b / 4);
        op(w).ce = static_cast<u8>(asked.b / 2 % 2);
        op(w).lun = static_cast<u8>(asked.b % 2);
        tell(FW_MSG_OP_ASSIGNED, w);
        end(w);
        rig->take();
        rig->submitted.clear();
        fw_op_free(rig->f(), w);
    }
    EXPECT_THAT(pages, testing::Each(32u)); // four turns of eight pages
}

TEST_F(HybridGc, AWriteThatNoDieCanTakeWaitsInTheFtl)
{
    boot(true);
    const u32 w = add(FLASH_OP_PROGRAM, 0);
    for (u32 refusals = 0; refusals < 8; ++refusals) {
        const std::vector<fw_message> asked = rig->take();
        ASSERT_EQ(asked.size(), 1u);
        ASSERT_EQ(asked[0].kind, FW_MSG_OP_MOVE);
        tell(FW_MSG_OP_STAYS, w);
    }
    EXPECT_EQ(rig->take_one().kind, FW_MSG_OP_ASSIGN);
}

TEST_F(HybridGc, AnEraseMakesADieTakeWritesAgain)
{
    boot(true);
    const u32 w = add(FLASH_OP_PROGRAM, 0);
    const u32 r = read(7); // keeps the device from standing still
    const u32 e = collect(FLASH_OP_ERASE, 4, FW_GC_EARLY);
    for (u32 refusals = 0; refusals < 7; ++refusals) { // all but die 7
        tell(FW_MSG_OP_STAYS, w);
    }
    EXPECT_THAT(submitted(), ElementsAre(r, e)); // die 4 is full: it goes although nobody waited before
    rig->take();
    end(e);
    const std::vector<fw_message> sent = rig->take();
    ASSERT_EQ(sent.size(), 2u);
    EXPECT_EQ(sent[0].kind, FW_MSG_OP_DONE);
    EXPECT_EQ(sent[1].kind, FW_MSG_OP_MOVE);
    EXPECT_EQ(sent[1].b, 4u);
}

} // namespace
} // namespace tlmssd::tb
