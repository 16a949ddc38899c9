// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: directed cases of the round-robin RTL: latencies in clocks, order, fences, errors.
#include <gmock/gmock.h>

#include <Vround_robin__rtl.h>

#include "firmware/hal/flash_op.h"
#include "models/common/error.h"
#include "models/flash/rtl/rtl_registry.h"
#include "tb/rtl/rtl_rig.h"
#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

using flash::Phase;

class RoundRobin : public testing::Test, public RtlRig {
protected:
    RoundRobin() : RtlRig("round_robin") { config.tags = 32; }
    flash_op op(u32 opcode, u32 channel, u32 ce, u32 lun, u32 nplanes = 1)
    {
        return op_at(opcode, channel, ce, lun, nplanes);
    }
};

// Edges, counted from the one that sees the operation: 0 into the FIFO, 1 to the head, 2 to its
// LUN, 3 bus granted: the segment appears after edge 3. After an input: 0 registered, 1 event,
// 2 granted. After a landing: 0 registered, 1 completed.
TEST_F(RoundRobin, OneReadTakesTheClocksOfItsPipeline)
{
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    ASSERT_TRUE(bench().run(100000000));
    const u64 command = 3 * kClock;
    EXPECT_EQ(start_of(0, Phase::Command), command);
    const u64 burst = command + kSegment + kBusy + 2 * kClock;
    EXPECT_EQ(start_of(0, Phase::DataOut), burst);
    EXPECT_EQ(end_of(0), burst + kSegment + kLanding + 1 * kClock);
}

TEST_F(RoundRobin, StimulusBetweenEdgesIsSeenAtTheNextEdgeOfTheGrid)
{
    bench().submit_at(12345, op(FLASH_OP_READ, 0, 0, 0)); // the next edge is at 15000
    ASSERT_TRUE(bench().run(100000000));
    EXPECT_EQ(start_of(0, Phase::Command), 15000 + 3 * kClock);
}

TEST_F(RoundRobin, EachOpcodeHasItsSegments)
{
    geometry.planes = 4;
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, 2));
    bench().submit_at(0, op(FLASH_OP_PROGRAM, 0, 0, 1, 3));
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 1, 0, 2));
    bench().submit_at(0, op(FLASH_OP_RESET, 1, 0, 0, 2));
    ASSERT_TRUE(bench().run(100000000));
    const std::vector<Step> read = {{Phase::Command, 0}, {Phase::Command, 1},
                                    {Phase::DataOut, 0}, {Phase::DataOut, 1}};
    const std::vector<Step> program = {{Phase::DataIn, 0}, {Phase::DataIn, 1},
                                       {Phase::DataIn, 2}, {Phase::Status, 2}};
    const std::vector<Step> erase = {{Phase::Command, 0}, {Phase::Command, 1}, {Phase::Status, 1}};
    const std::vector<Step> reset = {{Phase::Command, 0}};
    EXPECT_EQ(bench().steps(0), read);
    EXPECT_EQ(bench().steps(1), program);
    EXPECT_EQ(bench().steps(2), erase);
    EXPECT_EQ(bench().steps(3), reset);
}

