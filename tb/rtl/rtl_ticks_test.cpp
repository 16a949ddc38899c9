// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: times of the configuration in ticks of the RTL's timers.
#include <gmock/gmock.h>

#include "models/common/error.h"
#include "models/flash/rtl/rtl_straps.h"

namespace tlmssd::flash {
namespace {

/// Timers compare half of 24 bits and take one tick of 2^16 ps more: at most 2^23 - 2 ticks, which are
/// 549,755,682,816 ps.
TEST(RtlTicks, BeyondTheTimersAreRefusedWithTheKeyAndTheNearest)
{
    const auto message_of = [](Picoseconds key, Picoseconds more) -> std::string {
        try {
            rtl_ticks("nand.t_erase_us", key, more);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(rtl_ticks("nand.t_erase_us", Picoseconds(549755682816)), 8388607u);
    EXPECT_EQ(rtl_ticks("nand.t_erase_us", Picoseconds(549755582816), nanoseconds(100)), 8388607u);
    EXPECT_EQ(message_of(Picoseconds(549755582817), nanoseconds(100)),
              "nand.t_erase_us: 549756 is more than the timers of the RTL reach (controller.kind: rtl); "
              "nearest: 549755");
    EXPECT_THAT(message_of(milliseconds(600), nanoseconds(100)),
                testing::HasSubstr("nand.t_erase_us: 600000 is more than"));
    // What is named is taken, one more is not: 683 ns less leave 549,754.999816 us.
    EXPECT_THAT(message_of(milliseconds(600), nanoseconds(683)), testing::HasSubstr("nearest: 549754"));
    EXPECT_EQ(message_of(microseconds(549754), nanoseconds(683)), "");
    EXPECT_NE(message_of(microseconds(549755), nanoseconds(683)), "");
}

/// From any moment inside a tick on: one tick more than the time has begun.
TEST(RtlTicks, LastAtLeastAsLongAsTheTime)
{
    EXPECT_EQ(rtl_ticks("onfi.poll_us", Picoseconds()), 0u);
    EXPECT_EQ(rtl_ticks("onfi.poll_us", Picoseconds(1)), 2u);
    EXPECT_EQ(rtl_ticks("onfi.poll_us", Picoseconds(65536)), 2u);
    EXPECT_EQ(rtl_ticks("onfi.poll_us", Picoseconds(65537)), 3u);
    EXPECT_EQ(rtl_ticks("nand.t_read_us", Picoseconds(65536), Picoseconds(1)), 3u);
}

} // namespace
} // namespace tlmssd::flash
