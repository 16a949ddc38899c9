// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the TLM controller in mode ooo: held completions, fences, faults, tags used again. By hand.
#include <gmock/gmock.h>

#include "tb/flash/fake_dram.h"
#include "tb/flash/unit_time_port.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;
using testing::ElementsAre;

flash_op in_stream(flash_op op, u16 stream, u8 flags = 0)
{
    op.stream = stream;
    op.flags = flags;
    return op;
}

TEST(O3Controller, AnIdleDieDoesNotWaitForTheHead)
{
    UnitTimeController c(flash_geometry(2), ControllerMode::Ooo);
    c.controller.submit(in_stream(c.op(FLASH_OP_PROGRAM, 0), 0)); // 0 to 10
    c.controller.submit(in_stream(c.op(FLASH_OP_READ, 0), 1));    // 10 to 11
    c.controller.submit(in_stream(c.op(FLASH_OP_READ, 1), 2));    // 0 to 1
    c.run(100);
    EXPECT_THAT(c.ends({0, 1, 2}), ElementsAre(10, 11, 1));
    EXPECT_EQ(c.controller.order_statistics().reordered, 1u);
    EXPECT_EQ(c.controller.order_statistics().held, 0u);
}

/// Commands go before bursts as in order: controller_test.cpp has the same case and the same times.
TEST(O3Controller, SendsCommandsBeforeBursts)
{
    UnitTimeController c(flash_geometry(1, 3), ControllerMode::Ooo);
    c.port.segment_time = microseconds(2);
    for (const u32 lun : {0u, 1u, 2u, 0u}) {
        c.controller.submit(c.op(FLASH_OP_READ, 0, lun));
    }
    c.run(100);
    EXPECT_THAT(c.ends({0, 1, 2, 3}), ElementsAre(8, 12, 14, 16));
}

/// A burst waits from 2 on and commands of 39 erases with it: one starts at 1, before it waits, 32 pass it
/// from 2 to 34, then it goes and ends at 35.
class BurstIsPassed : public testing::TestWithParam<ControllerMode> {};

TEST_P(BurstIsPassed, ByThirtyTwoCommandsAtMost)
{
    UnitTimeController c(flash_geometry(1, 40), GetParam());
    c.port.segment_time = microseconds(1);
    c.controller.submit(c.op(FLASH_OP_READ, 0, 0));
    for (u32 lun = 1; lun < 40; ++lun) {
        c.controller.submit(c.op(FLASH_OP_ERASE, 0, lun));
    }
    c.run(200);
    EXPECT_EQ(c.end_of(0), 35u);
    EXPECT_EQ(c.port.seen[34].request.phase, Phase::DataOut);
    EXPECT_EQ(c.port.seen[34].at, microseconds(34));
    EXPECT_EQ(c.ended.size(), 40u);
}

INSTANTIATE_TEST_SUITE_P(Modes, BurstIsPassed,
                         testing::Values(ControllerMode::InOrder, ControllerMode::Ooo));

/// Two CE# of `luns` LUNs on one channel.
Geometry two_packages(u32 luns)
{
    return flash_geometry(1, luns).ways(2);
}

flash_op read_at(UnitTimeController& c, u8 ce, u32 lun)
{
    flash_op op = in_stream(c.op(FLASH_OP_READ, 0, lun), FLASH_NO_STREAM);
    op.ce = ce;
    return op;
}

/// Commands 0 to 6; bursts ask at 3, 5 and 7, each takes 2. Behind the third one's LUN waits a fourth read.
/// First come first served: bursts at 6, 8, 10, the fourth read's command at 12 and its burst at 15. Clump:
/// at 6 the first has nobody behind it, the second has the fourth read in its CE#, so that goes; at 8 the third
/// goes, with the fourth behind it; at 10 the fourth's command; at 12 the first; at 14 the fourth.
class BurstOrder : public testing::TestWithParam<config::IssuePolicy> {};

TEST_P(BurstOrder, ClumpServesTheBurstThatHoldsUpMost)
{
    UnitTimeController c(two_packages(2), ControllerMode::Ooo, 64,
                         [](config::Config& config) { config.controller.issue_policy = GetParam(); });
    c.port.segment_time = microseconds(2);
    c.controller.submit(read_at(c, 0, 0));
    for (const u32 lun : {0u, 1u, 1u}) {
        c.controller.submit(read_at(c, 1, lun));
    }
    c.run(100);
    if (GetParam() == config::IssuePolicy::Clump) {
        EXPECT_THAT(c.ends({0, 1, 2, 3}), ElementsAre(14, 8, 10, 16));
    } else {
        EXPECT_THAT(c.ends({0, 1, 2, 3}), ElementsAre(8, 10, 12, 17));
    }
}

INSTANTIATE_TEST_SUITE_P(Policies, BurstOrder,
                         testing::Values(config::IssuePolicy::FirstCome, config::IssuePolicy::Clump));

