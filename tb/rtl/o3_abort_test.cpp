// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: aborts of operations and channels, and soft resets, through the registers of o3_top.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "models/common/hash.h"
#include "tb/rtl/o3_software.h"
#include "tb/rtl/random_mix.h"

namespace tlmssd::tb {
namespace {

using namespace flash::o3_regs;
using config::ControllerMode;
using flash::Phase;

class O3Abort : public O3Software {
protected:
    void run_to(u64 at)
    {
        limit = at;
        bench().run(limit);
    }
    void run_to_the_end() { ASSERT_TRUE(bench().run(kEnough)); }
    /// Marks the operation that has `tag` at `at`; true: there is one.
    bool abort_at(u64 at, u32 tag)
    {
        run_to(at);
        bench().abort_operation(tag, true);
        EXPECT_EQ(write(kAbortOp, tag | kAbortOpGoMask), 0u);
        const u32 found = read(kAbortOp);
        EXPECT_EQ(found & kAbortOpBusyMask, 0u);
        bench().abort_operation(tag, false);
        return (found & kAbortOpFoundMask) != 0;
    }
    void abort_channels_at(u64 at, u32 channels)
    {
        run_to(at);
        bench().abort_channels(channels);
        EXPECT_EQ(write(kAbort, channels), 0u);
    }
    void soft_reset_at(u64 at)
    {
        run_to(at);
        bench().abort_channels(~u64{0});
        EXPECT_EQ(write(kCtrl, read(kCtrl) | kCtrlSoftResetMask), 0u);
    }
    /// Until the bit falls; then no operation is aborted.
    void soft_reset_ends()
    {
        while ((read(kCtrl) & kCtrlSoftResetMask) != 0) {
            ASSERT_TRUE(step());
        }
        bench().abort_channels(0);
    }
    u32 status(std::size_t n) { return bench().completion(n).status; }
    std::size_t segments(std::size_t n) { return bench().steps(n).size(); }
    flash_op planes(flash_op o, u32 n)
    {
        o.nplanes = static_cast<u8>(n);
        return o;
    }
};

// The erase has the LUN. The read gets it when the erase's status byte is over, and its end is taken: 13 clocks later
// its command would be on the bus (as in o3_rtl_suspend_test.cpp); an event of 4 clocks ends it instead, and 3 more
// complete it.
TEST_F(O3Abort, InAStationItEndsWhenItWouldGetTheBus)
{
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, 16));
    EXPECT_TRUE(abort_at(500000, 1));
    run_to_the_end();
    EXPECT_EQ(status(0), FLASH_STATUS_OK);
    EXPECT_EQ(status(1), FLASH_STATUS_ABORTED);
    EXPECT_EQ(bench().completion(1).failed_planes, 1u);
    EXPECT_EQ(segments(1), 0u);
    EXPECT_EQ(end_of(1), start_of(0, Phase::Status) + kSegment + (13 + 4 + 3) * kClock);
}

// The program's data have the bus for 1 us. What waits for it then ends without it.
TEST_F(O3Abort, OfEachKindWhileItWaitsForTheBus)
{
    times.segment_ps = 1000000;
    bench().submit_at(0, op(FLASH_OP_PROGRAM, 0, 1, 0));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 1, 16));
    bench().submit_at(0, planes(op(FLASH_OP_PROGRAM, 0, 1, 1, 32), 2));
    for (const u32 tag : {1u, 2u, 3u}) {
        EXPECT_TRUE(abort_at(100000 * tag, tag));
    }
    EXPECT_EQ(segments(0), 1u);
    run_to_the_end();
    EXPECT_EQ(status(0), FLASH_STATUS_OK);
    for (const u32 n : {1u, 2u, 3u}) {
        EXPECT_EQ(status(n), FLASH_STATUS_ABORTED) << n;
        EXPECT_EQ(segments(n), 0u) << n;
    }
    EXPECT_EQ(bench().completion(3).failed_planes, 3u);
}

