// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: directed cases of the out-of-order RTL: latencies in clocks, order, fences, time outs.
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "models/flash/rtl/rtl_registry.h"
#include "models/flash/rtl/rtl_straps.h"
#include "tb/rtl/rtl_rig.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;
using flash::Phase;

class O3Rtl : public testing::Test, public RtlRig {
protected:
    O3Rtl() : RtlRig("o3")
    {
        geometry.pages = 16;
        config.tags = 32;
        config.straps.mode = ControllerMode::Ooo;
        config.straps.age_limit = 1000; // 1.05 ms: never here
    }
    flash_op op(u32 opcode, u32 channel, u32 ce, u32 lun, u32 row = 0)
    {
        flash_op o = op_at(opcode, channel, ce, lun);
        o.row[0] = row;
        return o;
    }
};

// Edges, counted from the one that sees the operation: 0 into the FIFO, 1 to the head, 2 to the
// intake, 3 to a station, 4 chosen, 5 bus granted, 6 descriptor read, 7 fields set: the segment
// appears after edge 7. After an input: 0 registered, 1 event, then 5 to 7 as before. After a
// landing: 0 registered, 1 its stream may go on, 2 completed.
TEST_F(O3Rtl, OneReadTakesTheClocksOfItsPipeline)
{
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    ASSERT_TRUE(bench().run(kEnough));
    const u64 command = 7 * kClock;
    EXPECT_EQ(start_of(0, Phase::Command), command);
    const u64 burst = command + kSegment + kBusy + 4 * kClock;
    EXPECT_EQ(start_of(0, Phase::DataOut), burst);
    EXPECT_EQ(end_of(0), burst + kSegment + kLanding + 2 * kClock);
}

// R/B# falls tWB, 100 ns, after the command. Masked for 3 ticks (131 to 197 ns), it is seen when it rises: two
// flops instead of one, one clock later than above. The status of a program likewise.
TEST_F(O3Rtl, AReadyLineThatFallsTwbLateIsNotTakenForAReadyLun)
{
    times.falls_ps = 100000;
    config.straps.ready_synchronous = false;
    config.straps.ready_mask = flash::ready_mask(Picoseconds(times.falls_ps), Picoseconds(kClock));
    EXPECT_EQ(config.straps.ready_mask, 3u); // 100 + 3 x 5 ns: 2 ticks, and one more
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_PROGRAM, 1, 0, 0));
    ASSERT_TRUE(bench().run(kEnough));
    const u64 seen = kSegment + times.falls_ps + kBusy + 5 * kClock;
    EXPECT_EQ(start_of(0, Phase::DataOut), start_of(0, Phase::Command) + seen);
    EXPECT_EQ(start_of(1, Phase::Status), start_of(1, Phase::DataIn) + seen);
}

TEST_F(O3Rtl, AnotherLunGoesAheadOfABusyOne)
{
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, 16)); // same LUN, another block: waits for the LUN
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 1));     // free LUN: goes at once
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_LT(start_of(2, Phase::Command), start_of(0, Phase::Command) + kSegment + kBusy);
    EXPECT_GT(start_of(1, Phase::Command), start_of(0, Phase::Status));
}

TEST_F(O3Rtl, AStreamIsToldInItsOwnOrder)
{
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0, 16)); // ends after two busy times
    bench().submit_at(0, op(FLASH_OP_READ, 1, 0, 0));      // after one
    flash_op other = op(FLASH_OP_READ, 1, 1, 0);
    other.stream = 1;
    bench().submit_at(0, other);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_LT(start_of(2, Phase::DataOut) + kSegment + kLanding, end_of(0) + kBusy);
    EXPECT_GT(end_of(2), end_of(1));
    EXPECT_LT(end_of(3), end_of(1));
    EXPECT_EQ(bench().completed(), 4u);
}

TEST_F(O3Rtl, APriorityGoesBeforeAge)
{
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0));
    bench().submit_at(100000, op(FLASH_OP_READ, 0, 0, 0, 16));
    flash_op urgent = op(FLASH_OP_READ, 0, 0, 0, 32);
    urgent.flags = 2;
    bench().submit_at(200000, urgent);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_LT(start_of(2, Phase::Command), start_of(1, Phase::Command));
}

