// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: aborts of operations and channels through the registers of o3_top, by hand and at random.
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "tb/rtl/o3_abort.h"
#include "tb/rtl/random_mix.h"
#include "tb/rtl/shared_model.h"

namespace tlmssd::tb {
namespace {

using namespace flash::o3_regs;
using config::ControllerMode;
using flash::Phase;

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

/// The port's other side may offer a landing before it can be taken; RtlDriver waits until it can.
class StandingLanding final : public SharedModel {
public:
    explicit StandingLanding(std::unique_ptr<RtlModelIf> model) : SharedModel(*model), owned_(std::move(model)) {}
    /// From the next edge on until it is taken; its tag is not in use, so it is dropped then.
    void stand(u16 tag) { tag_ = tag; }
    bool land_ready() const override { return !tag_ && SharedModel::land_ready(); }
    void land(bool valid, u16 tag) override
    {
        if (!tag_) {
            SharedModel::land(valid, tag);
            return;
        }
        SharedModel::land(true, *tag_);
        if (SharedModel::land_ready()) {
            tag_.reset();
        }
    }

private:
    std::unique_ptr<RtlModelIf> owned_;
    std::optional<u16> tag_;
};

class O3AbortBesideALanding : public O3Abort {
protected:
    O3AbortBesideALanding()
        : O3Abort([this] {
              auto made = std::make_unique<StandingLanding>(flash::make_rtl_model("o3", false));
              model = made.get();
              return made;
          })
    {
    }
    StandingLanding* model = nullptr;
};

// 20 reads of the window, none of them popped: the queue holds 16, one completion is offered, one is about to be, one
// landing has been taken, and those of the last wait. One of another tag stands at the port. An abort asks beside it,
// of its own tag.
TEST_F(O3AbortBesideALanding, DoesNotWaitForOneThatCannotGoOn)
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
    EXPECT_FALSE(model->land_ready());
    model->stand(63);
    EXPECT_TRUE(abort_at(limit, 19));
    EXPECT_FALSE(abort_at(limit, 40));
    EXPECT_FALSE(model->land_ready()) << "it stands still";
    while (popped < 20 && !HasFailure()) {
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
    m.retries = seed % 5 == 0 ? 2 : 0;
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
    goals.allow(kRetries);
    goals.allow({"reads again while another is suspended"});
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
