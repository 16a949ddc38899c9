// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the checker's least array times, by hand.
#include <gtest/gtest.h>

#include "models/onfi/checker/array_minima.h"
#include "tb/support/part.h"

namespace tlmssd::tb {
namespace {

// The least of MLC types 40 and 65 us is 40; 40 x 0.9 x 0.8 x (1 - 2 x 0.1) = 23.04 us, less 1 ps.
TEST(ArrayMinima, MultiplyTheWorstOfTypePlaceDieAndWear)
{
    config::Nand n;
    n.bits_per_cell = 2;
    n.pairing = config::Pairing::Distance3;
    n.t_read = microseconds(50);
    n.t_program = microseconds(900);
    n.t_erase = microseconds(3000);
    n.types[0] = {microseconds(40), microseconds(500), 1};
    n.types[1] = {microseconds(1), microseconds(1), 1}; // middle: no such page in MLC
    n.types[2] = {microseconds(65), microseconds(1300), 1};
    n.array_variation = 0.1;
    n.die_variation = 0.2;
    n.wear.read_change = -0.1;
    n.wear.program_change = 0.5; // grows: the least is that of a new block
    n.wear.erase_change = -0.25;
    const onfi::ArrayMinima m = onfi::array_minima(n);
    EXPECT_NEAR(static_cast<double>(m.read), 23.04e6 - 1, 1);
    EXPECT_NEAR(static_cast<double>(m.program), 500e6 * 0.9 * 0.8 - 1, 1);
    EXPECT_NEAR(static_cast<double>(m.erase), 3000e6 * 0.8 * 0.5 - 1, 1); // no page variation
}

TEST(ArrayMinima, AreExactWhereNothingVaries)
{
    config::Nand n = make_part(20, 100, 300);
    n.t_plane_queue = nanoseconds(500);
    n.t_read_cache = microseconds(3);
    n.t_program_cache = microseconds(5);
    n.t_feature = microseconds(1);
    const onfi::ArrayMinima m = onfi::array_minima(n);
    EXPECT_EQ(m.read, 20000000u);
    EXPECT_EQ(m.program, 100000000u);
    EXPECT_EQ(m.erase, 300000000u);
    EXPECT_EQ(m.queue, 500000u);
    EXPECT_EQ(m.read_cache, 3000000u);
    EXPECT_EQ(m.program_cache, 5000000u);
    EXPECT_EQ(m.feature, 1000000u);
    EXPECT_EQ(m.parameter, 20000000u);
}

TEST(ArrayMinima, OfUniformPagesAreThePartsOwn)
{
    config::Nand n;
    n.t_read = microseconds(50);
    n.t_program = microseconds(900);
    n.types[2] = {microseconds(1), microseconds(1), 1}; // never used
    EXPECT_EQ(onfi::array_minima(n).read, 50000000u);
    EXPECT_EQ(onfi::array_minima(n).program, 900000000u);
}

} // namespace
} // namespace tlmssd::tb
