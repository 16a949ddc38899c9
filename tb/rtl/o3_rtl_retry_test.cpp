// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: read retry in the out-of-order RTL: directed, with edges from docs/explanation/rtl-o3-times.md, and in random
// mixes. The operations are those of docs/explanation/flash.md, "Read retry".
#include <gmock/gmock.h>

#include "models/flash/rtl/rtl_registry.h"
#include "tb/rtl/random_mix.h"
#include "tb/rtl/rtl_rig.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;
using config::Suspend;
using flash::Phase;
using testing::ElementsAre;

constexpr u64 kDirect = 10 * kClock;  // operation to its first segment, LUN free ...
constexpr u64 kInOrder = 11 * kClock; // ... in order
constexpr u64 kNext = 7 * kClock;     // end of a segment, R/B# or a verdict, to the next segment
constexpr u64 kLook = 12 * kClock;    // end of a segment to that of another operation of the LUN
constexpr u64 kHead = 14 * kClock;    // the same in order
constexpr u64 kRetired = 3 * kClock;  // landing to completion

/// A page is lost below level `good_at` of its plane.
class O3RtlRetry : public testing::Test, public RtlRig {
protected:
    O3RtlRetry() : RtlRig("o3")
    {
        geometry.pages = 16;
        geometry.planes = 4;
        config.tags = 32;
        config.straps.mode = ControllerMode::Ooo;
        config.straps.age_limit = 1000; // 1.05 ms: never here
        config.straps.read_retries = 2;
    }
    u16 submit(u64 at, u32 opcode, u32 nplanes = 1, u32 lun = 0, u32 row = 0)
    {
        bench().loses = [this](u32 tag, u32 plane, u32 level) { return tag == lossy && level < good_at[plane]; };
        flash_op o = op_at(opcode, 0, lun / 2, lun % 2, nplanes); // two LUNs a CE#
        o.stream = o.tag;
        for (u32 p = 0; p < nplanes; ++p) {
            o.row[p] = row + p;
            o.buf[p] = 0x1000 * (p + 1);
            o.len[p] = static_cast<u8>(p + 1);
        }
        o.oob = 0x100;
        bench().submit_at(at, o);
        return o.tag;
    }
    std::vector<Phase> phases(u32 tag)
    {
        std::vector<Phase> all;
        for (const auto& segment : segments(tag)) {
            all.push_back(segment.second);
        }
        return all;
    }
    u32 lossy = 0; ///< tag of the read with lost planes
    std::array<u32, 4> good_at{};
};

// A segment takes 100 ns, R/B# low 1 us, a landing 50 ns.
TEST_F(O3RtlRetry, RaisesTheLevelUntilThePageIsGood)
{
    good_at = {2};
    submit(0, FLASH_OP_READ);
    ASSERT_TRUE(bench().run(kEnough));
    u64 at = kDirect; // of the command
    std::vector<std::pair<u64, Phase>> expected;
    for (u32 level = 0; level <= 2; ++level) {
        if (level != 0) {
            expected.emplace_back(at, Phase::Feature);
            at += kSegment + kBusy + kNext;
        }
        expected.emplace_back(at, Phase::Command);
        at += kSegment + kBusy + kNext;
        expected.emplace_back(at, Phase::DataOut);
        at += kSegment + kLanding + (level < 2 ? kNext : kRetired);
    }
    EXPECT_EQ(segments(0), expected);
    EXPECT_EQ(end_of(0), at);
    EXPECT_THAT(bench().steps(0), ElementsAre(Step{Phase::Command, 0, 0}, Step{Phase::DataOut, 0, 0},
                                              Step{Phase::Feature, 0, 1}, Step{Phase::Command, 0, 1},
                                              Step{Phase::DataOut, 0, 1}, Step{Phase::Feature, 0, 2},
                                              Step{Phase::Command, 0, 2}, Step{Phase::DataOut, 0, 2}));
    EXPECT_EQ(bench().completion(0).status, FLASH_STATUS_OK);
    EXPECT_EQ(bench().completion(0).failed_planes, 0);
    EXPECT_EQ(bench().completion(0).retries, 2);
    EXPECT_EQ(bench().completion(0).corrected, 1) << "of the page that was delivered";
}

