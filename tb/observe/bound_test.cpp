// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the bound on cases worked out by hand.
#include "models/observe/bound.h"

#include <gtest/gtest.h>

namespace tlmssd::observe {
namespace {

/// Two channels, three dies, two cores; 4 requests of 10 us unloaded each, depth 2: depth bound
/// 20 us; the last arrives at 3 us: arrival bound 13 us.
BoundInput base()
{
    BoundInput input;
    input.channel_busy = {microseconds(11), microseconds(12)};
    input.die_busy = {microseconds(9), microseconds(14), microseconds(2)};
    input.core_busy = {microseconds(8), microseconds(1)};
    input.link_to_host = microseconds(15);
    input.link_to_device = microseconds(4);
    input.depth = 2;
    input.unloaded_latency = microseconds(40);
    input.last_arrival = microseconds(3);
    input.last_latency = microseconds(10);
    return input;
}

void expect(const BoundInput& input, Picoseconds makespan, Limiter limiter)
{
    const Bound result = bound(input);
    EXPECT_EQ(result.makespan, makespan);
    EXPECT_STREQ(to_string(result.limiter), to_string(limiter));
}

TEST(Bound, DepthLimitsWhereLatencyOverDepthIsLargest)
{
    expect(base(), microseconds(20), Limiter::Depth);
}

TEST(Bound, DirectionsOfTheLinkDoNotAddUp)
{
    BoundInput input = base();
    input.depth = 4; // 10 us
    expect(input, microseconds(15), Limiter::Link);
    input.link_to_device = microseconds(16);
    expect(input, microseconds(16), Limiter::Link);
}

TEST(Bound, BusiestChannelCounts)
{
    BoundInput input = base();
    input.channel_busy[0] = microseconds(21);
    expect(input, microseconds(21), Limiter::Channel);
}

TEST(Bound, BusiestDieCounts)
{
    BoundInput input = base();
    input.die_busy[2] = microseconds(22);
    expect(input, microseconds(22), Limiter::Die);
}

TEST(Bound, BusiestCoreCounts)
{
    BoundInput input = base();
    input.core_busy[1] = microseconds(23);
    expect(input, microseconds(23), Limiter::Cpu);
}

TEST(Bound, LastArrivalNeedsItsLatency)
{
    BoundInput input = base();
    input.last_arrival = microseconds(14);
    expect(input, microseconds(24), Limiter::Arrival);
}

TEST(Bound, NoDepthMeansNoDepthLimit)
{
    BoundInput input = base();
    input.depth = 0;
    expect(input, microseconds(15), Limiter::Link);
}

TEST(Bound, DepthBoundIsRoundedDown)
{
    BoundInput input;
    input.depth = 3;
    input.unloaded_latency = Picoseconds(11);
    expect(input, Picoseconds(3), Limiter::Depth);
}

TEST(Bound, EqualBoundsNameTheFirstInOrder)
{
    BoundInput input;
    input.last_arrival = microseconds(5);
    input.core_busy = {microseconds(5)};
    input.die_busy = {microseconds(5)};
    expect(input, microseconds(5), Limiter::Die);
    input.link_to_host = microseconds(5);
    expect(input, microseconds(5), Limiter::Link);
}

TEST(Bound, NothingToDoIsZero) { EXPECT_EQ(bound(BoundInput()).makespan, Picoseconds(0)); }

TEST(FractionOfBound, IsBoundOverMeasured)
{
    const Bound b{microseconds(3), Limiter::Die};
    EXPECT_EQ(fraction_of_bound(b, microseconds(4)), 0.75);
    EXPECT_EQ(fraction_of_bound(b, microseconds(3)), 1.0);
    EXPECT_EQ(fraction_of_bound(b, Picoseconds(0)), std::nullopt);
}

TEST(Limiter, NamesAreThoseOfTheResults)
{
    EXPECT_STREQ(to_string(Limiter::Link), "link");
    EXPECT_STREQ(to_string(Limiter::Channel), "channel");
    EXPECT_STREQ(to_string(Limiter::Die), "die");
    EXPECT_STREQ(to_string(Limiter::Cpu), "cpu");
    EXPECT_STREQ(to_string(Limiter::Depth), "depth");
    EXPECT_STREQ(to_string(Limiter::Arrival), "arrival");
}

} // namespace
} // namespace tlmssd::observe
