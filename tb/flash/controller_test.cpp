// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the TLM controller alone: order of issue, fences, phases, completions, RESET, errors.
#include <gmock/gmock.h>

#include "tb/flash/fake_dram.h"
#include "tb/flash/unit_time_port.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using Step = std::pair<Phase, u32>; ///< phase, plane

std::vector<Step> steps(const UnitTimeController& c)
{
    std::vector<Step> all;
    for (const UnitTimePort::Seen& s : c.port.seen) {
        all.emplace_back(s.request.phase, s.request.plane);
    }
    return all;
}

TEST(Controller, GoesThroughThePhasesOfEachOperation)
{
    const struct {
        u8 opcode;
        std::vector<Step> expected;
    } cases[] = {
        {FLASH_OP_READ,
         {{Phase::Command, 0}, {Phase::Command, 1}, {Phase::DataOut, 0}, {Phase::DataOut, 1}}},
        {FLASH_OP_PROGRAM, {{Phase::DataIn, 0}, {Phase::DataIn, 1}, {Phase::Status, 1}}},
        {FLASH_OP_ERASE, {{Phase::Command, 0}, {Phase::Command, 1}, {Phase::Status, 1}}},
    };
    UnitTimeController c(flash_geometry(), ControllerMode::InOrder);
    for (const auto& t : cases) {
        c.port.seen.clear();
        flash_op op = c.op(t.opcode, 0);
        op.nplanes = 2;
        op.row[0] = 0x11;
        op.row[1] = 0x15;
        op.buf[1] = 8192;
        op.col[1] = 8;
        op.len[1] = 8;
        op.oob = 0x100;
        c.controller.submit(op);
        c.run(50);
        EXPECT_EQ(steps(c), t.expected) << u32{t.opcode};
        for (const UnitTimePort::Seen& s : c.port.seen) {
            const u32 plane = s.request.plane;
            EXPECT_EQ(s.request.row, op.row[plane]);
            EXPECT_EQ(s.request.buf, op.buf[plane]);
            EXPECT_EQ(s.request.col, op.col[plane]);
            EXPECT_EQ(s.request.len, op.len[plane]);
            EXPECT_EQ(s.request.oob, 0x100 + 16 * plane);
            EXPECT_EQ(s.request.nplanes, 2);
            EXPECT_EQ(s.request.tag, op.tag);
        }
    }
    ASSERT_THAT(c.ended, SizeIs(3));
    EXPECT_EQ(c.ended[2].completion.cookie, 1002u);
}

/// The destination's row from the program on.
TEST(Controller, CopiesBackWithoutADataBurstIn)
{
    UnitTimeController c(flash_geometry(), ControllerMode::InOrder);
    flash_op op = c.op(FLASH_OP_COPYBACK, 0);
    op.row[0] = 0x11;
    op.row[1] = 0x25;
    op.col[0] = 16;
    op.len[0] = 0;
    op.oob = 0x100;
    c.controller.submit(op);
    c.run(50);
    const std::vector<Step> expected{{Phase::Command, 0}, {Phase::DataOut, 0}, {Phase::DataIn, 0}, {Phase::Status, 0}};
    EXPECT_EQ(steps(c), expected);
    const u32 rows[] = {0x11, 0x11, 0x25, 0x25};
    for (std::size_t i = 0; i < c.port.seen.size(); ++i) {
        EXPECT_EQ(c.port.seen[i].request.row, rows[i]);
        EXPECT_EQ(c.port.seen[i].request.len, 0);
        EXPECT_EQ(c.port.seen[i].request.oob, 0x100u);
    }
    ASSERT_THAT(c.ended, SizeIs(1));
    EXPECT_EQ(c.ended[0].completion.status, FLASH_STATUS_OK);
}

TEST(Controller, RefusesACopybackOfTwoPlanes)
{
    UnitTimeController c(flash_geometry(), ControllerMode::InOrder);
    flash_op op = c.op(FLASH_OP_COPYBACK, 0);
    op.nplanes = 2;
    c.controller.submit(op);
    ASSERT_THAT(c.ended, SizeIs(1));
    EXPECT_EQ(c.ended[0].completion.status, FLASH_STATUS_ILLEGAL);
}

TEST(Controller, TheHeadBlocksWhatIsBehindItEvenForIdleDies)
{
    UnitTimeController c(flash_geometry(2), ControllerMode::InOrder);
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0)); // 0 to 10
    c.controller.submit(c.op(FLASH_OP_READ, 0));    // 10 to 11
    c.controller.submit(c.op(FLASH_OP_READ, 1));    // its die is idle all the time
    c.run(100);
    EXPECT_THAT(c.ends({0, 1, 2}), ElementsAre(10, 11, 11));
}

