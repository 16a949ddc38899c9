// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: LUNs without ready lines, by hand: each poll's answer is the test's. The lines stand still. What a poll may
// bring: docs/explanation/rtl-o3-times.md.
#include <gmock/gmock.h>

#include "models/flash/rtl/rtl_registry.h"
#include "tb/rtl/rtl_rig.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;
using config::Suspend;
using flash::Phase;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr u8 kBusyYet = 0x00;
constexpr u8 kReady = 0x60;     // RDY, ARDY
constexpr u8 kSuspended = 0x64; // and suspended
constexpr u8 kUndriven = 0xff;

/// One LUN. Times in ticks of 13 clocks: an erase 20, all others 2.
class O3RtlPolled : public testing::Test {
protected:
    O3RtlPolled() : model(flash::make_rtl_model("o3", false))
    {
        straps.mode = ControllerMode::Ooo;
        straps.age_limit = 1000;
        straps.suspend = Suspend::Erase;
        straps.page_bits = 4;
        straps.polling = {true, 2, 2, 20, 2, 2, 2, 2, 2, 2};
    }
    void edges(u32 n)
    {
        for (u32 i = 0; i < n; ++i) {
            model->edge(now += kClock);
            if (model->done_valid()) {
                ended.emplace_back(model->done().tag, model->done().status);
            }
        }
    }
    void offer(u32 opcode, u16 tag, u32 row)
    {
        flash_op op{};
        op.tag = tag;
        op.opcode = static_cast<u8>(opcode);
        op.flags = opcode == FLASH_OP_ERASE || opcode == FLASH_OP_PROGRAM ? FLASH_FLAG_SUSPENDABLE : u8{0};
        op.nplanes = 1;
        op.stream = tag;
        op.row[0] = row;
        model->offer(&op);
        edges(1);
        model->offer(nullptr);
    }
    /// The next segment comes within 40 ticks, and is of this phase.
    void expect(Phase phase)
    {
        for (u32 i = 0; i < 40 * 13 && model->segments() == 0; ++i) {
            edges(1);
        }
        ASSERT_EQ(model->segments(), 1u);
        ASSERT_EQ(model->segment(0).phase, phase);
    }
    void end(u8 status = 0)
    {
        model->segment_done(0, true, status);
        edges(1);
        model->segment_done(0, false, 0);
        edges(1);
    }
    void serve(Phase phase, u8 status = 0)
    {
        ASSERT_NO_FATAL_FAILURE(expect(phase));
        end(status);
    }
    /// An erase, a read that suspends it and lands, the resume.
    void resume_after_a_read()
    {
        offer(FLASH_OP_ERASE, 3, 0);
        serve(Phase::Command);
        offer(FLASH_OP_READ, 4, 16);
        serve(Phase::Suspend);
        read_and_resume();
    }
    /// After the suspend.
    void read_and_resume()
    {
        serve(Phase::Status, kSuspended);
        serve(Phase::Command);
        serve(Phase::Status, kReady);
        serve(Phase::DataOut);
        model->land(true, 4);
        edges(1);
        model->land(false, 0);
        serve(Phase::Resume);
        ASSERT_THAT(ended, ElementsAre(std::pair(u16{4}, u8{FLASH_STATUS_OK})));
        ended.clear();
    }
    /// Polls find the LUN busy until it is given up: after 23.1 us at most, three time limits in any case.
    void poll_until_it_is_given_up(u16 tag)
    {
        for (u32 i = 0; i < 7000 && ended.empty(); ++i) { // 35 us
            edges(1);
            if (model->segments() != 0) {
                serve(Phase::Status, kBusyYet);
            }
        }
        ASSERT_THAT(ended, ElementsAre(std::pair(tag, u8{FLASH_STATUS_TIMEOUT})));
        ended.clear();
    }
    std::unique_ptr<flash::RtlModelIf> model;
    flash::RtlStraps straps;
    std::vector<std::pair<u16, u8>> ended;
    u64 now = 0;
};

