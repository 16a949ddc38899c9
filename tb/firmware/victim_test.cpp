// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: each policy's victim against one found by looking at every block, over random states.
#include <gtest/gtest.h>

#include <list>
#include <set>

#include "tb/firmware/device.h"
extern "C" {
#include "firmware/ftl/gc/victim.h"
}

namespace tlmssd::tb {
namespace {

constexpr u32 kBlocks = 45; // no power of two
constexpr u32 kPages = 6;

/// One plane whose blocks fill, lose pages, get operations and leave at random.
class Victim : public testing::Test {
protected:
    void make(u32 policy, u32 choices = 4, u32 window = 5)
    {
        fw_config c = small_config(1, 1, 1, 2, kBlocks, kPages);
        c.gc_policy = policy;
        c.gc_choices = choices;
        c.gc_window = window;
        rig = std::make_unique<Device>(c, 3);
        ftl = rig->f()->ftl;
    }
    struct block& at(u32 block) { return ftl->blocks[1u << ftl->block_bits | block]; }
    void fill(u32 block)
    {
        at(block).valid = static_cast<u16>(rig->draw(kPages + 1));
        ftl->planes[1].written += kPages;
        gc_block_state(rig->f(), 1, block, BLOCK_FULL);
        order.push_back(block);
        filled[block] = ftl->planes[1].written;
    }
    void empty(u32 block)
    {
        gc_block_state(rig->f(), 1, block, BLOCK_VICTIM);
        gc_block_state(rig->f(), 1, block, BLOCK_FREE);
        order.remove(block);
    }
    void change()
    {
        const u32 block = rig->draw(kBlocks);
        struct block& b = at(block);
        if (b.state != BLOCK_FULL) {
            fill(block);
        } else if (const u32 what = rig->draw(8); what == 0) {
            empty(block);
        } else if (what < 6 && b.valid > 0) { // as ftl_invalidate()
            --b.valid;
            if (ftl->gc->less != nullptr) {
                ftl->gc->less(rig->f(), 1, block);
            }
        } else {
            b.pending = static_cast<u16>(rig->draw(3) == 0);
        }
    }
    bool may_go(u32 block)
    {
        return at(block).state == BLOCK_FULL && at(block).valid < kPages && at(block).pending == 0;
    }
    std::set<u32> candidates()
    {
        std::set<u32> all;
        for (u32 i = 0; i < kBlocks; ++i) {
            if (may_go(i)) {
                all.insert(i);
            }
        }
        return all;
    }
    u32 choose() { return ftl->gc->choose(rig->f(), 1); }
    /// Of the list as it is now: the rule of gc_list_best() in its words.
    u32 best_of_window(u32 window)
    {
        u32 best = FW_NONE;
        u32 seen = 0;
        for (std::size_t left = order.size(); left != 0 && (seen < window || best == FW_NONE); --left) {
            const u32 block = order.front();
            if (at(block).valid == kPages) {
                order.pop_front();
                order.push_back(block);
                continue;
            }
            ++seen;
            passed.push_back(block);
            order.pop_front();
            if (may_go(block) && (best == FW_NONE || at(block).valid < at(best).valid)) {
                best = block;
            }
        }
        order.splice(order.begin(), passed);
        return best;
    }

