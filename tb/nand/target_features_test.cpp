// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: features of a target that wait for the end of tFEAT, and the timing that it understands.
#include <gtest/gtest.h>

#include "models/nand/target/features.h"

namespace tlmssd::tb {
namespace {

using config::BusInterface;
using nand::Features;
using onfi::bus_timing;
namespace feature = onfi::feature;

struct TargetFeatures : testing::Test {
    config::Nand nand;
    Features features{nand, BusInterface::Sdr, 3};
};

TEST_F(TargetFeatures, UnderstandItsModeAndSlowerOnes)
{
    const onfi::BusTiming slow = bus_timing(BusInterface::Sdr, 0);
    const onfi::BusTiming same = bus_timing(BusInterface::Sdr, 3);
    const onfi::BusTiming fast = bus_timing(BusInterface::Sdr, 4);
    const onfi::BusTiming ddr = bus_timing(BusInterface::NvDdr, 0);
    EXPECT_TRUE(features.understands(slow));
    EXPECT_TRUE(features.understands(same));
    EXPECT_TRUE(features.understands(same)); // known
    EXPECT_FALSE(features.understands(fast));
    EXPECT_FALSE(features.understands(ddr));
}

TEST_F(TargetFeatures, ARequestHoldsFromItsEndOn)
{
    const onfi::BusTiming sdr = bus_timing(BusInterface::Sdr, 3);
    const onfi::BusTiming ddr = bus_timing(BusInterface::NvDdr, 2);
    EXPECT_TRUE(features.understands(sdr));
    features.request(feature::kTimingMode, {0x12, 0, 0, 0}); // NV-DDR mode 2
    EXPECT_TRUE(features.understands(sdr));
    features.apply();
    EXPECT_EQ(features.interface(), BusInterface::NvDdr);
    EXPECT_EQ(features.mode(), 2u);
    EXPECT_FALSE(features.understands(sdr));
    EXPECT_TRUE(features.understands(ddr));
}

TEST_F(TargetFeatures, AnEndWithoutARequestChangesNothing)
{
    features.apply();
    EXPECT_EQ(features.mode(), 3u);
    features.request(feature::kTimingMode, {5, 0, 0, 0});
    features.cancel();
    features.apply();
    EXPECT_EQ(features.mode(), 3u);
}

TEST_F(TargetFeatures, ResetLeavesDdrAndForgetsTheKnownTiming)
{
    const onfi::BusTiming ddr = bus_timing(BusInterface::NvDdr, 0);
    features.set(feature::kTimingMode, {0x15, 0, 0, 0});
    EXPECT_TRUE(features.understands(ddr));
    features.reset();
    EXPECT_FALSE(features.understands(ddr));
    EXPECT_EQ(features.interface(), BusInterface::Sdr);
    EXPECT_EQ(features.mode(), 0u);
}

} // namespace
} // namespace tlmssd::tb
