// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what all schedulers share (descriptors, tags, refusals, completions), the fences of
// barrier, streams and priorities of host. The scheduler's module alone.
#include <gmock/gmock.h>

#include <cstring>

#include "tb/firmware/hal_log.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Sched : public testing::Test {
protected:
    void boot(u32 scheduler, u32 flash_tags = 32)
    {
        fw_config c = small_config();
        c.scheduler = scheduler;
        c.flash_tags = flash_tags;
        rig = std::make_unique<ModuleRig>(c);
    }
    fw_op& op(u32 i) { return rig->f()->ops[i]; }
    void tell(u16 kind, u32 o) { rig->tell(FW_MODULE_SCHED, kind, o); }
    /// A transaction whose die is known; programs are not assigned yet.
    u32 make(u8 opcode, u32 die, u32 request, u8 flags = 0)
    {
        const u32 i = fw_op_alloc(rig->f());
        fw_op& o = op(i);
        o.opcode = opcode;
        o.die = die;
        o.channel = static_cast<u8>(die / 4);
        o.ce = static_cast<u8>(die / 2 % 2);
        o.lun = static_cast<u8>(die % 2);
        o.plane = 0;
        o.row = 0x40 + i;
        o.buf = 0x1000 * (i + 1);
        o.col = 1;
        o.len = 2;
        o.request = request;
        o.flags = static_cast<u8>(flags | FW_OP_TRANSLATED);
        return i;
    }
    u32 read(u32 die, u32 request)
    {
        const u32 i = make(FLASH_OP_READ, die, request);
        op(i).flags |= FW_OP_ASSIGNED;
        tell(FW_MSG_OP_PLACED, i);
        return i;
    }
    void complete(const flash_op& o, u8 status = FLASH_STATUS_OK, u8 failed = 0)
    {
        hal_event event{};
        event.kind = HAL_EVENT_FLASH;
        event.u.flash.tag = o.tag;
        event.u.flash.status = status;
        event.u.flash.failed_planes = failed;
        event.u.flash.cookie = o.cookie;
        rig->give(FW_MODULE_SCHED, event);
    }
    void space()
    {
        hal_event event{};
        event.kind = HAL_EVENT_FLASH_SPACE;
        rig->give(FW_MODULE_SCHED, event);
    }
    std::vector<u32> submitted() const
    {
        std::vector<u32> cookies;
        for (const flash_op& o : rig->submitted) {
            cookies.push_back(o.cookie);
        }
        return cookies;
    }
    std::unique_ptr<ModuleRig> rig;
};

TEST_F(Sched, BuildsTheDescriptorOfARead)
{
    boot(FW_SCHED_INORDER);
    const u32 i = read(7, 1);
    ASSERT_THAT(rig->submitted, SizeIs(1));
    const flash_op& o = rig->submitted[0];
    EXPECT_EQ(o.opcode, FLASH_OP_READ);
    EXPECT_EQ(o.flags, 0);
    EXPECT_EQ(o.channel, 1);
    EXPECT_EQ(o.ce, 1);
    EXPECT_EQ(o.lun, 1);
    EXPECT_EQ(o.nplanes, 1);
    EXPECT_EQ(o.row[0], 0x40 + i);
    EXPECT_EQ(o.buf[0], 0x1000 * (i + 1));
    EXPECT_EQ(o.col[0], 1);
    EXPECT_EQ(o.len[0], 2);
    EXPECT_EQ(o.oob, FLASH_NO_OOB);
    EXPECT_EQ(o.cookie, i);
    EXPECT_EQ(o.stream, static_cast<u32>(FW_STREAM_HOST));
}

