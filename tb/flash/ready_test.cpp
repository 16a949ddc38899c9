// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: how the TLM controller learns that a LUN is ready: lines, polls, timeouts. By hand.
#include <gmock/gmock.h>

#include "tb/flash/fake_dram.h"
#include "tb/flash/unit_time_port.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;
using config::ReadySense;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// (start in ns, phase, LUN)
using Step = std::tuple<u64, Phase, u32>;

/// Segments take 1 us. A LUN's first poll is due tWB (200 ns) and its typical time after the end of
/// the segment that made it busy, each further one 5 us after the last.
class Sensed : public testing::Test {
protected:
    Sensed(ReadySense ready, u32 luns, u32 timeout_us = 0, u32 channels = 1)
        : c(flash_geometry(channels, luns), ControllerMode::InOrder, 64,
            [ready, timeout_us](config::Config& config) {
                config.onfi.ready = ready;
                config.onfi.poll_interval = microseconds(5);
                config.controller.timeout = microseconds(timeout_us);
            })
    {
        c.port.segment_time = microseconds(1);
    }
    std::vector<Step> steps() const
    {
        std::vector<Step> all;
        for (const UnitTimePort::Seen& s : c.port.seen) {
            all.emplace_back(s.at.value() / 1000, s.request.phase, s.request.lun);
        }
        return all;
    }
    u64 end_ns(u32 tag) const { return c.end(tag).at.value() / 1000; }
    u32 status_of(u32 tag) const { return c.end(tag).completion.status; }
    UnitTimeController c;
};

class ByStatus : public Sensed {
protected:
    ByStatus() : Sensed(ReadySense::Status, 1) {}
};
class ByStatusOfTwo : public Sensed {
protected:
    ByStatusOfTwo() : Sensed(ReadySense::Status, 2) {}
};
class ByTargetOfOne : public Sensed {
protected:
    ByTargetOfOne() : Sensed(ReadySense::Target, 1) {}
};
class ByTargetOfTwo : public Sensed {
protected:
    ByTargetOfTwo() : Sensed(ReadySense::Target, 2) {}
};

// Data in 0-1, tPROG to 11; poll at 1 + 0.2 + 10.
TEST_F(ByStatus, EndsAProgramWithThePollThatFindsItReady)
{
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0));
    c.run(50);
    EXPECT_THAT(steps(), ElementsAre(Step{0, Phase::DataIn, 0}, Step{11200, Phase::Status, 0}));
    EXPECT_EQ(end_ns(0), 12200u);
    EXPECT_EQ(status_of(0), FLASH_STATUS_OK);
}

// The die takes 16: ready at 17. Polls 11.2-12.2 and 12.2 + 5 = 17.2-18.2.
TEST_F(ByStatus, PollsASlowDieAgainAfterTheInterval)
{
    c.port.array = [](u32, u64) { return 16; };
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0));
    c.run(50);
    EXPECT_THAT(steps(), ElementsAre(Step{0, Phase::DataIn, 0}, Step{11200, Phase::Status, 0},
                                     Step{17200, Phase::Status, 0}));
    EXPECT_EQ(end_ns(0), 18200u);
}

TEST_F(ByStatus, TakesFailFromTheSameByte)
{
    c.port.status = [](const SegmentRequest&) -> u8 { return 0xe1; };
    c.controller.submit(c.op(FLASH_OP_ERASE, 0)); // poll at 31.2
    c.run(50);
    EXPECT_EQ(end_ns(0), 32200u);
    EXPECT_EQ(status_of(0), FLASH_STATUS_FAIL);
    EXPECT_EQ(c.ended[0].completion.failed_planes, 1);
}

// Command 0-1, tR to 2, poll 2.2-3.2, burst 3.2-4.2.
TEST_F(ByStatus, GoesBackFromStatusToDataInARead)
{
    c.controller.submit(c.op(FLASH_OP_READ, 0));
    c.run(50);
    EXPECT_THAT(steps(), ElementsAre(Step{0, Phase::Command, 0}, Step{2200, Phase::Status, 0},
                                     Step{3200, Phase::DataOut, 0}));
    EXPECT_TRUE(c.port.seen[2].request.after_status);
    EXPECT_EQ(end_ns(0), 4200u);
}

