// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: directed cases of the ports of the out-of-order RTL, without a fake array: late and dead lines, tags and
// landings that name nothing, straps beyond the built shape, assertions.
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "models/flash/rtl/rtl_registry.h"
#include "models/flash/rtl/rtl_straps.h"
#include "tb/rtl/rtl_rig.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;
using flash::Phase;

/// The bare model: a LUN that is never ready again.
class O3RtlModel : public testing::Test {
protected:
    O3RtlModel() : model(flash::make_rtl_model("o3", false))
    {
        straps.mode = ControllerMode::Ooo;
        straps.timeout = 10; // stamps: 10.5 us
        model->reset(straps);
    }
    /// Run to `until` ps, by the clock where it is wanted; false: nothing is completed.
    bool run(u64 until)
    {
        while (now < until) {
            const u64 wake = model->idle() && !pending ? model->wake_at() : now + kClock;
            now = std::max(now + kClock, (wake + kClock - 1) / kClock * kClock);
            if (now >= until || wake == ~u64{0}) {
                return false;
            }
            model->edge(now);
            pending = false;
            if (model->done_valid()) {
                done = model->done();
                return true;
            }
        }
        return false;
    }
    void offer(const flash_op& o)
    {
        while (!model->op_ready()) {
            model->edge(now += kClock);
        }
        model->offer(&o);
        model->edge(now += kClock);
        model->offer(nullptr);
        pending = true;
    }
    void end_segment(u8 status)
    {
        while ((model->segments() & 1) == 0) {
            model->edge(now += kClock);
        }
        model->segment_done(0, true, status);
        model->ready(0, 0, false);
        model->edge(now += kClock);
        model->segment_done(0, false, 0);
        pending = true;
    }
    /// A read whose command is on the bus: that and its burst, all but the landing.
    void finish_read()
    {
        end_segment(0);
        model->ready(0, 0, true);
        model->edge(now += kClock);
        end_segment(0); // its LUN stays ready
        model->ready(0, 0, true);
        model->edge(now += kClock);
    }
    void land(u16 tag)
    {
        while (!model->land_ready()) {
            model->edge(now += kClock);
        }
        model->land(true, tag);
        model->edge(now += kClock);
        model->land(false, 0);
        pending = true;
    }
    std::unique_ptr<flash::RtlModelIf> model;
    flash::RtlStraps straps;
    flash_completion done{};
    u64 now = 0;
    bool pending = false;
};

// The line of a dead die stays high. It is looked at when the mask of 3 ticks has passed, after more than 2 whole
// ones and at most 3. The mask begins with the event of the command's end, 4 clocks after it; its end is seen a clock
// after it, and a burst follows 7 later: ECC judges it. All edges are run meanwhile.
TEST_F(O3RtlModel, ALineThatDoesNotFallIsLookedAtAfterTheMask)
{
    straps.ready_synchronous = false;
    straps.ready_mask = 3;
    model->reset(straps);
    flash_op op{};
    op.opcode = FLASH_OP_READ;
    op.nplanes = 1;
    offer(op);
    while (model->segments() == 0) {
        model->edge(now += kClock);
    }
    model->segment_done(0, true, 0);
    model->edge(now += kClock);
    model->segment_done(0, false, 0);
    const u64 end = now;
    do {
        EXPECT_FALSE(model->idle());
        model->edge(now += kClock);
    } while (model->segments() == 0 || model->segment(0).phase == Phase::Command);
    EXPECT_EQ(model->segment(0).phase, Phase::DataOut);
    EXPECT_GT(now - end, u64{2} << 16);
    EXPECT_LE(now - end, (u64{3} << 16) + 12 * kClock);
}