// The limit is 2 stamps, 2.1 us: the erase (1.1 us) and the first urgent read pass, then it is due.
TEST_F(O3Rtl, AgeGoesBeforePriority)
{
    config.straps.age_limit = 2;
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0));
    bench().submit_at(100000, op(FLASH_OP_READ, 0, 0, 0, 16));
    for (u32 i = 0; i < 4; ++i) {
        flash_op urgent = op(FLASH_OP_READ, 0, 0, 0, 32 + i);
        urgent.flags = 3;
        bench().submit_at(200000, urgent);
    }
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_GT(start_of(1, Phase::Command), start_of(2, Phase::Command));
    EXPECT_LT(start_of(1, Phase::Command), start_of(5, Phase::Command));
}

// In order. Reads of LUNs A, B, C, then again of A and of B, each the head until its LUN has been let go.
// When B's burst ends, C's has waited since a while; B's second command is on its way for 7 clocks and goes
// before it nevertheless. A burst starts 4 after what was before it.
TEST_F(O3Rtl, InOrderTheHeadThatABurstLetsGoComesBeforeOtherBursts)
{
    config.straps.mode = ControllerMode::InOrder;
    const u32 ces[] = {0, 0, 1, 0, 0}, luns[] = {0, 1, 0, 0, 1};
    for (u32 i = 0; i < 5; ++i) {
        bench().submit_at(0, op(FLASH_OP_READ, 0, ces[i], luns[i], i));
    }
    ASSERT_TRUE(bench().run(kEnough));
    constexpr u64 kHead = 7 * kClock, kNext = 4 * kClock;
    const u64 let_go_a = kHead + kSegment + kBusy + kNext + kSegment;
    EXPECT_EQ(start_of(3, Phase::Command), let_go_a + kHead);
    const u64 let_go_b = let_go_a + kHead + kSegment + kNext + kSegment;
    EXPECT_EQ(start_of(1, Phase::DataOut), let_go_b - kSegment);
    EXPECT_EQ(start_of(4, Phase::Command), let_go_b + kHead);
    EXPECT_EQ(start_of(2, Phase::DataOut), let_go_b + kHead + kSegment + kNext);
}

TEST_F(O3Rtl, AReadOfAPageWaitsForItsProgramAndNotForThatOfAnother)
{
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0, 64));
    bench().submit_at(0, op(FLASH_OP_PROGRAM, 0, 0, 0, 3));
    flash_op same = op(FLASH_OP_READ, 0, 0, 0, 3);
    same.flags = 3;
    bench().submit_at(0, same);
    flash_op another = op(FLASH_OP_READ, 0, 0, 0, 4);
    another.flags = 3;
    bench().submit_at(0, another);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_GT(start_of(2, Phase::Command), start_of(1, Phase::Status));
    EXPECT_LT(start_of(3, Phase::Command), start_of(1, Phase::DataIn));
}

TEST_F(O3Rtl, AFenceWaitsForTheLandingOfItsStream)
{
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    flash_op fence = op(FLASH_OP_READ, 1, 0, 0);
    fence.flags = FLASH_FLAG_FENCE;
    bench().submit_at(0, fence);
    flash_op free = op(FLASH_OP_READ, 1, 0, 0, 5);
    free.stream = 1;
    bench().submit_at(0, free);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_GE(start_of(1, Phase::Command), end_of(0));
    EXPECT_LT(start_of(2, Phase::Command), end_of(0));
}

TEST_F(O3Rtl, ResetHasItsChipEnableForItself)
{
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 1)); // sibling LUN on the same CE#
    bench().submit_at(0, op(FLASH_OP_RESET, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 1));
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_GT(start_of(1, Phase::Command), start_of(0, Phase::Status));
    EXPECT_GT(start_of(2, Phase::Command), start_of(1, Phase::Command) + kSegment + kBusy);
}

// Nine operations for one LUN of eight stations: the ninth and what stands behind it in the channel
// wait in the intake; the other channel goes on.
TEST_F(O3Rtl, FullStationsHoldUpTheirChannelOnly)
{
    for (u32 i = 0; i < 10; ++i) {
        bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, i)); // one is under way, eight wait, one is left
    }
    bench().submit_at(0, op(FLASH_OP_READ, 0, 1, 0)); // tag 10: free LUN, behind the head
    bench().submit_at(0, op(FLASH_OP_READ, 1, 0, 0)); // tag 11
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_LT(start_of(11, Phase::Command), start_of(0, Phase::DataOut));
    EXPECT_GT(start_of(10, Phase::Command), start_of(0, Phase::DataOut));
}