// Busy for half a segment: LUN 0 wants its status before LUNs 2 and 3 had their first turn, and
// still goes after them.
TEST_F(RoundRobin, BusGoesRoundTheLunsThatWantIt)
{
    geometry.ways = 4;
    geometry.dies = 1;
    times.busy_ps = kSegment / 2;
    FakeFlash& b = bench();
    for (u32 ce = 0; ce < 4; ++ce) {
        b.submit_at(0, op(FLASH_OP_PROGRAM, 0, ce, 0));
    }
    ASSERT_TRUE(b.run(100000000));
    std::vector<u32> order;
    for (const TraceEntry& e : b.trace()) {
        if (std::get<1>(e) == 0) {
            order.push_back(std::get<2>(e));
        }
    }
    EXPECT_EQ(order, (std::vector<u32>{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST_F(RoundRobin, HeadBlocksWhatStandsBehindIt)
{
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0)); // same LUN: waits at the head
    bench().submit_at(0, op(FLASH_OP_READ, 1, 0, 0)); // free LUN, but behind the head
    ASSERT_TRUE(bench().run(100000000));
    const u64 free_at = start_of(0, Phase::DataOut) + kSegment;
    EXPECT_GT(start_of(1, Phase::Command), free_at);
    EXPECT_GT(start_of(2, Phase::Command), free_at);
}

TEST_F(RoundRobin, FenceWaitsForItsStreamOnly)
{
    flash_op a = op(FLASH_OP_ERASE, 0, 0, 0);
    a.stream = 1;
    flash_op b = op(FLASH_OP_READ, 0, 1, 0);
    b.stream = 2;
    b.flags = FLASH_FLAG_FENCE; // nothing of stream 2 is in flight: goes at once
    flash_op c = op(FLASH_OP_READ, 1, 0, 0);
    c.stream = 1;
    c.flags = FLASH_FLAG_FENCE; // waits for a
    bench().submit_at(0, a);
    bench().submit_at(0, b);
    bench().submit_at(0, c);
    ASSERT_TRUE(bench().run(100000000));
    EXPECT_LT(start_of(1, Phase::Command), end_of(0));
    EXPECT_GT(start_of(2, Phase::Command), end_of(0));
}

TEST_F(RoundRobin, FenceWaitsForTheLandingOfARead)
{
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    flash_op fence = op(FLASH_OP_READ, 1, 0, 0);
    fence.flags = FLASH_FLAG_FENCE;
    bench().submit_at(0, fence);
    ASSERT_TRUE(bench().run(100000000));
    EXPECT_GT(start_of(1, Phase::Command), start_of(0, Phase::DataOut) + kSegment + kLanding);
}

TEST_F(RoundRobin, FailureNamesAllPlanesOfTheOperation)
{
    times.fail_one_in = 1;
    bench().submit_at(0, op(FLASH_OP_PROGRAM, 0, 0, 0, 3));
    bench().submit_at(0, op(FLASH_OP_ERASE, 1, 0, 0, 1));
    ASSERT_TRUE(bench().run(100000000));
    EXPECT_EQ(bench().completion(0).status, FLASH_STATUS_FAIL);
    EXPECT_EQ(bench().completion(0).failed_planes, 0x7);
    EXPECT_EQ(bench().completion(1).failed_planes, 0x1);
}

TEST_F(RoundRobin, EccBesideTheRtlNamesThePlanesThatAReadHasLost)
{
    times.lost_one_in = 1;
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, 3));
    bench().submit_at(0, op(FLASH_OP_PROGRAM, 1, 0, 0, 2));
    ASSERT_TRUE(bench().run(100000000));
    EXPECT_EQ(bench().completion(0).status, FLASH_STATUS_UNCORRECTABLE);
    EXPECT_EQ(bench().completion(0).failed_planes, 0x7);
    EXPECT_EQ(bench().completion(0).corrected, 0);
    EXPECT_EQ(bench().completion(1).status, FLASH_STATUS_OK);
}

TEST_F(RoundRobin, EccBesideTheRtlCountsTheBitsOfAllPlanes)
{
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, 3)); // operation 0: one bit a plane
    bench().submit_at(0, op(FLASH_OP_READ, 1, 0, 0, 2)); // operation 1: two
    ASSERT_TRUE(bench().run(100000000));
    EXPECT_EQ(bench().completion(0).corrected, 3);
    EXPECT_EQ(bench().completion(1).corrected, 4);
}

TEST_F(RoundRobin, IllegalOperationsEndWithTheirStatusAndWithoutASegment)
{
    bench().submit_at(0, op(9, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_READ, 2, 0, 0));    // channels are 0 and 1
    bench().submit_at(0, op(FLASH_OP_READ, 0, 2, 0));    // CE# are 0 and 1
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 2));    // LUNs are 0 and 1
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0, 5)); // at most four planes
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    ASSERT_TRUE(bench().run(100000000));
    for (std::size_t n = 0; n < 5; ++n) {
        EXPECT_EQ(bench().completion(n).status, FLASH_STATUS_ILLEGAL) << n;
    }
    EXPECT_EQ(bench().completion(5).status, FLASH_STATUS_OK);
}