// Data in 0-1, tDBSY 0 typical: poll 1.2-2.2; data in 2.2-3.2, poll at 13.4.
TEST_F(ByStatus, PollsBetweenThePlanesOfAProgram)
{
    flash_op op = c.op(FLASH_OP_PROGRAM, 0);
    op.nplanes = 2;
    c.controller.submit(op);
    c.run(50);
    EXPECT_THAT(steps(), ElementsAre(Step{0, Phase::DataIn, 0}, Step{1200, Phase::Status, 0},
                                     Step{2200, Phase::DataIn, 0}, Step{13400, Phase::Status, 0}));
    EXPECT_EQ(end_ns(0), 14400u);
}

// FFh 0-1; LUN 0 is ready at 6, LUN 1 at 7. Polls 6.2-7.2 and, of the other LUN, 7.2-8.2.
TEST_F(ByStatusOfTwo, PollsTheLunsOfAResetOneAfterTheOther)
{
    c.controller.submit(c.op(FLASH_OP_RESET, 0));
    c.run(50);
    EXPECT_THAT(steps(), ElementsAre(Step{0, Phase::Command, 0}, Step{6200, Phase::Status, 0},
                                     Step{7200, Phase::Status, 1}));
    EXPECT_EQ(c.port.seen[2].request.row, c.geometry.row(1, 0, 0, 0)) << "78h chooses by row";
    EXPECT_EQ(end_ns(0), 8200u);
}

TEST_F(ByTargetOfOne, NeedsNoPolls)
{
    c.controller.submit(c.op(FLASH_OP_READ, 0));    // 0-1, to 2, 2-3
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0)); // 3-4, to 14, status 14-15
    c.run(50);
    EXPECT_THAT(steps(), ElementsAre(Step{0, Phase::Command, 0}, Step{2000, Phase::DataOut, 0},
                                     Step{3000, Phase::DataIn, 0}, Step{14000, Phase::Status, 0}));
    EXPECT_FALSE(c.port.seen[1].request.after_status);
    EXPECT_EQ(end_ns(0), 3000u);
    EXPECT_EQ(end_ns(1), 15000u);
}

// Data in 0-1 and 1-2; ready at 11 and 12: the line is low from 1 to 12. LUN 0 is polled 11.2-12.2.
// The line tells of LUN 1 at 12, before its own poll at 12.2: a plain status read follows.
TEST_F(ByTargetOfTwo, PollsUnderALowLineAndTrustsItWhenItRises)
{
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0, 0));
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0, 1));
    c.run(50);
    EXPECT_THAT(steps(), ElementsAre(Step{0, Phase::DataIn, 0}, Step{1000, Phase::DataIn, 1},
                                     Step{11200, Phase::Status, 0}, Step{12200, Phase::Status, 1}));
    EXPECT_EQ(end_ns(0), 12200u);
    EXPECT_EQ(end_ns(1), 13200u);
}

// Erase of LUN 1: 0-1, to 31. Read of LUN 0: 1-2, to 3, poll 2 + 0.2 + 1 = 3.2-4.2, burst 4.2-5.2.
TEST_F(ByTargetOfTwo, ReadsOneLunWhileTheOtherHoldsTheLine)
{
    c.controller.submit(c.op(FLASH_OP_ERASE, 0, 1));
    c.controller.submit(c.op(FLASH_OP_READ, 0, 0));
    c.run(50);
    EXPECT_EQ(end_ns(1), 5200u);
    EXPECT_EQ(end_ns(0), 32000u) << "31 the line, 31-32 status";
    EXPECT_THAT(c.port.seen, SizeIs(5));
}

// LUN 0: command 0-1, low 1.05-2.05. LUN 1: command 1-2, low 2.15-3.15. In between the line is high, and LUN 1
// has read nothing yet. Its line tells at 3.15, before its poll at 2 + 0.2 + 1.
TEST_F(ByTargetOfTwo, DoesNotTakeTheLineOfAnotherForALunThatHasYetToFall)
{
    c.port.falls_after = [](u32 die) { return nanoseconds(die == 0 ? 50 : 150); };
    c.controller.submit(c.op(FLASH_OP_READ, 0, 0));
    c.controller.submit(c.op(FLASH_OP_READ, 0, 1));
    c.run(50);
    EXPECT_THAT(steps(), ElementsAre(Step{0, Phase::Command, 0}, Step{1000, Phase::Command, 1},
                                     Step{2050, Phase::DataOut, 0}, Step{3150, Phase::DataOut, 1}));
}

class ByLine : public Sensed {
protected:
    ByLine() : Sensed(ReadySense::Lun, 2) {}
};