TEST_F(O3RtlRetry, GivesUpAfterTheLastLevel)
{
    good_at = {3};
    submit(0, FLASH_OP_READ);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_EQ(segments(0).size(), 8u);
    EXPECT_EQ(end_of(0), segments(0).back().first + kSegment + kLanding + kRetired);
    EXPECT_EQ(bench().completion(0).status, FLASH_STATUS_UNCORRECTABLE);
    EXPECT_EQ(bench().completion(0).failed_planes, 1);
    EXPECT_EQ(bench().completion(0).retries, 2);
    EXPECT_EQ(bench().completion(0).corrected, 0);
}

TEST_F(O3RtlRetry, AsManyLevelsAsThereAre)
{
    config.straps.read_retries = 63;
    good_at = {63};
    submit(0, FLASH_OP_READ);
    submit(0, FLASH_OP_READ, 1, 0, 32);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_EQ(bench().steps(0).back(), (Step{Phase::DataOut, 0, 63}));
    EXPECT_EQ(bench().completion(0).status, FLASH_STATUS_OK);
    EXPECT_EQ(bench().completion(0).retries, 63);
    EXPECT_EQ(phases(1)[0], Phase::Feature) << "from 63 to 0";
}

// Of four planes 1 and 3 are lost at level 0, and 3 at level 1 as well.
TEST_F(O3RtlRetry, EachChannelHasAllLevels)
{
    geometry.channels = TLMSSD_RTL_CHANNELS;
    config.straps.read_retries = 63;
    bench().loses = [](u32, u32, u32) { return true; };
    for (u32 channel = 0; channel < geometry.channels; ++channel) {
        bench().submit_at(0, op_at(FLASH_OP_READ, channel, 0, 0));
    }
    for (u32 channel = 0; channel < geometry.channels; ++channel) {
        bench().submit_at(0, op_at(FLASH_OP_ERASE, channel, 0, 0));
    }
    ASSERT_TRUE(bench().run(kEnough));
    for (u32 n = 0; n < geometry.channels; ++n) {
        EXPECT_EQ(phases(geometry.channels + n)[0], Phase::Feature) << "from 63 to 0";
        EXPECT_EQ(bench().steps(n).back(), (Step{Phase::DataOut, 0, 63}));
        EXPECT_EQ(bench().completion(n).status, FLASH_STATUS_UNCORRECTABLE);
        EXPECT_EQ(bench().completion(n).retries, 63);
    }
}

TEST_F(O3RtlRetry, OnlyLostPlanesAreReadAgainOneByOne)
{
    good_at = {0, 1, 0, 2};
    submit(0, FLASH_OP_READ, 4);
    ASSERT_TRUE(bench().run(kEnough));
    const std::vector<Step> steps = bench().steps(0);
    ASSERT_EQ(steps.size(), 16u);
    EXPECT_THAT(std::vector<Step>(steps.begin() + 8, steps.end()),
                ElementsAre(Step{Phase::Feature, 0, 1}, Step{Phase::Command, 1, 1}, Step{Phase::DataOut, 1, 1},
                            Step{Phase::Command, 3, 1}, Step{Phase::DataOut, 3, 1}, Step{Phase::Feature, 0, 2},
                            Step{Phase::Command, 3, 2}, Step{Phase::DataOut, 3, 2}));
    const auto seen = segments(0);
    EXPECT_EQ(seen[11].first, seen[10].first + kSegment + kNext) << "the next plane's command right after a burst";
    EXPECT_EQ(bench().completion(0).status, FLASH_STATUS_OK);
    EXPECT_EQ(bench().completion(0).retries, 3);
    EXPECT_EQ(bench().completion(0).corrected, 4);
}

TEST_F(O3RtlRetry, OfAPlaneThatStaysLostTheNumberIsGiven)
{
    good_at = {0, 1, 3, 0};
    submit(0, FLASH_OP_READ, 4);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_EQ(bench().completion(0).status, FLASH_STATUS_UNCORRECTABLE);
    EXPECT_EQ(bench().completion(0).failed_planes, 1 << 2);
    EXPECT_EQ(bench().completion(0).retries, 3);
}