TEST_F(Sched, BindsAProgramBeforeItSubmitsItAndLaysItsMetadataOut)
{
    boot(FW_SCHED_INORDER);
    const u32 i = make(FLASH_OP_PROGRAM, 0, 1);
    tell(FW_MSG_OP_PLACED, i);
    EXPECT_THAT(rig->submitted, IsEmpty());
    const fw_message m = rig->take_one();
    EXPECT_EQ(m.kind, FW_MSG_OP_ASSIGN);
    EXPECT_EQ(m.module, static_cast<u32>(FW_MODULE_FTL));
    const u32 later = read(1, 1); // does not wait for the assignment
    op(i).oob.lpn = 0xabcd;
    op(i).oob.kind = 1;
    tell(FW_MSG_OP_ASSIGNED, i);
    EXPECT_THAT(submitted(), ElementsAre(later, i));
    const flash_op& o = rig->submitted[1];
    EXPECT_EQ(o.oob, rig->config().oob_base + o.tag * 64u);
    EXPECT_EQ(std::memcmp(rig->f()->oob + o.tag * 64, &op(i).oob, 16), 0);
}

TEST_F(Sched, BringsTheMetadataOfACollectionRead)
{
    boot(FW_SCHED_INORDER);
    const u32 i = make(FLASH_OP_READ, 0, 0, FW_OP_GC | FW_OP_WITH_OOB | FW_OP_ASSIGNED);
    tell(FW_MSG_OP_PLACED, i);
    const flash_op o = rig->submitted.at(0);
    EXPECT_EQ(o.stream, static_cast<u32>(FW_STREAM_GC));
    ASSERT_NE(o.oob, FLASH_NO_OOB);
    std::memset(rig->f()->oob + o.tag * 64, 0x5a, 16);
    complete(o);
    EXPECT_EQ(op(i).oob.lpn, 0x5a5a5a5au);
    EXPECT_EQ(rig->take_one().kind, FW_MSG_OP_DONE);
}

TEST_F(Sched, CountsSequencePerStream)
{
    boot(FW_SCHED_INORDER);
    read(0, 1);
    tell(FW_MSG_OP_PLACED, make(FLASH_OP_ERASE, 1, 0, FW_OP_GC | FW_OP_ASSIGNED));
    read(2, 1);
    ASSERT_THAT(rig->submitted, SizeIs(3));
    EXPECT_EQ(rig->submitted[0].seq, 0);
    EXPECT_EQ(rig->submitted[1].seq, 0);
    EXPECT_EQ(rig->submitted[2].seq, 1);
}

TEST_F(Sched, LosesNothingWhenTheControllerRefuses)
{
    for (const u32 scheduler :
         {FW_SCHED_SERIAL, FW_SCHED_BARRIER, FW_SCHED_INORDER, FW_SCHED_HOST}) {
        boot(scheduler);
        rig->refuse = true;
        const u32 a = read(0, 1);
        const u32 b = read(1, 1);
        EXPECT_GE(rig->refused, 1u);
        EXPECT_FALSE(fw_idle(rig->f()));
        space(); // a false alarm
        EXPECT_THAT(rig->submitted, IsEmpty());
        rig->refuse = false;
        space();
        EXPECT_THAT(submitted(), ElementsAre(a, b));
        EXPECT_EQ(rig->submitted[0].seq + 1, rig->submitted[1].seq) << "refusals cost no number";
    }
}

TEST_F(Sched, WaitsForATagAndReusesIt)
{
    boot(FW_SCHED_INORDER, 3);
    for (u32 die = 0; die < 5; ++die) {
        read(die, 1);
    }
    ASSERT_THAT(rig->submitted, SizeIs(3));
    EXPECT_EQ(rig->submitted[0].tag, 0);
    EXPECT_EQ(rig->submitted[1].tag, 1);
    EXPECT_EQ(rig->submitted[2].tag, 2);
    complete(rig->submitted[1]);
    ASSERT_THAT(rig->submitted, SizeIs(4));
    EXPECT_EQ(rig->submitted[3].tag, 1);
}