// Without the check the second operation takes the descriptor and the place in its stream of the first one.
TEST_F(O3RtlModel, ATagThatIsInUseIsRefusedAndItsOperationGoesOn)
{
    straps.ces = 2;
    model->reset(straps);
    flash_op first{};
    first.opcode = FLASH_OP_READ;
    first.nplanes = 1;
    first.tag = 3;
    first.cookie = 0x1111;
    flash_op second = first;
    second.ce = 1;
    second.cookie = 0x2222;
    offer(first);
    while (model->segments() == 0) {
        model->edge(now += kClock);
    }
    offer(second);
    ASSERT_TRUE(run(now + 100 * kClock));
    EXPECT_EQ(done.tag, 3);
    EXPECT_EQ(done.status, FLASH_STATUS_ILLEGAL);
    EXPECT_EQ(done.cookie, 0x2222u);
    finish_read();
    land(3);
    ASSERT_TRUE(run(now + 100 * kClock));
    EXPECT_EQ(done.tag, 3);
    EXPECT_EQ(done.status, FLASH_STATUS_OK);
    EXPECT_EQ(done.cookie, 0x1111u);
    model->edge(now += kClock); // taken
    offer(second); // free again
    for (u32 i = 0; i < 100 && model->segments() == 0; ++i) {
        model->edge(now += kClock);
    }
    ASSERT_EQ(model->segments(), 1u);
    EXPECT_EQ(model->segment(0).ce, 1u);
}

TEST_F(O3RtlModel, ATagThatIsNotBuiltIsRefused)
{
    flash_op op{};
    op.opcode = FLASH_OP_ERASE;
    op.nplanes = 1;
    for (const u32 tag : {model->shape().tags, model->shape().tags + 3, 0x8003u, 0xffffu}) {
        op.tag = static_cast<u16>(tag);
        op.cookie = tag ^ 0xabcd0000u;
        offer(op);
        ASSERT_TRUE(run(now + 100 * kClock));
        EXPECT_EQ(done.tag, tag);
        EXPECT_EQ(done.status, FLASH_STATUS_ILLEGAL);
        EXPECT_EQ(done.cookie, op.cookie);
        EXPECT_EQ(model->segments(), 0u);
        model->edge(now += kClock); // taken
    }
}

TEST_F(O3RtlModel, ALandingOfNoOperationIsDropped)
{
    flash_op op{};
    op.opcode = FLASH_OP_READ;
    op.nplanes = 1;
    op.tag = 3;
    offer(op);
    while (model->segments() == 0) {
        model->edge(now += kClock);
    }
    finish_read();
    for (const u32 tag : {4u, model->shape().tags + 3, 0x8003u}) {
        land(static_cast<u16>(tag));
        EXPECT_FALSE(run(now + 100 * kClock)) << tag;
    }
    land(3);
    ASSERT_TRUE(run(now + 100 * kClock));
    EXPECT_EQ(done.tag, 3);
    EXPECT_EQ(done.status, FLASH_STATUS_OK);
}

// CE# 1 with LUNs that need more bits than the strap gives them would be LUNs of CE# 2; above 4 LUNs a RESET does
// not reach all; a CE# of more than the built LUNs would come round.
TEST_F(O3RtlModel, StrapsThatNameMoreThanIsBuiltReachNothing)
{
    const flash::RtlShape shape = model->shape();
    struct Wrong {
        u32 channels, ces, luns, shift, channel, ce;
    };
    for (const Wrong& w : {Wrong{1, 2, 3, 1, 0, 1}, Wrong{1, 1, 8, 3, 0, 0}, Wrong{1, shape.luns + 1, 1, 0, 0, shape.luns},
                           Wrong{shape.channels + 1, 1, 1, 0, shape.channels, 0}}) {
        straps.channels = w.channels;
        straps.ces = w.ces;
        straps.luns = w.luns;
        straps.lun_shift = w.shift;
        model->reset(straps);
        flash_op op{};
        op.opcode = FLASH_OP_ERASE;
        op.nplanes = 1;
        op.channel = static_cast<u8>(w.channel);
        op.ce = static_cast<u8>(w.ce);
        offer(op);
        ASSERT_TRUE(run(now + 100 * kClock)) << w.ces;
        EXPECT_EQ(done.status, FLASH_STATUS_ILLEGAL) << w.ces;
        EXPECT_EQ(model->segments(), 0u);
        model->edge(now += kClock);
    }
}