// The level goes back with the next operation, and only with that: an erase, and the read after it has none.
TEST_F(O3RtlRetry, TheNextOperationSetsTheLevelBack)
{
    good_at = {1};
    submit(0, FLASH_OP_READ);
    submit(100000, FLASH_OP_ERASE, 1, 0, 16);
    submit(200000, FLASH_OP_READ, 1, 0, 32);
    submit(300000, FLASH_OP_READ, 1, 1);
    ASSERT_TRUE(bench().run(kEnough));
    const u64 burst = segments(0).back().first;
    const u64 feature = burst + kSegment + kLook + 2 * kClock; // one of two that wait
    EXPECT_THAT(segments(1), ElementsAre(std::pair(feature, Phase::Feature),
                                         std::pair(feature + kSegment + kBusy + kNext, Phase::Command),
                                         std::pair(feature + 2 * (kSegment + kBusy + kNext), Phase::Status)));
    EXPECT_THAT(phases(2), ElementsAre(Phase::Command, Phase::DataOut));
    EXPECT_THAT(phases(3), ElementsAre(Phase::Command, Phase::DataOut)) << "each LUN has its own level";
    EXPECT_LT(end_of(3), end_of(0)) << "another LUN goes on";
}

TEST_F(O3RtlRetry, AResetLeavesTheLevelAlone)
{
    good_at = {1};
    submit(0, FLASH_OP_READ);
    submit(100000, FLASH_OP_RESET);
    submit(20000000, FLASH_OP_PROGRAM, 2);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_THAT(phases(1), ElementsAre(Phase::Command));
    EXPECT_THAT(phases(2), ElementsAre(Phase::Feature, Phase::DataIn, Phase::DataIn, Phase::Status));
    EXPECT_EQ(bench().steps(2)[1], (Step{Phase::DataIn, 0, 0}));
}

// Nothing gets the LUN while ECC judges: the urgent read comes before the verdict, and goes after the last burst.
TEST_F(O3RtlRetry, TheLunStaysWithTheReadUntilTheVerdict)
{
    times.landing_ps = 2000000;
    good_at = {1};
    submit(0, FLASH_OP_READ);
    submit(kDirect + 2 * kSegment + kBusy + 500000, FLASH_OP_READ, 1, 0, 32);
    ASSERT_TRUE(bench().run(kEnough));
    const auto first = segments(0);
    EXPECT_EQ(first[2].first, first[1].first + kSegment + times.landing_ps + kNext);
    EXPECT_EQ(segments(1)[0], std::pair(first.back().first + kSegment + kLook, Phase::Feature));
}

TEST_F(O3RtlRetry, AnEraseThatIsSuspendedResumesAsItIsAfterARetry)
{
    config.straps.suspend = Suspend::Erase;
    good_at = {1};
    lossy = 1;
    flash_op erase = op_at(FLASH_OP_ERASE, 0, 0, 0);
    erase.flags = FLASH_FLAG_SUSPENDABLE;
    erase.stream = 40;
    bench().submit_at(0, erase);
    submit(400000, FLASH_OP_READ, 1, 0, 32);
    submit(9000000, FLASH_OP_READ, 1, 0, 48);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_THAT(phases(0), ElementsAre(Phase::Command, Phase::Suspend, Phase::Status, Phase::Resume, Phase::Status));
    EXPECT_EQ(phases(1).size(), 5u);
    EXPECT_GT(segments(0)[3].first, segments(1).back().first) << "the resume comes after the last level";
    EXPECT_EQ(phases(2)[0], Phase::Feature);
    EXPECT_EQ(bench().completion(0).status, FLASH_STATUS_OK);
    EXPECT_EQ(bench().completion(1).retries, 1);
}

