// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: times on the command line are read exactly.
#include "models/observe/output/time_text.h"

#include <gmock/gmock.h>

#include "models/common/error.h"
#include "models/common/types.h"

namespace tlmssd::observe {
namespace {

TEST(TimeText, ReadsEachUnit)
{
    EXPECT_EQ(time_of("0s", "x").value(), 0u);
    EXPECT_EQ(time_of("7ps", "x").value(), 7u);
    EXPECT_EQ(time_of("7ns", "x").value(), 7000u);
    EXPECT_EQ(time_of("7us", "x").value(), 7000000u);
    EXPECT_EQ(time_of("7ms", "x").value(), 7000000000u);
    EXPECT_EQ(time_of("7s", "x").value(), 7000000000000u);
}

TEST(TimeText, ReadsFractionsExactly)
{
    EXPECT_EQ(time_of("1.5ms", "x").value(), 1500000000u);
    EXPECT_EQ(time_of("12 us", "x").value(), 12000000u);
    EXPECT_EQ(time_of("0.000000000001s", "x").value(), 1u);
    EXPECT_EQ(time_of(".25ns", "x").value(), 250u);
    EXPECT_EQ(time_of("3.ns", "x").value(), 3000u);
    EXPECT_EQ(time_of("1.0000ns", "x").value(), 1000u); // a zero below a picosecond says nothing
    EXPECT_EQ(time_of("9007199254.740993us", "x").value(), 9007199254740993u); // 2^53 + 1
    EXPECT_EQ(time_of("18446744.073709551615s", "x").value(), ~u64{0});
}

TEST(TimeText, RejectsWhatIsNoTime)
{
    for (const char* text : {"", "ms", "5", "5 m", "5h", "-1ms", "1e3us", "1..5ms", "1.2.3s", "0x5s",
                             "5ms ", " 5ms", "5ms5", ".s", "nan s"}) {
        EXPECT_THROW(time_of(text, "--timeline-from"), InputError) << "'" << text << "'";
    }
    EXPECT_THROW(time_of("0.0001ns", "x"), InputError);             // a tenth of a picosecond
    EXPECT_THROW(time_of("18446744.073709551616s", "x"), InputError); // 2^64 ps
    EXPECT_THROW(time_of("99999999999999999999s", "x"), InputError);
}

TEST(TimeText, MessageNamesOptionAndText)
{
    try {
        time_of("soon", "--timeline-from");
        FAIL();
    } catch (const InputError& e) {
        EXPECT_THAT(e.what(), testing::StartsWith("--timeline-from: 'soon' is not a time"));
    }
}

} // namespace
} // namespace tlmssd::observe