TEST_F(O3Abort, InTheIntake)
{
    config.straps.stations = 1;
    for (u32 i = 0; i < 4; ++i) { // one works, one has the station, two wait in the intake
        bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, i));
    }
    EXPECT_TRUE(abort_at(500000, 3));
    EXPECT_TRUE(abort_at(600000, 2));
    run_to_the_end();
    EXPECT_EQ(status(0), FLASH_STATUS_OK);
    EXPECT_EQ(status(1), FLASH_STATUS_OK);
    EXPECT_EQ(status(2), FLASH_STATUS_ABORTED);
    EXPECT_EQ(status(3), FLASH_STATUS_ABORTED);
}

// In the front no operation has its tag yet: the abort finds none, and finds it when it has gone on.
TEST_F(O3Abort, InTheFrontItIsNotFound)
{
    config.straps.mode = ControllerMode::InOrder;
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0));
    bench().submit_at(0, planes(op(FLASH_OP_READ, 0, 0, 0), 2)); // waits for the LUN
    EXPECT_FALSE(abort_at(500000, 1));
    EXPECT_TRUE(abort_at(2000000, 1)); // its array works
    run_to_the_end();
    EXPECT_EQ(status(0), FLASH_STATUS_OK);
    EXPECT_EQ(status(1), FLASH_STATUS_ABORTED);
    EXPECT_EQ(segments(1), 2u);
}

TEST_F(O3Abort, OfATagThatIsFreeOrNotBuiltFindsNone)
{
    EXPECT_FALSE(abort_at(0, 3));
    EXPECT_FALSE(abort_at(0, TLMSSD_RTL_TAGS));
    EXPECT_FALSE(abort_at(0, 0xffff));
    bench().submit_at(kClock * 1000, op(FLASH_OP_READ, 0, 0, 0));
    EXPECT_TRUE(abort_at(kClock * 1100, 0));
    EXPECT_FALSE(abort_at(kClock * 1100, TLMSSD_RTL_TAGS)) << "its lower bits are those of tag 0";
    run_to_the_end();
    EXPECT_FALSE(abort_at(bench().now(), 0)) << "it has completed";
}

// 20 reads of the window, none of them popped: the queue holds 16, one completion is offered, one is about to be, one landing
// has been taken and one stands at the port. An abort asks beside it, of its own tag.
TEST_F(O3Abort, DoesNotWaitForALandingThatCannotGoOn)
{
    for (u32 i = 0; i < 20; ++i) {
        while ((read(kStatus) & kStatusWindowFullMask) != 0) {
            ASSERT_TRUE(step());
        }
        ring(op(FLASH_OP_READ, i % 2, (i / 2) % 2, (i / 4) % 2, i));
        settle();
    }
    run_to(limit + 30 * kBusy);
    EXPECT_EQ(read(kCqLevel), 16u);
    EXPECT_FALSE(bench().driver().model().land_ready());
    EXPECT_TRUE(abort_at(limit, 19)); // whose landing that may be
    EXPECT_FALSE(abort_at(limit, 40));
    while (popped < 20) {
        pop();
        settle();
    }
    run_to_the_end();
}

// Commands of all planes go out, for the die waits for them; bursts do not.
TEST_F(O3Abort, OfAReadWhoseArrayWorksLeavesItsBurstsOut)
{
    bench().submit_at(0, planes(op(FLASH_OP_READ, 0, 0, 0), 4));
    EXPECT_TRUE(abort_at(500000, 0)); // after the first plane's command
    EXPECT_EQ(segments(0), 1u);
    run_to_the_end();
    EXPECT_EQ(status(0), FLASH_STATUS_ABORTED);
    EXPECT_EQ(bench().completion(0).failed_planes, 15u);
    EXPECT_EQ(segments(0), 4u);
}