// LUN 0: a read of two planes, of which the second command comes first, although LUN 1's burst has waited
// longer. Commands of LUN 1 0-1 and of LUN 0 1-2, which falls at 2.1 and has tDBSY 0: LUN 1's burst waits from
// 2.05 on.
TEST_F(ByLine, KeepsTheCommandsOfAllPlanesTogetherWhereTheLineFallsLate)
{
    c.port.falls_after = [](u32 die) { return nanoseconds(die == 0 ? 100 : 50); };
    flash_op planes = c.op(FLASH_OP_READ, 0, 0);
    planes.nplanes = 2;
    c.controller.submit(c.op(FLASH_OP_READ, 0, 1));
    c.controller.submit(planes);
    c.run(50);
    EXPECT_THAT(steps(), ElementsAre(Step{0, Phase::Command, 1}, Step{1000, Phase::Command, 0},
                                     Step{2100, Phase::Command, 0}, Step{3100, Phase::DataOut, 1},
                                     Step{4200, Phase::DataOut, 0}, Step{5200, Phase::DataOut, 0}));
}

// The line of a dead LUN does not fall: its next plane holds nobody up for longer than tWB, 0.2.
TEST_F(ByLine, LetsBurstsGoWhereTheLineDoesNotFallWithinTwb)
{
    c.port.dead[0] = true;
    flash_op planes = c.op(FLASH_OP_READ, 0, 0);
    planes.nplanes = 2;
    c.controller.submit(c.op(FLASH_OP_READ, 0, 1));
    c.controller.submit(planes);
    c.run(50);
    EXPECT_THAT(steps(), ElementsAre(Step{0, Phase::Command, 1}, Step{1000, Phase::Command, 0},
                                     Step{2200, Phase::DataOut, 1}));
}

class WithTimeout : public Sensed {
protected:
    explicit WithTimeout(ReadySense ready = ReadySense::Lun, u32 luns = 1, u32 channels = 2)
        : Sensed(ready, luns, 100, channels)
    {
    }
};
class WithTimeoutByStatus : public WithTimeout {
protected:
    WithTimeoutByStatus() : WithTimeout(ReadySense::Status, 1, 1) {}
};
class WithTimeoutOfTwoLuns : public WithTimeout {
protected:
    WithTimeoutOfTwoLuns() : WithTimeout(ReadySense::Lun, 2, 1) {}
};

// Command 0-1, no edge at all: given up at 101. The head behind it waits for the same LUN and holds
// back the one for the other channel; both end then.
TEST_F(WithTimeout, GivesUpADieThatGivesNoEdge)
{
    c.port.dead[0] = true;
    c.controller.submit(c.op(FLASH_OP_READ, 0));
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0));
    c.controller.submit(c.op(FLASH_OP_READ, 1)); // 101-102, to 103, 103-104
    c.run(200);
    EXPECT_EQ(end_ns(0), 101000u);
    EXPECT_EQ(status_of(0), FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(c.end(0).completion.failed_planes, 1);
    EXPECT_EQ(end_ns(1), 101000u) << "the LUN is known to be lost";
    EXPECT_EQ(status_of(1), FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(end_ns(2), 104000u);
    EXPECT_EQ(status_of(2), FLASH_STATUS_OK);
}

TEST_F(WithTimeout, LeavesOperationsThatEndInTimeAlone)
{
    c.port.array = [](u32, u64) { return 100; }; // ready at the very end of the time
    c.controller.submit(c.op(FLASH_OP_READ, 0)); // 0-1, to 101, 101-102
    c.run(90);
    c.controller.submit(c.op(FLASH_OP_READ, 1)); // 90-91, to 191, 191-192
    c.run(200);
    EXPECT_EQ(end_ns(0), 102000u);
    EXPECT_EQ(end_ns(1), 192000u);
    EXPECT_EQ(status_of(0), FLASH_STATUS_OK);
    EXPECT_EQ(status_of(1), FLASH_STATUS_OK);
}

// The die is busy until 151. Until it shows that it is ready it gets no command.
TEST_F(WithTimeout, TakesALateEdgeForASignOfLifeAndForNothingElse)
{
    c.port.array = [](u32, u64) { return 150; };
    c.controller.submit(c.op(FLASH_OP_READ, 0)); // 0-1, given up at 101
    c.run(120);
    c.controller.submit(c.op(FLASH_OP_READ, 0));
    c.run(40);
    EXPECT_EQ(end_ns(1), 120000u);
    EXPECT_EQ(status_of(1), FLASH_STATUS_TIMEOUT);
    EXPECT_THAT(c.port.seen, SizeIs(1));
    c.port.array = [](u32, u64 units) { return units; };
    c.controller.submit(c.op(FLASH_OP_READ, 0)); // 160-161, to 162, 162-163
    c.run(40);
    EXPECT_EQ(end_ns(2), 163000u);
    EXPECT_EQ(status_of(2), FLASH_STATUS_OK);
}

// The late edge at 151 falls into the RESET's FFh (150.5-151.5), which makes the die busy for 5.
TEST_F(WithTimeout, DoesNotTakeALateEdgeForTheEndOfAReset)
{
    c.port.array = [](u32, u64 units) { return units == 1 ? 150 : units; };
    c.controller.submit(c.op(FLASH_OP_READ, 0));
    run_for(c.event_queue, nanoseconds(150500));
    c.controller.submit(c.op(FLASH_OP_RESET, 0));
    c.run(50);
    EXPECT_EQ(end_ns(1), 156500u);
    EXPECT_EQ(status_of(1), FLASH_STATUS_OK);
}

TEST_F(WithTimeout, BringsALunBackByReset)
{
    c.port.dead[0] = true;
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0));
    c.controller.submit(c.op(FLASH_OP_RESET, 0)); // FFh 101-102, given up at 202
    c.run(250);
    EXPECT_EQ(end_ns(1), 202000u);
    EXPECT_EQ(status_of(1), FLASH_STATUS_TIMEOUT);
    c.port.dead[0] = false;
    c.controller.submit(c.op(FLASH_OP_RESET, 0)); // 250-251, to 256
    c.controller.submit(c.op(FLASH_OP_READ, 0));  // 256-257, to 258, 258-259
    c.run(50);
    EXPECT_EQ(end_ns(2), 256000u);
    EXPECT_EQ(status_of(2), FLASH_STATUS_OK);
    EXPECT_EQ(end_ns(3), 259000u);
    EXPECT_EQ(status_of(3), FLASH_STATUS_OK);
}

