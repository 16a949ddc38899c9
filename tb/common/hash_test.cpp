// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: counter-based random numbers against published values and their promised properties.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <unordered_set>

#include "models/common/hash.h"

namespace tlmssd {
namespace {

constexpr u64 kGolden = 0x9e3779b97f4a7c15ull; // 2^64 / golden ratio

/// SplitMix64 with seed 1234567: the test vector that implementations publish.
TEST(Mix64, IsTheFinaliserOfSplitMix64)
{
    const u64 expected[] = {6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull,
                            4593380528125082431ull, 16408922859458223821ull};
    u64 state = 1234567;
    for (const u64 value : expected) {
        state += kGolden;
        EXPECT_EQ(mix64(state), value);
    }
}

TEST(Mix64, KeepsZero) { EXPECT_EQ(mix64(0), 0u); } // shifts and products of 0

TEST(Draw64, IsTheDocumentedChainOfMixes)
{
    // seed, then purpose, then counter, each mixed in before the next.
    const u64 after_seed = mix64(42 + kGolden);
    const u64 after_purpose = mix64(after_seed ^ 7);
    EXPECT_EQ(draw64(42, 7, 3), mix64(after_purpose + 3 * kGolden));
}

TEST(Draw64, NeverRepeatsWithinOnePurpose)
{
    std::unordered_set<u64> seen;
    for (u64 counter = 0; counter < 100000; ++counter) {
        EXPECT_TRUE(seen.insert(draw64(1, 2, counter)).second);
    }
}

TEST(Draw64, DependsOnEachArgument)
{
    const u64 word = draw64(1, 2, 3);
    EXPECT_NE(word, draw64(2, 2, 3));
    EXPECT_NE(word, draw64(1, 3, 3));
    EXPECT_NE(word, draw64(1, 2, 4));
    EXPECT_NE(draw64(1, 2, 3), draw64(2, 1, 3));
    EXPECT_EQ(word, draw64(1, 2, 3));
}

TEST(Draw64, FlipsHalfOfTheBitsWhenTheCounterChangesByOne)
{
    u64 flipped = 0;
    constexpr u64 kPairs = 10000;
    for (u64 i = 0; i < kPairs; ++i) {
        flipped += static_cast<u64>(__builtin_popcountll(draw64(9, 9, i) ^ draw64(9, 9, i + 1)));
    }
    // 64 fair coins a pair: mean 32, standard deviation of the mean 4 / sqrt(10000) = 0.04.
    EXPECT_NEAR(static_cast<double>(flipped) / kPairs, 32.0, 0.2);
}

TEST(DrawBelow, MapsTheEndsOfTheWordToTheEndsOfTheRange)
{
    constexpr u64 kMax = ~u64{0};
    for (const u64 n : {u64{1}, u64{2}, u64{3}, u64{1000}, u64{1} << 40, kMax}) {
        EXPECT_EQ(draw_below(0, n), 0u);
        EXPECT_EQ(draw_below(kMax, n), n - 1);
    }
    EXPECT_EQ(draw_below(u64{1} << 63, 10), 5u); // half of the range
    EXPECT_EQ(draw_below((u64{1} << 63) - 1, 10), 4u);
}

TEST(DrawBelow, IsUniform)
{
    std::array<u32, 7> bins{};
    constexpr u32 kDraws = 70000;
    for (u32 i = 0; i < kDraws; ++i) {
        ++bins[draw_below(draw64(5, 6, i), 7)];
    }
    for (const u32 bin : bins) { // mean 10,000, standard deviation sqrt(70000 * 6 / 49) = 92.6
        EXPECT_NEAR(bin, 10000, 5 * 93);
    }
}

TEST(DrawUnit, StaysBelowOne)
{
    EXPECT_EQ(draw_unit(0), 0.0);
    EXPECT_EQ(draw_unit(u64{1} << 63), 0.5);
    EXPECT_EQ(draw_unit(~u64{0}), 1.0 - std::ldexp(1.0, -53));
}

} // namespace
} // namespace tlmssd