// The first burst is on the bus: it ends, the second one is left out. The tag's next operation is a new one: it lands
// once, after both its bursts, and its bits are not those of the aborted one.
TEST_F(O3Abort, BetweenTwoBurstsLeavesNothingToTheTagsNextOperation)
{
    const flash_op o = planes(op(FLASH_OP_READ, 0, 0, 0), 2);
    bench().submit_at(0, o);
    run_to(0);
    while (segments(0) < 3) {
        run_to(limit + kClock);
    }
    EXPECT_TRUE(abort_at(limit, 0));
    bench().on_completion = [&](const flash_completion& c) {
        if (c.status == FLASH_STATUS_ABORTED) {
            bench().submit_at(bench().now(), o);
        }
    };
    run_to_the_end();
    EXPECT_EQ(status(0), FLASH_STATUS_ABORTED);
    EXPECT_EQ(segments(0), 3u);
    EXPECT_EQ(bench().completion(0).corrected, 0u);
    EXPECT_EQ(status(1), FLASH_STATUS_OK);
    EXPECT_EQ(segments(1), 4u);
}

TEST_F(O3Abort, OfWhatHasBegunAtItsDieChangesNothing)
{
    bench().submit_at(0, planes(op(FLASH_OP_PROGRAM, 0, 0, 0), 2));
    bench().submit_at(0, op(FLASH_OP_ERASE, 1, 0, 0));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 1));
    run_to(0);
    while (segments(2) != 2) { // its only burst is on the bus
        run_to(limit + kClock);
    }
    for (const u32 tag : {0u, 1u, 2u}) {
        EXPECT_TRUE(abort_at(limit, tag));
    }
    run_to_the_end();
    for (const u32 n : {0u, 1u, 2u}) {
        EXPECT_EQ(status(n), FLASH_STATUS_OK) << n;
    }
    EXPECT_EQ(segments(0), 3u);
}

// Suspended for the read, the erase is to be aborted, and so is the read: the read ends, the erase goes on to its end.
TEST_F(O3Abort, ASuspendedEraseIsResumed)
{
    config.straps.suspend = config::Suspend::Erase;
    flash_op erase = op(FLASH_OP_ERASE, 0, 0, 0);
    erase.flags = FLASH_FLAG_SUSPENDABLE;
    flash_op meanwhile = op(FLASH_OP_READ, 0, 0, 0, 16);
    meanwhile.stream = 1;
    bench().submit_at(0, erase);
    bench().submit_at(300000, meanwhile);
    run_to(300000);
    while (segments(1) == 0) {
        run_to(limit + kClock);
    }
    EXPECT_TRUE(abort_at(limit, 0));
    EXPECT_TRUE(abort_at(limit, 1));
    run_to_the_end();
    EXPECT_EQ(status(0), FLASH_STATUS_OK);
    EXPECT_EQ(status(1), FLASH_STATUS_ABORTED);
    EXPECT_EQ(segments(1), 1u);
    EXPECT_EQ(bench().suspends(), 1u);
    EXPECT_EQ(bench().resumes(), 1u);
}

// An erase that keeps its station while it waits for the bus lets it go.
TEST_F(O3Abort, ASuspendableEraseBeforeItsCommandLeavesItsStation)
{
    times.segment_ps = 1000000;
    config.straps.suspend = config::Suspend::Erase;
    config.straps.stations = 1;
    flash_op erase = op(FLASH_OP_ERASE, 0, 0, 0);
    erase.flags = FLASH_FLAG_SUSPENDABLE;
    bench().submit_at(0, op(FLASH_OP_PROGRAM, 0, 1, 0)); // has the bus
    bench().submit_at(0, erase);
    EXPECT_TRUE(abort_at(100000, erase.tag));
    bench().submit_at(5000000, erase); // it needs the only station
    run_to_the_end();
    EXPECT_EQ(status(1), FLASH_STATUS_ABORTED);
    EXPECT_EQ(segments(1), 0u);
    EXPECT_EQ(status(2), FLASH_STATUS_OK);
}

TEST_F(O3Abort, ResetIsNotAborted)
{
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_RESET, 0, 0, 0)); // waits for its CE#
    EXPECT_TRUE(abort_at(500000, 1));
    abort_channels_at(500000, 1);
    run_to_the_end();
    EXPECT_EQ(status(0), FLASH_STATUS_OK);
    EXPECT_EQ(status(1), FLASH_STATUS_OK);
    EXPECT_EQ(segments(1), 1u);
}

