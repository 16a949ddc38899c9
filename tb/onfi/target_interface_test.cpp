// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the interface that a target is set to, and what it understands.
#include <gtest/gtest.h>

#include "models/onfi/checker/target_interface.h"

namespace tlmssd::tb {
namespace {

using onfi::Cycle;
using onfi::CycleKind;
using onfi::MinimaTable;
using onfi::TargetInterface;

const u8 kSdr0 = MinimaTable::index(config::BusInterface::Sdr, 0);
const u8 kSdr3 = MinimaTable::index(config::BusInterface::Sdr, 3);
const u8 kSdr5 = MinimaTable::index(config::BusInterface::Sdr, 5);
const u8 kNvDdr0 = MinimaTable::index(config::BusInterface::NvDdr, 0);
const u8 kNvDdr5 = MinimaTable::index(config::BusInterface::NvDdr, 5);
const Cycle kCommand{CycleKind::Command, 0xef, nanoseconds(1)};

TEST(TargetInterface, UnderstandsSlowerModesOfItsInterface)
{
    const TargetInterface sdr3(kSdr3, true);
    EXPECT_TRUE(sdr3.understands(kSdr0, 0));
    EXPECT_TRUE(sdr3.understands(kSdr3, 0));
    EXPECT_FALSE(sdr3.understands(kSdr5, 0));
    EXPECT_FALSE(sdr3.understands(kNvDdr0, 0));
    EXPECT_FALSE(TargetInterface(kNvDdr5, true).understands(kSdr0, 0));
}

TEST(TargetInterface, AChangeHoldsFromTheEndOfTfeatOn)
{
    TargetInterface t(kSdr5, true);
    t.request(kNvDdr5, false, kCommand);
    EXPECT_EQ(t.row(), kSdr5);
    EXPECT_EQ(t.set_by().byte, 0xef);
    t.apply(2000);
    EXPECT_EQ(t.row(), kNvDdr5);
    EXPECT_FALSE(t.program_clear());
    EXPECT_TRUE(t.understands(kSdr5, 1999)); // it had started before
    EXPECT_FALSE(t.understands(kSdr5, 2000));
    t.apply(3000); // of another feature: nothing is asked for
    EXPECT_FALSE(t.understands(kSdr5, 2500));
}

TEST(TargetInterface, ResetDropsAChangeThatWaits)
{
    TargetInterface t(kSdr5, true);
    t.request(kNvDdr5, true, kCommand);
    t.reset(false, kCommand);
    t.apply(2000);
    EXPECT_EQ(t.row(), kSdr5);
}

TEST(TargetInterface, FfhEndsInSdr0OutOfDdrAndStaysInSdr)
{
    TargetInterface ddr(kNvDdr5, true);
    ddr.reset(false, kCommand); // FCh
    EXPECT_EQ(ddr.row(), kNvDdr5);
    ddr.reset(true, kCommand);
    EXPECT_EQ(ddr.row(), kSdr0);
    EXPECT_EQ(ddr.set_by().kind, CycleKind::Command);
    TargetInterface sdr(kSdr5, true);
    sdr.reset(true, kCommand);
    EXPECT_EQ(sdr.row(), kSdr5);
    EXPECT_EQ(sdr.set_by().kind, CycleKind::None);
}

} // namespace
} // namespace tlmssd::tb