TEST_F(WithTimeoutOfTwoLuns, LosesOnlyTheLunOfAResetThatDoesNotAnswer)
{
    c.port.dead[1] = true;
    c.controller.submit(c.op(FLASH_OP_RESET, 0)); // FFh 0-1; LUN 0 at 6; given up at 101
    c.controller.submit(c.op(FLASH_OP_READ, 0, 0));
    c.controller.submit(c.op(FLASH_OP_READ, 0, 1));
    c.run(150);
    EXPECT_EQ(status_of(0), FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(end_ns(1), 104000u);
    EXPECT_EQ(status_of(1), FLASH_STATUS_OK);
    EXPECT_EQ(end_ns(2), 101000u);
    EXPECT_EQ(status_of(2), FLASH_STATUS_TIMEOUT);
}

// A dead die drives nothing: FFh, which is no status. Polls from 2.2 on, each 6 after the last; the
// one at 98.2 is over at 99.2, the next would be due at 104.2: given up at 101.
TEST_F(WithTimeoutByStatus, TakesUndrivenLinesForNoAnswer)
{
    c.port.dead[0] = true;
    c.controller.submit(c.op(FLASH_OP_READ, 0));
    c.run(200);
    EXPECT_EQ(end_ns(0), 101000u);
    EXPECT_EQ(status_of(0), FLASH_STATUS_TIMEOUT);
    EXPECT_THAT(c.port.seen, SizeIs(1 + 17)) << "2.2 + 6 n up to 98.2";
}

// Segments of 2: command 0-2, deadline 102; polls 3.2 + 7 n: 101.2-103.2 is under way then.
TEST_F(WithTimeoutByStatus, LetsAPollThatIsUnderWayAtTheDeadlineDecide)
{
    c.port.segment_time = microseconds(2);
    c.port.array = [](u32, u64) { return 101; }; // ready at 103
    c.controller.submit(c.op(FLASH_OP_READ, 0)); // burst 103.2-105.2
    c.run(150);
    EXPECT_EQ(end_ns(0), 105200u);
    EXPECT_EQ(status_of(0), FLASH_STATUS_OK);
    c.port.array = [](u32, u64) { return 102; }; // 150 later; ready at 254
    c.controller.submit(c.op(FLASH_OP_READ, 0));
    c.run(150);
    EXPECT_EQ(end_ns(1), 253200u);
    EXPECT_EQ(status_of(1), FLASH_STATUS_TIMEOUT);
}

TEST(NoTimeout, WaitsForEver)
{
    UnitTimeController c(flash_geometry(), ControllerMode::InOrder);
    c.port.dead[0] = true;
    c.controller.submit(c.op(FLASH_OP_READ, 0));
    c.run(1000000);
    EXPECT_THAT(c.ended, IsEmpty());
}

} // namespace
} // namespace tlmssd::tb
