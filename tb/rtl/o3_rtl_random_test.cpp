// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random operation mixes through the bare out-of-order RTL, in its three modes; reset on the way.
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "models/flash/rtl/rtl_registry.h"
#include "tb/rtl/random_mix.h"
#include "tb/rtl/shared_model.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;

constexpr u64 kSeeds = 2 * kMixShapes; // every geometry, each with few tags and with many

/// What the mixes of one mode have to show, each at least 20 times over all seeds. The number of
/// operations a seed follows from this: 500, where 2000 met the same goals in four times the time.
Goals goals_of(ControllerMode mode)
{
    std::vector<std::string> names = kAlways;
    if (mode != ControllerMode::Serial) {
        names.push_back("all channels at work");
    }
    if (mode == ControllerMode::Ooo) {
        names.insert(names.end(), kOutOfOrder.begin(), kOutOfOrder.end());
    }
    Goals goals(names);
    goals.allow({"all channels at work", "refused: no tag left"});
    // In order two channels may still begin in either order, and landings take time.
    goals.allow(kOutOfOrder);
    return goals;
}

class O3RtlRandom : public testing::TestWithParam<ControllerMode> {};

TEST_P(O3RtlRandom, LosesNothingAndKeepsTheRules)
{
    Goals goals = goals_of(GetParam());
    run_mixes(kSeeds, [](u64 seed) { return o3_mix(seed, GetParam()); }, 500, goals);
    goals.expect_met(20);
}

// Free running is slow, and differs from gated in the edges between events only: 150 operations a seed
// show each kind of event some hundred times.
TEST_P(O3RtlRandom, GatedAndFreeRunningAreEqualBitForBit)
{
    constexpr u64 kStarted = 121; // of 150: all but the illegal ones (2 %)
    expect_equal_gated_and_free(kSeeds, [](u64 seed) { return o3_mix(seed, GetParam()); }, 150, kStarted);
}

// Whatever was under way: after a reset nothing is left of it, and the next run is bit for bit that of
// a controller that has just been switched on. 8 moments, all modes, full queues.
TEST_P(O3RtlRandom, AResetInMidFlightLeavesNothingBehind)
{
    for (u64 seed = 0; seed < 8; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const std::unique_ptr<flash::RtlModelIf> used = flash::make_rtl_model("o3", false);
        Mix before = o3_mix(seed + 100, GetParam());
        before.stop_at = 400000 + seed * 333000;
        run_mix(before, std::make_unique<SharedModel>(*used));

        Mix mix = o3_mix(seed, GetParam());
        mix.total = 200;
        const std::vector<TraceEntry> fresh = run_mix(mix);
        const std::vector<TraceEntry> after = run_mix(mix, std::make_unique<SharedModel>(*used));
        ASSERT_EQ(fresh.size(), after.size());
        for (std::size_t i = 0; i < fresh.size(); ++i) {
            ASSERT_EQ(fresh[i], after[i]) << "first difference at entry " << i;
        }
    }
}

std::string name_of(const testing::TestParamInfo<ControllerMode>& p)
{
    return p.param == ControllerMode::Serial ? "serial" : p.param == ControllerMode::Ooo ? "ooo" : "inorder";
}

INSTANTIATE_TEST_SUITE_P(Modes, O3RtlRandom,
                         testing::Values(ControllerMode::Serial, ControllerMode::InOrder,
                                         ControllerMode::Ooo),
                         name_of);

/// Each field of an operation has all its bits, and what comes back is the operation's (FakeFlash).
TEST(O3RtlWide, EveryFieldMayHaveAnyValue)
{
    for (u64 seed = 0; seed < 3; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Mix mix = wide_mix(seed);
        mix.total = 3000;
        run_mix(mix);
    }
}

// R/B# falls up to tWB after a command, and of no clock: no segment meets a busy LUN (FakeFlash).
constexpr u64 kTwb = 200000;

TEST_P(O3RtlRandom, KeepsTheRulesWhereReadyLinesFallLate)
{
    Goals goals = goals_of(GetParam());
    goals.allow(kAlways);
    run_mixes(kSeeds, [](u64 seed) {
        Mix m = o3_mix(seed, GetParam());
        m.falls_ps = seed % 2 != 0 ? kTwb : kTwb / 2;
        return m;
    }, 300, goals);
}

TEST_P(O3RtlRandom, GatedAndFreeRunningAreEqualWhereReadyLinesFallLate)
{
    expect_equal_gated_and_free(kSeeds, [](u64 seed) {
        Mix m = o3_mix(seed, GetParam());
        m.falls_ps = kTwb;
        return m;
    }, 100, 80);
}

/// Goals of suspends and polls, each to be met at least 20 times; the others are those of the mixes above.
Goals goals_of_suspend(const std::vector<std::string>& names)
{
    Goals goals(names);
    goals.allow(kAlways);
    goals.allow(kOutOfOrder);
    goals.allow({"all channels at work", "refused: no tag left", "polls what is suspended"});
    goals.allow(kSuspend);
    goals.allow(kPolls);
    return goals;
}

TEST(O3RtlSuspend, LosesNothingAndKeepsTheRules)
{
    Goals goals = goals_of_suspend(kSuspend);
    run_mixes(kSeeds, suspend_mix, 1000, goals);
    goals.expect_met(20);
}

TEST(O3RtlSuspend, KeepsTheRulesWhereReadyLinesFallLate)
{
    Goals goals = goals_of_suspend(kSuspend);
    run_mixes(kSeeds, [](u64 seed) {
        Mix m = suspend_mix(seed);
        m.falls_ps = kTwb;
        return m;
    }, 500, goals);
}

TEST(O3RtlSuspend, GatedAndFreeRunningAreEqualBitForBit)
{
    expect_equal_gated_and_free(kSeeds, suspend_mix, 250);
}

/// In all modes; out of order also with suspends.
Mix polling_mix(u64 seed)
{
    Mix m = seed % 3 == 2   ? suspend_mix(seed)
            : seed % 3 == 1 ? o3_mix(seed, ControllerMode::Ooo)
            : seed % 2 == 0 ? o3_mix(seed, ControllerMode::InOrder)
                            : o3_mix(seed, ControllerMode::Serial);
    m.polling = true;
    return m;
}

TEST(O3RtlPolling, LosesNothingAndKeepsTheRules)
{
    std::vector<std::string> names = kPolls;
    names.push_back("polls what is suspended");
    names.push_back("resumes");
    Goals goals = goals_of_suspend(names);
    run_mixes(kSeeds, polling_mix, 1000, goals);
    goals.expect_met(20);
}

TEST(O3RtlPolling, GatedAndFreeRunningAreEqualBitForBit)
{
    expect_equal_gated_and_free(kSeeds, polling_mix, 250);
}

} // namespace
} // namespace tlmssd::tb