TEST_F(O3Rtl, IllegalOperationsEndWithTheirStatusAndWithoutASegment)
{
    bench().submit_at(0, op(9, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_READ, 2, 0, 0)); // channels are 0 and 1
    bench().submit_at(0, op(FLASH_OP_READ, 0, 2, 0)); // CE# are 0 and 1
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 2)); // LUNs are 0 and 1
    flash_op planes = op(FLASH_OP_READ, 0, 0, 0);
    planes.nplanes = 5;
    bench().submit_at(0, planes);
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    ASSERT_TRUE(bench().run(kEnough));
    for (std::size_t n = 0; n < 5; ++n) {
        EXPECT_EQ(bench().completion(n).status, FLASH_STATUS_ILLEGAL) << n;
    }
    EXPECT_EQ(bench().completion(5).status, FLASH_STATUS_OK);
}

/// The bare model: a LUN that is never ready again.
class O3RtlModel : public testing::Test {
protected:
    O3RtlModel() : model(flash::make_rtl_model("o3", false))
    {
        straps.mode = ControllerMode::Ooo;
        straps.timeout = 10; // stamps: 10.5 us
        model->reset(straps);
    }
    /// Run to `until` ps, by the clock where it is wanted; false: nothing is completed.
    bool run(u64 until)
    {
        while (now < until) {
            const u64 wake = model->idle() && !pending ? model->wake_at() : now + kClock;
            now = std::max(now + kClock, (wake + kClock - 1) / kClock * kClock);
            if (now >= until || wake == ~u64{0}) {
                return false;
            }
            model->edge(now);
            pending = false;
            if (model->done_valid()) {
                done = model->done();
                return true;
            }
        }
        return false;
    }
    void offer(const flash_op& o)
    {
        while (!model->op_ready()) {
            model->edge(now += kClock);
        }
        model->offer(&o);
        model->edge(now += kClock);
        model->offer(nullptr);
        pending = true;
    }
    void end_segment(u8 status)
    {
        while (model->segments() == 0) {
            model->edge(now += kClock);
        }
        model->segment_done(0, true, status);
        model->ready(0, 0, false);
        model->edge(now += kClock);
        model->segment_done(0, false, 0);
        pending = true;
    }
    /// A read whose command is on the bus: that and its burst, all but the landing.
    void finish_read()
    {
        end_segment(0);
        model->ready(0, 0, true);
        model->edge(now += kClock);
        end_segment(0); // its LUN stays ready
        model->ready(0, 0, true);
        model->edge(now += kClock);
    }
    void land(u16 tag)
    {
        while (!model->land_ready()) {
            model->edge(now += kClock);
        }
        model->land(true, tag);
        model->edge(now += kClock);
        model->land(false, 0);
        pending = true;
    }
    std::unique_ptr<flash::RtlModelIf> model;
    flash::RtlStraps straps;
    flash_completion done{};
    u64 now = 0;
    bool pending = false;
};

// The line of a dead die stays high. It is looked at when the mask of 3 ticks has passed, after more than 2 whole
// ones and at most 3, and a burst follows within 6 clocks: ECC judges it. All edges are run meanwhile.
TEST_F(O3RtlModel, ALineThatDoesNotFallIsLookedAtAfterTheMask)
{
    straps.ready_synchronous = false;
    straps.ready_mask = 3;
    model->reset(straps);
    flash_op op{};
    op.opcode = FLASH_OP_READ;
    op.nplanes = 1;
    offer(op);
    while (model->segments() == 0) {
        model->edge(now += kClock);
    }
    model->segment_done(0, true, 0);
    model->edge(now += kClock);
    model->segment_done(0, false, 0);
    const u64 end = now;
    do {
        EXPECT_FALSE(model->idle());
        model->edge(now += kClock);
    } while (model->segments() == 0 || model->segment(0).phase == Phase::Command);
    EXPECT_EQ(model->segment(0).phase, Phase::DataOut);
    EXPECT_GT(now - end, u64{2} << 16);
    EXPECT_LE(now - end, (u64{3} << 16) + 6 * kClock);
}

