// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: wear levelling: the next free block, and cold data that leave blocks that are seldom erased.
#include <gtest/gtest.h>

#include <cmath>

#include "tb/firmware/device.h"

namespace tlmssd::tb {
namespace {

/// All 12 blocks of a plane used once and free again, with these erases; in order of becoming free.
class FreeBlocks : public testing::Test {
protected:
    void make(u32 dynamic)
    {
        fw_config c = small_config(1, 1, 1, 1, 12, 1);
        c.wear_dynamic = dynamic;
        rig = std::make_unique<HalLog>(c);
        u32 ppn = 0;
        for (u32 n = 0; n < 12; ++n) {
            ASSERT_TRUE(ftl_write_point_take(rig->f(), 0, true, &ppn));
        }
        constexpr u16 erases[12] = {5, 2, 9, 2, 7, 9, 3, 3, 3, 3, 3, 3};
        for (u32 n = 0; n < 12; ++n) {
            rig->f()->ftl->blocks[n].erases = static_cast<u16>(erases[n] - 1);
            ftl_block_freed(rig->f(), 0, n);
        }
    }
    u32 take()
    {
        u32 ppn = 0;
        EXPECT_TRUE(ftl_write_point_take(rig->f(), 0, true, &ppn));
        return ftl_block_index(rig->f()->ftl, ppn);
    }
    std::vector<u32> take_all()
    {
        std::vector<u32> all;
        for (u32 n = 0; n < 12; ++n) {
            all.push_back(take());
        }
        u32 ppn = 0;
        EXPECT_FALSE(ftl_write_point_take(rig->f(), 0, true, &ppn));
        return all;
    }
    std::unique_ptr<HalLog> rig;
};

TEST_F(FreeBlocks, AreTakenInOrderOfBecomingFreeWithoutLevelling)
{
    make(0);
    EXPECT_EQ(take_all(), (std::vector<u32>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST_F(FreeBlocks, AreTakenByErasesWithDynamicLevelling)
{
    make(1);
    EXPECT_EQ(take_all(), (std::vector<u32>{1, 3, 6, 7, 8, 9, 10, 11, 0, 4, 2, 5}));
    ftl_block_freed(rig->f(), 0, 4); // the list is whole after it has been empty
    ftl_block_freed(rig->f(), 0, 1);
    EXPECT_EQ(take(), 1u);
    EXPECT_EQ(take(), 4u);
}

TEST_F(FreeBlocks, TheMostWornOneTakesColdData)
{
    make(1);
    rig->f()->ftl->planes[0].levelling = 1;
    EXPECT_EQ(take(), 2u);
    EXPECT_EQ(take(), 5u);
    EXPECT_EQ(take(), 4u);
    rig->f()->ftl->planes[0].levelling = 0;
    EXPECT_EQ(take(), 1u);
}

TEST(FreshBlocks, GoBeforeThoseWithErasesAndPastBadOnes)
{
    fw_config c = small_config(1, 1, 1, 1, 12, 1);
    c.wear_dynamic = 1;
    HalLog rig(c);
    fw_mark_bad(rig.f(), 0, 0, 2);
    u32 ppn = 0;
    const auto take = [&] {
        EXPECT_TRUE(ftl_write_point_take(rig.f(), 0, true, &ppn));
        return ftl_block_index(rig.f()->ftl, ppn);
    };
    EXPECT_EQ(take(), 0u);
    EXPECT_EQ(take(), 1u);
    ftl_block_freed(rig.f(), 0, 0);
    for (const u32 block : {3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 0u}) {
        EXPECT_EQ(take(), block);
    }
}

struct Wear {
    u32 least, most;
    double deviation;
};

/// Half of the pages are written once, the others again and again.
Wear age(u32 dynamic, u32 threshold, fw_stats* stats)
{
    fw_config c = small_config(1, 1, 1, 1, 40, 8);
    c.buffer_policy = FW_BUFFER_NONE;
    c.scheduler = FW_SCHED_SERIAL;
    c.wear_dynamic = dynamic;
    c.wear_static = threshold;
    c.logical_pages -= c.pages;
    Device d(c, 9);
    for (u32 i = 0; i < c.logical_pages; ++i) {
        d.write_page(i);
        d.drain();
    }
    for (u32 i = 0; i < 30000; ++i) {
        d.write_page(c.logical_pages / 2 + d.draw(c.logical_pages / 2));
        d.drain();
    }
    d.expect_all_in_flash();
    check_map(d);
    *stats = d.stats();
    Wear w{};
    u64 sum = 0;
    u64 squares = 0;
    fw_wear(d.f(), &w.least, &w.most, &sum, &squares);
    const double mean = static_cast<double>(sum) / c.blocks;
    w.deviation = std::sqrt(static_cast<double>(squares) / c.blocks - mean * mean);
    return w;
}

/// 17 of 40 blocks hold cold data; 30000 writes of 8 a block are 160 erases at least on each of the other 23.
TEST(StaticLevelling, KeepsTheSpreadNearItsThreshold)
{
    fw_stats stats{};
    const Wear none = age(0, 0, &stats);
    EXPECT_EQ(stats.wear_runs, 0u);
    EXPECT_LT(none.least, 3u);
    EXPECT_GT(none.most, 100u);
    const Wear dynamic = age(1, 0, &stats);
    EXPECT_LT(dynamic.least, 3u) << "cold data stay where they are";
    EXPECT_EQ(stats.wear_runs, 0u);
    for (const u32 dynamic_too : {0u, 1u}) {
        const Wear level = age(dynamic_too, 10, &stats);
        // It shows at the end of a round, one cold block is moved a round, and while each of the 17 is,
        // each of the 23 gets no more than one erase: a spread of 10 + 1, and 1 or 2 for the moving.
        EXPECT_LE(level.most - level.least, 13u);
        EXPECT_LT(level.deviation, none.deviation / 10);
        EXPECT_GT(stats.wear_runs, 100u);
        EXPECT_GT(stats.wear_pages_moved, stats.wear_runs);
        EXPECT_LT(stats.wear_pages_moved, stats.gc_pages_moved);
    }
}

} // namespace
} // namespace tlmssd::tb
