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

} // namespace
} // namespace tlmssd::host
