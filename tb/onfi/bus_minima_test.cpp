// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the checker's sums over data-sheet times, by hand from docs/explanation/onfi.md.
#include <gtest/gtest.h>

#include "models/onfi/checker/bus_minima.h"

namespace tlmssd::tb {
namespace {

using config::BusInterface;
using onfi::BusMinima;
using onfi::MinimaTable;

TEST(BusMinima, OfSdr5AreTheCyclesOfTheSheet)
{
    const MinimaTable table(config::Nand{}, 8);
    const BusMinima& m = table[MinimaTable::index(BusInterface::Sdr, 5)];
    EXPECT_EQ(m.cs, 15000u);
    EXPECT_EQ(m.cycle, 20000u);
    EXPECT_EQ(m.strobe_out, 20000u);
    EXPECT_EQ(m.strobe_in, 20000u);
    EXPECT_EQ(m.frame_out, 0u);
    EXPECT_EQ(m.frame_in, 0u);
    EXPECT_EQ(m.rr, 20000u);
    EXPECT_EQ(m.whr, 80000u);
    EXPECT_EQ(m.rhw, 100000u);
    EXPECT_EQ(m.shift, 0u);
}

TEST(BusMinima, OfDdrFrameTheBurstAndMoveTwoBytesAStrobe)
{
    const MinimaTable table(config::Nand{}, 8);
    const BusMinima& ddr = table[MinimaTable::index(BusInterface::NvDdr, 5)];
    EXPECT_EQ(ddr.cycle, 45000u);
    EXPECT_EQ(ddr.strobe_out, 10000u);
    EXPECT_EQ(ddr.frame_out, 65000u); // tWRCK 20 + tDQSCK 25 + tDQSHZ 20
    EXPECT_EQ(ddr.frame_in, 30000u);  // tWPRE 15 + tWPST 15
    EXPECT_EQ(ddr.shift, 1u);
    const BusMinima& ddr2 = table[MinimaTable::index(BusInterface::NvDdr2, 6)];
    EXPECT_EQ(ddr2.frame_out, 30000u); // tRPRE 15 + tDQSRE 15
    EXPECT_EQ(ddr2.frame_in, 21000u);  // tWPST 6 + tWPSTH 15
}

TEST(BusMinima, SixteenLinesDoubleTheBytesOfAStrobe)
{
    const MinimaTable table(config::Nand{}, 16);
    EXPECT_EQ(table[MinimaTable::index(BusInterface::Sdr, 0)].shift, 1u);
    EXPECT_EQ(table[MinimaTable::index(BusInterface::NvDdr2, 0)].shift, 2u);
}

TEST(BusMinima, ThePartsOwnTimesReplaceTheSheets)
{
    config::Nand nand;
    nand.t_adl = nanoseconds(100);
    nand.t_ccs = nanoseconds(200);
    const MinimaTable table(nand, 8);
    const BusMinima& m = table[MinimaTable::index(BusInterface::Sdr, 5)];
    EXPECT_EQ(m.adl, 100000u);
    EXPECT_EQ(m.ccs, 200000u);
}

TEST(BusMinima, ATimelessBusOwesNothing)
{
    const MinimaTable table(config::Nand{}, 8, true);
    const BusMinima& m = table[MinimaTable::index(BusInterface::Sdr, 5)];
    EXPECT_EQ(m.cs + m.cycle + m.strobe_out + m.strobe_in + m.ccs + m.adl, 0u);
}

TEST(BusMinima, ModesEndWhereTheInterfaceEnds)
{
    EXPECT_EQ(MinimaTable::index(BusInterface::Sdr, 5), 5);
    EXPECT_EQ(MinimaTable::index(BusInterface::Sdr, 6), MinimaTable::kNoIndex);
    EXPECT_EQ(MinimaTable::index(BusInterface::NvDdr, 0), 11);
    EXPECT_EQ(MinimaTable::index(BusInterface::NvDdr2, 9), MinimaTable::kNoIndex);
    EXPECT_EQ(MinimaTable::index(BusInterface::NvDdr3, 10), 43);
}

} // namespace
} // namespace tlmssd::tb