TEST_F(Sched, TellsTheFtlOfEachEndAndItsStatus)
{
    boot(FW_SCHED_INORDER);
    const u32 a = read(0, 1);
    const u32 b = read(1, 1);
    complete(rig->submitted[1]);
    EXPECT_EQ(rig->take_one().a, b) << "in the order of completion";
    complete(rig->submitted[0], FLASH_STATUS_FAIL, 1);
    const fw_message m = rig->take_one();
    EXPECT_EQ(m.kind, FW_MSG_OP_DONE);
    EXPECT_EQ(m.a, a);
    EXPECT_EQ(op(a).status, FLASH_STATUS_FAIL);
    EXPECT_EQ(op(b).status, FLASH_STATUS_OK);
    EXPECT_TRUE(fw_sched_idle(rig->f()));
}

TEST_F(Sched, GivesEachPlaneTheStatusOfTheMaskAndAllOfThemATimeout)
{
    struct Case {
        u8 status, mask, first, second;
    };
    for (const Case& c : {Case{FLASH_STATUS_UNCORRECTABLE, 2, FLASH_STATUS_OK,
                               FLASH_STATUS_UNCORRECTABLE},
                          Case{FLASH_STATUS_FAIL, 1, FLASH_STATUS_FAIL, FLASH_STATUS_OK},
                          Case{FLASH_STATUS_TIMEOUT, 0, FLASH_STATUS_TIMEOUT,
                               FLASH_STATUS_TIMEOUT},
                          Case{FLASH_STATUS_OK, 0, FLASH_STATUS_OK, FLASH_STATUS_OK}}) {
        boot(FW_SCHED_INORDER);
        rig->refuse = true;
        const u32 a = read(0, 1);
        const u32 b = read(0, 1);
        op(b).plane = 1;
        op(a).mate = b; // joined by hand, as vaq does
        rig->refuse = false;
        space();
        complete(rig->submitted.at(0), c.status, c.mask);
        EXPECT_EQ(op(a).status, c.first);
        EXPECT_EQ(op(b).status, c.second);
    }
}

TEST_F(Sched, StopsAtACompletionThatNobodyAskedFor)
{
    boot(FW_SCHED_INORDER);
    flash_op o{};
    o.tag = 3;
    EXPECT_THROW(complete(o), FirmwarePanic);
    o.tag = 32;
    EXPECT_THROW(complete(o), FirmwarePanic);
}

TEST_F(Sched, OnlyBarrierFencesAndOnlyEachRequestsFirstHostOperation)
{
    boot(FW_SCHED_BARRIER);
    read(0, 1);
    read(1, 1);
    tell(FW_MSG_OP_PLACED, make(FLASH_OP_ERASE, 2, 0, FW_OP_GC | FW_OP_ASSIGNED));
    read(3, 1); // still request 1
    read(4, 2);
    read(5, 0); // no request: an order of its own
    read(6, 0);
    std::vector<u32> fences;
    for (const flash_op& o : rig->submitted) {
        fences.push_back(o.flags & FLASH_FLAG_FENCE);
    }
    const u32 f = FLASH_FLAG_FENCE;
    EXPECT_THAT(fences, ElementsAre(f, 0, 0, 0, f, f, f));

    boot(FW_SCHED_INORDER);
    read(0, 1);
    read(1, 2);
    EXPECT_EQ(rig->submitted[0].flags, 0);
    EXPECT_EQ(rig->submitted[1].flags, 0);
}

class HostSched : public Sched {
protected:
    struct Label {
        u32 stream, seq, flags;
        friend bool operator==(const Label& a, const Label& b)
        {
            return a.stream == b.stream && a.seq == b.seq && a.flags == b.flags;
        }
    };
    /// What the operations of one mixed load carry: requests 1 and 2, write-back, collection, and
    /// request 63, which shares a stream with request 1 (62 streams for requests).
    std::vector<Label> labels(u32 streams, bool reads_first)
    {
        fw_config c = small_config();
        c.scheduler = FW_SCHED_HOST;
        c.host_streams = streams;
        c.host_reads_first = reads_first;
        rig = std::make_unique<ModuleRig>(c);
        read(0, 1);
        program(1, 1);
        read(2, 2);
        program(3, 0); // write-back
        tell(FW_MSG_OP_PLACED, make(FLASH_OP_READ, 4, 0, FW_OP_GC | FW_OP_ASSIGNED));
        tell(FW_MSG_OP_PLACED, make(FLASH_OP_ERASE, 5, 2, FW_OP_GC | FW_OP_ASSIGNED));
        read(6, 63);
        std::vector<Label> all;
        for (const flash_op& o : rig->submitted) {
            all.push_back({o.stream, o.seq, o.flags});
        }
        return all;
    }
    void program(u32 die, u32 request)
    {
        const u32 i = make(FLASH_OP_PROGRAM, die, request);
        tell(FW_MSG_OP_PLACED, i);
        tell(FW_MSG_OP_ASSIGNED, i);
    }
};

