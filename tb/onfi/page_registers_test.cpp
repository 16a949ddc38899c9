// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which planes of a LUN have data for the bus, after each kind of read.
#include <gtest/gtest.h>

#include "models/onfi/checker/page_registers.h"

namespace tlmssd::tb {
namespace {

using onfi::PageRegisters;

constexpr u32 kBoth = 0b11;

TEST(PageRegisters, AreEmptyAtTheStart)
{
    PageRegisters r;
    EXPECT_FALSE(r.readable());
    EXPECT_EQ(r.loaded(), 0u);
    EXPECT_FALSE(r.holds_any_copy());
}

TEST(PageRegisters, ReadFillsItsPlanesAndMayFeedACacheRead)
{
    PageRegisters r;
    r.begin_read(false);
    r.finish_read(0b10, true, 5);
    EXPECT_FALSE(r.readable()); // plane 0
    r.select(1);
    EXPECT_TRUE(r.readable());
    EXPECT_EQ(r.loaded(), 0b10u);
    EXPECT_EQ(r.read_page(), 5u);
    EXPECT_FALSE(r.holds_copy(1));
}

TEST(PageRegisters, AfterABrokenReadNothingFeedsACacheRead)
{
    PageRegisters r;
    r.begin_read(false);
    r.finish_read(0b01, false, 0);
    EXPECT_TRUE(r.readable());
    EXPECT_EQ(r.loaded(), 0u);
}

TEST(PageRegisters, CopybackReadKeepsItsPageUntilItIsDropped)
{
    PageRegisters r;
    r.begin_read(true);
    r.finish_read(kBoth, true, 0);
    EXPECT_TRUE(r.holds_copy(0));
    EXPECT_EQ(r.loaded(), 0u);
    r.drop(0);
    EXPECT_FALSE(r.holds_copy(0));
    EXPECT_FALSE(r.readable());
    EXPECT_TRUE(r.holds_copy(1));
}

TEST(PageRegisters, CacheReadsPutOutThePagesBeforeThem)
{
    PageRegisters r;
    r.begin_read(false);
    r.finish_read(kBoth, true, 0);
    r.drop(0);
    r.set_column(100);
    r.begin_cache_read(0b01, 1); // 31h
    EXPECT_EQ(r.column(), 0u);
    EXPECT_TRUE(r.caching());
    r.finish_cache_read();
    EXPECT_TRUE(r.readable());
    EXPECT_EQ(r.loaded(), 0b01u);
    EXPECT_EQ(r.read_page(), 1u);
    r.begin_cache_end(); // 3Fh
    EXPECT_FALSE(r.caching());
    r.finish_cache_end();
    EXPECT_TRUE(r.readable());
    EXPECT_EQ(r.loaded(), 0u);
}

TEST(PageRegisters, ProgramOfAnotherLunTakesWhatIsOnItsWay)
{
    PageRegisters r;
    r.begin_read(false);
    r.finish_read(0b01, true, 0);
    r.begin_cache_read(0b01, 1);
    r.drop_with_loading();
    r.finish_cache_read();
    EXPECT_FALSE(r.readable());
    EXPECT_EQ(r.loaded(), 0u);
}

} // namespace
} // namespace tlmssd::tb
