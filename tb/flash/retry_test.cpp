// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: read retry of the TLM controller: order and times of its segments by hand, completions.
#include <gmock/gmock.h>

#include "tb/flash/fake_dram.h"
#include "tb/flash/unit_time_port.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;
using flash::SegmentResult;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// (unit, phase, row, level); a row tells the plane of the operation.
using Step = std::tuple<u64, Phase, u32, u32>;

std::vector<Step> steps(const UnitTimeController& c)
{
    std::vector<Step> all;
    for (const UnitTimePort::Seen& s : c.port.seen) {
        all.emplace_back(s.at.value() / 1000000, s.request.phase, s.request.row, s.request.level);
    }
    return all;
}

/// One channel of one LUN; a segment takes 1 unit, data land 3 units after their burst. The page of
/// row r is lost below level good_at[r].
class Retry : public testing::Test {
protected:
    explicit Retry(u32 levels = 2)
        : c(flash_geometry(), ControllerMode::InOrder, 64,
            [levels](config::Config& config) { config.controller.read_retries = levels; })
    {
        c.port.segment_time = microseconds(1);
        c.port.landing_time = microseconds(3);
        c.port.ecc = [this](const SegmentRequest& r) {
            SegmentResult result;
            result.uncorrectable = r.level < good_at[r.row];
            result.corrected = result.uncorrectable ? u16{50} : u16{7};
            return result;
        };
    }
    flash_op read(u8 planes)
    {
        flash_op op = c.op(FLASH_OP_READ, 0);
        op.nplanes = planes;
        for (u8 i = 0; i < planes; ++i) {
            op.row[i] = i;
            op.buf[i] = 8192u * i;
            op.len[i] = 16;
        }
        op.oob = 0x100;
        return op;
    }
    UnitTimeController c;
    std::array<u32, 4> good_at{};
};

class NoRetry : public Retry {
protected:
    NoRetry() : Retry(0) {}
};

// Command 0-1, tR to 2, burst 2-3, verdict at 6. Level 1: feature 6-7, tFEAT to 9, command 9-10, tR
// to 11, burst 11-12, verdict at 15. Level 2: feature 15-16, to 18, command 18-19, to 20, burst
// 20-21, in DRAM at 24.
TEST_F(Retry, RaisesTheLevelUntilThePageIsGood)
{
    good_at[0] = 2;
    c.controller.submit(read(1));
    c.run(100);
    EXPECT_THAT(steps(c), ElementsAre(Step{0, Phase::Command, 0, 0}, Step{2, Phase::DataOut, 0, 0},
                                      Step{6, Phase::Feature, 0, 1}, Step{9, Phase::Command, 0, 1},
                                      Step{11, Phase::DataOut, 0, 1},
                                      Step{15, Phase::Feature, 0, 2},
                                      Step{18, Phase::Command, 0, 2},
                                      Step{20, Phase::DataOut, 0, 2}));
    ASSERT_THAT(c.ended, SizeIs(1));
    EXPECT_EQ(c.ended[0].unit, 24u);
    EXPECT_EQ(c.ended[0].completion.status, FLASH_STATUS_OK);
    EXPECT_EQ(c.ended[0].completion.failed_planes, 0);
    EXPECT_EQ(c.ended[0].completion.retries, 2);
    EXPECT_EQ(c.ended[0].completion.corrected, 7) << "of the page that was delivered";
}

TEST_F(Retry, GivesUpAfterTheLastLevel)
{
    good_at[0] = 3;
    c.controller.submit(read(1));
    c.run(100);
    EXPECT_THAT(c.port.seen, SizeIs(8));
    ASSERT_THAT(c.ended, SizeIs(1));
    EXPECT_EQ(c.ended[0].unit, 24u);
    EXPECT_EQ(c.ended[0].completion.status, FLASH_STATUS_UNCORRECTABLE);
    EXPECT_EQ(c.ended[0].completion.failed_planes, 1);
    EXPECT_EQ(c.ended[0].completion.retries, 2);
    EXPECT_EQ(c.ended[0].completion.corrected, 0);
}

// Commands 0-1 and 1-2, tR to 3, bursts 3-4 and 4-5, verdict at 8; feature 8-9, to 11; plane 1:
// command 11-12, to 13, burst 13-14, in DRAM at 17.
TEST_F(Retry, ReadsOnlyThePlaneThatFailedAgain)
{
    good_at = {0, 1, 0, 0};
    c.controller.submit(read(2));
    c.run(100);
    EXPECT_THAT(steps(c), ElementsAre(Step{0, Phase::Command, 0, 0}, Step{1, Phase::Command, 1, 0},
                                      Step{3, Phase::DataOut, 0, 0}, Step{4, Phase::DataOut, 1, 0},
                                      Step{8, Phase::Feature, 0, 1},
                                      Step{11, Phase::Command, 1, 1},
                                      Step{13, Phase::DataOut, 1, 1}));
    for (std::size_t i = 5; i < 7; ++i) {
        const SegmentRequest& again = c.port.seen[i].request;
        EXPECT_EQ(again.plane, 0) << "alone: 30h and not 32h, no 06h";
        EXPECT_EQ(again.nplanes, 1);
        EXPECT_EQ(again.buf, 8192u);
        EXPECT_EQ(again.oob, 0x110u);
    }
    EXPECT_EQ(c.end_of(0), 17u);
    EXPECT_EQ(c.ended[0].completion.status, FLASH_STATUS_OK);
    EXPECT_EQ(c.ended[0].completion.retries, 1);
    EXPECT_EQ(c.ended[0].completion.corrected, 14);
}