TEST_F(O3RtlRetry, InOrderTheHeadWaitsForTheLastLevel)
{
    config.straps.mode = ControllerMode::InOrder;
    good_at = {1};
    submit(0, FLASH_OP_READ);
    submit(0, FLASH_OP_READ, 1, 0, 32);
    ASSERT_TRUE(bench().run(kEnough));
    const auto first = segments(0);
    EXPECT_EQ(first[0].first, kInOrder);
    EXPECT_EQ(first[2].first, first[1].first + kSegment + kLanding + kNext);
    EXPECT_EQ(segments(1)[0], std::pair(first.back().first + kSegment + kHead, Phase::Feature));
}

// Until its poll a level takes 300 ticks of 65.536 ns; a read 10. The LUN is ready long before.
TEST_F(O3RtlRetry, ALevelHasAPollTimeOfItsOwn)
{
    constexpr u64 kTick = 65536;
    config.straps.polling = {true, 10, 10, 10, 10, 10, 10, 10, 10, 300};
    times.busy_ps = 100000;
    good_at = {1};
    submit(0, FLASH_OP_READ);
    submit(60000000, FLASH_OP_PROGRAM);
    ASSERT_TRUE(bench().run(kEnough));
    EXPECT_THAT(phases(0), ElementsAre(Phase::Command, Phase::Status, Phase::DataOut, Phase::Feature, Phase::Status,
                                       Phase::Command, Phase::Status, Phase::DataOut));
    EXPECT_THAT(phases(1), ElementsAre(Phase::Feature, Phase::Status, Phase::DataIn, Phase::Status));
    const auto poll_after = [this](u32 tag, std::size_t n) {
        return segments(tag)[n + 1].first - segments(tag)[n].first - kSegment;
    };
    const u64 late = kTick + 20 * kClock; // a tick, and the edges of a timer and an event
    for (const auto& [after, ticks] : {std::pair(poll_after(0, 0), 10u), std::pair(poll_after(0, 3), 300u),
                                       std::pair(poll_after(0, 5), 10u), std::pair(poll_after(1, 0), 300u)}) {
        EXPECT_GE(after, (ticks - 1) * kTick);
        EXPECT_LE(after, ticks * kTick + late);
    }
}

/// The RTL alone: LUN 0, whose R/B# is `ready` after each segment.
class RetryModel {
public:
    explicit RetryModel(u32 timeout)
    {
        flash::RtlStraps straps;
        straps.mode = ControllerMode::Ooo;
        straps.age_limit = 1000;
        straps.timeout = timeout;
        straps.read_retries = 2;
        straps.page_bits = 4;
        model->reset(straps);
    }
    void edge() { model->edge(now_ += kClock); }
    void offer(u32 opcode, u16 tag)
    {
        flash_op op{};
        op.tag = tag;
        op.opcode = static_cast<u8>(opcode);
        op.nplanes = 1;
        op.stream = tag;
        model->offer(&op);
        edge();
        model->offer(nullptr);
    }
    /// The next segment, of this phase and level; its status byte.
    void serve(Phase phase, u32 level, bool ready, u8 status = 0)
    {
        for (u32 i = 0; i < 100 && model->segments() == 0; ++i) {
            edge();
        }
        ASSERT_EQ(model->segments(), 1u);
        EXPECT_EQ(model->segment(0).phase, phase);
        EXPECT_EQ(model->segment(0).level, level);
        model->segment_done(0, true, status);
        model->ready(0, 0, ready);
        edge();
        model->segment_done(0, false, 0);
        edge();
    }
    /// Tag and status of the next completion, 50 us at most.
    std::pair<u32, u32> completion()
    {
        for (u32 i = 0; i < 10000; ++i) {
            if (model->done_valid()) {
                const std::pair<u32, u32> done(model->done().tag, model->done().status);
                edge();
                return done;
            }
            EXPECT_EQ(model->segments(), 0u);
            edge();
        }
        ADD_FAILURE() << "nothing completes";
        return {};
    }
    const std::unique_ptr<flash::RtlModelIf> model = flash::make_rtl_model("o3", false);

private:
    u64 now_ = 0;
};