// Without the check the second operation takes the descriptor and the place in its stream of the first one.
TEST_F(O3RtlModel, ATagThatIsInUseIsRefusedAndItsOperationGoesOn)
{
    straps.ces = 2;
    model->reset(straps);
    flash_op first{};
    first.opcode = FLASH_OP_READ;
    first.nplanes = 1;
    first.tag = 3;
    first.cookie = 0x1111;
    flash_op second = first;
    second.ce = 1;
    second.cookie = 0x2222;
    offer(first);
    while (model->segments() == 0) {
        model->edge(now += kClock);
    }
    offer(second);
    ASSERT_TRUE(run(now + 100 * kClock));
    EXPECT_EQ(done.tag, 3);
    EXPECT_EQ(done.status, FLASH_STATUS_ILLEGAL);
    EXPECT_EQ(done.cookie, 0x2222u);
    finish_read();
    land(3);
    ASSERT_TRUE(run(now + 100 * kClock));
    EXPECT_EQ(done.tag, 3);
    EXPECT_EQ(done.status, FLASH_STATUS_OK);
    EXPECT_EQ(done.cookie, 0x1111u);
    model->edge(now += kClock); // taken
    offer(second); // free again
    for (u32 i = 0; i < 100 && model->segments() == 0; ++i) {
        model->edge(now += kClock);
    }
    ASSERT_EQ(model->segments(), 1u);
    EXPECT_EQ(model->segment(0).ce, 1u);
}

TEST_F(O3RtlModel, ATagThatIsNotBuiltIsRefused)
{
    flash_op op{};
    op.opcode = FLASH_OP_ERASE;
    op.nplanes = 1;
    for (const u32 tag : {model->shape().tags, model->shape().tags + 3, 0x8003u, 0xffffu}) {
        op.tag = static_cast<u16>(tag);
        op.cookie = tag ^ 0xabcd0000u;
        offer(op);
        ASSERT_TRUE(run(now + 100 * kClock));
        EXPECT_EQ(done.tag, tag);
        EXPECT_EQ(done.status, FLASH_STATUS_ILLEGAL);
        EXPECT_EQ(done.cookie, op.cookie);
        EXPECT_EQ(model->segments(), 0u);
        model->edge(now += kClock); // taken
    }
}

TEST_F(O3RtlModel, ALandingOfNoOperationIsDropped)
{
    flash_op op{};
    op.opcode = FLASH_OP_READ;
    op.nplanes = 1;
    op.tag = 3;
    offer(op);
    while (model->segments() == 0) {
        model->edge(now += kClock);
    }
    finish_read();
    for (const u32 tag : {4u, model->shape().tags + 3, 0x8003u}) {
        land(static_cast<u16>(tag));
        EXPECT_FALSE(run(now + 100 * kClock)) << tag;
    }
    land(3);
    ASSERT_TRUE(run(now + 100 * kClock));
    EXPECT_EQ(done.tag, 3);
    EXPECT_EQ(done.status, FLASH_STATUS_OK);
}

// CE# 1 with LUNs that need more bits than the strap gives them would be LUNs of CE# 2; above 4 LUNs a RESET does
// not reach all; a CE# of more than the built LUNs would come round.
TEST_F(O3RtlModel, StrapsThatNameMoreThanIsBuiltReachNothing)
{
    const flash::RtlShape shape = model->shape();
    struct Wrong {
        u32 channels, ces, luns, shift, channel, ce;
    };
    for (const Wrong& w : {Wrong{1, 2, 3, 1, 0, 1}, Wrong{1, 1, 8, 3, 0, 0}, Wrong{1, shape.luns + 1, 1, 0, 0, shape.luns},
                           Wrong{shape.channels + 1, 1, 1, 0, shape.channels, 0}}) {
        straps.channels = w.channels;
        straps.ces = w.ces;
        straps.luns = w.luns;
        straps.lun_shift = w.shift;
        model->reset(straps);
        flash_op op{};
        op.opcode = FLASH_OP_ERASE;
        op.nplanes = 1;
        op.channel = static_cast<u8>(w.channel);
        op.ce = static_cast<u8>(w.ce);
        offer(op);
        ASSERT_TRUE(run(now + 100 * kClock)) << w.ces;
        EXPECT_EQ(done.status, FLASH_STATUS_ILLEGAL) << w.ces;
        EXPECT_EQ(model->segments(), 0u);
        model->edge(now += kClock);
    }
}

