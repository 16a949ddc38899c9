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
    flash::RtlCounters gated_counts, free_counts;
    const std::vector<TraceEntry> gated = run_mix(m, &gated_counts);
    m.gated = false;
    const std::vector<TraceEntry> free = run_mix(m, &free_counts);
    EXPECT_EQ(gated_counts, free_counts);
    u64 started = 0;
    for (const flash::RtlCounters::Channel& c : gated_counts.channels) {
        started += c.reads + c.programs + c.erases + c.resets;
    }
    EXPECT_EQ(started, gated_counts.ended) << "what got a LUN was told, once";
    EXPECT_GT(started, 500u) << "of 600, all but the illegal ones (2 %)";
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

const auto kSeeds = testing::Range<u64>(0, 12);
const auto kModes = testing::Values(ControllerMode::Serial, ControllerMode::InOrder, ControllerMode::Ooo);

INSTANTIATE_TEST_SUITE_P(Seeds, O3RtlRandom, testing::Combine(kSeeds, kModes), name_of);

} // namespace
} // namespace tlmssd::tb