// The LUN falls silent under the level. Its read ends with TIMEOUT, the next one without a segment; after a RESET the
// level is still to be set back.
TEST(O3RtlRetryModel, ALunThatFallsSilentUnderALevelIsGivenUp)
{
    RetryModel m(10); // stamps: 10.5 us, given up after 21 at most
    m.offer(FLASH_OP_READ, 4);
    m.serve(Phase::Command, 0, true);
    m.serve(Phase::DataOut, 0, true, 1);
    for (u32 i = 0; i < 6000; ++i) { // 30 us: there is no limit of ECC's verdict
        m.edge();
        ASSERT_EQ(m.model->segments(), 0u);
        ASSERT_FALSE(m.model->done_valid());
    }
    EXPECT_TRUE(m.model->idle());
    m.model->retry(0, 0, true);
    m.edge();
    m.model->retry(0, 0, false);
    m.serve(Phase::Feature, 1, false);
    EXPECT_EQ(m.completion(), std::pair(4u, u32{FLASH_STATUS_TIMEOUT}));
    m.offer(FLASH_OP_READ, 5);
    EXPECT_EQ(m.completion(), std::pair(5u, u32{FLASH_STATUS_TIMEOUT}));
    m.offer(FLASH_OP_RESET, 6);
    m.serve(Phase::Command, 0, true);
    EXPECT_EQ(m.completion(), std::pair(6u, u32{FLASH_STATUS_OK}));
    m.offer(FLASH_OP_ERASE, 7);
    m.serve(Phase::Feature, 0, true);
    m.serve(Phase::Command, 0, true);
    m.serve(Phase::Status, 0, true, 0x60);
    EXPECT_EQ(m.completion(), std::pair(7u, u32{FLASH_STATUS_OK}));
}

// By its landing, as any other.
TEST(O3RtlRetryModel, AtTheLastLevelALostPlaneEndsTheRead)
{
    RetryModel m(0);
    m.offer(FLASH_OP_READ, 4);
    m.serve(Phase::Command, 0, true);
    m.serve(Phase::DataOut, 0, true, 1);
    for (u32 level = 1; level <= 2; ++level) {
        m.model->retry(0, 0, true);
        m.edge();
        m.model->retry(0, 0, false);
        m.serve(Phase::Feature, level, true);
        m.serve(Phase::Command, level, true);
        m.serve(Phase::DataOut, level, true, 1);
    }
    m.model->land(true, 4);
    m.edge();
    m.model->land(false, 0);
    EXPECT_EQ(m.completion(), std::pair(4u, u32{FLASH_STATUS_OK})) << "ECC's verdict is put into it outside";
}

constexpr u64 kSeeds = 2 * kMixShapes;

/// One or two levels, three planes in four good; all modes, out of order with suspends, polls and R/B# that falls late.
Mix retry_mix(u64 seed)
{
    Mix m = seed % 4 == 3   ? suspend_mix(seed)
            : seed % 4 == 2 ? o3_mix(seed, ControllerMode::InOrder)
            : seed % 8 == 1 ? o3_mix(seed, ControllerMode::Serial)
                            : o3_mix(seed, ControllerMode::Ooo);
    m.retries = 1 + seed % 3;
    m.lost_one_in = 4;
    m.polling = seed % 5 == 4;
    m.falls_ps = seed % 5 == 2 ? 200000 : 0;
    return m;
}

TEST(O3RtlRetries, LosesNothingAndKeepsTheRules)
{
    std::vector<std::string> names = kRetries;
    names.push_back("reads again while another is suspended");
    Goals goals(names);
    for (const std::vector<std::string>* others : {&kAlways, &kOutOfOrder, &kSuspend, &kPolls}) {
        goals.allow(*others);
    }
    goals.allow({"all channels at work", "refused: no tag left", "polls what is suspended"});
    run_mixes(kSeeds, retry_mix, 600, goals);
    goals.expect_met(20);
}

TEST(O3RtlRetries, GatedAndFreeRunningAreEqualBitForBit)
{
    expect_equal_gated_and_free(kSeeds, retry_mix, 150);
}

} // namespace
} // namespace tlmssd::tb