/// A burst with nobody behind it asks at 2. Eight LUNs of the other CE# have three reads each, the first
/// eight commands from 1 to 9. At 9, 11, .. 23 a burst of them passes, each with the LUN's next command behind it;
/// at 25 eight have passed, and the second burst of the first of them, which waits since 12, does not go.
TEST(O3Controller, ClumpPassesTheOldestBurstEightTimesAtMost)
{
    UnitTimeController c(two_packages(8), ControllerMode::Ooo, 64, [](config::Config& config) {
        config.controller.issue_policy = config::IssuePolicy::Clump;
    });
    c.port.segment_time = microseconds(1);
    c.controller.submit(read_at(c, 0, 0));
    for (u32 i = 0; i < 24; ++i) {
        c.controller.submit(read_at(c, 1, i % 8));
    }
    c.run(200);
    EXPECT_EQ(c.end_of(0), 26u);
    EXPECT_EQ(c.port.seen[25].at, microseconds(25));
    EXPECT_EQ(c.port.seen[25].request.phase, Phase::DataOut);
    EXPECT_EQ(c.port.seen[25].request.ce, 0u);
    EXPECT_EQ(c.ended.size(), 25u);
}

struct Ends final : flash::OperationObserverIf {
    explicit Ends(EventQueue& w) : event_queue(w) {}
    void on_issue(u32, const flash_op&, Picoseconds) override {}
    void on_phase(u32, u32, Phase, Picoseconds, Picoseconds) override {}
    void on_complete(u32 tag, const flash_completion&, Picoseconds now) override
    {
        ended.emplace_back(tag, now.value() / 1000000);
    }
    EventQueue& event_queue;
    std::vector<std::pair<u32, u64>> ended;
};

TEST(O3Controller, HoldsCompletionsBackAndShowsObserversTheEnds)
{
    UnitTimeController c(flash_geometry(3), ControllerMode::Ooo);
    Ends ends(c.event_queue);
    c.controller.bind_observer(ends);
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0)); // ends at 10
    c.controller.submit(c.op(FLASH_OP_READ, 1));    // at 1
    c.controller.submit(c.op(FLASH_OP_ERASE, 2));   // at 30
    c.run(100);
    EXPECT_THAT(c.ends({0, 1, 2}), ElementsAre(10, 10, 30));
    EXPECT_THAT(ends.ended, ElementsAre(std::pair(1u, u64{1}), std::pair(0u, u64{10}),
                                        std::pair(2u, u64{30})));
    EXPECT_EQ(c.ended[1].completion.cookie, 1001u);
    EXPECT_EQ(c.controller.order_statistics().held, 1u);
    EXPECT_EQ(c.controller.order_statistics().held_time, microseconds(9));
}

TEST(O3Controller, AFenceWaitsForTheDataInDramAndHoldsUpNobodyElse)
{
    UnitTimeController c(flash_geometry(3), ControllerMode::Ooo);
    c.port.landing_time = microseconds(7);
    c.controller.submit(c.op(FLASH_OP_READ, 0)); // ends at 8
    c.controller.submit(in_stream(c.op(FLASH_OP_PROGRAM, 1), 0, FLASH_FLAG_FENCE));
    c.controller.submit(in_stream(c.op(FLASH_OP_PROGRAM, 2), 1));
    c.run(100);
    EXPECT_THAT(c.ends({0, 1, 2}), ElementsAre(8, 18, 10));
}

