// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a configuration becomes at the ports of a built RTL controller, and what it refuses.
#include <string>

#include <gmock/gmock.h>

#include "models/common/error.h"
#include "models/flash/rtl/rtl_straps.h"

namespace tlmssd::tb {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RtlStraps : public testing::Test {
protected:
    RtlStraps()
    {
        shape.channels = 8;
        shape.luns = 16;
        shape.tags = 128;
        shape.stations = 8;
        config.mode = config::ControllerMode::Ooo;
        config.stations = 8;
        config.tags = 128;
    }
    /// "" where it is taken.
    std::string message()
    {
        try {
            straps = flash::rtl_straps(config, geometry, shape);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }
    config::Controller config;
    Geometry geometry;
    flash::RtlShape shape;
    flash::RtlStraps straps;
};

TEST_F(RtlStraps, SayTheGeometryInUse)
{
    geometry.channels = 3;
    geometry.ways = 2;
    geometry.dies = 6;
    geometry.chip_enables = 2; // 4 CE# of 3 LUNs: places 0 to 2, 4 to 6, 8 to 10, 12 to 14
    ASSERT_EQ(message(), "");
    EXPECT_EQ(straps.channels, 3u);
    EXPECT_EQ(straps.ces, 4u);
    EXPECT_EQ(straps.luns, 3u);
    EXPECT_EQ(straps.lun_shift, 2u);
}

TEST_F(RtlStraps, RefuseWhatIsLargerThanTheBuiltShapeNamingTheVariable)
{
    geometry.channels = 8;
    geometry.ways = 8;
    geometry.dies = 2;
    EXPECT_EQ(message(), "");
    geometry.channels = 9;
    EXPECT_THAT(message(), HasSubstr("-DTLMSSD_RTL_CHANNELS=9"));
    geometry.channels = 8;
    geometry.dies = 3; // 8 CE# of 3 LUNs need 8 x 4 places
    EXPECT_THAT(message(), HasSubstr("-DTLMSSD_RTL_LUNS=32"));
    geometry.dies = 2;
    config.tags = 129;
    EXPECT_THAT(message(), HasSubstr("-DTLMSSD_RTL_TAGS=256"));
    config.tags = 128;
    config.stations = 9;
    EXPECT_THAT(message(), HasSubstr("-DTLMSSD_RTL_STATIONS=9"));
    config.mode = config::ControllerMode::InOrder; // where stations do not count
    EXPECT_EQ(message(), "");
    config.mode = config::ControllerMode::Ooo;
    shape.stations = 0; // a controller that does not say what it has
    EXPECT_EQ(message(), "");
}

// The largest that rtl/shape.cmake takes is recommended, nothing above.
TEST_F(RtlStraps, RefuseWhatCannotBeBuiltAtAllWithoutRecommendingIt)
{
    geometry.channels = 16;
    EXPECT_THAT(message(), HasSubstr("-DTLMSSD_RTL_CHANNELS=16"));
    geometry.channels = 17;
    EXPECT_THAT(message(), AllOf(HasSubstr("geometry.channels"), HasSubstr("TLMSSD_RTL_CHANNELS up to 16"),
                                 testing::Not(HasSubstr("-D"))));
    geometry.channels = 1;
    geometry.ways = 32;
    geometry.dies = 2; // 64 places
    EXPECT_THAT(message(), HasSubstr("-DTLMSSD_RTL_LUNS=64"));
    geometry.dies = 3; // 32 CE# of 3 LUNs need 32 x 4 places
    EXPECT_THAT(message(), AllOf(HasSubstr("128 LUNs a channel"), HasSubstr("TLMSSD_RTL_LUNS up to 64"),
                                 testing::Not(HasSubstr("-D"))));
}

// The RESET of o3 counts four; round_robin has no such bound.
TEST_F(RtlStraps, RefuseMoreLunsOnACeThanAResetReaches)
{
    shape.luns_per_ce = 4;
    geometry.dies = 4;
    EXPECT_EQ(message(), "");
    geometry.dies = 5;
    EXPECT_THAT(message(), AllOf(HasSubstr("controller.rtl"), HasSubstr("at most 4 LUNs on one CE#"),
                                 HasSubstr("geometry.dies 5 / geometry.chip_enables 1 is 5"),
                                 HasSubstr("the nearest is geometry.chip_enables 5")));
    geometry.dies = 16;
    geometry.chip_enables = 2;
    EXPECT_THAT(message(), HasSubstr("the nearest is geometry.chip_enables 4"));
    shape.luns_per_ce = 0;
    EXPECT_EQ(message(), "");
}

// A stamp is 2^20 ps = 1.048576 us; what is not 0 stays so.
TEST_F(RtlStraps, RoundTheAgeLimitUpToStamps)
{
    const auto stamps = [&](u64 ps) {
        config.age_limit = Picoseconds(ps);
        EXPECT_EQ(message(), "");
        return straps.age_limit;
    };
    EXPECT_EQ(stamps(0), 0u);
    EXPECT_EQ(stamps(1), 1u);
    EXPECT_EQ(stamps(1000000), 1u);
    EXPECT_EQ(stamps(u64{1} << 20), 1u);
    EXPECT_EQ(stamps((u64{1} << 20) + 1), 2u);
    EXPECT_EQ(stamps(5000000000), 4769u) << "5,000 us are 4,768.4 stamps";
}

// Ages are differences modulo 2^24 stamps. (2^23 - 1) * 2^20 ps = 8,796,091.97 us.
TEST_F(RtlStraps, RefuseAnAgeLimitThatAgesDoNotReach)
{
    config.age_limit = microseconds(8796091);
    EXPECT_EQ(message(), "");
    EXPECT_EQ(straps.age_limit, (1u << 23) - 1);
    config.age_limit = microseconds(8796092);
    EXPECT_THAT(message(), AllOf(HasSubstr("controller.age_limit_us"), HasSubstr("8796092 is too long"),
                                 HasSubstr("the nearest is 8796091")));
    config.mode = config::ControllerMode::InOrder; // where it does not count
    EXPECT_EQ(message(), "");
}

} // namespace
} // namespace tlmssd::tb