// The fence is for the aborted read, the last read for the page of the aborted program.
TEST_F(O3Abort, WhatWaitedForAnAbortedOperationGoesOn)
{
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 0, 64));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    flash_op fence = op(FLASH_OP_READ, 1, 0, 0);
    fence.flags = FLASH_FLAG_FENCE;
    bench().submit_at(0, fence);
    bench().submit_at(0, op(FLASH_OP_PROGRAM, 0, 0, 0, 3));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, 3));
    EXPECT_TRUE(abort_at(500000, 1));
    EXPECT_TRUE(abort_at(500000, 3));
    run_to_the_end();
    const u32 expected[] = {FLASH_STATUS_OK, FLASH_STATUS_ABORTED, FLASH_STATUS_OK, FLASH_STATUS_ABORTED,
                            FLASH_STATUS_OK};
    for (u32 n = 0; n < 5; ++n) {
        EXPECT_EQ(status(n), expected[n]) << n;
    }
    EXPECT_GE(start_of(2, Phase::Command), end_of(1));
}

// Channel 0 ends what it has, and what comes; channel 1 does not notice. Afterwards channel 0 works again.
TEST_F(O3Abort, OfAChannelLeavesTheOthersAlone)
{
    for (u32 i = 0; i < 8; ++i) {
        bench().submit_at(0, op(FLASH_OP_ERASE, i % 2, i / 4, 0, 16 * i));
        bench().submit_at(0, op(FLASH_OP_READ, i % 2, i / 4, 0, 16 * i + 256));
    }
    abort_channels_at(500000, 1);
    bench().submit_at(20000000, op(FLASH_OP_READ, 0, 0, 1));
    bench().submit_at(20000000, op(FLASH_OP_READ, 1, 0, 1));
    run_to(30000000);
    abort_channels_at(30000000, 0);
    bench().submit_at(31000000, op(FLASH_OP_READ, 0, 0, 1));
    run_to_the_end();
    for (u32 n = 0; n < 16; ++n) {
        const bool begun = n == 0 || n == 8; // the first erase of each LUN
        const bool other = n / 2 % 2 == 1;
        EXPECT_EQ(status(n), begun || other ? FLASH_STATUS_OK : FLASH_STATUS_ABORTED) << n;
    }
    EXPECT_EQ(status(16), FLASH_STATUS_ABORTED);
    EXPECT_EQ(status(17), FLASH_STATUS_OK);
    EXPECT_EQ(status(18), FLASH_STATUS_OK);
}

class O3SoftReset : public O3Abort, public testing::WithParamInterface<ControllerMode> {};

// Operations of all kinds at random, then the reset, then more of them. Those that the controller has complete once:
// erases and programs that had begun as without the reset, the others aborted (FakeFlash checks that). Those that wait
// at the port go in when the reset has ended, and none of them is aborted.
TEST_P(O3SoftReset, EndsEachOperationOnceAndLeavesTheControllerAsItWas)
{
    config.straps.mode = GetParam();
    config.tags = 256;
    times.random = true;
    constexpr u32 kFirst = 192, kNext = 64;
    u32 completed = 0, aborted = 0;
    bench().on_completion = [&](const flash_completion& c) {
        ++completed;
        aborted += c.status == FLASH_STATUS_ABORTED;
    };
    const auto random_op = [&](u32 i) {
        const u32 word = static_cast<u32>(draw64(5, 1, i));
        flash_op o = op(1 + word % 3, word >> 4 & 1, word >> 5 & 1, word >> 6 & 1, word >> 8 & 0xff);
        o.stream = static_cast<u16>(word >> 16 & 7);
        return planes(o, 1 + (word >> 20) % 4);
    };
    for (u32 i = 0; i < kFirst; ++i) {
        bench().submit_at(i * 10 * kClock, random_op(i));
    }
    soft_reset_at(10000000);
    EXPECT_EQ(read(kStatus) & (kStatusBusyMask | kStatusWindowFullMask), kStatusBusyMask | kStatusWindowFullMask);
    EXPECT_EQ(write(kMode, 0), 2u);
    EXPECT_EQ(write(kDoorbell, 1), 2u) << "the window takes none";
    for (u32 i = 0; i < kNext; ++i) {
        bench().submit_at(limit + i * kClock, random_op(kFirst + i));
    }
    soft_reset_ends();
    EXPECT_FALSE(HasFailure());
    const u32 before = completed;
    EXPECT_GT(aborted, 0u);
    if (GetParam() == ControllerMode::Ooo) { // the front holds none back
        EXPECT_EQ(before, kFirst) << "and none of those that wait at the port";
        EXPECT_GT(aborted, kFirst / 3);
    } else {
        EXPECT_LT(before, kFirst) << "the port gives none";
    }
    const u32 ended_so = aborted;
    run_to_the_end();
    EXPECT_EQ(completed, kFirst + kNext);
    EXPECT_EQ(aborted, ended_so);
    EXPECT_EQ(read(kMode), static_cast<u32>(GetParam() == ControllerMode::Ooo       ? 2
                                            : GetParam() == ControllerMode::InOrder ? 1 : 0));
}

