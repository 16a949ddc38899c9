// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of the filter behind workload.dedup_us.
#include <gtest/gtest.h>

#include "models/workload/rows/repeat_filter.h"

namespace tlmssd::workload::test {
namespace {

Row row(u64 time, u64 lba, u64 sectors = 8, Kind kind = Kind::Read, u64 device = 0)
{
    Row r;
    r.time = time;
    r.lba = lba;
    r.sectors = sectors;
    r.kind = kind;
    r.device = device;
    return r;
}

TEST(RepeatFilter, FindsTheSameRowWithinTheWindowOnly)
{
    RepeatFilter filter(100);
    EXPECT_FALSE(filter.repeats(row(0, 5)));
    EXPECT_TRUE(filter.repeats(row(0, 5)));
    EXPECT_TRUE(filter.repeats(row(100, 5)));  // the last 100 ticks, the border included
    EXPECT_TRUE(filter.repeats(row(200, 5)));  // a repeat of the repeat at 100
    EXPECT_FALSE(filter.repeats(row(301, 5))); // 101 after 200
}

TEST(RepeatFilter, ComparesDeviceAddressLengthAndKind)
{
    RepeatFilter filter(100);
    EXPECT_FALSE(filter.repeats(row(0, 5, 8, Kind::Read, 0)));
    EXPECT_FALSE(filter.repeats(row(0, 6, 8, Kind::Read, 0)));
    EXPECT_FALSE(filter.repeats(row(0, 5, 9, Kind::Read, 0)));
    EXPECT_FALSE(filter.repeats(row(0, 5, 8, Kind::Write, 0)));
    EXPECT_FALSE(filter.repeats(row(0, 5, 8, Kind::Read, 1)));
    EXPECT_TRUE(filter.repeats(row(0, 5, 8, Kind::Read, 0)));
    Row fua = row(0, 5, 8, Kind::Write);
    fua.fua = true;
    EXPECT_FALSE(filter.repeats(fua));
    Row flush = row(0, 5, 8, Kind::Write);
    flush.preflush = true;
    EXPECT_FALSE(filter.repeats(flush));
}

TEST(RepeatFilter, ForgetsTheOldestOfMoreThan65536)
{
    RepeatFilter filter(100);
    for (u64 i = 0; i < RepeatFilter::kRows; ++i) {
        ASSERT_FALSE(filter.repeats(row(0, i)));
    }
    EXPECT_TRUE(filter.repeats(row(0, 1)));  // takes the place of row 0
    EXPECT_FALSE(filter.repeats(row(0, 0))); // forgotten
    EXPECT_TRUE(filter.repeats(row(0, RepeatFilter::kRows - 1)));
}

TEST(RepeatFilter, AgreesWithALinearSearchOverALongRun)
{
    // 300,000 rows of 40 addresses at times that advance by 0..3, against a table of the last time
    // of each address; the ring goes round four times.
    RepeatFilter filter(50);
    std::vector<u64> last(40, ~u64{0});
    u64 time = 0;
    u64 state = 1;
    for (int i = 0; i < 300000; ++i) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        time += state >> 62;
        const u64 lba = (state >> 33) % 40;
        const bool expected = last[lba] != ~u64{0} && time - last[lba] <= 50;
        last[lba] = time;
        ASSERT_EQ(filter.repeats(row(time, lba)), expected) << i;
    }
}

} // namespace
} // namespace tlmssd::workload::test