// The LUN is given up between one and two time outs after its segment (docs/explanation/rtl-o3-times.md): from 10.5
// to 23.1 us. Further operations end at once, until it is ready again.
TEST_F(O3RtlModel, ALunThatDoesNotAnswerIsGivenUp)
{
    flash_op op{};
    op.opcode = FLASH_OP_READ;
    op.nplanes = 1;
    op.tag = 3;
    offer(op);
    end_segment(0);
    const u64 began = now;
    ASSERT_TRUE(run(began + 30000000));
    EXPECT_EQ(done.tag, 3);
    EXPECT_EQ(done.status, FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(done.failed_planes, 1);
    EXPECT_GE(now - began, 10000000u);
    EXPECT_LE(now - began, 24000000u);

    op.tag = 4;
    offer(op);
    const u64 second = now;
    ASSERT_TRUE(run(second + 1000000));
    EXPECT_EQ(done.tag, 4);
    EXPECT_EQ(done.status, FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(model->segments(), 0u);

    model->ready(0, 0, true); // late
    model->edge(now += kClock);
    op.tag = 5;
    offer(op);
    while (model->segments() == 0 && now < second + 2000000) {
        model->edge(now += kClock);
    }
    EXPECT_EQ(model->segments(), 1u);
}

TEST_F(O3RtlModel, WithoutATimeOutItIsWaitedForForEver)
{
    straps.timeout = 0;
    model->reset(straps);
    flash_op op{};
    op.opcode = FLASH_OP_ERASE;
    op.nplanes = 1;
    offer(op);
    end_segment(0);
    EXPECT_FALSE(run(now + (u64{1} << 50)));
    EXPECT_TRUE(model->idle());
    EXPECT_EQ(model->wake_at(), ~u64{0});
}

// An operation that is taken back before the controller has it breaks the rule of its port: Verilator prints the
// assertion's name, and the ModelError ends a run with status 3.
TEST_F(O3RtlModel, AnAssertionThatFailsNamesItselfAndEndsTheRun)
{
    straps.mode = ControllerMode::InOrder; // the second operation waits for the LUN of the first, and four behind it
    model->reset(straps);
    flash_op op{};
    op.opcode = FLASH_OP_READ;
    op.nplanes = 1;
    for (u32 i = 0; i < 100 && model->op_ready(); ++i) {
        op.tag = static_cast<u16>(i);
        model->offer(&op);
        model->edge(now += kClock);
    }
    ASSERT_FALSE(model->op_ready());
    model->offer(&op);
    model->edge(now += kClock);
    model->offer(nullptr);
    testing::internal::CaptureStdout();
    EXPECT_THROW(model->edge(now += kClock), ModelError);
    EXPECT_THAT(testing::internal::GetCapturedStdout(), testing::HasSubstr("OpHeld"));
}

// Without its grant a channel asks for its bus for ever: the other one ends its work, then the watchdog
// speaks after the number of clocks that it was given.
TEST_F(O3Rtl, AChannelWithoutGrantsIsFoundByTheWatchdog)
{
    for (u32 channel = 0; channel < 2; ++channel) {
        flash::RtlDriverConfig dead = config;
        dead.straps.no_grants = 1u << channel;
        dead.patience.edges = 5000;
        FakeTimes means;
        means.random = false;
        FakeFlash flash(geometry, dead, means, "o3");
        next_tag = 0;
        for (u32 i = 0; i < 4; ++i) {
            flash_op o = op(FLASH_OP_READ, i % 2, 0, 0, i);
            o.stream = static_cast<u16>(i);
            flash.submit_at(0, o);
        }
        try {
            flash.run(kEnough);
            ADD_FAILURE() << "the run came to an end";
        } catch (const ModelError& error) {
            const std::string name = "channel " + std::to_string(channel);
            EXPECT_THAT(error.what(), testing::HasSubstr("rtl: watchdog: no progress since "));
            EXPECT_THAT(error.what(), testing::HasSubstr("rtl: 2 operations outstanding; the oldest: tag " +
                                                         std::to_string(channel) + ", READ of " + name));
            EXPECT_THAT(error.what(), testing::HasSubstr("rtl: " + name + ": 2 operations outstanding, bus free"));
        }
        EXPECT_EQ(flash.completed(), 2u);
    }
}

TEST_F(O3RtlModel, LinesThatNobodyDrivesAreNoAnswer)
{
    flash_op op{};
    op.opcode = FLASH_OP_ERASE;
    op.nplanes = 1;
    offer(op);
    end_segment(0);
    model->ready(0, 0, true);
    pending = true;
    EXPECT_FALSE(run(now + 1000000));
    end_segment(0xff);
    ASSERT_TRUE(run(now + 1000000));
    EXPECT_EQ(done.status, FLASH_STATUS_TIMEOUT);
}

} // namespace
} // namespace tlmssd::tb