TEST_F(O3RtlPolled, AByteThatNothingDrivesSaysNothing)
{
    model->reset(straps);
    offer(FLASH_OP_READ, 4, 16);
    serve(Phase::Command);
    serve(Phase::Status, kUndriven);
    serve(Phase::Status, kUndriven);
    serve(Phase::Status, kReady);
    serve(Phase::DataOut);
}

// No line rises here: the RESET alone brings the LUN back.
TEST_F(O3RtlPolled, AResetBringsALostLunBack)
{
    straps.timeout = 10; // stamps: 10.5 us
    model->reset(straps);
    offer(FLASH_OP_READ, 4, 16);
    serve(Phase::Command);
    poll_until_it_is_given_up(4);
    offer(FLASH_OP_READ, 5, 16);
    edges(100);
    ASSERT_THAT(ended, ElementsAre(std::pair(u16{5}, u8{FLASH_STATUS_TIMEOUT}))); // without a segment
    ended.clear();
    offer(FLASH_OP_RESET, 6, 0);
    serve(Phase::Command);
    serve(Phase::Status, kReady);
    edges(100);
    ASSERT_THAT(ended, ElementsAre(std::pair(u16{6}, u8{FLASH_STATUS_OK})));
    offer(FLASH_OP_READ, 7, 16);
    serve(Phase::Command);
}

// No read comes: the program and the RESET are polled until they are given up.
TEST_F(O3RtlPolled, AProgramAndAResetThatStayBusyAreGivenUp)
{
    straps.timeout = 10;
    model->reset(straps);
    offer(FLASH_OP_PROGRAM, 4, 16);
    serve(Phase::DataIn);
    poll_until_it_is_given_up(4);
    offer(FLASH_OP_RESET, 5, 0);
    serve(Phase::Command);
    poll_until_it_is_given_up(5);
    edges(1); // taken
}

// The read that suspended the program stays busy: both are given up, the read first.
TEST_F(O3RtlPolled, ASuspendedProgramEndsWithItsLun)
{
    straps.timeout = 10;
    straps.suspend = Suspend::ProgramAndErase;
    model->reset(straps);
    offer(FLASH_OP_PROGRAM, 3, 0);
    serve(Phase::DataIn);
    offer(FLASH_OP_READ, 4, 16);
    serve(Phase::Suspend);
    serve(Phase::Status, kSuspended);
    serve(Phase::Command);
    for (u32 i = 0; i < 7000 && ended.size() < 2; ++i) { // 35 us
        edges(1);
        if (model->segments() != 0) {
            serve(Phase::Status, kBusyYet);
        }
    }
    edges(1); // taken
    EXPECT_THAT(ended, ElementsAre(std::pair(u16{4}, u8{FLASH_STATUS_TIMEOUT}),
                                   std::pair(u16{3}, u8{FLASH_STATUS_TIMEOUT})));
}

// The die needs longer for the suspend than until the first poll.
TEST_F(O3RtlPolled, ASuspendedEraseIsPolledUntilItRests)
{
    model->reset(straps);
    offer(FLASH_OP_ERASE, 3, 0);
    serve(Phase::Command);
    offer(FLASH_OP_READ, 4, 16);
    serve(Phase::Suspend);
    serve(Phase::Status, kBusyYet);
    serve(Phase::Status, kBusyYet);
    serve(Phase::Status, kSuspended);
    expect(Phase::Command);
    EXPECT_EQ(model->segment(0).tag, 4u);
}

TEST_F(O3RtlPolled, ASuspendWaitsForTheAnswerOfThePollOnTheBus)
{
    model->reset(straps);
    offer(FLASH_OP_ERASE, 3, 0);
    serve(Phase::Command);
    expect(Phase::Status);
    offer(FLASH_OP_READ, 4, 16);
    edges(60);
    expect(Phase::Status); // the same segment
    end(kBusyYet);
    serve(Phase::Suspend);
    serve(Phase::Status, kSuspended);
    expect(Phase::Command);
    EXPECT_EQ(model->segment(0).tag, 4u);
}