TEST_F(HostSched, HandsEverythingOnInOrderInAStreamForTheHostAndOneForCollection)
{
    EXPECT_THAT(labels(FW_STREAMS_ONE, false),
                ElementsAre(Label{0, 0, 0}, Label{0, 1, 0}, Label{0, 2, 0}, Label{0, 3, 0},
                            Label{1, 0, 0}, Label{1, 1, 0}, Label{0, 4, 0}));
}

TEST_F(HostSched, GivesEachRequestAStreamAndWriteBackTheCommonOne)
{
    EXPECT_THAT(labels(FW_STREAMS_PER_REQUEST, false),
                ElementsAre(Label{3, 0, 0}, Label{3, 1, 0}, Label{4, 0, 0}, Label{0, 0, 0},
                            Label{1, 0, 0}, Label{1, 1, 0}, Label{3, 2, 0}));
}

TEST_F(HostSched, GivesNothingAStreamWhereResultsAreFree)
{
    EXPECT_THAT(labels(FW_STREAMS_FREE, true),
                ElementsAre(Label{FLASH_NO_STREAM, 0, 2}, Label{FLASH_NO_STREAM, 0, 1},
                            Label{FLASH_NO_STREAM, 0, 2}, Label{FLASH_NO_STREAM, 0, 1},
                            Label{FLASH_NO_STREAM, 0, 0}, Label{FLASH_NO_STREAM, 0, 0},
                            Label{FLASH_NO_STREAM, 0, 2}));
}

TEST_F(HostSched, PutsReadsBeforeProgramsBeforeCollection)
{
    EXPECT_THAT(labels(FW_STREAMS_ONE, true),
                ElementsAre(Label{0, 0, 2}, Label{0, 1, 1}, Label{0, 2, 2}, Label{0, 3, 1},
                            Label{1, 0, 0}, Label{1, 1, 0}, Label{0, 4, 2}));
}

/// Messages of the buffer race with the operation's progress and with its record's next use.
TEST_F(Sched, SostTakesBackOnlyAQueuedProgramOfThatSlot)
{
    boot(FW_SCHED_SOST);
    const auto cancel = [&](u32 o, u32 slot) {
        fw_message m{};
        m.kind = FW_MSG_OP_CANCEL;
        m.a = o;
        m.b = slot;
        rig->deliver(FW_MODULE_SCHED, m);
        return rig->take();
    };
    const u32 in_service = read(0, 1);
    const u32 queued_read = read(0, 1);
    const u32 queued = make(FLASH_OP_PROGRAM, 0, 2);
    op(queued).line = 5;
    tell(FW_MSG_OP_PLACED, queued);
    EXPECT_THAT(rig->take(), IsEmpty()) << "its chip is busy: no page yet";
    op(in_service).line = op(queued_read).line = 5;
    EXPECT_THAT(cancel(in_service, 5), IsEmpty());
    EXPECT_THAT(cancel(queued_read, 5), IsEmpty());
    EXPECT_THAT(cancel(queued, 6), IsEmpty());
    const std::vector<fw_message> sent = cancel(queued, 5);
    ASSERT_THAT(sent, SizeIs(1));
    EXPECT_EQ(sent[0].kind, FW_MSG_OP_CANCELLED);
    EXPECT_EQ(sent[0].a, queued);
    EXPECT_THAT(cancel(queued, 5), IsEmpty());

    const u32 assigning = make(FLASH_OP_PROGRAM, 1, 3);
    op(assigning).line = 7;
    tell(FW_MSG_OP_PLACED, assigning);
    EXPECT_EQ(rig->take_one().kind, FW_MSG_OP_ASSIGN);
    EXPECT_THAT(cancel(assigning, 7), IsEmpty());
    tell(FW_MSG_OP_ASSIGNED, assigning);
    EXPECT_THAT(cancel(assigning, 7), IsEmpty());
    EXPECT_THAT(submitted(), ElementsAre(in_service, assigning));
}

