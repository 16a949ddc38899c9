// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: geometry and ONFI row addresses by hand, and time as a strong type.
#include <gtest/gtest.h>

#include <set>

#include "models/common/geometry.h"
#include "models/common/picoseconds.h"
#include "tb/support/geometry.h"

namespace tlmssd {
namespace {

/// 2 channels, 2 packages with 2 CE# and 4 LUNs each, 2 planes, 8 blocks, 4 pages of 8 KiB + 448 B.
Geometry small()
{
    return tb::small_geometry().channels(2).ways(2).chip_enables(2).dies(4);
}

TEST(BitsFor, HoldsTheNumbersBelow)
{
    EXPECT_EQ(bits_for(0), 0u);
    EXPECT_EQ(bits_for(1), 0u);
    EXPECT_EQ(bits_for(2), 1u);
    EXPECT_EQ(bits_for(3), 2u);
    EXPECT_EQ(bits_for(4), 2u);
    EXPECT_EQ(bits_for(5), 3u);
    EXPECT_EQ(bits_for(0x80000000u), 31u);
    EXPECT_EQ(bits_for(0x80000001u), 32u);
}

TEST(Geometry, CountsItsParts)
{
    const Geometry g = small();
    EXPECT_EQ(g.luns_per_ce(), 2u);
    EXPECT_EQ(g.ces_per_channel(), 4u);
    EXPECT_EQ(g.dies_per_channel(), 8u);
    EXPECT_EQ(g.total_dies(), 16u);
    EXPECT_EQ(g.total_planes(), 32u);
    EXPECT_EQ(g.total_pages(), 32u * 8 * 4);
    EXPECT_EQ(g.raw_bytes(), u64{1024} * 8192);
}

TEST(Geometry, LaysOutThePhysicalPage)
{
    const Geometry g = small(); // 16 sectors; (448 - 16) / 16 = 27 parity bytes each
    EXPECT_EQ(g.sectors_per_page(), 16u);
    EXPECT_EQ(g.parity_per_sector(), 27u);
    EXPECT_EQ(g.codeword_bytes(), 539u);
    EXPECT_EQ(g.column_of_sector(3), 1617u);
    EXPECT_EQ(g.oob_column(), 8624u);
    EXPECT_LE(g.oob_column() + kOobBytes, g.page_bytes + g.spare_bytes);
    EXPECT_EQ(g.unit_bytes(), 4096u);
    EXPECT_EQ(g.units_per_page(), 2u);
    EXPECT_EQ(g.sectors_per_unit(), 8u);
}

TEST(Geometry, HasNoParityWhereTheSpareHoldsOnlyOob)
{
    Geometry g = small();
    for (const u32 spare : {0u, 16u, 31u}) { // 31: fewer than one byte a sector
        g.spare_bytes = spare;
        EXPECT_EQ(g.parity_per_sector(), 0u) << spare;
    }
}

TEST(Geometry, HoldsMoreWhereDataAreCompressed)
{
    const auto compressed = [](u32 page_bytes, double factor, u32 most) {
        Geometry g = small();
        g.page_bytes = page_bytes;
        g.compress(factor, most);
        return g;
    };
    const Geometry half = compressed(8192, 0.5, 8); // 539 / 2 is 269.5
    EXPECT_EQ(half.units_per_page(), 4u);
    EXPECT_EQ(half.page_bytes, 16384u);
    EXPECT_EQ(half.part_bytes(), 8192u);
    EXPECT_EQ(half.codeword_bytes(), 269u);
    EXPECT_EQ(half.oob_column(), 32u * 269);
    EXPECT_EQ(half.physical_bytes(), small().physical_bytes());
    EXPECT_EQ(half.raw_bytes(), small().raw_bytes());
    const struct {
        u32 page_bytes;
        double factor;
        u32 units;
    } cases[] = {{8192, 0.8, 2}, {8192, 0.6, 3}, {8192, 0.4, 5}, {16384, 0.8, 5}, {16384, 0.46, 8}, {4096, 0.5, 2},
                 {4096, 0.7, 1}, {16384, 0.1, 9}}; // most is 9
    for (const auto& c : cases) {
        const Geometry g = compressed(c.page_bytes, c.factor, 9);
        EXPECT_EQ(g.units_per_page(), c.units) << c.page_bytes << " x " << c.factor;
        EXPECT_LE(g.oob_column() + kOobBytes, g.physical_bytes());
    }
}

TEST(Geometry, MakesThePageTheUnitWherePagesAreSmall)
{
    Geometry g = small();
    g.page_bytes = 2048;
    EXPECT_EQ(g.unit_bytes(), 2048u);
    EXPECT_EQ(g.units_per_page(), 1u);
    EXPECT_EQ(g.sectors_per_unit(), 4u);
}

TEST(RowAddress, PacksPagePlaneBlockLunFromTheLowEnd)
{
    const Geometry g = small(); // 2 bits page, 1 plane, 3 block, then LUN
    EXPECT_EQ(g.row(0, 0, 0, 3), 0b0'000'0'11u);
    EXPECT_EQ(g.row(0, 1, 0, 0), 0b0'000'1'00u);
    EXPECT_EQ(g.row(0, 0, 5, 0), 0b0'101'0'00u);
    EXPECT_EQ(g.row(1, 1, 5, 3), 0b1'101'1'11u);
    EXPECT_EQ(g.lun_shift(), 6u);
}

TEST(RowAddress, RoundsSizesUpToBits)
{
    Geometry g = small();
    g.planes = 1;
    g.blocks = 10; // 4 bits
    g.pages = 12;  // 4 bits
    EXPECT_EQ(g.row(0, 0, 9, 11), 0x9bu);
    EXPECT_EQ(g.row(1, 0, 9, 11), 0x19bu);
}

TEST(RowAddress, UnpacksWhatItPacked)
{
    const Geometry g = small();
    std::set<u32> rows;
    for (u32 lun = 0; lun < g.luns_per_ce(); ++lun) {
        for (u32 plane = 0; plane < g.planes; ++plane) {
            for (u32 block = 0; block < g.blocks; ++block) {
                for (u32 page = 0; page < g.pages; ++page) {
                    const u32 row = g.row(lun, plane, block, page);
                    EXPECT_TRUE(rows.insert(row).second);
                    EXPECT_EQ(g.row_lun(row), lun);
                    EXPECT_EQ(g.row_plane(row), plane);
                    EXPECT_EQ(g.row_block(row), block);
                    EXPECT_EQ(g.row_page(row), page);
                }
            }
        }
    }
}

TEST(DieNumber, IsTheSameFromBothSides)
{
    const Geometry g = small();
    EXPECT_EQ(g.die_index(1, 1, 3), 15u);   // the last one
    EXPECT_EQ(g.die_index_ce(1, 3, 1), 15u); // CE 3 is package 1's second, LUN 1
    EXPECT_EQ(g.die_index(0, 1, 2), 6u);
    EXPECT_EQ(g.die_index_ce(0, 3, 0), 6u);
}

TEST(DieName, IsChannelWayAndDie)
{
    const Geometry g = small();
    EXPECT_EQ(die_name(g, 0), "0/0/0");
    EXPECT_EQ(die_name(g, 6), "0/1/2");
    EXPECT_EQ(die_name(g, 15), "1/1/3");
}

TEST(Picoseconds, CountsWithoutLoss)
{
    EXPECT_EQ(nanoseconds(3).value(), 3000u);
    EXPECT_EQ(microseconds(3).value(), 3000000u);
    EXPECT_EQ(milliseconds(3).value(), 3000000000u);
    EXPECT_EQ((microseconds(1) + Picoseconds(1)).value(), 1000001u);
    EXPECT_EQ((microseconds(1) - Picoseconds(1)).value(), 999999u);
    EXPECT_EQ((7 * nanoseconds(2)).value(), 14000u);
    EXPECT_EQ(max(nanoseconds(1), nanoseconds(2)), nanoseconds(2));
    EXPECT_EQ(min(nanoseconds(1), nanoseconds(2)), nanoseconds(1));
    EXPECT_GT(kTimeNever, milliseconds(1000000));
    EXPECT_DOUBLE_EQ(milliseconds(1500).seconds(), 1.5);
}

} // namespace
} // namespace tlmssd
