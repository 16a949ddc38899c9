// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host's measures against a SATA link whose resets repeat.
#include "models/host/link_recovery.h"

#include <gmock/gmock.h>

namespace tlmssd::tb {
namespace {

using host::LinkRecovery;
using Measure = LinkRecovery::Measure;
using testing::ElementsAre;

std::vector<Measure> resets(LinkRecovery& recovery, u32 count, Picoseconds first, Picoseconds apart)
{
    std::vector<Measure> measures;
    for (u32 i = 0; i < count; ++i) {
        measures.push_back(recovery.on_reset(first + i * apart));
    }
    return measures;
}

TEST(LinkRecovery, TakesAMeasureAfterEveryTwoResetsWithoutWork)
{
    LinkRecovery recovery{config::Sata()};
    EXPECT_THAT(resets(recovery, 8, milliseconds(1), milliseconds(1)),
                ElementsAre(Measure::SendAgain, Measure::Slower, Measure::SendAgain, Measure::Slower,
                            Measure::SendAgain, Measure::NcqOff, Measure::SendAgain, Measure::SendAgain));
    EXPECT_EQ(recovery.gbps_tenths(), 15u);
    EXPECT_FALSE(recovery.ncq());
}

TEST(LinkRecovery, TakesAMeasureAfterFourResetsWhereTheLinkWorks)
{
    LinkRecovery recovery{config::Sata()};
    std::vector<Measure> measures;
    for (u32 i = 0; i < 5; ++i) {
        recovery.on_work();
        measures.push_back(recovery.on_reset(milliseconds(i)));
    }
    EXPECT_THAT(measures, ElementsAre(Measure::SendAgain, Measure::SendAgain, Measure::SendAgain, Measure::Slower,
                                      Measure::SendAgain));
    EXPECT_EQ(recovery.gbps_tenths(), 30u);
}

TEST(LinkRecovery, ForgetsResetsOfMoreThanTenMinutesAgo)
{
    LinkRecovery recovery{config::Sata()};
    recovery.on_work();
    EXPECT_THAT(resets(recovery, 6, milliseconds(1), milliseconds(200001)),
                testing::Each(Measure::SendAgain)); // three at most within 600 s
}

TEST(LinkRecovery, SlowerAfterZeroNeverTakesAMeasure)
{
    config::Sata sata;
    sata.slower_after = 0;
    LinkRecovery recovery{sata};
    EXPECT_THAT(resets(recovery, 20, milliseconds(1), milliseconds(1)), testing::Each(Measure::SendAgain));
    EXPECT_EQ(recovery.gbps_tenths(), 60u);
}

TEST(LinkRecovery, GivesUpAtOneResetMoreThanInARow)
{
    config::Sata sata;
    sata.resets_in_a_row = 3;
    sata.slower_after = 0;
    LinkRecovery recovery{sata};
    EXPECT_THAT(resets(recovery, 3, milliseconds(1), milliseconds(1)), testing::Each(Measure::SendAgain));
    recovery.on_work();
    EXPECT_THAT(resets(recovery, 4, milliseconds(9), milliseconds(1)),
                ElementsAre(Measure::SendAgain, Measure::SendAgain, Measure::SendAgain, Measure::GiveUp));
}

} // namespace
} // namespace tlmssd::tb
