// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: simulated time of a guest that lives in wall time, with a clock that the test sets.
#include "models/guest/pace.h"

#include "tb/guest/fake_guest.h"

namespace tlmssd::tb {
namespace {

using guest::kNever;

TEST(FreePace, CarriesOutAllThatIsKnownAtOnceAndThenStandsStill)
{
    FakePort port;
    guest::FreePace pace;
    port.interrupts = {{1'000'000'000'000, 1}, {2'000'000'000'000, 2}};
    while (pace.carry_out(port, kNever) == 0) {
    }
    EXPECT_EQ(port.time, 2'000'000'000'000u);
    EXPECT_EQ(port.pending.size(), 2u);
    EXPECT_EQ(pace.carry_out(port, kNever), kNever);
    EXPECT_EQ(port.time, 2'000'000'000'000u);
}

TEST(FreePace, LooksAtTheGuestBetweenEventsOfADeviceThatIsNeverIdle)
{
    FakePort port;
    guest::FreePace pace;
    for (u32 i = 1; i <= 1000; ++i) {
        port.interrupts.insert({i, i});
    }
    EXPECT_EQ(pace.carry_out(port, kNever), 0u);
    EXPECT_EQ(port.time, 256u);
}

TEST(FreePace, StopsAtTheEnd)
{
    FakePort port;
    guest::FreePace pace;
    port.interrupts = {{100, 1}, {300, 2}};
    pace.carry_out(port, 200);
    EXPECT_EQ(port.time, 200u);
    EXPECT_EQ(port.pending.size(), 1u);
}

class WallPaceTest : public testing::Test {
protected:
    u64 wall = 5'000; ///< what the clock shows
    u64 tick = 0;     ///< by how much a look at it moves it
    FakePort port;
    guest::WallPace pace{[this] { return std::exchange(wall, wall + tick); }, 1'000};
};

TEST_F(WallPaceTest, AnInterruptComesWhenWallTimeHasReachedIt)
{
    EXPECT_EQ(pace.carry_out(port, kNever), kNever) << "simulated time 0 is wall time 5000";
    port.interrupts = {{70, 1}};
    wall = 5'030;
    EXPECT_EQ(pace.carry_out(port, kNever), 40u);
    EXPECT_TRUE(port.pending.empty());
    EXPECT_EQ(port.time, 30u);
    wall = 5'069;
    EXPECT_EQ(pace.carry_out(port, kNever), 1u);
    wall = 5'080;
    EXPECT_EQ(pace.carry_out(port, kNever), 0u) << "an interrupt waits";
    EXPECT_EQ(port.pending.size(), 1u);
    EXPECT_EQ(pace.behind(), 0u);
}

TEST_F(WallPaceTest, AnAccessHappensAtWallTime)
{
    pace.carry_out(port, kNever);
    wall = 5'123;
    pace.before_access(port);
    EXPECT_EQ(port.time, 123u);
}

TEST_F(WallPaceTest, AModelThatCannotFollowFallsBackByWhatItHasMissed)
{
    pace.carry_out(port, kNever);
    for (u32 i = 1; i <= 640; ++i) {
        port.interrupts.insert({10 * i, i});
    }
    port.quiet = true;
    wall = 5'000 + 6'400;
    tick = 1'000; // 64 events cost 1000 ns: only 640 ns of simulated time
    EXPECT_EQ(pace.carry_out(port, kNever), 0u);
    EXPECT_EQ(port.time, 640u) << "it has stopped after its budget";
    EXPECT_EQ(pace.behind(), 6'400u - 640u);
    tick = 0;
    wall = 5'000 + 6'500;
    EXPECT_EQ(pace.carry_out(port, kNever), 10u) << "100 ns later: 740, without what was missed";
    EXPECT_EQ(port.time, 740u);
}

TEST_F(WallPaceTest, TheEndIsReachedAndNotPassed)
{
    pace.carry_out(port, 200);
    wall = 5'150;
    EXPECT_EQ(pace.carry_out(port, 200), 50u);
    wall = 6'000;
    pace.carry_out(port, 200);
    EXPECT_EQ(port.time, 200u);
}

} // namespace
} // namespace tlmssd::tb
