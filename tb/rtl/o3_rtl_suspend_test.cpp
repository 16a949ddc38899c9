// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: suspend and resume in the out-of-order RTL, directed: clocks from docs/explanation/rtl-o3.md.
#include <gmock/gmock.h>

#include "models/flash/rtl/rtl_registry.h"
#include "tb/rtl/rtl_rig.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;
using config::Suspend;
using flash::Phase;
using testing::ElementsAre;

constexpr u64 kSuspend = 60000; // ps, 12 clocks: the mean of FakeTimes

// Edges from the one that sees an operation to its first segment: 10; where it has to be in a station, as what may be
// suspended, 5 more for a look; where it is compared with k operations in stations (a pending one among them) 8 k more,
// and 2 to choose among several.
constexpr u64 kDirect = 10 * kClock;
constexpr u64 kAlone = 15 * kClock;
constexpr u64 kCompared = 25 * kClock;
constexpr u64 kEvent = 4 * kClock;   // an event
constexpr u64 kRetired = 3 * kClock; // an end to its completion
constexpr u64 kNext = 7 * kClock;    // end of a segment, or R/B#, to the next segment
constexpr u64 kLook = 12 * kClock;   // end of a segment to that of another operation of the LUN ...
constexpr u64 kSeveral = 2 * kClock; // ... and more where there are several

class O3RtlSuspended : public testing::Test, public RtlRig {
protected:
    O3RtlSuspended() : RtlRig("o3")
    {
        geometry.pages = 16;
        config.tags = 32;
        config.straps.mode = ControllerMode::Ooo;
        config.straps.age_limit = 1000; // 1.05 ms: never here
        config.straps.suspend = Suspend::Erase;
    }
    u16 submit(u64 at, u32 opcode, u32 row, u8 priority = 0, u32 lun = 0)
    {
        flash_op o = op_at(opcode, 0, lun / 2, lun % 2); // two LUNs a CE#
        o.flags = static_cast<u8>(priority | (opcode == FLASH_OP_READ ? 0 : FLASH_FLAG_SUSPENDABLE));
        o.stream = o.tag;
        o.row[0] = row;
        bench().submit_at(at, o);
        return o.tag;
    }
};

TEST_F(O3RtlSuspended, AReadGoesBetweenTheHalvesOfAnErase)
{
    submit(0, FLASH_OP_ERASE, 0);
    submit(400000, FLASH_OP_READ, 16);
    ASSERT_TRUE(bench().run(kEnough));
    const u64 erase = kAlone;
    const u64 suspend = 400000 + kCompared;
    const u64 left = erase + kSegment + kBusy - (suspend + kSegment);
    const u64 status = suspend + kSegment + kSuspend + kNext;
    const u64 read = status + kSegment + kLook + kSeveral;
    const u64 burst = read + kSegment + kBusy + kNext;
    const u64 resume = burst + kSegment + kLook;
    const u64 over = resume + kSegment + left + kNext;
    EXPECT_THAT(segments(0), ElementsAre(std::pair(erase, Phase::Command), std::pair(suspend, Phase::Suspend),
                                         std::pair(status, Phase::Status), std::pair(resume, Phase::Resume),
                                         std::pair(over, Phase::Status)));
    EXPECT_THAT(segments(1), ElementsAre(std::pair(read, Phase::Command), std::pair(burst, Phase::DataOut)));
    EXPECT_EQ(end_of(0), over + kSegment + kEvent + kRetired);
    EXPECT_EQ(end_of(1), burst + kSegment + kLanding + kRetired);
    EXPECT_EQ(bench().completion(0).status, FLASH_STATUS_OK);
}

// The erase ends inside the suspend: the status byte comes right after that, and is its end.
TEST_F(O3RtlSuspended, TooLateASuspendLeavesTheEraseToEnd)
{
    submit(0, FLASH_OP_ERASE, 0);
    const u64 ends = kAlone + kSegment + kBusy;
    submit(ends - 50000 - kCompared, FLASH_OP_READ, 16);
    ASSERT_TRUE(bench().run(kEnough));
    const u64 suspend = ends - 50000;
    const u64 status = suspend + kSegment + kEvent + kNext; // its end, then R/B#: two events
    EXPECT_THAT(segments(0), ElementsAre(std::pair(kAlone, Phase::Command), std::pair(suspend, Phase::Suspend),
                                         std::pair(status, Phase::Status)));
    EXPECT_EQ(segments(1)[0].first, status + kSegment + kLook + kClock); // its end is told first
    EXPECT_EQ(bench().resumes(), 0u);
}

