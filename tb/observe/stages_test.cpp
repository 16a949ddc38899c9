// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: clocks that give each instant to one stage, and take over what another clock has counted.
#include <gtest/gtest.h>

#include "models/observe/stages.h"

namespace tlmssd::observe {
namespace {

u64 at(const StageClock& clock, Stage stage)
{
    return clock.times[static_cast<std::size_t>(stage)];
}

TEST(StageClock, GivesEachInstantToTheStageThatRuns)
{
    StageClock c{{}, Picoseconds(100), Stage::Link};
    c.go(Picoseconds(130), Stage::Hil);
    c.go(Picoseconds(135), Stage::Buffer);
    c.go(Picoseconds(135), Stage::Hil); // no time at all
    c.go(Picoseconds(200), Stage::Link);
    EXPECT_EQ(at(c, Stage::Link), 30u);
    EXPECT_EQ(at(c, Stage::Hil), 5u + 65u);
    EXPECT_EQ(at(c, Stage::Buffer), 0u);
    EXPECT_EQ(total(c.times), Picoseconds(100));
}

TEST(StageClock, TakesOverWhatAnotherCountsBetweenJoiningAndLeaving)
{
    StageClock other{{}, Picoseconds(0), Stage::Cell};
    other.go(Picoseconds(40), Stage::Transfer);
    StageClock c{{}, Picoseconds(10), Stage::Buffer};
    c.join(other, Picoseconds(50));             // 10 into the transfer
    other.go(Picoseconds(70), Stage::Dram);     // transfer 20 more
    other.go(Picoseconds(75), Stage::Sched);    // dram 5
    c.leave(other, Picoseconds(78), Stage::Hil); // sched 3
    c.go(Picoseconds(80), Stage::Link);
    EXPECT_EQ(at(c, Stage::Buffer), 40u);
    EXPECT_EQ(at(c, Stage::Cell), 0u); // before it joined
    EXPECT_EQ(at(c, Stage::Transfer), 20u);
    EXPECT_EQ(at(c, Stage::Dram), 5u);
    EXPECT_EQ(at(c, Stage::Sched), 3u);
    EXPECT_EQ(at(c, Stage::Hil), 2u);
    EXPECT_EQ(total(c.times), Picoseconds(70));
}

TEST(StageClock, JoinsAndLeavesWithinOneStageOfTheOther)
{
    const StageClock other{{}, Picoseconds(0), Stage::Cell};
    StageClock c{{}, Picoseconds(5), Stage::Buffer};
    c.join(other, Picoseconds(7));
    c.leave(other, Picoseconds(19), Stage::Buffer);
    EXPECT_EQ(at(c, Stage::Buffer), 2u);
    EXPECT_EQ(at(c, Stage::Cell), 12u);
}

TEST(StageSums, AddsExactlyBeyondSixtyFourBits)
{
    StageSums sums;
    StageTimes times{};
    times[0] = u64{1} << 63;
    times[9] = 1;
    for (int i = 0; i < 3; ++i) {
        sums.add(times);
    }
    StageSums more = sums;
    more.merge(sums);
    EXPECT_EQ(more.count(), 6u);
    EXPECT_EQ(static_cast<u64>(more.sum(0) >> 64), 3u); // 6 x 2^63
    EXPECT_EQ(static_cast<u64>(more.sum(0)), 0u);
    EXPECT_EQ(static_cast<u64>(more.sum(9)), 6u);
}

TEST(StageSums, AddsManyShortTimesExactly)
{
    StageSums sums;
    StageTimes times{};
    times[7] = (u64{1} << 52) - 1; // the largest that is not carried at once
    for (int i = 0; i < 5000; ++i) {
        sums.add(times);
    }
    const auto expected = static_cast<unsigned __int128>(5000) * ((u64{1} << 52) - 1);
    EXPECT_TRUE(sums.sum(7) == expected);
    EXPECT_EQ(sums.count(), 5000u);
}

TEST(Stage, HasANameOfItsOwn)
{
    const char* const names[] = {"link",     "hil",      "buffer", "ftl",      "sched",
                                 "wait_die", "wait_bus", "cell",   "transfer", "dram"};
    for (std::size_t s = 0; s < kStages; ++s) {
        EXPECT_STREQ(to_string(static_cast<Stage>(s)), names[s]);
    }
}

} // namespace
} // namespace tlmssd::observe