TEST_F(RoundRobin, ResetHasItsChipEnableForItself)
{
    bench().submit_at(0, op(FLASH_OP_ERASE, 0, 0, 1)); // sibling LUN on the same CE#
    bench().submit_at(0, op(FLASH_OP_RESET, 0, 0, 0));
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 1));
    ASSERT_TRUE(bench().run(100000000));
    EXPECT_GT(start_of(1, Phase::Command), start_of(0, Phase::Status));
    EXPECT_GT(start_of(2, Phase::Command), start_of(1, Phase::Command) + kSegment + kBusy);
}

TEST_F(RoundRobin, SubmitIsRefusedWhenAllTagsAreInsideAndSpaceFollows)
{
    config.tags = 16;
    for (u32 i = 0; i < 16; ++i) {
        bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    }
    flash_op late = op(FLASH_OP_READ, 0, 0, 0);
    late.tag = 0; // free once the first operation has completed
    bench().submit_at(100, late);
    ASSERT_TRUE(bench().run(100000000));
    EXPECT_EQ(bench().refused(), 1u);
    EXPECT_EQ(bench().completed(), 17u);
}

TEST_F(RoundRobin, ClockStopsWhileTheArrayWorks)
{
    bench().submit_at(0, op(FLASH_OP_READ, 0, 0, 0));
    ASSERT_TRUE(bench().run(100000000));
    // Free-running it would be 200 clocks of busy time alone; see docs/explanation/rtl.md for the count.
    EXPECT_LE(bench().driver().edges(), 20u);
    EXPECT_EQ(bench().driver().model().wake_at(), ~u64{0});
    EXPECT_TRUE(bench().driver().model().idle());
}

TEST(RoundRobinModel, AFailedAssertionIsAModelError)
{
    const auto model = flash::make_rtl_model("round_robin", false);
    model->reset(flash::RtlStraps{});
    model->segment_done(0, true, 0); // no segment is under way
    EXPECT_THROW(
        {
            model->edge(5000);
            model->edge(10000);
        },
        ModelError);
}

// Operations of opcodes that are none: their ends stand until they are taken, and nothing is idle meanwhile.
TEST(RoundRobinPorts, AnEndStandsUntilThePortTakesIt)
{
    ClockedDut<Vround_robin__rtl> dut;
    Random random(1);
    dut->op_valid_i = dut->land_valid_i = dut->seg_done_i = dut->done_ready_i = 0;
    dut->channels_i = dut->ces_i = dut->luns_i = 1;
    dut->mode_serial_i = dut->lun_shift_i = 0;
    dut.reset();
    dut.edge();
    for (u32 i = 0; i < 20; ++i) {
        const u32 tag = random.below(TLMSSD_RTL_TAGS), cookie = static_cast<u32>(random.word());
        for (u32 word = 0; word < 16; ++word) {
            dut->op_i[word] = 0;
        }
        dut->op_i[0] = tag | (5 + random.below(251)) << 16;
        dut->op_i[14] = cookie;
        dut->op_valid_i = 1;
        dut.settle();
        ASSERT_TRUE(dut->op_ready_o);
        dut.edge();
        dut->op_valid_i = 0;
        for (u32 n = 0; n < 10; ++n) {
            dut.edge();
            EXPECT_FALSE(dut->idle_o);
        }
        ASSERT_TRUE(dut->done_valid_o);
        EXPECT_EQ(dut->done_tag_o, tag);
        EXPECT_EQ(dut->done_status_o, FLASH_STATUS_ILLEGAL);
        EXPECT_EQ(dut->done_cookie_o, cookie);
        dut->done_ready_i = 1;
        dut.edge();
        EXPECT_FALSE(dut->done_valid_o);
        EXPECT_TRUE(dut->idle_o);
        dut->done_ready_i = 0;
    }
    EXPECT_FALSE(dut.assertion_failed());
}

TEST(RtlRegistry, APolicyThatAControllerDoesNotHaveIsAnInputError)
{
    try {
        flash::make_rtl_model("round_robin", false, config::IssuePolicy::Clump);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "controller.issue_policy: round_robin has first_come only; use o3");
    }
}

TEST(RtlRegistry, UnknownNameIsAnInputErrorThatNamesTheNearest)
{
    try {
        flash::make_rtl_model("round_robbin", false);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean round_robin?"), std::string::npos);
    }
}

} // namespace
} // namespace tlmssd::tb
