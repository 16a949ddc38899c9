// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random operation mixes through the bare out-of-order RTL, in its three modes.
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tb/rtl/random_mix.h"

namespace tlmssd::tb {
namespace {

using config::ControllerMode;

/// Few rows and deep stations, so that operations depend on each other all the time.
Mix o3_mix(u64 seed, ControllerMode mode)
{
    Mix mix = mix_of(seed);
    mix.rtl = "o3";
    mix.mode = mode;
    mix.geometry.pages = 4;
    mix.geometry.blocks = 4;
    mix.rows = seed % 3 == 0 ? 16 : 256;
    mix.priorities = seed % 2 == 0 ? 1 : 4;
    mix.alone_percent = mode == ControllerMode::Ooo && seed % 3 == 1 ? 30 : 0;
    mix.age_limit = seed % 5 == 0 ? 0 : 100;
    mix.stations = seed % 4 == 3 ? 2 : 8;
    return mix;
}

class O3RtlRandom : public testing::TestWithParam<std::tuple<u64, ControllerMode>> {
protected:
    Mix mix() const { return o3_mix(std::get<0>(GetParam()), std::get<1>(GetParam())); }
};

TEST_P(O3RtlRandom, LosesNothingAndKeepsTheRules) { run_mix(mix()); }

TEST_P(O3RtlRandom, GatedAndFreeRunningAreEqualBitForBit)
{
    Mix m = mix();
    m.total = 600;
    const std::vector<TraceEntry> gated = run_mix(m);
    m.gated = false;
    const std::vector<TraceEntry> free = run_mix(m);
    ASSERT_EQ(gated.size(), free.size());
    for (std::size_t i = 0; i < gated.size(); ++i) {
        ASSERT_EQ(gated[i], free[i]) << "first difference at entry " << i;
    }
}

std::string name_of(const testing::TestParamInfo<std::tuple<u64, ControllerMode>>& p)
{
    const auto& [seed, mode] = p.param;
    return std::string(mode == ControllerMode::Serial ? "serial" : mode == ControllerMode::Ooo ? "ooo" : "inorder") +
           std::to_string(seed);
}

/// Suspends of all kinds and bounds; every read and every priority may ask for one, or few.
Mix suspend_mix(u64 seed)
{
    Mix mix = o3_mix(seed, ControllerMode::Ooo);
    mix.suspend = seed % 3 == 0 ? config::Suspend::Erase : config::Suspend::ProgramAndErase;
    mix.suspends = seed % 4 == 0 ? 1 : 15;
    mix.suspend_priority = mix.priorities == 4 && seed % 4 == 1 ? 2 : 0;
    mix.suspend_progress = seed % 2 == 0 ? 0 : 2; // at least 66 ns
    mix.age_limit = 100;
    mix.stations = 8;
    if (seed % 6 == 0) { // else too few meet on one of 128 LUNs
        mix.geometry.channels = mix.geometry.ways = 2;
    }
    mix.rows = 256;
    return mix;
}

class O3RtlSuspend : public testing::TestWithParam<u64> {};

TEST_P(O3RtlSuspend, LosesNothingAndKeepsTheRules)
{
    Met met;
    run_mix(suspend_mix(GetParam()), &met);
    EXPECT_GT(met.suspends, 5u);
    EXPECT_GT(met.resumes, 2u);
    EXPECT_LE(met.resumes, met.suspends);
}

TEST_P(O3RtlSuspend, GatedAndFreeRunningAreEqualBitForBit)
{
    Mix m = suspend_mix(GetParam());
    m.total = 600;
    const std::vector<TraceEntry> gated = run_mix(m);
    m.gated = false;
    EXPECT_EQ(gated, run_mix(m));
}

/// In all modes; out of order also with suspends.
class O3RtlPolling : public testing::TestWithParam<u64> {
protected:
    Mix mix() const
    {
        const u64 seed = GetParam();
        Mix m = seed % 3 == 2   ? suspend_mix(seed)
                : seed % 3 == 1 ? o3_mix(seed, ControllerMode::Ooo)
                : seed % 2 == 0 ? o3_mix(seed, ControllerMode::InOrder)
                                : o3_mix(seed, ControllerMode::Serial);
        m.polling = true;
        return m;
    }
};

TEST_P(O3RtlPolling, LosesNothingAndKeepsTheRules)
{
    Met met;
    run_mix(mix(), &met);
    EXPECT_GT(met.polls, 100u);
    EXPECT_TRUE(mix().suspend == config::Suspend::None || met.resumes > 2);
}

TEST_P(O3RtlPolling, GatedAndFreeRunningAreEqualBitForBit)
{
    Mix m = mix();
    m.total = 600;
    const std::vector<TraceEntry> gated = run_mix(m);
    m.gated = false;
    EXPECT_EQ(gated, run_mix(m));
}

const auto kSeeds = testing::Range<u64>(0, 12);
const auto kModes = testing::Values(ControllerMode::Serial, ControllerMode::InOrder, ControllerMode::Ooo);

INSTANTIATE_TEST_SUITE_P(Seeds, O3RtlSuspend, kSeeds);
INSTANTIATE_TEST_SUITE_P(Seeds, O3RtlPolling, kSeeds);
INSTANTIATE_TEST_SUITE_P(Seeds, O3RtlRandom, testing::Combine(kSeeds, kModes), name_of);

} // namespace
} // namespace tlmssd::tb
