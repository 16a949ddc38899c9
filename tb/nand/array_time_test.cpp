// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: array times of page types, pages, dies, wear and read retry; bounds hold for all places.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "models/common/hash.h"
#include "models/nand/array_time.h"
#include "tb/support/geometry.h"
#include "tb/support/part.h"

namespace tlmssd::nand {
namespace {

using config::Pairing;

Geometry geometry()
{
    return tb::make_geometry().dies(2).planes(2).blocks(4).pages(8);
}

config::Nand part()
{
    config::Nand n = tb::make_part(50, 900, 3000);
    n.endurance = 1000;
    return n;
}

/// Lower pages 48 and 850 us, upper pages 64 and 2300 us.
config::Nand mlc()
{
    config::Nand n = part();
    n.pairing = Pairing::Distance3;
    n.types[0] = {microseconds(48), microseconds(850), 1};
    n.types[2] = {microseconds(64), microseconds(2300), 1};
    return n;
}

TEST(ArrayTimes, PlainPartHasItsDataSheetTimesEverywhere)
{
    const ArrayTime times(part(), geometry(), 1);
    const Place place{1, 1, 3, 7};
    EXPECT_EQ(times.read(place, 500), microseconds(50));
    EXPECT_EQ(times.program(place, 500), microseconds(900));
    EXPECT_EQ(times.erase(place, 500), microseconds(3000));
    EXPECT_EQ(times.least_read(), microseconds(50));
    EXPECT_EQ(times.most_program(), microseconds(900));
    EXPECT_EQ(times.least_erase(), times.most_erase());
    EXPECT_EQ(times.typical_program(3), microseconds(900));
}

// Distance 3 with 8 pages: lower 0 1 3 5, upper 2 4 6 7.
TEST(ArrayTimes, FollowThePageType)
{
    const ArrayTime times(mlc(), geometry(), 1);
    for (const u32 page : {0u, 1u, 3u, 5u}) {
        EXPECT_EQ(times.read({0, 0, 0, page}, 0), microseconds(48));
        EXPECT_EQ(times.program({0, 0, 0, page}, 0), microseconds(850));
        EXPECT_EQ(times.typical_read(page), microseconds(48));
    }
    for (const u32 page : {2u, 4u, 6u, 7u}) {
        EXPECT_EQ(times.read({0, 0, 0, page}, 0), microseconds(64));
        EXPECT_EQ(times.program({0, 0, 0, page}, 0), microseconds(2300));
        EXPECT_EQ(times.typical_program(page), microseconds(2300));
    }
    EXPECT_EQ(times.least_read(), microseconds(48));
    EXPECT_EQ(times.most_read(), microseconds(64));
    EXPECT_EQ(times.least_program(), microseconds(850));
    EXPECT_EQ(times.most_program(), microseconds(2300));
}

TEST(ArrayTimes, BoundsLeaveOutTypesThatNoPageHas)
{
    config::Nand n = mlc();
    n.types[1] = {microseconds(1), microseconds(9000), 1}; // MLC has no middle page
    const ArrayTime times(n, geometry(), 1);
    EXPECT_EQ(times.least_read(), microseconds(48));
    EXPECT_EQ(times.most_program(), microseconds(2300));
}

TEST(ArrayTimes, TypeWithoutTimesHasThoseOfThePart)
{
    config::Nand n = mlc();
    n.types[2] = {};
    const ArrayTime times(n, geometry(), 1);
    EXPECT_EQ(times.read({0, 0, 0, 2}, 0), microseconds(50));
    EXPECT_EQ(times.program({0, 0, 0, 2}, 0), microseconds(900));
    EXPECT_EQ(times.most_program(), microseconds(900)); // lower pages: 850
}

// Die 1, plane 1, block 3, page 5: block 1*2*4 + 1*4 + 3 = 15, page 15*8 + 5 = 125.
TEST(ArrayTimes, PageDrawIsTheOneThatDocumentationStates)
{
    config::Nand n = part();
    n.array_variation = 0.1;
    const ArrayTime times(n, geometry(), 7);
    const u64 counter = (u64{125} << 24) + 42;
    const double read = draw_unit(draw64(7, 0x7252, counter));
    const double program = draw_unit(draw64(7, 0x7450, counter));
    EXPECT_EQ(times.read({1, 1, 3, 5}, 42).value(),
              static_cast<u64>(50e6 * (1.0 + 0.1 * (2.0 * read - 1.0)) + 0.5));
    EXPECT_EQ(times.program({1, 1, 3, 5}, 42).value(),
              static_cast<u64>(900e6 * (1.0 + 0.1 * (2.0 * program - 1.0)) + 0.5));
    EXPECT_EQ(times.erase({1, 1, 3, 5}, 42), microseconds(3000)); // does not vary from page to page
}

TEST(ArrayTimes, DieDrawScalesAllTimesOfADieAlike)
{
    config::Nand n = part();
    n.die_variation = 0.2;
    const ArrayTime times(n, geometry(), 7);
    for (const u32 die : {0u, 1u}) {
        const double f = 1.0 + 0.2 * (2.0 * draw_unit(draw64(7, 0x7444, die)) - 1.0);
        for (const u32 page : {0u, 7u}) {
            const Place place{die, 1, 2, page};
            EXPECT_EQ(times.read(place, 0).value(), static_cast<u64>(50e6 * f + 0.5));
            EXPECT_EQ(times.program(place, 3).value(), static_cast<u64>(900e6 * f + 0.5));
            EXPECT_EQ(times.erase(place, 9).value(), static_cast<u64>(3000e6 * f + 0.5));
        }
    }
    EXPECT_NE(times.read({0, 0, 0, 0}, 0), times.read({1, 0, 0, 0}, 0));
}

// Dies are uniform on 1 +- 0.2: the mean of 1000 deviates by 0.2 / sqrt(3 * 1000) = 0.00365;
// 4 sigma = 0.0146. The variance of the factor is 0.2^2 / 3 = 0.01333; of 1000 uniform values its
// sample has a relative deviation of sqrt(0.8 / 1000) = 2.8 per cent; 4 sigma = 11.3.
TEST(ArrayTimes, DiesSpreadUniformly)
{
    config::Nand n = part();
    n.die_variation = 0.2;
    const ArrayTime times(n, geometry(), 1);
    double sum = 0, squares = 0;
    for (u32 die = 0; die < 1000; ++die) {
        const double f = static_cast<double>(times.erase({die, 0, 0, 0}, 0).value()) / 3000e6;
        EXPECT_GE(f, 0.8);
        EXPECT_LE(f, 1.2);
        sum += f - 1;
        squares += (f - 1) * (f - 1);
    }
    EXPECT_NEAR(sum / 1000, 0, 0.0146);
    EXPECT_NEAR(squares / 1000, 0.04 / 3, 0.113 * 0.04 / 3);
}

// Endurance 1000: at 500 erases half of the change, from 2000 on twice the change.
TEST(ArrayTimes, WearChangesTimesInProportionUpToTwiceTheEndurance)
{
    config::Nand n = part();
    n.wear.read_change = 0.1;
    n.wear.program_change = -0.2;
    n.wear.erase_change = 1.0;
    const ArrayTime times(n, geometry(), 1);
    const Place place{};
    EXPECT_EQ(times.read(place, 0), microseconds(50));
    EXPECT_EQ(times.read(place, 500).value(), 52500000u);     // 50 * 1.05
    EXPECT_EQ(times.program(place, 500), microseconds(810));  // 900 * 0.9
    EXPECT_EQ(times.erase(place, 500), microseconds(4500));   // 3000 * 1.5
    EXPECT_EQ(times.program(place, 1000), microseconds(720)); // 900 * 0.8
    EXPECT_EQ(times.program(place, 2000), microseconds(540)); // 900 * 0.6
    EXPECT_EQ(times.program(place, 50000), microseconds(540));
    EXPECT_EQ(times.erase(place, 50000), microseconds(9000));
    EXPECT_EQ(times.least_program(), microseconds(540));
    EXPECT_EQ(times.most_program(), microseconds(900));
    EXPECT_EQ(times.least_erase(), microseconds(3000));
    EXPECT_EQ(times.most_erase(), microseconds(9000));
    EXPECT_EQ(times.most_read(), microseconds(60)); // 50 * 1.2
}

TEST(ArrayTimes, RetryLevelsSenseLonger)
{
    config::Nand n = part();
    n.errors.retry_read_factor = 0.25;
    const ArrayTime times(n, geometry(), 1);
    EXPECT_EQ(times.read({}, 0, 1).value(), 62500000u); // 50 * 1.25
    EXPECT_EQ(times.read({}, 0, 4), microseconds(100)); // 50 * 2
    EXPECT_EQ(times.most_read(), microseconds(50));
    EXPECT_EQ(times.most_read(4), microseconds(100));
}

TEST(ArrayTimes, BoundsHoldForEveryPlaceAndWear)
{
    for (u32 round = 0; round < 40; ++round) {
        const auto u = [&](u64 what) { return draw_unit(draw64(99, what, round)); };
        config::Nand n = mlc();
        n.pairing = static_cast<Pairing>(round % 4);
        n.bits_per_cell = 1 + round % 3;
        n.array_variation = 0.9 * u(1);
        n.die_variation = 0.9 * u(2);
        n.wear.read_change = -0.45 + 2 * u(3);
        n.wear.program_change = -0.45 + 2 * u(4);
        n.wear.erase_change = -0.45 + 2 * u(5);
        const ArrayTime times(n, geometry(), round);
        std::set<u64> different;
        for (u32 i = 0; i < 2000; ++i) {
            const u64 word = draw64(5, round, i);
            const Place place{static_cast<u32>(word % 2), static_cast<u32>(word / 2 % 2),
                              static_cast<u32>(word / 4 % 4), static_cast<u32>(word / 16 % 8)};
            const auto erases = static_cast<u32>(word / 128 % 3000);
            const u32 level = i % 8;
            ASSERT_GE(times.read(place, erases), times.least_read());
            ASSERT_LE(times.read(place, erases), times.most_read());
            ASSERT_LE(times.read(place, erases, level), times.most_read(level));
            ASSERT_GE(times.program(place, erases), times.least_program());
            ASSERT_LE(times.program(place, erases), times.most_program());
            ASSERT_GE(times.erase(place, erases), times.least_erase());
            ASSERT_LE(times.erase(place, erases), times.most_erase());
            ASSERT_GT(times.least_program().value(), 0u);
            different.insert(times.program(place, erases).value());
        }
        EXPECT_GT(different.size(), 100u); // the bounds were put to the test
    }
}

} // namespace
} // namespace tlmssd::nand
