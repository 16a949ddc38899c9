// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: replacement policies on a few pages, by hand.
#include "tb/firmware/policy_pair.h"
#include "tb/firmware/storm.h"

namespace tlmssd::tb {
namespace {

/// By hand: pages a, b, c, d come in this order, a and b written, c and d read; then b and d are used
/// again. Who leaves, one after the other.
struct Walk {
    u32 policy;
    const char* leaving;
};

class PolicyWalk : public testing::TestWithParam<Walk> {};

TEST_P(PolicyWalk, LeavesInThisOrder)
{
    Pair pair(GetParam().policy);
    for (u32 i = 0; i < 4; ++i) {
        pair.enter(i, i);
        pair.use(i, i < 2);
        pair.idle(i);
    }
    for (const u32 i : {1, 3}) {
        pair.use(i, false);
        pair.idle(i);
    }
    std::string leaving;
    for (u32 n = 0; n < 4; ++n) {
        const u32 victim = pair.victim();
        ASSERT_NE(victim, FW_NONE);
        leaving += static_cast<char>('a' + victim);
        pair.leave(victim);
    }
    EXPECT_EQ(leaving, GetParam().leaving);
    EXPECT_EQ(pair.victim(), FW_NONE);
}

INSTANTIATE_TEST_SUITE_P(
    All, PolicyWalk,
    testing::Values(Walk{FW_BUFFER_FIFO, "abcd"},
                    Walk{FW_BUFFER_LRU, "acbd"},
                    Walk{FW_BUFFER_CLOCK, "abcd"},     // all have their bit: once round
                    Walk{FW_BUFFER_CFLRU, "cdab"},     // all four are in the window
                    Walk{FW_BUFFER_LRU_WSR, "cdab"},   // a and b get their second chance
                    // c is cold and clean, a cold and dirty; b and d are hot: b is dirty and becomes cold,
                    // d is clean and leaves as a cold one.
                    Walk{FW_BUFFER_CCF_LRU, "cadb"}),
    [](const auto& test) { return std::string(kPolicies[test.param.policy]); });

/// By hand, blocks of 4 pages: these pages are written, who leaves?
struct BlockWalk {
    const char* name;
    u32 policy;
    std::vector<u32> written, leaving;
};

class BlockPolicyWalk : public testing::TestWithParam<BlockWalk> {};

TEST_P(BlockPolicyWalk, LeavesInThisOrder)
{
    fw_config c = Pair::config(GetParam().policy);
    c.block_pages = 4;
    c.hot_blocks = 512; // half of them
    c.victim_window = 3;
    c.victim_blocks = 1;
    Pair pair(c);
    std::vector<u32> slot_of(64, FW_NONE);
    u32 slots = 0;
    for (const u32 lpn : GetParam().written) {
        if (slot_of[lpn] == FW_NONE) {
            slot_of[lpn] = slots++;
            pair.enter(slot_of[lpn], lpn);
        }
        pair.use(slot_of[lpn], true);
        pair.idle(slot_of[lpn]);
    }
    std::vector<u32> leaving;
    for (u32 n = 0; n < slots; ++n) {
        const u32 victim = pair.victim();
        ASSERT_NE(victim, FW_NONE);
        leaving.push_back(pair.pages[victim].lpn);
        pair.leave(victim);
    }
    EXPECT_EQ(leaving, GetParam().leaving);
    EXPECT_EQ(pair.victim(), FW_NONE);
}

INSTANTIATE_TEST_SUITE_P(
    All, BlockPolicyWalk,
    testing::Values(
        BlockWalk{"fab_largest_block", FW_BUFFER_FAB, {4, 2, 0, 1, 8, 9}, {0, 1, 2, 8, 9, 4}},
        BlockWalk{"fab_oldest_of_equal_ones", FW_BUFFER_FAB, {4, 5, 0, 1, 4}, {0, 1, 4, 5}},
        BlockWalk{"bplru_oldest_block", FW_BUFFER_BPLRU, {8, 0, 1, 4, 9}, {0, 1, 4, 8, 9}},
        BlockWalk{"bplru_block_written_in_order", FW_BUFFER_BPLRU, {8, 0, 1, 2, 3, 4}, {0, 1, 2, 3, 8, 4}},
        BlockWalk{"bplru_pages_in_parts", FW_BUFFER_BPLRU, {8, 0, 0, 1, 2, 2, 3, 4}, {0, 1, 2, 3, 8, 4}},
        BlockWalk{"bplru_block_not_in_order", FW_BUFFER_BPLRU, {8, 1, 0, 2, 3, 4}, {8, 0, 1, 2, 3, 4}},
        // 8 and 12.. are hot, as two of four blocks may be; of the cold ones 4.. is the largest.
        BlockWalk{"clc_largest_cold_block",
                  FW_BUFFER_CLC,
                  {0, 1, 4, 5, 6, 8, 12, 13, 14, 15},
                  {4, 5, 6, 0, 1, 8, 12, 13, 14, 15}},
        // Window 0 4 1: block 0 is the largest and chosen; then 4 1 5 has page 1 of it, 4 5 2 page 2.
        BlockWalk{"ref_keeps_to_its_victim_block", FW_BUFFER_REF, {0, 4, 1, 5, 2}, {0, 1, 2, 4, 5}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(BlockPolicy, APageUsedWhileItsBlockLeavesBeginsTheBlockAnew)
{
    for (const u32 policy : {FW_BUFFER_FAB, FW_BUFFER_BPLRU, FW_BUFFER_CLC}) {
        fw_config c = Pair::config(policy);
        c.block_pages = 4;
        Pair pair(c);
        for (u32 i = 0; i < 4; ++i) { // 0, 1, 2 of the first block, 4 of the second
            pair.enter(i, i == 3 ? 4 : i);
            pair.use(i, true);
            pair.idle(i);
        }
        EXPECT_EQ(pair.victim(), 0u);
        pair.leave(0);
        pair.use(2, true);
        pair.idle(2);
        EXPECT_EQ(pair.victim(), 1u) << "is still leaving";
        pair.leave(1);
        EXPECT_EQ(pair.victim(), 3u) << "the older of two blocks with one page each";
        pair.leave(3);
        EXPECT_EQ(pair.victim(), 2u);
    }
}

} // namespace
} // namespace tlmssd::tb