    std::unique_ptr<Device> rig;
    fw_ftl* ftl = nullptr;
    std::list<u32> order, passed; ///< full blocks, oldest first
    std::map<u32, u32> filled;
};

TEST_F(Victim, OfGreedyHasTheFewestValidPagesAndTheLowestNumber)
{
    make(FW_GC_POLICY_GREEDY);
    for (u32 i = 0; i < 20000; ++i) {
        change();
        u32 expected = FW_NONE;
        for (const u32 block : candidates()) {
            if (expected == FW_NONE || at(block).valid < at(expected).valid) {
                expected = block;
            }
        }
        ASSERT_EQ(choose(), expected) << "step " << i;
    }
}

TEST_F(Victim, OfCostBenefitGainsMostForItsAge)
{
    make(FW_GC_POLICY_COST_BENEFIT);
    for (u32 i = 0; i < 20000; ++i) {
        change();
        u32 expected = FW_NONE;
        long double best = -1;
        for (const u32 block : candidates()) {
            const long double u = static_cast<long double>(at(block).valid) / kPages;
            const long double age = ftl->planes[1].written - filled[block] + 1;
            const long double gain = u == 0 ? 1e30L : age * (1 - u) / (2 * u);
            if (gain > best * (1 + 1e-15L)) {
                best = gain;
                expected = block;
            }
        }
        ASSERT_EQ(choose(), expected) << "step " << i;
    }
}

TEST_F(Victim, OfFifoHasBeenFullLongest)
{
    make(FW_GC_POLICY_FIFO);
    for (u32 i = 0; i < 20000; ++i) {
        change();
        u32 oldest = FW_NONE; // those whose pages are all valid do not count, wherever they are
        for (const u32 block : order) {
            if (may_go(block)) {
                oldest = block;
                break;
            }
        }
        ASSERT_EQ(choose(), oldest) << "step " << i;
        ASSERT_EQ(best_of_window(1), oldest);
    }
}

TEST_F(Victim, OfWindowedGreedyIsTheBestOfTheOldest)
{
    make(FW_GC_POLICY_WINDOWED_GREEDY);
    for (u32 i = 0; i < 20000; ++i) {
        change();
        const u32 expected = best_of_window(5);
        ASSERT_EQ(choose(), expected) << "step " << i;
    }
}

TEST_F(Victim, OfRandomIsAnyThatMayGoAndAllAreDrawn)
{
    make(FW_GC_POLICY_RANDOM);
    for (u32 i = 0; i < 20000; ++i) {
        change();
        const std::set<u32> all = candidates();
        const u32 victim = choose();
        ASSERT_EQ(all.empty(), victim == FW_NONE) << "step " << i;
        ASSERT_TRUE(all.empty() || all.count(victim) == 1) << "step " << i;
    }
    // 45 blocks that may go, 9000 draws: 200 each, standard deviation 14.
    for (u32 block = 0; block < kBlocks; ++block) {
        if (at(block).state != BLOCK_FULL) {
            fill(block);
        }
        at(block).valid = 1;
        at(block).pending = 0;
    }
    std::map<u32, u32> drawn;
    for (u32 i = 0; i < 200 * kBlocks; ++i) {
        ++drawn[choose()];
    }
    for (u32 block = 0; block < kBlocks; ++block) {
        EXPECT_NEAR(drawn[block], 200, 80) << block;
    }
}

/// The k-th best of n is the victim with the chance that all d draws are no better and one is it.
TEST_F(Victim, OfDChoicesIsTheBestOfSoManyDraws)
{
    make(FW_GC_POLICY_D_CHOICES, 3);
    for (u32 i = 0; i < 20000; ++i) {
        change();
        const std::set<u32> all = candidates();
        const u32 victim = choose();
        ASSERT_EQ(all.empty(), victim == FW_NONE) << "step " << i;
        ASSERT_TRUE(all.empty() || all.count(victim) == 1) << "step " << i;
    }
    for (u32 block = 0; block < kBlocks; ++block) { // 9 blocks have 0 pages, 36 have 5
        if (at(block).state != BLOCK_FULL) {
            fill(block);
        }
        at(block).valid = block % 5 == 0 ? 0 : 5;
        at(block).pending = 0;
    }
    u32 good = 0;
    for (u32 i = 0; i < 10000; ++i) {
        good += choose() % 5 == 0;
    }
    // 1 - 0.8^3 = 0.488; standard deviation 50 of 10000
    EXPECT_NEAR(good, 4880, 250);
}

/// The hot path must stay cheap: an invalidation climbs the tree only as far as its block wins.
TEST_F(Victim, OfGreedyCostsTwoStepsAPageOnAverage)
{
    make(FW_GC_POLICY_GREEDY);
    for (u32 block = 0; block < kBlocks; ++block) {
        at(block).valid = kPages;
        gc_block_state(rig->f(), 1, block, BLOCK_FULL);
    }
    const u64 before = rig->f()->step_cycles;
    u32 losses = 0;
    for (u32 round = 0; round < kPages; ++round) {
        for (u32 i = 0; i < kBlocks; ++i, ++losses) {
            const u32 block = i * 7 % kBlocks;
            --at(block).valid;
            ftl->gc->less(rig->f(), 1, block);
        }
    }
    EXPECT_LT(rig->f()->step_cycles - before, 3u * losses * fw_cycles_of[FW_COST_GC_INDEX]);
}

} // namespace
} // namespace tlmssd::tb