// As above to 8. Level 1 reads both planes: feature 8-9, to 11, command 11-12, to 13, burst 13-14,
// command 14-15, to 16, burst 16-17, verdict at 20. Plane 0 is good now. Level 2: feature 20-21, to
// 23, command 23-24, to 25, burst 25-26, at 29 plane 1 is still lost.
TEST_F(Retry, NamesThePlanesThatStayLost)
{
    good_at = {1, 9, 0, 0};
    c.controller.submit(read(2));
    c.run(100);
    ASSERT_THAT(c.ended, SizeIs(1));
    EXPECT_EQ(c.ended[0].unit, 29u);
    EXPECT_EQ(c.ended[0].completion.status, FLASH_STATUS_UNCORRECTABLE);
    EXPECT_EQ(c.ended[0].completion.failed_planes, 2);
    EXPECT_EQ(c.ended[0].completion.retries, 3);
    EXPECT_EQ(c.ended[0].completion.corrected, 7);
}

// The read keeps its LUN to the end of its last burst (12, level 1). Then the level goes back to 0:
// feature 12-13, to 15, data in 15-16, tPROG to 26, status 26-27. The erase: 27-28, to 58.
TEST_F(Retry, SetsTheLevelBackBeforeTheNextOperationAndOnlyOnce)
{
    good_at[0] = 1;
    c.controller.submit(read(1));
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0));
    c.controller.submit(c.op(FLASH_OP_ERASE, 0));
    c.run(100);
    const std::vector<Step> all = steps(c);
    ASSERT_THAT(all, SizeIs(10));
    EXPECT_THAT(std::vector<Step>(all.begin() + 5, all.end()),
                ElementsAre(Step{12, Phase::Feature, 0, 0}, Step{15, Phase::DataIn, 0, 0},
                            Step{26, Phase::Status, 0, 0}, Step{27, Phase::Command, 0, 0},
                            Step{58, Phase::Status, 0, 0}));
    EXPECT_THAT(c.ends({0, 1, 2}), ElementsAre(15, 27, 59));
}

TEST_F(Retry, LeavesTheLevelAloneForAReset)
{
    good_at[0] = 1;
    c.controller.submit(read(1));
    c.controller.submit(c.op(FLASH_OP_RESET, 0)); // 12-13, to 18
    flash_op second = read(1);
    c.controller.submit(second); // feature 18-19, to 21, then retried as the first was
    c.run(100);
    EXPECT_EQ(std::get<1>(steps(c)[5]), Phase::Command);
    EXPECT_EQ(std::get<1>(steps(c)[6]), Phase::Feature);
    EXPECT_THAT(c.ends({0, 1, 2}), ElementsAre(15, 18, 21 + 15));
}

TEST_F(NoRetry, ReportsALostPageAtOnceAndFreesTheLunAtTheEndOfItsBurst)
{
    good_at[0] = 1;
    c.controller.submit(read(1));
    c.controller.submit(c.op(FLASH_OP_PROGRAM, 0)); // 3-4
    c.run(5);
    EXPECT_THAT(c.ended, IsEmpty());
    c.run(45);
    ASSERT_THAT(c.ended, SizeIs(2));
    EXPECT_EQ(c.ended[0].unit, 6u);
    EXPECT_EQ(c.ended[0].completion.status, FLASH_STATUS_UNCORRECTABLE);
    EXPECT_EQ(c.ended[0].completion.failed_planes, 1);
    EXPECT_EQ(c.ended[0].completion.retries, 0);
    EXPECT_EQ(c.end_of(1), 15u);
}

// Commands 0-1, 3-4, 6-7, bursts 2-3, 5-6, 8-9; ECC of the first read takes 9 units longer.
TEST_F(NoRetry, LetsAReadWithLessToCorrectOvertake)
{
    c.port.ecc = [](const SegmentRequest& r) {
        SegmentResult result;
        result.data_at = microseconds(r.tag == 0 ? 9 : 0);
        return result;
    };
    for (u32 i = 0; i < 3; ++i) {
        c.controller.submit(read(1));
    }
    c.run(100);
    EXPECT_THAT(c.ends({0, 1, 2}), ElementsAre(15, 9, 12));
    EXPECT_EQ(c.ended[2].completion.tag, 0);
}

// A fence waits for the retried read: the second one starts at 15.
TEST_F(Retry, KeepsAFenceWaiting)
{
    good_at[0] = 1;
    c.controller.submit(read(1));
    flash_op fenced = read(1);
    fenced.row[0] = 2;
    fenced.flags = FLASH_FLAG_FENCE;
    c.controller.submit(fenced); // feature 15-16, to 18, 18-19, to 20, 20-21, in DRAM at 24
    c.run(100);
    EXPECT_THAT(c.ends({0, 1}), ElementsAre(15, 24));
}

} // namespace
} // namespace tlmssd::tb