INSTANTIATE_TEST_SUITE_P(Modes, O3SoftReset,
                         testing::Values(ControllerMode::Serial, ControllerMode::InOrder, ControllerMode::Ooo),
                         [](const testing::TestParamInfo<ControllerMode>& p) {
                             return std::string(p.param == ControllerMode::Serial ? "serial"
                                                : p.param == ControllerMode::Ooo  ? "ooo" : "inorder");
                         });

TEST_F(O3Abort, ASoftResetOfAnEmptyControllerEndsAtOnce)
{
    soft_reset_at(0);
    EXPECT_EQ(read(kCtrl), 0u);
    soft_reset_ends();
    bench().submit_at(limit, op(FLASH_OP_READ, 0, 0, 0));
    run_to_the_end();
    EXPECT_EQ(status(0), FLASH_STATUS_OK);
}

// Held in the window it goes in and is aborted; its completion waits in the queue. The hold stays.
TEST_F(O3Abort, ASoftResetTakesTheOperationOfTheWindow)
{
    EXPECT_EQ(write(kCtrl, kCtrlHoldMask), 0u);
    ring(op(FLASH_OP_ERASE, 0, 0, 0));
    settle();
    EXPECT_EQ(read(kStatus), kStatusBusyMask | kStatusWindowFullMask);
    soft_reset_at(limit);
    soft_reset_ends();
    EXPECT_EQ(read(kStatus), kStatusCqAnyMask);
    EXPECT_EQ(read(kCtrl), kCtrlHoldMask);
    pop();
    settle();
    EXPECT_EQ(status(0), FLASH_STATUS_ABORTED);
    EXPECT_EQ(segments(0), 0u);
}

/// The mixes of all modes, with polls, suspends and late ready lines among them.
Mix abort_mix(u64 seed)
{
    Mix m = seed % 4 == 0   ? suspend_mix(seed)
            : seed % 4 == 1 ? o3_mix(seed, ControllerMode::Ooo)
            : seed % 4 == 2 ? o3_mix(seed, ControllerMode::InOrder)
                            : o3_mix(seed, ControllerMode::Serial);
    m.polling = seed % 3 == 0;
    m.falls_ps = !m.polling && seed % 3 == 1 ? 200000 : 0;
    m.aborts = true;
    return m;
}

constexpr u64 kSeeds = 2 * kMixShapes;

TEST(O3RtlAbort, LosesNothingAndKeepsTheRules)
{
    Goals goals(kAborts);
    goals.allow(kAlways);
    goals.allow(kOutOfOrder);
    goals.allow(kSuspend);
    goals.allow(kPolls);
    goals.allow({"all channels at work", "refused: no tag left", "polls what is suspended"});
    run_mixes(kSeeds, abort_mix, 1000, goals);
    goals.expect_met(10);
}

TEST(O3RtlAbort, GatedAndFreeRunningAreEqualBitForBit)
{
    expect_equal_gated_and_free(kSeeds, abort_mix, 200);
}

} // namespace
} // namespace tlmssd::tb