/// A program that waits for a free block lets other operations of its chip pass, but no write to its
/// plane; where blocks have failed those are asked for as well.
TEST_F(Sched, SostGoesOnWithoutAProgramThatWaitsForABlock)
{
    for (const bool damaged : {false, true}) {
        boot(FW_SCHED_SOST);
        rig->f()->cfg.sost_leveler = 0;
        const u32 waits = make(FLASH_OP_PROGRAM, 0, 1);
        tell(FW_MSG_OP_PLACED, waits);
        const u32 same_plane = make(FLASH_OP_PROGRAM, 0, 1);
        tell(FW_MSG_OP_PLACED, same_plane);
        const u32 later_read = read(0, 2);
        EXPECT_EQ(rig->take_one().kind, FW_MSG_OP_ASSIGN);
        EXPECT_THAT(rig->submitted, IsEmpty()) << "the chip is kept for the answer";
        fw_message late{};
        late.kind = FW_MSG_OP_LATER;
        late.a = waits;
        late.b = damaged;
        rig->deliver(FW_MODULE_SCHED, late);
        if (damaged) {
            EXPECT_EQ(rig->take_one().a, same_plane);
            continue;
        }
        EXPECT_THAT(submitted(), ElementsAre(later_read));
        tell(FW_MSG_OP_ASSIGNED, waits);
        complete(rig->submitted[0]);
        EXPECT_THAT(submitted(), ElementsAre(later_read, waits));
        complete(rig->submitted[1]);
        EXPECT_EQ(rig->take().back().a, same_plane) << "asked for when the chip is free";
    }
}

/// The FTL refuses a move: the write goes back to its place, and the chip is not tried again until it
/// has done something.
TEST_F(Sched, SostTakesAWriteThatCannotMoveBackIntoItsQueue)
{
    boot(FW_SCHED_SOST);
    for (u32 die = 2; die < 8; ++die) {
        read(die, 1); // busy
    }
    read(0, 1);
    u32 writes[3];
    for (u32& w : writes) {
        w = make(FLASH_OP_PROGRAM, 0, 2);
        tell(FW_MSG_OP_PLACED, w);
    }
    // Die 1 is free: it takes the second as soon as there are two, which is the youngest then.
    const fw_message asked = rig->take_one();
    EXPECT_EQ(asked.kind, FW_MSG_OP_MOVE);
    EXPECT_EQ(asked.a, writes[1]);
    EXPECT_EQ(asked.b, 1u);
    tell(FW_MSG_OP_STAYS, writes[1]);
    EXPECT_THAT(rig->take(), IsEmpty());
    complete(rig->submitted.back());
    const std::vector<fw_message> sent = rig->take(); // DONE of the read, then the first write
    ASSERT_THAT(sent, SizeIs(2));
    EXPECT_EQ(sent[1].kind, FW_MSG_OP_ASSIGN);
    EXPECT_EQ(sent[1].a, writes[0]);
    tell(FW_MSG_OP_ASSIGNED, writes[0]);
    complete(rig->submitted.back());
    EXPECT_EQ(rig->take().back().a, writes[1]) << "before the younger one";
    EXPECT_EQ(rig->stats().reallocated, 0u);
}

} // namespace
} // namespace tlmssd::tb
