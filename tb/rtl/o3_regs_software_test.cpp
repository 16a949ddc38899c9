// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: operations driven through the registers of o3_top alone, in the fake array; counters counted
// by hand.
#include <cstring>
#include <deque>

#include <gtest/gtest.h>

#include "models/common/hash.h"
#include "models/flash/rtl/rtl_registry.h"
#include "tb/rtl/o3_software.h"

namespace tlmssd::tb {
namespace {

using namespace flash::o3_regs;
using config::ControllerMode;

constexpr u32 kDepth = 16; // of the completion queue

TEST_F(O3Software, OneReadThroughWindowDoorbellInterruptAndQueue)
{
    EXPECT_EQ(write(kIntrEnable, kIntrStatusCqAnyMask), 0u);
    EXPECT_FALSE(bench().driver().model().interrupt());
    const flash_op o = op(FLASH_OP_READ, 1, 1, 1, 5);
    ring(o);
    settle();
    EXPECT_EQ(read(kPushed), 1u);
    EXPECT_EQ(read(kStatus), kStatusBusyMask);
    EXPECT_EQ(read(kIntrStatus), kIntrStatusTakenMask);
    while (!bench().driver().model().interrupt()) {
        ASSERT_TRUE(step());
    }
    EXPECT_EQ(read(kStatus), kStatusCqAnyMask);
    EXPECT_EQ(read(kCqLevel), 1u);
    EXPECT_EQ(read(kCqHead), o.tag | u32{FLASH_STATUS_OK} << kCqHeadStatusLsb);
    EXPECT_EQ(read(kCqCookie), o.cookie);
    pop();
    settle();
    EXPECT_FALSE(bench().driver().model().interrupt());
    EXPECT_EQ(read(kCqLevel), 0u);
    EXPECT_EQ(read(kCqHead), 0u);
    EXPECT_EQ(read(kCqCookie), 0u);
    EXPECT_EQ(write(kCqPop, 1), 2u) << "nothing to pop";
    EXPECT_EQ(bench().completed(), 1u);
    EXPECT_EQ(bench().steps(0).size(), 2u);
}

// 24 operations and nobody pops: 16 stand in the queue, the others wait in the controller. Then all
// of them come, each once.
TEST_F(O3Software, AFullCompletionQueueLosesNothing)
{
    constexpr u32 kOps = 24;
    for (u32 i = 0; i < kOps; ++i) {
        while ((read(kStatus) & kStatusWindowFullMask) != 0) {
            ASSERT_TRUE(step());
        }
        ring(op(FLASH_OP_READ, i % 2, (i / 2) % 2, (i / 4) % 2, i));
        settle();
    }
    for (u32 i = 0; i < 2000; ++i) {
        step();
    }
    EXPECT_EQ(read(kCqLevel), kDepth);
    EXPECT_EQ(read(kStatus) & kStatusCqFullMask, kStatusCqFullMask);
    EXPECT_EQ(read(kIntrStatus) & kIntrStatusCqFullMask, kIntrStatusCqFullMask);
    EXPECT_EQ(read(kPushed), kOps);
    while (popped < kOps) {
        if (read(kCqLevel) != 0) {
            pop();
            settle();
        } else {
            ASSERT_TRUE(step());
        }
    }
    EXPECT_EQ(bench().completed(), kOps);
    EXPECT_EQ(read(kStatus), 0u);
    EXPECT_EQ(write(kIntrStatus, kIntrStatusCqFullMask), 0u);
    EXPECT_EQ(read(kIntrStatus) & kIntrStatusCqFullMask, 0u);
}

// One bit at a time raises the line where it is enabled, and changes no status.
TEST_F(O3Software, TheInterruptLineCanBeTested)
{
    for (u32 bit = 1; bit <= kIntrStatusRefusedMask; bit <<= 1) {
        EXPECT_EQ(write(kIntrEnable, bit), 0u);
        EXPECT_FALSE(bench().driver().model().interrupt());
        EXPECT_EQ(write(kIntrTest, ~bit & kIntrTestForceMask), 0u);
        settle();
        EXPECT_FALSE(bench().driver().model().interrupt()) << "not enabled";
        EXPECT_EQ(write(kIntrTest, bit), 0u);
        settle();
        EXPECT_TRUE(bench().driver().model().interrupt());
        EXPECT_EQ(read(kIntrStatus), 0u);
        EXPECT_EQ(read(kIntrTest), bit);
        EXPECT_EQ(write(kIntrTest, 0), 0u);
        settle();
        EXPECT_FALSE(bench().driver().model().interrupt());
    }
}

TEST_F(O3Software, ATagInUseIsToldInTheQueueAndItsOperationGoesOn)
{
    flash_op o = op(FLASH_OP_READ, 0, 0, 0);
    ring(o);
    settle();
    flash_op again = o;
    again.cookie = ~o.cookie;
    hand_in(again, [] {});
    while (read(kCqLevel) == 0) {
        ASSERT_TRUE(step());
    }
    EXPECT_EQ(read(kCqHead), o.tag | u32{FLASH_STATUS_ILLEGAL} << kCqHeadStatusLsb);
    EXPECT_EQ(read(kCqCookie), again.cookie);
    EXPECT_EQ(write(kCqPop, 1), 0u);
    settle();
    while (read(kCqLevel) == 0) {
        ASSERT_TRUE(step());
    }
    EXPECT_EQ(read(kCqHead), o.tag | u32{FLASH_STATUS_OK} << kCqHeadStatusLsb);
    EXPECT_EQ(read(kCqCookie), o.cookie);
    pop();
}

TEST_F(O3Software, ATagOutOfRangeIsRefused)
{
    flash_op o = op(FLASH_OP_READ, 0, 0, 0);
    o.tag = TLMSSD_RTL_TAGS;
    u32 words[16];
    std::memcpy(words, &o, sizeof words);
    for (u32 i = 0; i < 16; ++i) {
        EXPECT_EQ(write(kWindow + 4 * i, words[i]), 0u);
    }
    EXPECT_EQ(write(kDoorbell, 1), 0u);
    EXPECT_EQ(read(kIntrStatus), kIntrStatusRefusedMask);
    EXPECT_EQ(read(kPushed), 0u);
    EXPECT_EQ(read(kStatus), 0u);
}

TEST_F(O3Software, AnIllegalOperationIsToldInTheQueue)
{
    ring(op(FLASH_OP_READ, 2, 0, 0)); // there are two channels
    settle();
    EXPECT_EQ(read(kCqHead) >> kCqHeadStatusLsb & 0xff, u32{FLASH_STATUS_ILLEGAL});
    pop();
    settle();
    EXPECT_EQ(bench().completed(), 1u);
}

TEST_F(O3Software, HoldKeepsTheWindowAndTheConfigurationStandsWhileBusy)
{
    EXPECT_EQ(write(kCtrl, kCtrlHoldMask), 0u);
    ring(op(FLASH_OP_READ, 0, 0, 0));
    settle();
    step();
    EXPECT_EQ(read(kStatus), kStatusBusyMask | kStatusWindowFullMask);
    EXPECT_EQ(write(kWindow, 0), 2u);
    EXPECT_EQ(write(kDoorbell, 1), 2u);
    EXPECT_EQ(write(kMode, 0), 2u);
    EXPECT_EQ(read(kMode), 2u);
    EXPECT_TRUE(bench().trace().empty());
    EXPECT_EQ(write(kCtrl, 0), 0u);
    EXPECT_EQ(read(kPushed), 1u);
    EXPECT_EQ(write(kMode, 0), 2u) << "it is inside now";
    while (read(kCqLevel) == 0) {
        ASSERT_TRUE(step());
    }
    pop();
    settle();
    EXPECT_EQ(write(kMode, 0), 0u);
    EXPECT_EQ(read(kMode), 0u);
}

// 3 is 1: the trace is the same, and FakeFlash checks it by the rules of in order. Out of order it differs.
TEST_F(O3Software, ModeThreeIsInOrder)
{
    const auto trace_in = [&](ControllerMode rules, u32 mode) {
        config.straps.mode = rules;
        next_tag = 0;
        FakeFlash fake(geometry, config, times, "o3");
        u32 response = 99;
        fake.driver().registers()->write(kMode, mode, [&](const Result& r) { response = r.response; });
        EXPECT_TRUE(fake.run(kEnough));
        EXPECT_EQ(response, 0u);
        for (u32 i = 0; i < 30; ++i) { // two for each LUN in turn: in order the second blocks the head
            fake.submit_at(kBusy, op(i % 3 == 0 ? FLASH_OP_PROGRAM : FLASH_OP_READ, i / 2 % 2, i / 4 % 2, 0, i));
        }
        EXPECT_TRUE(fake.run(kEnough));
        EXPECT_EQ(fake.completed(), 30u);
        return fake.trace();
    };
    const std::vector<TraceEntry> in_order = trace_in(ControllerMode::InOrder, 1);
    EXPECT_EQ(trace_in(ControllerMode::InOrder, 3), in_order);
    EXPECT_NE(trace_in(ControllerMode::Ooo, 2), in_order);
}

// Operations of the port and of the window at random: each is told where it came from.
TEST_F(O3Software, PortAndWindowShareTheController)
{
    times.random = true;
    constexpr u32 kOps = 120;
    u32 through_port = 0;
    bench().on_completion = [&](const flash_completion& c) { through_port += c.tag % 2; };
    std::deque<flash_op> ours;
    for (u32 i = 0; i < kOps / 2; ++i) { // even tags by the window, odd ones by the port
        const u32 word = static_cast<u32>(draw64(3, 1, i));
        const u32 opcode = 1 + word % 3;
        ours.push_back(op(opcode, word >> 4 & 1, word >> 5 & 1, word >> 6 & 1, word >> 8 & 0xff));
        flash_op o = op(1 + word / 3 % 3, word >> 7 & 1, word >> 16 & 1, word >> 17 & 1, word >> 20 & 0xff);
        o.stream = 1;
        if (i >= 32) { // 64 tags: the second half in a second round
            ours.back().tag -= 64;
            o.tag -= 64;
        }
        bench().submit_at(i < 32 ? word % 4000000 : 400000000 + word % 4000000, o);
    }
    for (u32 half = 0; half < 2; ++half) {
        while (limit < half * 400000000ull) {
            step();
        }
        for (u32 i = 0; i < (half == 0 ? 32u : 28u);) {
            if (read(kCqLevel) != 0) {
                pop();
            } else if ((read(kStatus) & kStatusWindowFullMask) == 0) {
                ring(ours.front());
                ours.pop_front();
                ++i;
            }
            settle();
        }
        while (popped < (half == 0 ? 32u : 60u)) {
            if (read(kCqLevel) != 0) {
                pop();
                settle();
            } else {
                ASSERT_TRUE(step());
            }
        }
    }
    while (bench().completed() < kOps) {
        ASSERT_TRUE(step());
    }
    EXPECT_EQ(through_port, kOps / 2);
}

/// Counters: times of docs/explanation/rtl-o3.md, one clock 5 ns. A segment asked for at edge e is on the bus until
/// e + 20, is seen to end there, and valid falls one edge later: 21 cycles.
class O3Counts : public O3Software {
protected:
    flash::RtlCounters counts()
    {
        EXPECT_TRUE(bench().run(kEnough));
        const flash::RtlCounters c = bench().driver().finish(Picoseconds(kEnough));
        EXPECT_EQ(c.held, bench().held());
        return c;
    }
};

// Edge 3 brings the read to the intake, 7 gives it its LUN, 8 grants the bus: work waits for 4 edges, and for one. From
// 10 to 31 its command stands. The LUN works from the event of that end to that of the rise of R/B#, 200 edges later.
// That event asks for the bus, the next edge grants it: one more of waiting. Then the burst stands for 21.
TEST_F(O3Counts, OfOneRead)
{
    bench().submit_at(0, op(FLASH_OP_READ, 1, 0, 0));
    const flash::RtlCounters c = counts();
    EXPECT_EQ(c.cycles, kEnough / kClock + 2); // stopped by the second edge after the end
    EXPECT_EQ(c.ended, 1u);
    EXPECT_EQ(c.held, 0u);
    EXPECT_EQ(c.outstanding_max, 1u);
    ASSERT_EQ(c.channels.size(), 2u);
    EXPECT_EQ(c.channels[0], flash::RtlCounters::Channel());
    flash::RtlCounters::Channel one;
    one.reads = 1;
    one.bus_busy = 21 + 21;
    one.bus_starved = 4 + 1 + 1; // in the intake; for the bus, twice
    one.lun_busy = 200;
    EXPECT_EQ(c.channels[1].reads, one.reads);
    EXPECT_EQ(c.channels[1].bus_busy, one.bus_busy);
    EXPECT_EQ(c.channels[1].bus_starved, one.bus_starved);
    EXPECT_EQ(c.channels[1].lun_busy, one.lun_busy);
    EXPECT_EQ(c.channels[1].blocked, 0u);
    EXPECT_EQ(c.channels[1], one);
}

// One station a LUN. The first read needs none and has the LUN from edge 7 on. The event of the second goes from 8 to 11
// and gives it the station, until the first has left its LUN: its command is out after edge 10, 20 clocks later the LUN
// is busy for 200; its burst is out 7 after that, at 237, and ends at 257; the look that ends at 266 issues the second.
// The third waits for the station all that time.
TEST_F(O3Counts, OfAnIntakeThatIsBlocked)
{
    config.straps.stations = 1;
    for (u32 i = 0; i < 3; ++i) {
        bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, i));
    }
    const flash::RtlCounters c = counts();
    EXPECT_EQ(c.ended, 3u);
    EXPECT_EQ(c.outstanding_max, 3u);
    EXPECT_EQ(c.channels[0].reads, 3u);
    EXPECT_EQ(c.channels[0].blocked, 266u - 11u);
}