// The bus is busy when the erase ends: a program of LUN 2 has it from 185 to 85 ns before that, then, 35 ns later, the
// burst of LUN 1, whose R/B# has risen meanwhile. A read of LUN 0 comes 120 ns before: its suspend is decided 22 clocks
// later, 10 ns before the end, and waits for the bus. A status read goes instead.
TEST_F(O3RtlSuspended, AStatusReadTakesThePlaceOfASuspendThatStillWaits)
{
    const u64 erase = 1000000;
    const u64 ends = erase + kSegment + kBusy;
    const u64 other = ends - 185000;
    const u64 burst = other + kSegment + kNext;
    submit(erase - 200000 - kDirect, FLASH_OP_READ, 0, 0, 1);
    submit(erase - kAlone, FLASH_OP_ERASE, 0);
    submit(other - kDirect, FLASH_OP_PROGRAM, 0, 0, 2);
    submit(ends - 120000, FLASH_OP_READ, 16);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_EQ(segments(2)[0], std::pair(other, Phase::DataIn));
    EXPECT_EQ(segments(0)[1], std::pair(burst, Phase::DataOut));
    EXPECT_THAT(segments(1), ElementsAre(std::pair(erase, Phase::Command),
                                         std::pair(burst + kSegment + kNext, Phase::Status)));
    EXPECT_EQ(bench().suspends(), 0u);
}

TEST_F(O3RtlSuspended, AReadThatDependsOnTheEraseWaitsForIt)
{
    submit(0, FLASH_OP_ERASE, 0);
    submit(300000, FLASH_OP_READ, 3);  // its block
    submit(400000, FLASH_OP_READ, 16); // another
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_LT(end_of(2), end_of(0));
    EXPECT_GT(segments(1)[0].first, segments(0).back().first);
    EXPECT_EQ(bench().suspends(), 1u);
}

TEST_F(O3RtlSuspended, AnEraseIsSuspendedNoMoreOftenThanAllowed)
{
    config.straps.suspends = 1;
    submit(0, FLASH_OP_ERASE, 0);
    submit(400000, FLASH_OP_READ, 16);
    submit(2300000, FLASH_OP_READ, 32); // after the resume
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_EQ(bench().suspends(), 1u);
    EXPECT_GT(segments(2)[0].first, segments(0).back().first);
}

// Resumed at 2230-2330 ns (first test). Four ticks of 65.5 ns are 197 to 262 ns: no suspend before 2527, and at the
// latest 24 clocks and a tick after 2592: the tick is found in 4, an event and a look, the bus and the segment.
TEST_F(O3RtlSuspended, AResumedEraseMakesSomeProgress)
{
    config.straps.suspend_progress = 4;
    submit(0, FLASH_OP_ERASE, 0);
    submit(400000, FLASH_OP_READ, 16);
    submit(2335000, FLASH_OP_READ, 32);
    ASSERT_TRUE(bench().run(kEnough));
    ASSERT_EQ(bench().suspends(), 2u);
    const u64 again = segments(0)[4].first;
    EXPECT_EQ(segments(0)[4].second, Phase::Suspend);
    EXPECT_GT(again, 2330000u + 3 * 65536);
    EXPECT_LE(again, 2330000u + 4 * 65536 + 65536 + 24 * kClock);
}

// The limit is three stamps, 3.1 us. Urgent reads keep coming; the first ends after 2.2 us, the second after 3.4: the
// erase goes on by age, before the last reads.
TEST_F(O3RtlSuspended, AnOldEraseGoesOnBeforeYoungerReads)
{
    config.straps.age_limit = 3;
    submit(0, FLASH_OP_ERASE, 0);
    for (u32 i = 0; i < 4; ++i) {
        submit(400000, FLASH_OP_READ, 16 + i, 3);
    }
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_EQ(bench().suspends(), 1u);
    EXPECT_LT(segments(1)[0].first, segments(0)[3].first); // before the resume
    EXPECT_LT(segments(2)[0].first, segments(0)[3].first);
    EXPECT_EQ(segments(0)[3].second, Phase::Resume);
    EXPECT_GT(segments(4)[0].first, segments(0)[4].first); // after its end
}

TEST_F(O3RtlSuspended, ReadsBelowThePriorityWait)
{
    config.straps.suspend_priority = 2;
    submit(0, FLASH_OP_ERASE, 0);
    submit(300000, FLASH_OP_READ, 16, 1);
    submit(400000, FLASH_OP_READ, 32, 2);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_GT(segments(1)[0].first, segments(0).back().first);
    EXPECT_LT(end_of(2), segments(0).back().first);
}

TEST_F(O3RtlSuspended, ProgramsAreLeftAloneWhereOnlyErasesAreSuspended)
{
    submit(0, FLASH_OP_PROGRAM, 0);
    submit(400000, FLASH_OP_READ, 16);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_EQ(bench().suspends(), 0u);
}