// What comes for a LUN that was given up ends at once, whatever it is, and without a segment.
TEST_F(O3RtlModel, ProgramsAndErasesOfALunThatDoesNotAnswerEndAtOnce)
{
    flash_op op{};
    op.opcode = FLASH_OP_READ;
    op.nplanes = 1;
    op.tag = 3;
    offer(op);
    end_segment(0);
    ASSERT_TRUE(run(now + 30000000));
    ASSERT_EQ(done.status, FLASH_STATUS_TIMEOUT);
    for (const u32 opcode : {FLASH_OP_PROGRAM, FLASH_OP_ERASE}) {
        for (const u32 flags : {0u, u32{FLASH_FLAG_FENCE}}) {
            op.opcode = static_cast<u8>(opcode);
            op.flags = static_cast<u8>(flags);
            ++op.tag;
            offer(op);
            ASSERT_TRUE(run(now + 1000000));
            EXPECT_EQ(done.tag, op.tag);
            EXPECT_EQ(done.status, FLASH_STATUS_TIMEOUT) << opcode << ", flags " << flags;
            EXPECT_EQ(model->segments(), 0u);
            model->edge(now += kClock); // taken
        }
    }
}

// A RESET goes to a LUN that was given up, and is given up as well; so is a read with a fence, without a segment.
TEST_F(O3RtlModel, ResetsAndFencedReadsOfALunThatDoesNotAnswerAreGivenUp)
{
    flash_op op{};
    op.nplanes = 1;
    for (const u32 flags : {0u, u32{FLASH_FLAG_FENCE}}) {
        op.opcode = FLASH_OP_RESET;
        op.flags = static_cast<u8>(flags);
        ++op.tag;
        offer(op);
        end_segment(0);
        const u64 began = now;
        ASSERT_TRUE(run(began + 30000000));
        EXPECT_EQ(done.tag, op.tag);
        EXPECT_EQ(done.status, FLASH_STATUS_TIMEOUT) << flags;
        EXPECT_GE(now - began, 10000000u);
    }
    op.opcode = FLASH_OP_READ;
    ++op.tag;
    offer(op);
    ASSERT_TRUE(run(now + 1000000));
    EXPECT_EQ(done.tag, op.tag);
    EXPECT_EQ(done.status, FLASH_STATUS_TIMEOUT);
    model->edge(now += kClock); // taken
    EXPECT_EQ(model->segments(), 0u);
}

