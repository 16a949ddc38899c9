// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: directed cases of the out-of-order RTL: latencies in clocks, order, fences, time outs.
#include <gmock/gmock.h>
#include <vector>

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

// Edges, counted from the one that sees the operation: 0 it is the head, 1 decoded, 2 it goes, 3 in the intake; an event
// gives it its free LUN: 4 picked, 5 the LUN's row read, 6 decided, 7 written; 8 bus granted, 9 descriptor read,
// 10 fields set: the segment appears after edge 10. After an input: 0 registered, 1 to 4 event, then 5 to 7 as 8 to 10.
// After a landing: 0 registered, 1 picked, 2 its stream read, 3 completed.
TEST_F(O3Rtl, OneReadTakesTheClocksOfItsPipeline)
{
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    ASSERT_TRUE(bench().run(kEnough));
    const u64 command = 10 * kClock;
    EXPECT_EQ(start_of(0, Phase::Command), command);
    const u64 burst = command + kSegment + kBusy + 7 * kClock;
    EXPECT_EQ(start_of(0, Phase::DataOut), burst);
    EXPECT_EQ(end_of(0), burst + kSegment + kLanding + 3 * kClock);
}

// Stamps and ticks come round; times beyond them change nothing.
TEST_F(O3Rtl, AReadTakesTheSameClocksAtAnyTime)
{
    std::vector<u64> starts;
    for (u32 bit = 22; bit < 51; ++bit) { // up to 19 minutes
        starts.push_back(((u64{1} << bit) / kClock + 1) * kClock);
        bench().submit_at(starts.back(), op(FLASH_OP_READ, 0, 0, 0));
    }
    ASSERT_TRUE(bench().run(u64{1} << 51));
    const u64 takes = 10 * kClock + kSegment + kBusy + 7 * kClock + kSegment + kLanding + 3 * kClock;
    for (u32 i = 0; i < starts.size(); ++i) {
        EXPECT_EQ(start_of(i, Phase::Command), starts[i] + 10 * kClock) << i;
        EXPECT_EQ(end_of(i), starts[i] + takes) << i;
    }
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
    const u64 seen = kSegment + times.falls_ps + kBusy + 8 * kClock;
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
// When B's burst ends, C's has waited since a while; B's second command is on its way for 14 clocks (an event, 0 to 4;
// 5 checked, 6 it goes, 7 in the intake, and on as above) and goes before it nevertheless. B's R/B# rises 3 clocks
// before A's burst ends, so that event is one later. A burst starts 7 after R/B# and after what was before it.
TEST_F(O3Rtl, InOrderTheHeadThatABurstLetsGoComesBeforeOtherBursts)
{
    config.straps.mode = ControllerMode::InOrder;
    const u32 ces[] = {0, 0, 1, 0, 0}, luns[] = {0, 1, 0, 0, 1};
    for (u32 i = 0; i < 5; ++i) {
        bench().submit_at(0, op(FLASH_OP_READ, 0, ces[i], luns[i], i));
    }
    ASSERT_TRUE(bench().run(kEnough));
    constexpr u64 kAlone = 11 * kClock, kHead = 14 * kClock, kNext = 7 * kClock;
    const u64 let_go_a = kAlone + kSegment + kBusy + kNext + kSegment;
    EXPECT_EQ(start_of(0, Phase::DataOut), let_go_a - kSegment);
    EXPECT_EQ(start_of(3, Phase::Command), let_go_a + kClock + kHead);
    const u64 let_go_b = let_go_a + kClock + kHead + kSegment + kNext + kSegment;
    EXPECT_EQ(start_of(1, Phase::DataOut), let_go_b - kSegment);
    EXPECT_EQ(start_of(4, Phase::Command), let_go_b + kHead);
    EXPECT_EQ(start_of(2, Phase::DataOut), let_go_b + kHead + kSegment + kNext);
}

// The first erase's LUN is ready while a program of a third LUN has the bus, so that its status byte comes late: 10 ns
// of it are over when the page of the second LUN is ready to be read. A second erase waits for the first one's LUN.
// After the status byte come its event and its end, then the event that finds the second one, and its segment: 13
// clocks, as in O3RtlSuspended. The bus is free for most of them, and the burst waits nevertheless.
TEST_F(O3Rtl, ABurstWaitsForTheCommandOfALunThatHasJustBecomeFree)
{
    const u64 direct = 10 * kClock, next = 7 * kClock;
    const u64 read = direct + kSegment + next;
    const u64 ready = read + kSegment + kBusy;
    const u64 status = ready - 10000;
    const u64 program = status - next - kSegment;
    ASSERT_LT(program, direct + kSegment + kBusy);
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0, 16));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 1, 0, 0));
    bench().submit_at(program - direct, op(FLASH_OP_PROGRAM, 0, 1, 1, 0));
    ASSERT_TRUE(bench().run(kEnough));
    ASSERT_EQ(start_of(2, Phase::Command), read);
    ASSERT_EQ(start_of(3, Phase::DataIn), program);
    ASSERT_EQ(start_of(0, Phase::Status), status);
    const u64 second = status + kSegment + 13 * kClock;
    EXPECT_EQ(start_of(1, Phase::Command), second);
    EXPECT_EQ(start_of(2, Phase::DataOut), second + kSegment + next);
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

} // namespace
} // namespace tlmssd::tb
