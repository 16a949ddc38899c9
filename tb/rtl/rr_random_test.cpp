// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random operation mixes through the bare round-robin RTL.
#include <gtest/gtest.h>

#include "tb/rtl/random_mix.h"

namespace tlmssd::tb {
namespace {

class RoundRobinRandom : public testing::TestWithParam<u64> {};

TEST_P(RoundRobinRandom, LosesNothingAndKeepsTheRules) { run_mix(mix_of(GetParam())); }

TEST_P(RoundRobinRandom, SerialModeHasOneOperationAtATime)
{
    Mix mix = mix_of(GetParam());
    mix.mode = config::ControllerMode::Serial;
    mix.total = 400;
    run_mix(mix);
}

TEST_P(RoundRobinRandom, GatedAndFreeRunningAreEqualBitForBit)
{
    Mix mix = mix_of(GetParam());
    mix.total = 800;
    const std::vector<TraceEntry> gated = run_mix(mix);
    mix.gated = false;
    const std::vector<TraceEntry> free = run_mix(mix);
    ASSERT_EQ(gated.size(), free.size());
    for (std::size_t i = 0; i < gated.size(); ++i) {
        ASSERT_EQ(gated[i], free[i]) << "first difference at entry " << i;
    }
}

TEST_P(RoundRobinRandom, GatedAndFreeRunningAreEqualAtDepthOne)
{
    Mix mix = mix_of(GetParam());
    mix.depth = 1;
    mix.total = 200;
    const std::vector<TraceEntry> gated = run_mix(mix);
    mix.gated = false;
    EXPECT_EQ(gated, run_mix(mix));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RoundRobinRandom, testing::Range<u64>(0, 2 * kMixShapes));

} // namespace
} // namespace tlmssd::tb