// The suspend of the test before is on the bus for 60 us, more than two time limits and a stamp: nothing is waited for.
TEST_F(O3RtlPolled, ALunIsNotGivenUpWhileItsSuspendIsOnTheBus)
{
    straps.timeout = 10;
    model->reset(straps);
    offer(FLASH_OP_ERASE, 3, 0);
    serve(Phase::Command);
    expect(Phase::Status);
    offer(FLASH_OP_READ, 4, 16);
    edges(60);
    end(kBusyYet);
    expect(Phase::Suspend);
    edges(12000);
    EXPECT_THAT(ended, IsEmpty());
    serve(Phase::Suspend);
    serve(Phase::Status, kSuspended);
    expect(Phase::Command);
    EXPECT_EQ(model->segment(0).tag, 4u);
}

// 100 ticks of progress are asked for, but at most 20 are left of the time until the poll: that it is busy then is
// progress enough.
TEST_F(O3RtlPolled, APollThatFindsAResumedEraseBusyLetsItBeSuspendedAgain)
{
    straps.suspend_progress = 100;
    model->reset(straps);
    ASSERT_NO_FATAL_FAILURE(resume_after_a_read());
    offer(FLASH_OP_READ, 5, 32);
    serve(Phase::Status, kBusyYet);
    serve(Phase::Suspend);
    serve(Phase::Status, kSuspended);
    expect(Phase::Command);
    EXPECT_EQ(model->segment(0).tag, 5u);
}

TEST_F(O3RtlPolled, AResumedEraseIsSuspendedOnceForARead)
{
    model->reset(straps);
    ASSERT_NO_FATAL_FAILURE(resume_after_a_read());
    expect(Phase::Status);
    offer(FLASH_OP_READ, 5, 32);
    edges(60);
    end(kBusyYet);
    serve(Phase::Suspend);
    serve(Phase::Status, kSuspended);
    expect(Phase::Command);
    EXPECT_EQ(model->segment(0).tag, 5u);
}

// After the poll that finds the erase busy the next one is due in 40 ticks. The suspend takes fewer than 3 of them; what
// is left counts from the resume on.
TEST_F(O3RtlPolled, TheTimeUntilAPollStandsStillInASuspend)
{
    straps.polling.interval = 40;
    model->reset(straps);
    offer(FLASH_OP_ERASE, 3, 0);
    serve(Phase::Command);
    expect(Phase::Status);
    offer(FLASH_OP_READ, 4, 16);
    edges(60);
    end(kBusyYet);
    serve(Phase::Suspend);
    ASSERT_NO_FATAL_FAILURE(read_and_resume());
    for (u32 i = 0; i < 36 * 13; ++i) {
        edges(1);
        ASSERT_EQ(model->segments(), 0u) << i;
    }
    serve(Phase::Status, kReady);
    edges(20);
    EXPECT_THAT(ended, ElementsAre(std::pair(u16{3}, u8{FLASH_STATUS_OK})));
}

// The erase falls silent after its resume, before its 1000 ticks of progress and its poll after 2000: 160 and less are
// a time limit. The timer of the RESET that follows is that of its poll.
TEST_F(O3RtlPolled, AnEraseThatIsGivenUpTakesItsTimeOfProgressAlong)
{
    straps.timeout = 10;
    straps.suspend_progress = 1000;
    straps.polling.erase = 2000;
    model->reset(straps);
    ASSERT_NO_FATAL_FAILURE(resume_after_a_read());
    ASSERT_NO_FATAL_FAILURE(poll_until_it_is_given_up(3));
    offer(FLASH_OP_RESET, 6, 0);
    serve(Phase::Command);
    serve(Phase::Status, kReady);
    edges(100);
    EXPECT_THAT(ended, ElementsAre(std::pair(u16{6}, u8{FLASH_STATUS_OK})));
}

} // namespace
} // namespace tlmssd::tb
