// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the log-block map on one plane of blocks of 8 pages: merges counted by hand.
#include <gtest/gtest.h>

#include "tb/firmware/log_rig.h"

namespace tlmssd::tb {
namespace {

enum { kBast, kFast };
constexpr u32 kPages = 8;

/// Everything that was read back is right, or the device throws.
void check(LogDevice& d)
{
    for (u32 lpn = 0; lpn < d.config().logical_pages; ++lpn) {
        d.read(lpn);
    }
    ASSERT_NO_FATAL_FAILURE(check_map(d));
}

class LogBlock : public testing::TestWithParam<int> {
protected:
    bool fast() const { return GetParam() == kFast; }
};

TEST_P(LogBlock, FirstWritesInOrderAreSwitchesWithoutAnErase)
{
    LogDevice d(log_config(fast(), 2, 4));
    d.write(0, 4 * kPages);
    EXPECT_EQ(merges(d), (Merges{4, 0, 0, 0, 0, 0}));
    EXPECT_EQ(d.stats().gc_blocks_erased, 0u);
    EXPECT_EQ(d.stats().flash_pages_written, 32u);
    check(d);
}

TEST_P(LogBlock, AnOverwriteInOrderIsOneSwitchAndNoCopy)
{
    LogDevice d(log_config(fast(), 2, 4));
    d.write(0, 4 * kPages);
    d.write(kPages, 2 * kPages);
    EXPECT_EQ(merges(d), (Merges{5, 0, 0, 0, 0, 0}));
    EXPECT_EQ(d.stats().gc_blocks_erased, 1u);
    EXPECT_EQ(d.stats().flash_pages_written, d.stats().host_pages_written);
    check(d);
}

// Half of block 0 in order; then block 1 needs the log block: the other half is copied behind it.
TEST_P(LogBlock, HalfABlockInOrderIsAPartialMergeOfTheOtherHalf)
{
    LogDevice d(log_config(fast(), fast() ? 2 : 1, 4));
    d.write(0, 4 * kPages);
    d.write(0, kPages / 2);
    d.write(kPages);
    EXPECT_EQ(merges(d), (Merges{4, 1, 0, kPages / 2, 0, 0}));
    EXPECT_EQ(d.stats().gc_blocks_erased, 1u) << "the old data block";
    check(d);
}

// Pages 3 and 7 were trimmed. The log block has 0 and 1; behind them come 2, a page without data, 4, 5 and 6.
TEST_P(LogBlock, APartialMergeFillsHolesAndStopsAtTheLastLivePage)
{
    LogDevice d(log_config(fast(), fast() ? 2 : 1, 4));
    d.write(0, 4 * kPages);
    d.trim(3);
    d.trim(7);
    d.write(0, 2);
    d.write(kPages);
    EXPECT_EQ(merges(d), (Merges{4, 1, 0, 4, 1, 0}));
    check(d);
}

// Nothing was ever written behind the log block's pages: it becomes the data block as it is.
TEST_P(LogBlock, APartOfABlockThatIsAllThereIsCostsNothing)
{
    LogDevice d(log_config(fast(), fast() ? 2 : 1, 4));
    d.write(0, 3);
    d.write(kPages);
    EXPECT_EQ(merges(d), (Merges{1, 0, 0, 0, 0, 0}));
    check(d);
}

INSTANTIATE_TEST_SUITE_P(Policies, LogBlock, testing::Values(int{kBast}, int{kFast}),
                         [](const auto& p) { return p.param == kFast ? "fast" : "bast"; });

// The log block is full of pages 7 to 0; the next write of the block merges it: N copies, two erases.
TEST(Bast, ABlockOutOfOrderIsAFullMergeOfAllItsPages)
{
    LogDevice d(log_config(false, 2, 4));
    d.write(0, 4 * kPages);
    for (u32 i = 0; i < kPages; ++i) {
        d.write(kPages - 1 - i);
    }
    EXPECT_EQ(merges(d), (Merges{4, 0, 0, 0, 0, 0}));
    d.write(5);
    EXPECT_EQ(merges(d), (Merges{4, 0, 1, kPages, 0, 0}));
    EXPECT_EQ(d.stats().gc_blocks_erased, 2u);
    EXPECT_EQ(d.stats().flash_pages_written, 32u + 9u + kPages);
    check(d);
}

// One page eight times: the full merge takes seven pages of the data block and one of the log block.
TEST(Bast, OnePageOverAndOverFillsALogBlock)
{
    LogDevice d(log_config(false, 2, 4));
    d.write(0, 4 * kPages);
    for (u32 i = 0; i < 3 * kPages; ++i) {
        d.write(4);
    }
    EXPECT_EQ(merges(d), (Merges{4, 0, 2, 2 * kPages, 0, 0})) << "before the 9th and the 17th write";
    check(d);
}

TEST(Bast, APageOfABlockThatWasNeverWrittenHasFillersInFrontOfIt)
{
    LogDevice d(log_config(false, 1, 4));
    d.write(5);
    d.write(kPages);
    EXPECT_EQ(merges(d), (Merges{0, 0, 1, 1, 5, 0}));
    check(d);
}

TEST(Bast, ALogBlockWhosePagesWereTrimmedIsErasedWithoutAMerge)
{
    LogDevice d(log_config(false, 1, 4));
    d.write(0, 4 * kPages);
    d.write(0, 3);
    d.trim(0, 3);
    d.write(kPages);
    EXPECT_EQ(merges(d), (Merges{4, 0, 0, 0, 0, 1}));
    EXPECT_EQ(d.stats().gc_blocks_erased, 1u);
    check(d);
}

TEST(Bast, TheLogBlockWrittenLongestAgoIsMerged)
{
    LogDevice d(log_config(false, 2, 4));
    d.write(0, 4 * kPages);
    d.write(1);          // log block of 0
    d.write(kPages + 1); // of 1
    d.write(2);
    d.write(2 * kPages + 1); // 1 is merged
    EXPECT_EQ(merges(d).fulls, 1u);
    d.write(3); // 0 still has its own
    EXPECT_EQ(merges(d).fulls, 1u);
    d.write(kPages + 2); // 2 was written before 0
    EXPECT_EQ(merges(d).fulls, 2u);
    d.write(4);
    EXPECT_EQ(merges(d).fulls, 2u);
    check(d);
}

/// Two pages of each of four blocks in turn, none the first of its block; then one more.
void scatter(LogDevice& d)
{
    d.write(0, 4 * kPages);
    for (u32 i = 0; i < kPages; ++i) {
        d.write(i % 4 * kPages + 1 + i / 4);
    }
    d.write(5);
}

// Each of the writes 3 to 9 finds both log blocks with others: 7 full merges.
TEST(Bast, ScatteredWritesMergeForEachPage)
{
    LogDevice d(log_config(false, 2, 4));
    scatter(d);
    EXPECT_EQ(merges(d), (Merges{4, 0, 7, 7 * kPages, 0, 0}));
    check(d);
}

// The eight pages share a log block; the ninth has it merged: the four blocks that have pages there.
TEST(Fast, ScatteredWritesShareALogBlock)
{
    LogDevice d(log_config(true, 2, 4));
    scatter(d);
    EXPECT_EQ(merges(d), (Merges{4, 0, 4, 4 * kPages, 0, 0}));
    EXPECT_EQ(d.stats().gc_blocks_erased, 5u) << "four data blocks and the log block";
    check(d);
}

// With one shared log block more, nothing is merged yet; of 17 pages, the first eight are.
TEST(Fast, TheOldestSharedLogBlockIsMergedFirst)
{
    LogDevice d(log_config(true, 3, 6));
    d.write(0, 6 * kPages);
    for (u32 i = 0; i < kPages; ++i) {
        d.write(i % 2 * kPages + 1 + i / 2); // blocks 0 and 1
    }
    for (u32 i = 0; i < kPages; ++i) {
        d.write((2 + i % 4) * kPages + 1 + i / 4); // blocks 2 to 5
    }
    EXPECT_EQ(merges(d).fulls, 0u);
    d.write(5 * kPages + 7);
    EXPECT_EQ(merges(d), (Merges{6, 0, 2, 2 * kPages, 0, 0}));
    check(d);
}

// Pages 0 and 1 are in the sequential log block, 5 and 6 of the same block in the shared one. The merge of the
// shared one leaves the sequential one alone: two pages without data, six copies. Then that goes on as it was.
TEST(Fast, AMergeLeavesTheSequentialLogBlockAsItIs)
{
    LogDevice d(log_config(true, 2, 4));
    d.write(0, 4 * kPages);
    d.write(0, 2);
    for (u32 i = 0; i < kPages; ++i) {
        d.write(5 + i % 2);
    }
    d.write(kPages + 1);
    EXPECT_EQ(merges(d), (Merges{4, 0, 1, 6, 2, 0}));
    d.write(2, kPages);
    EXPECT_EQ(merges(d), (Merges{5, 0, 1, 6, 2, 0}));
    check(d);
}

// A partial merge whose target lacks page 5 in the old data block, because the newest one is in a shared log block.
TEST(Fast, APartialMergeTakesASharedPageInsteadOfAFiller)
{
    LogDevice d(log_config(true, 2, 4));
    d.write(0, 4 * kPages);
    d.write(0, 4);
    d.write(5);
    d.write(kPages);
    EXPECT_EQ(merges(d), (Merges{4, 1, 0, 4, 0, 0}));
    check(d);
}

} // namespace
} // namespace tlmssd::tb
