// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: contents of the firmware's own pages, by number.
#include <gtest/gtest.h>

#include "models/common/table_pages.h"

namespace tlmssd::tb {
namespace {

TEST(TablePages, KeepTheirContentsApart)
{
    TablePages tables(4, 4);
    const u8 one[] = {1, 2, 3, 4}, two[] = {5, 6, 7, 8};
    const u32 a = tables.keep(one), b = tables.keep(two);
    EXPECT_NE(a, b);
    EXPECT_EQ(tables.bytes(a)[3], 4);
    EXPECT_EQ(tables.bytes(b)[0], 5);
    EXPECT_TRUE(TablePages::is_table(TablePages::tag(b)));
    EXPECT_EQ(TablePages::tag(b).version, b);
    EXPECT_FALSE(TablePages::is_table(UnitTag{1, b}));
    EXPECT_FALSE(TablePages::is_table(kLostUnit));
}

TEST(TablePages, AreFreedByTheLastHolder)
{
    TablePages tables(2, 4);
    const u8 one[] = {1, 2, 3, 4}, two[] = {5, 6, 7, 8};
    const u32 a = tables.keep(one);
    tables.hold(a);
    tables.hold(a);
    tables.release(a);
    EXPECT_EQ(tables.in_use(), 1u);
    EXPECT_EQ(tables.bytes(a)[0], 1);
    tables.release(a);
    EXPECT_EQ(tables.in_use(), 0u);
    EXPECT_EQ(tables.keep(two), a);
    EXPECT_EQ(tables.bytes(a)[0], 5);
}

/// A program that fails holds nothing: what is kept next from the same place takes its number. One that
/// reached a flash page keeps it.
TEST(TablePages, OfAFailedProgramAreTakenAgain)
{
    TablePages tables(2, 4);
    const u8 first[4] = {1, 1, 1, 1}, second[4] = {2, 2, 2, 2};
    for (u32 i = 0; i < 100; ++i) {
        EXPECT_EQ(tables.keep(i % 2 == 0 ? first : second, 7), 0u);
    }
    EXPECT_EQ(tables.bytes(0)[0], 2);
    EXPECT_EQ(tables.in_use(), 1u);
    tables.hold(0);
    const u32 other = tables.keep(first, 7);
    EXPECT_EQ(other, 1u);
    EXPECT_EQ(tables.bytes(0)[0], 2);
    EXPECT_EQ(tables.bytes(1)[0], 1);
    EXPECT_THROW(tables.keep(first, 8), ModelError) << "another place has a number of its own";
    tables.release(0);
    EXPECT_EQ(tables.keep(second, 8), 0u);
}

TEST(TablePages, SaySoWhenThereAreTooMany)
{
    TablePages tables(2, 4);
    const u8 one[] = {1, 2, 3, 4};
    const u32 a = tables.keep(one);
    tables.hold(a);
    tables.keep(one);
    EXPECT_THROW(tables.keep(one), ModelError);
    EXPECT_EQ(tables.in_use(), 2u);
    tables.release(a);
    EXPECT_EQ(tables.keep(one), a);
}

} // namespace
} // namespace tlmssd::tb