TEST_F(O3RtlSuspended, ProgramsAreSuspendedToo)
{
    config.straps.suspend = Suspend::ProgramAndErase;
    submit(0, FLASH_OP_PROGRAM, 0);
    submit(400000, FLASH_OP_READ, 1); // another page of its block
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_EQ(bench().suspends(), 1u);
    EXPECT_LT(end_of(1), end_of(0));
}

TEST_F(O3RtlSuspended, AResetComesAfterWhatIsSuspended)
{
    submit(0, FLASH_OP_ERASE, 0);
    submit(400000, FLASH_OP_READ, 16);
    submit(800000, FLASH_OP_RESET, 0);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_EQ(bench().suspends(), 1u);
    EXPECT_GT(segments(2)[0].first, segments(0).back().first);
    EXPECT_EQ(bench().completion(0).status, FLASH_STATUS_OK);
}

TEST_F(O3RtlSuspended, AnEraseWithAFenceIsSuspendedAtEachPriority)
{
    for (const u8 priority : {0, 1, 2, 3}) {
        const u64 at = u64{10000000} * priority; // two array times and what is between them take less than 3 us
        submit(at, FLASH_OP_ERASE, 0, static_cast<u8>(priority | FLASH_FLAG_FENCE));
        submit(at + 400000, FLASH_OP_READ, 16, 3);
    }
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_EQ(bench().suspends(), 4u);
    for (const u16 erase : {0, 2, 4, 6}) {
        EXPECT_LT(end_of(erase + 1u), end_of(erase));
        EXPECT_EQ(bench().completion(erase).status, FLASH_STATUS_OK);
    }
}

// The LUN falls silent under the read: that ends with TIMEOUT, and what is suspended there, too.
class O3RtlSuspendedModel : public testing::TestWithParam<u32> {};

TEST_P(O3RtlSuspendedModel, WhatIsSuspendedEndsWithItsLun)
{
    const std::unique_ptr<flash::RtlModelIf> model = flash::make_rtl_model("o3", false);
    flash::RtlStraps straps;
    straps.mode = ControllerMode::Ooo;
    straps.age_limit = 1000;
    straps.timeout = 10; // stamps
    straps.suspend = Suspend::ProgramAndErase;
    straps.page_bits = 4;
    model->reset(straps);
    u64 now = 0;
    const auto edge = [&] { model->edge(now += kClock); };
    const auto offer = [&](u32 opcode, u16 tag, u32 row) {
        flash_op op{};
        op.tag = tag;
        op.opcode = static_cast<u8>(opcode);
        op.flags = FLASH_FLAG_SUSPENDABLE;
        op.nplanes = 1;
        op.stream = tag;
        op.row[0] = row;
        model->offer(&op);
        edge();
        model->offer(nullptr);
    };
    const auto serve = [&](Phase phase, bool ready_after, u8 status) {
        for (u32 i = 0; i < 100 && model->segments() == 0; ++i) {
            edge();
        }
        ASSERT_EQ(model->segments(), 1u);
        EXPECT_EQ(model->segment(0).phase, phase);
        model->segment_done(0, true, status);
        model->ready(0, 0, ready_after);
        edge();
        model->segment_done(0, false, 0);
        edge();
    };
    offer(GetParam(), 3, 0);
    serve(GetParam() == FLASH_OP_PROGRAM ? Phase::DataIn : Phase::Command, false, 0);
    offer(FLASH_OP_READ, 4, 16);
    serve(Phase::Suspend, false, 0);
    model->ready(0, 0, true);
    serve(Phase::Status, true, 0x64);
    serve(Phase::Command, false, 0);
    std::vector<std::pair<u16, u8>> ended;
    for (u32 i = 0; i < 10000 && ended.size() < 2; ++i) { // 50 us; at most 23.1 are needed
        edge();
        if (model->done_valid()) {
            ended.emplace_back(model->done().tag, model->done().status);
        }
    }
    edge(); // taken
    EXPECT_THAT(ended, ElementsAre(std::pair(u16{4}, u8{FLASH_STATUS_TIMEOUT}),
                                   std::pair(u16{3}, u8{FLASH_STATUS_TIMEOUT})));
    EXPECT_EQ(model->segments(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Opcodes, O3RtlSuspendedModel, testing::Values(FLASH_OP_PROGRAM, FLASH_OP_ERASE),
                         [](const auto& opcode) { return opcode.param == FLASH_OP_PROGRAM ? "Program" : "Erase"; });

} // namespace
} // namespace tlmssd::tb
