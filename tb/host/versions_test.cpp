// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of expected versions.
#include "models/host/expected_versions.h"

#include <gtest/gtest.h>

namespace tlmssd::host {
namespace {

TEST(ExpectedVersions, StartsWithNoData)
{
    ExpectedVersions v(1000);
    EXPECT_EQ(v.word(999), 0u);
    EXPECT_TRUE(ExpectedVersions::accepts(5, v.word(5), UnitTag{}));
    EXPECT_FALSE(ExpectedVersions::accepts(5, v.word(5), UnitTag{6, 1}));
    EXPECT_FALSE(ExpectedVersions::accepts(5, v.word(5), UnitTag{6, 0}));
}

TEST(ExpectedVersions, EachWriteBumpsOneUnit)
{
    ExpectedVersions v(10);
    EXPECT_EQ(v.bump(5), (UnitTag{6, 1}));
    EXPECT_EQ(v.bump(5), (UnitTag{6, 2}));
    EXPECT_EQ(v.word(4), 0u);
    EXPECT_TRUE(ExpectedVersions::accepts(5, v.word(5), UnitTag{6, 2}));
    EXPECT_FALSE(ExpectedVersions::accepts(5, v.word(5), UnitTag{6, 1}));
    EXPECT_FALSE(ExpectedVersions::accepts(5, v.word(5), UnitTag{5, 2}));
    EXPECT_FALSE(ExpectedVersions::accepts(5, v.word(5), UnitTag{}));
}

TEST(ExpectedVersions, TrimmedUnitMayBeOldOrEmptyUntilWritten)
{
    ExpectedVersions v(10);
    v.bump(3);
    v.bump(3);
    v.trim(3);
    EXPECT_TRUE(ExpectedVersions::accepts(3, v.word(3), UnitTag{4, 2}));
    EXPECT_TRUE(ExpectedVersions::accepts(3, v.word(3), UnitTag{}));
    EXPECT_FALSE(ExpectedVersions::accepts(3, v.word(3), UnitTag{4, 1}));
    EXPECT_EQ(v.bump(3), (UnitTag{4, 3}));
    EXPECT_FALSE(ExpectedVersions::accepts(3, v.word(3), UnitTag{}));
    v.trim(7); // never written
    EXPECT_TRUE(ExpectedVersions::accepts(7, v.word(7), UnitTag{}));
    EXPECT_FALSE(ExpectedVersions::accepts(7, v.word(7), UnitTag{8, 0}));
    EXPECT_EQ(v.bump(7), (UnitTag{8, 1}));
}

TEST(ExpectedVersions, DoubtfulUnitMayHaveAnyVersionSoFarUntilWritten)
{
    ExpectedVersions v(10);
    v.bump(3);
    v.bump(3);
    v.doubt(3);
    EXPECT_TRUE(ExpectedVersions::accepts(3, v.word(3), UnitTag{4, 2}));
    EXPECT_TRUE(ExpectedVersions::accepts(3, v.word(3), UnitTag{4, 1}));
    EXPECT_TRUE(ExpectedVersions::accepts(3, v.word(3), UnitTag{}));
    EXPECT_FALSE(ExpectedVersions::accepts(3, v.word(3), UnitTag{4, 3})); // of the future
    EXPECT_FALSE(ExpectedVersions::accepts(3, v.word(3), UnitTag{4, 0}));
    EXPECT_FALSE(ExpectedVersions::accepts(3, v.word(3), UnitTag{5, 1})); // another unit's
    EXPECT_EQ(v.bump(3), (UnitTag{4, 3}));
    EXPECT_FALSE(ExpectedVersions::accepts(3, v.word(3), UnitTag{4, 2}));
}

TEST(ExpectedVersions, LastUnitOfALargeTableIsReachable)
{
    const u64 units = u64{1} << 26; // 256 GiB of 4 KiB units
    ExpectedVersions v(units);
    EXPECT_EQ(v.bump(units - 1), (UnitTag{1u << 26, 1}));
    EXPECT_EQ(v.word(0), 0u);
}

TEST(ExpectedVersions, FilledUnitsAreAtTheirFirstVersionUntilTheyChange)
{
    ExpectedVersions v(10);
    v.fill(4);
    EXPECT_EQ(v.word(3), 1u);
    EXPECT_EQ(v.word(4), 0u);
    EXPECT_EQ(v.bump(3), (UnitTag{4, 2}));
    EXPECT_EQ(v.word(3), 2u);
    EXPECT_EQ(v.bump(4), (UnitTag{5, 1}));
    v.trim(2);
    EXPECT_EQ(v.word(2), 1u | ExpectedVersions::kTrimmed);
    v.doubt(1);
    EXPECT_EQ(v.word(1), 1u | ExpectedVersions::kDoubtful);
    EXPECT_EQ(v.bump(2), (UnitTag{3, 2}));
    const u32* const words = v.memory();
    EXPECT_EQ(words[0], 1u);
    EXPECT_EQ(words[1], 1u | ExpectedVersions::kDoubtful);
    EXPECT_EQ(words[2], 2u);
    EXPECT_EQ(words[3], 2u);
    EXPECT_EQ(words[4], 1u);
    EXPECT_EQ(words[5], 0u);
}

} // namespace
} // namespace tlmssd::host