// The LUN is given up between one and two time outs after its segment (docs/explanation/rtl-o3-times.md): from 10.5
// to 23.1 us. Further operations end at once, until it is ready again.
TEST_F(O3RtlModel, ALunThatDoesNotAnswerIsGivenUp)
{
    flash_op op{};
    op.opcode = FLASH_OP_READ;
    op.nplanes = 1;
    op.tag = 3;
    offer(op);
    end_segment(0);
    const u64 began = now;
    ASSERT_TRUE(run(began + 30000000));
    EXPECT_EQ(done.tag, 3);
    EXPECT_EQ(done.status, FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(done.failed_planes, 1);
    EXPECT_GE(now - began, 10000000u);
    EXPECT_LE(now - began, 24000000u);

    op.tag = 4;
    offer(op);
    const u64 second = now;
    ASSERT_TRUE(run(second + 1000000));
    EXPECT_EQ(done.tag, 4);
    EXPECT_EQ(done.status, FLASH_STATUS_TIMEOUT);
    EXPECT_EQ(model->segments(), 0u);

    model->ready(0, 0, true); // late
    model->edge(now += kClock);
    op.tag = 5;
    offer(op);
    while (model->segments() == 0 && now < second + 2000000) {
        model->edge(now += kClock);
    }
    EXPECT_EQ(model->segments(), 1u);
}

TEST_F(O3RtlModel, WithoutATimeOutItIsWaitedForForEver)
{
    straps.timeout = 0;
    model->reset(straps);
    flash_op op{};
    op.opcode = FLASH_OP_ERASE;
    op.nplanes = 1;
    offer(op);
    end_segment(0);
    EXPECT_FALSE(run(now + (u64{1} << 50)));
    EXPECT_TRUE(model->idle());
    EXPECT_EQ(model->wake_at(), ~u64{0});
}

// An operation that is taken back before the controller has it breaks the rule of its port: Verilator prints the
// assertion's name, and the ModelError ends a run with status 3.
TEST_F(O3RtlModel, AnAssertionThatFailsNamesItselfAndEndsTheRun)
{
    straps.mode = ControllerMode::InOrder; // the second operation waits for the LUN of the first, and four behind it
    model->reset(straps);
    flash_op op{};
    op.opcode = FLASH_OP_READ;
    op.nplanes = 1;
    for (u32 i = 0; i < 100 && model->op_ready(); ++i) {
        op.tag = static_cast<u16>(i);
        model->offer(&op);
        model->edge(now += kClock);
    }
    ASSERT_FALSE(model->op_ready());
    model->offer(&op);
    model->edge(now += kClock);
    model->offer(nullptr);
    testing::internal::CaptureStdout();
    EXPECT_THROW(model->edge(now += kClock), ModelError);
    EXPECT_THAT(testing::internal::GetCapturedStdout(), testing::HasSubstr("OpHeld"));
}

// Their bit for suspended is high as well.
TEST_F(O3RtlModel, LinesThatNobodyDrivesAreNoAnswer)
{
    straps.suspend = config::Suspend::Erase;
    model->reset(straps);
    for (const u8 flags : {u8{0}, u8{FLASH_FLAG_SUSPENDABLE}}) {
        done = {};
        flash_op op{};
        op.opcode = FLASH_OP_ERASE;
        op.nplanes = 1;
        op.flags = flags;
        op.tag = 3;
        offer(op);
        end_segment(0);
        model->ready(0, 0, true);
        pending = true;
        EXPECT_FALSE(run(now + 1000000));
        end_segment(0xff);
        ASSERT_TRUE(run(now + 1000000)) << u32{flags};
        EXPECT_EQ(done.status, FLASH_STATUS_TIMEOUT);
        model->edge(now += kClock); // taken
        model->ready(0, 0, true);
        model->edge(now += kClock);
    }
}

// The second stands at the port until the first has left it. The register of aborts names tag 0 after a reset, whose
// operation is on the bus of the other channel all the time.
TEST_F(O3RtlModel, TwoLandingsInARowAreTwoEnds)
{
    straps.channels = 2;
    model->reset(straps);
    flash_op op{};
    op.opcode = FLASH_OP_READ;
    op.nplanes = 1;
    op.channel = 1;
    offer(op);
    while (model->segments() == 0) {
        model->edge(now += kClock);
    }
    op.channel = 0;
    for (const u16 tag : {u16{1}, u16{2}}) {
        op.tag = tag;
        op.stream = tag;
        offer(op);
        finish_read();
    }
    std::vector<std::pair<u16, u8>> ended;
    const auto edge = [&] {
        model->edge(now += kClock);
        if (model->done_valid()) {
            ended.emplace_back(model->done().tag, model->done().status);
        }
    };
    ASSERT_TRUE(model->land_ready());
    model->land(true, 1);
    edge();
    model->land(true, 2);
    for (u32 i = 0; i < 100 && !model->land_ready(); ++i) {
        edge();
    }
    ASSERT_TRUE(model->land_ready());
    edge();
    model->land(false, 0);
    for (u32 i = 0; i < 100; ++i) {
        edge();
    }
    EXPECT_THAT(ended, testing::ElementsAre(std::pair(u16{1}, u8{FLASH_STATUS_OK}),
                                            std::pair(u16{2}, u8{FLASH_STATUS_OK})));
}

} // namespace
} // namespace tlmssd::tb