TEST(Controller, OverlapsDiesOfOneChannel)
{
    UnitTimeController c(flash_geometry(1, 4), ControllerMode::InOrder);
    for (u32 lun = 0; lun < 4; ++lun) {
        c.controller.submit(c.op(FLASH_OP_PROGRAM, 0, lun));
    }
    c.run(100);
    EXPECT_THAT(c.ends({0, 1, 2, 3}), ElementsAre(10, 10, 10, 10));
}

/// Commands on the bus 0-2, 2-4, 4-6; LUNs ready at 3, 5, 7. LUN 0's burst 6-8 frees its LUN: the
/// command of its second read goes 8-10, before the bursts of LUN 1 (10-12) and 2 (12-14), which
/// have waited longer. It is ready at 11: 14-16.
TEST(Controller, SendsCommandsBeforeBurstsAndEachFirstComeFirstServed)
{
    UnitTimeController c(flash_geometry(1, 3), ControllerMode::InOrder);
    c.port.segment_time = microseconds(2);
    for (const u32 lun : {0u, 1u, 2u, 0u}) {
        c.controller.submit(c.op(FLASH_OP_READ, 0, lun));
    }
    c.run(100);
    EXPECT_THAT(c.ends({0, 1, 2, 3}), ElementsAre(8, 12, 14, 16));
}

/// Commands 0-2 and 2-4, LUN 0 ready at 3, its burst 4-6; LUN 1's waits from 5 on. At 6 both the program of
/// LUN 0 and, behind it, the read of LUN 2 are issued: that one's command 6-8 goes before the bursts of LUN 1
/// (8-10) and of the program (10-12; tPROG to 22, status to 24). LUN 2 is ready at 9: 12-14.
TEST(Controller, IssuesAllThatItCanBeforeABurstStarts)
{
    UnitTimeController c(flash_geometry(1, 3), ControllerMode::InOrder);
    c.port.segment_time = microseconds(2);
    c.controller.submit(c.op(FLASH_OP_READ, 0, 0));
    c.controller.submit(c.op(FLASH_OP_READ, 0, 1));
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0, 0));
    c.controller.submit(c.op(FLASH_OP_READ, 0, 2));
    c.run(100);
    EXPECT_THAT(c.ends({0, 1, 2, 3}), ElementsAre(6, 10, 24, 14));
    // Who found the bus taken: LUN 1's command; the bursts of 0, 1, of the program, of 2.
    EXPECT_EQ(c.port.wanted, (std::vector<UnitTimePort::Wanted>{{microseconds(0), 1},
                                                                {microseconds(3), 0},
                                                                {microseconds(5), 1},
                                                                {microseconds(6), 0},
                                                                {microseconds(9), 2}}));
}

TEST(Controller, SerialRunsOneOperationAtATimeToItsCompletion)
{
    UnitTimeController c(flash_geometry(2), ControllerMode::Serial);
    c.port.landing_time = microseconds(3);
    c.controller.submit(c.op(FLASH_OP_READ, 0)); // 0 to 1, data in DRAM at 4
    c.controller.submit(c.op(FLASH_OP_READ, 1));
    c.run(100);
    EXPECT_THAT(c.ends({0, 1}), ElementsAre(4, 8));
}

TEST(Controller, AFenceWaitsForItsStream)
{
    UnitTimeController c(flash_geometry(3), ControllerMode::InOrder);
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0)); // to 10
    flash_op fenced = c.op(FLASH_OP_READ, 1);
    fenced.flags = FLASH_FLAG_FENCE;
    c.controller.submit(fenced);
    c.controller.submit(c.op(FLASH_OP_READ, 2)); // behind the fence
    c.run(100);
    EXPECT_THAT(c.ends({0, 1, 2}), ElementsAre(10, 11, 11));
}

TEST(Controller, AFenceDoesNotWaitForAnotherStream)
{
    UnitTimeController c(flash_geometry(3), ControllerMode::InOrder);
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0));
    flash_op fenced = c.op(FLASH_OP_READ, 1);
    fenced.stream = 1;
    fenced.flags = FLASH_FLAG_FENCE;
    c.controller.submit(fenced);
    c.run(100);
    EXPECT_EQ(c.end_of(1), 1u);
}