// Edges of the test before. From 3 on one of two reads is in the intake; from 11, when that leaves it, the second waits in
// a station, until it is issued at 266. The bus has segments from 10 to 31, and from 237 to 258. After 266 the second
// waits for the bus twice, for an edge each.
TEST_F(O3Counts, OfAnOperationThatWaitsForItsLun)
{
    for (u32 i = 0; i < 2; ++i) {
        bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, i));
    }
    const flash::RtlCounters c = counts();
    EXPECT_EQ(c.channels[0].bus_busy, 4u * 21);
    EXPECT_EQ(c.channels[0].bus_starved, (10u - 3) + (237 - 31) + (266 - 258) + 2);
}

// Of each kind one, and the reasons to wait: the read of the page that is being programmed, behind an
// erase on the same LUN, depends on the program; the fenced erase on another LUN depends on nothing but
// its fence. All but the first end in order, as their stream is one; the RESET (the last) is early.
TEST_F(O3Counts, OfKindsAndReasonsToWait)
{
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0, 512));
    bench().submit_at(0, op(FLASH_OP_PROGRAM, 0, 0, 0, 3));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, 3));
    flash_op fenced = op(FLASH_OP_ERASE, 0, 1, 0, 512);
    fenced.flags = FLASH_FLAG_FENCE;
    bench().submit_at(0, fenced);
    bench().submit_at(0, op(FLASH_OP_RESET, 1, 0, 0));
    const flash::RtlCounters c = counts();
    EXPECT_EQ(c.ended, 5u);
    EXPECT_EQ(c.held, 1u);
    EXPECT_EQ(c.outstanding_max, 5u);
    EXPECT_EQ(c.channels[0].reads, 1u);
    EXPECT_EQ(c.channels[0].programs, 1u);
    EXPECT_EQ(c.channels[0].erases, 2u);
    EXPECT_EQ(c.channels[0].resets, 0u);
    EXPECT_EQ(c.channels[0].dependent, 1u);
    EXPECT_EQ(c.channels[0].fenced, 1u);
    EXPECT_EQ(c.channels[1].resets, 1u);
    EXPECT_EQ(c.channels[1].erases, 0u);
}

} // namespace
} // namespace tlmssd::tb
