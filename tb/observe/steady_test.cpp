// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the steady state by hand-made windows.
#include <gtest/gtest.h>

#include "models/observe/steady.h"

namespace tlmssd::observe {
namespace {

TEST(SteadyState, IsReachedWithTheFifthEqualWindow)
{
    SteadyState s(0.2);
    for (int i = 0; i < 4; ++i) {
        EXPECT_FALSE(s.add(100, 5)) << i;
    }
    EXPECT_TRUE(s.add(100, 5));
    EXPECT_TRUE(s.steady());
}

TEST(SteadyState, LooksAtTheLastFiveWindowsOnly)
{
    SteadyState s(0.2);
    for (const double y : {900.0, 500.0, 300.0, 100.0, 100.0, 100.0, 100.0}) {
        EXPECT_FALSE(s.add(y, 5));
    }
    EXPECT_TRUE(s.add(100, 5));
}

TEST(SteadyState, AllowsARangeOfTheToleranceAndNoMore)
{
    // Mean 100, no trend: slope = (2 (y5 - y1) + (y4 - y2)) / 10 = 0.
    EXPECT_TRUE(SteadyState::flat({90, 110, 100, 110, 90}, 0.2));
    EXPECT_FALSE(SteadyState::flat({89.5, 110.5, 100, 110.5, 89.5}, 0.2));
}

TEST(SteadyState, AllowsATrendOfHalfTheToleranceAndNoMore)
{
    // 95, 97.5, 100, 102.5, 105: slope 2.5, the line rises by 10 = 0.2 / 2 of the mean.
    EXPECT_TRUE(SteadyState::flat({95, 97.5, 100, 102.5, 105}, 0.2));
    EXPECT_TRUE(SteadyState::flat({105, 102.5, 100, 97.5, 95}, 0.2));
    // Slope 2.75 (range 11 < 20, but the line rises by 11 > 10).
    EXPECT_FALSE(SteadyState::flat({94.5, 97.25, 100, 102.75, 105.5}, 0.2));
    EXPECT_FALSE(SteadyState::flat({105.5, 102.75, 100, 97.25, 94.5}, 0.2));
}

TEST(SteadyState, NeedsLatencyToBeSteadyToo)
{
    // Open loop: throughput is what arrives, while the queue grows by 1 a window. The line of five
    // windows rises by 4, which is a tenth of their mean when that is 40: the windows 38 to 42.
    SteadyState s(0.2);
    double latency = 10;
    for (; latency < 42; ++latency) {
        EXPECT_FALSE(s.add(100, latency)) << latency;
    }
    EXPECT_TRUE(s.add(100, latency));
}

TEST(SteadyState, DriftsForEverOnAGeometricSeries)
{
    SteadyState s(0.2);
    double y = 1000;
    for (int i = 0; i < 1000; ++i) {
        EXPECT_FALSE(s.add(y, 1e6 / y)) << i;
        y *= 0.96; // range over five windows 1 - 0.96^4 = 15 %, the line falls by as much
    }
}

TEST(SteadyState, StartsAnewAfterAWindowWithoutRequests)
{
    SteadyState s(0.2);
    for (int i = 0; i < 5; ++i) {
        s.add(100, 5);
    }
    ASSERT_TRUE(s.steady());
    EXPECT_FALSE(s.add(0, 0));
    for (int i = 0; i < 4; ++i) {
        EXPECT_FALSE(s.add(100, 5)) << i;
    }
    EXPECT_TRUE(s.add(100, 5));
}

} // namespace
} // namespace tlmssd::observe