TEST(Controller, AFenceWaitsForTheDataInDram)
{
    UnitTimeController c(flash_geometry(2), ControllerMode::InOrder);
    c.port.landing_time = microseconds(7);
    c.controller.submit(c.op(FLASH_OP_READ, 0)); // ends at 8
    flash_op fenced = c.op(FLASH_OP_PROGRAM, 1);
    fenced.flags = FLASH_FLAG_FENCE;
    c.controller.submit(fenced);
    c.run(100);
    EXPECT_EQ(c.end_of(1), 18u);
}

TEST(Controller, ADieIsFreeBeforeItsDataAreInDram)
{
    UnitTimeController c(flash_geometry(), ControllerMode::InOrder);
    c.port.landing_time = microseconds(7);
    c.controller.submit(c.op(FLASH_OP_READ, 0));
    c.controller.submit(c.op(FLASH_OP_READ, 0)); // starts at 1
    c.run(100);
    EXPECT_THAT(c.ends({0, 1}), ElementsAre(8, 9));
}

TEST(Controller, ReportsFail)
{
    UnitTimeController c(flash_geometry(1, 2), ControllerMode::InOrder);
    c.port.status = [](const SegmentRequest& r) -> u8 { return r.lun == 1 ? 0xe1 : 0xe0; };
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0, 0));
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0, 1));
    flash_op both = c.op(FLASH_OP_ERASE, 0, 1);
    both.nplanes = 2;
    c.controller.submit(both);
    c.run(100);
    ASSERT_THAT(c.ended, SizeIs(3));
    EXPECT_EQ(c.ended[0].completion.status, FLASH_STATUS_OK);
    EXPECT_EQ(c.ended[0].completion.failed_planes, 0);
    EXPECT_EQ(c.ended[1].completion.status, FLASH_STATUS_FAIL);
    EXPECT_EQ(c.ended[1].completion.failed_planes, 1);
    EXPECT_EQ(c.ended[2].completion.failed_planes, 3) << "70h does not tell the planes apart";
}

TEST(Controller, AnswersIllegalOperationsAtOnceAndTouchesNothing)
{
    UnitTimeController c(flash_geometry(2, 2), ControllerMode::InOrder, 64);
    std::vector<flash_op> bad(7, c.op(FLASH_OP_READ, 0));
    bad[0].channel = 2;
    bad[1].ce = 1;
    bad[2].lun = 2;
    bad[3].nplanes = 0;
    bad[4].nplanes = 5;
    bad[5].opcode = 0;
    bad[6].opcode = FLASH_OP_COPYBACK + 1;
    for (const flash_op& op : bad) {
        EXPECT_TRUE(c.controller.submit(op));
    }
    flash_op tag = c.op(FLASH_OP_READ, 0);
    tag.tag = 64;
    EXPECT_TRUE(c.controller.submit(tag));
    c.run(10);
    ASSERT_THAT(c.ended, SizeIs(8));
    for (const UnitTimeController::End& e : c.ended) {
        EXPECT_EQ(e.unit, 0u);
        EXPECT_EQ(e.completion.status, FLASH_STATUS_ILLEGAL);
    }
    EXPECT_EQ(c.ended[7].completion.tag, 64);
    EXPECT_THAT(c.port.seen, IsEmpty());
    c.controller.submit(c.op(FLASH_OP_READ, 0)); // and it still works
    c.run(10);
    EXPECT_THAT(c.ended, SizeIs(9));
}

TEST(Controller, ResetTakesEveryLunOfItsChipEnable)
{
    UnitTimeController c(flash_geometry(1, 2), ControllerMode::InOrder);
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0, 0)); // 0 to 10
    c.controller.submit(c.op(FLASH_OP_RESET, 0, 1));   // waits for LUN 0, although it names LUN 1
    c.controller.submit(c.op(FLASH_OP_READ, 0, 0));    // waits for both LUNs: 15 and 16
    c.run(100);
    EXPECT_THAT(c.ends({0, 1, 2}), ElementsAre(10, 16, 17));
    EXPECT_EQ(c.ended[1].completion.status, FLASH_STATUS_OK);
}

TEST(Controller, TakesManyOperationsAtOnce)
{
    UnitTimeController c(flash_geometry(4, 2), ControllerMode::InOrder, 256);
    for (u32 i = 0; i < 256; ++i) {
        ASSERT_TRUE(c.controller.submit(c.op(FLASH_OP_READ, i % 4, i / 4 % 2)));
    }
    EXPECT_EQ(c.controller.tags(), 256u);
    c.run(100);
    ASSERT_THAT(c.ended, SizeIs(256));
    EXPECT_EQ(c.ended.back().unit, 32u); // 8 dies, 32 reads each
}

} // namespace
} // namespace tlmssd::tb