/// Two channels, a segment takes 1. The die of channel 0 is dead: its read is given up 100 after its
/// command, and the one behind it ends at once. Other streams have long gone on.
TEST(O3Controller, GivesADeadDieUpAndGoesOn)
{
    UnitTimeController c(flash_geometry(2), ControllerMode::Ooo, 64, [](config::Config& config) {
        config.controller.timeout = microseconds(100);
    });
    c.port.segment_time = microseconds(1);
    c.port.dead[0] = true;
    c.controller.submit(c.op(FLASH_OP_READ, 0));               // given up at 101
    c.controller.submit(c.op(FLASH_OP_READ, 0));               // lost
    c.controller.submit(c.op(FLASH_OP_READ, 1));               // ends at 3, told after those
    c.controller.submit(in_stream(c.op(FLASH_OP_READ, 1), 1)); // its command 3-4, burst 5-6
    c.run(300);
    EXPECT_THAT(c.ends({0, 1, 2, 3}), ElementsAre(101, 101, 101, 6));
    EXPECT_EQ(c.end(0).completion.status, FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(c.end(1).completion.status, FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(c.end(2).completion.status, FLASH_STATUS_OK);
    c.port.dead[0] = false;
    c.controller.submit(c.op(FLASH_OP_RESET, 0)); // 300-301, to 306
    c.controller.submit(c.op(FLASH_OP_READ, 0));  // 306-307, to 308, 308-309
    c.run(100);
    EXPECT_THAT(c.ends({4, 5}), ElementsAre(306, 309));
    EXPECT_EQ(c.end(5).completion.status, FLASH_STATUS_OK);
}

/// retry_test.cpp has the times: the read keeps its LUN until 12 and is in DRAM at 15. The one behind
/// it resets the level (feature 12-13, to 15), command 15-16, to 17, burst 17-18, in DRAM at 21.
TEST(O3Controller, ARetriedReadKeepsItsLunAndItsPlaceInTheStream)
{
    UnitTimeController c(flash_geometry(2), ControllerMode::Ooo, 64,
                         [](config::Config& config) { config.controller.read_retries = 2; });
    c.port.segment_time = microseconds(1);
    c.port.landing_time = microseconds(3);
    c.port.ecc = [](const SegmentRequest& r) {
        flash::SegmentResult result;
        result.uncorrectable = r.tag == 0 && r.level < 1;
        return result;
    };
    c.controller.submit(c.op(FLASH_OP_READ, 0));
    c.controller.submit(in_stream(c.op(FLASH_OP_READ, 0), 0, 3)); // no priority takes a LUN away
    c.controller.submit(c.op(FLASH_OP_READ, 1));                  // in DRAM at 6
    c.run(100);
    EXPECT_THAT(c.ends({0, 1, 2}), ElementsAre(15, 21, 21));
    EXPECT_EQ(c.end(0).completion.retries, 1);
    EXPECT_EQ(c.end(0).completion.status, FLASH_STATUS_OK);
}

TEST(O3Controller, AFailedProgramIsToldInItsTurn)
{
    UnitTimeController c(flash_geometry(2), ControllerMode::Ooo);
    c.port.status = [](const SegmentRequest& r) -> u8 { return r.tag == 1 ? 0xe1 : 0xe0; };
    c.controller.submit(c.op(FLASH_OP_ERASE, 0));
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 1));
    c.run(100);
    EXPECT_THAT(c.ends({0, 1}), ElementsAre(30, 30));
    EXPECT_EQ(c.end(1).completion.status, FLASH_STATUS_FAIL);
    EXPECT_EQ(c.end(1).completion.failed_planes, 1);
}

/// Polls: a LUN without a line of its own is asked at 0.2 + its time, and at once in ooo, too.
TEST(O3Controller, PollsLunsWithoutALine)
{
    UnitTimeController c(flash_geometry(2), ControllerMode::Ooo, 64, [](config::Config& config) {
        config.onfi.ready = config::ReadySense::Status;
    });
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0)); // tWB 0.2, asked at 10.2
    c.controller.submit(in_stream(c.op(FLASH_OP_READ, 1), 1)); // at 1.2
    c.run(100);
    EXPECT_EQ(c.end(0).at, nanoseconds(10200));
    EXPECT_EQ(c.end(1).at, nanoseconds(1200));
}

TEST(O3Controller, ALunWithoutAFreeStationHoldsUpItsChannel)
{
    UnitTimeController c(flash_geometry(1, 2), ControllerMode::Ooo, 64,
                         [](config::Config& config) { config.controller.stations = 1; });
    for (u16 i = 0; i < 3; ++i) { // one runs, one waits, one has no station
        c.controller.submit(in_stream(c.op(FLASH_OP_PROGRAM, 0, 0), i));
    }
    c.controller.submit(in_stream(c.op(FLASH_OP_READ, 0, 1), 9)); // 10 to 11
    c.run(100);
    EXPECT_THAT(c.ends({0, 1, 2, 3}), ElementsAre(10, 20, 30, 11));
}

/// Each completion's tag goes back at once with the next operation, of another stream and die.
class Refilled final : public UnitTimeController {
public:
    Refilled() : UnitTimeController(flash_geometry(2, 2), ControllerMode::Ooo, 16) {}
    void refill(u16 tag)
    {
        flash_op o = op(submitted % 5 == 0 ? FLASH_OP_PROGRAM : FLASH_OP_READ, submitted % 2,
                        submitted / 3 % 2);
        o.tag = tag;
        o.stream = static_cast<u16>(submitted % 3);
        o.row[0] = submitted % 7;
        o.cookie = submitted++;
        controller.submit(o);
    }
    void on_flash_completion(const flash_completion& done) override
    {
        EXPECT_EQ(done.cookie / 3, completed[done.cookie % 3]++) << "out of its stream's order";
        if (submitted < 5000) {
            refill(done.tag);
        }
    }
    u32 submitted = 0;
    std::array<u32, 3> completed{};
};

TEST(O3Controller, TakesTheNextOperationFromInsideACompletion)
{
    Refilled c;
    for (u16 tag = 0; tag < 16; ++tag) {
        c.refill(tag);
    }
    c.run(100000);
    EXPECT_EQ(c.completed[0] + c.completed[1] + c.completed[2], 5000u);
    EXPECT_GT(c.controller.order_statistics().held, 0u);
}

} // namespace
} // namespace tlmssd::tb
