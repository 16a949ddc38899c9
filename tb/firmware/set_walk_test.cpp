// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what policies that evict in sets do with a few pages, by hand: the paper's Table 1, and blocks.
#include "tb/firmware/slow_set_policies.h"

namespace tlmssd::tb {
namespace {

using namespace set_models;

/// The paper's Table 1, of what is here: two runs of pages, all dirty, then a clean page.
struct Row {
    u32 policy, over;
    bool asymmetry, pattern, parallel;
};

class Table1 : public testing::TestWithParam<Row> {};

TEST_P(Table1, Holds)
{
    fw_config c = config_of(GetParam().policy, GetParam().over);
    c.channels = 2;
    SetRig rig(c);
    for (u32 i = 0; i < 8; ++i) { // 100 101 102 103 500 501 502 503
        rig.enter(i, (i < 4 ? 100 : 500) + i % 4);
        rig.use(i, true);
        rig.idle(i);
    }
    rig.enter(8, 900);
    rig.use(8, false);
    rig.idle(8);
    bool asymmetry = false;
    bool parallel = true;
    std::map<u32, std::set<u32>> channels; // of each run
    u32 turn = 0;                          // of the FTL, where a page wants no channel
    for (u32 left = 8; left != 0;) {
        const Set set = rig.victims(true);
        ASSERT_FALSE(set.empty());
        if (set[0].slot == 8) {
            asymmetry = asymmetry || left == 8; // though it is the youngest
            rig.leave(8);
            continue;
        }
        parallel = parallel && set.size() == 2;
        for (const Leaving& l : set) {
            channels[rig.pages[l.slot].lpn / 100].insert(l.channel == FW_NONE ? turn++ % 2 : l.channel);
            rig.leave(l.slot);
            --left;
        }
    }
    EXPECT_EQ(asymmetry, GetParam().asymmetry);
    EXPECT_EQ(channels[1].size() == 1 && channels[5].size() == 1, GetParam().pattern);
    EXPECT_EQ(parallel, GetParam().parallel);
}

INSTANTIATE_TEST_SUITE_P(All, Table1,
                         testing::Values(Row{FW_BUFFER_CFLRU, 0, true, false, false},
                                         Row{FW_BUFFER_LRU_WSR, 0, true, false, false},
                                         Row{FW_BUFFER_CCF_LRU, 0, true, false, false},
                                         Row{FW_BUFFER_GATING, 0, false, false, true},
                                         Row{FW_BUFFER_CAVE, FW_BUFFER_LRU, false, false, true},
                                         Row{FW_BUFFER_CAVE, FW_BUFFER_FIFO, false, false, true},
                                         Row{FW_BUFFER_CAWR, 0, true, true, true},
                                         Row{FW_BUFFER_CAWR_BLOCK, FW_BUFFER_FAB, true, true, true}),
                         [](const auto& test) {
                             return name_of({test.param.policy, test.param.over, 0});
                         });

/// Two channels; blocks A of two dirty pages, B and C of three, and a clean page before C's; in order of use.
struct BlockWalk : SetRig {
    static constexpr u32 kA = 0, kB = 2, kC = 5, kClean = 8;
    explicit BlockWalk(u32 policy)
        : SetRig([&] {
              fw_config c = config_of(policy, FW_BUFFER_BPLRU);
              c.channels = 2;
              return c;
          }())
    {
        const u32 lpns[] = {41, 42, 81, 82, 83, 121, 122, 123, 120};
        for (u32 i = 0; i < 9; ++i) {
            enter(i, lpns[i]);
            use(i, i != kClean);
            idle(i);
        }
    }
    Set next()
    {
        const Set set = victims(true);
        for (const Leaving& l : set) {
            leave(l.slot);
        }
        return set;
    }
};

TEST(BlockWalk, CawrKeepsABlocksChannel)
{
    BlockWalk w(FW_BUFFER_CAWR_BLOCK);
    EXPECT_EQ(w.next(), (Set{{w.kClean, FW_NONE}})); // C waits for a list, its clean page does not
    EXPECT_EQ(w.next(), (Set{{w.kA, 0}, {w.kB, 1}}));
    EXPECT_EQ(w.next(), (Set{{w.kA + 1, 0}, {w.kB + 1, 1}}));
    EXPECT_EQ(w.next(), (Set{{w.kC, 0}, {w.kB + 2, 1}})); // C where A was
    EXPECT_EQ(w.next(), (Set{{w.kC + 1, 0}}));
    EXPECT_EQ(w.next(), (Set{{w.kC + 2, 0}}));
    EXPECT_EQ(w.next(), Set{});
    EXPECT_EQ(w.f()->stats.evicted_sets, 3u);
    EXPECT_EQ(w.f()->stats.partial_sets, 2u);
}

TEST(BlockWalk, CaveTakesBlocksInTurnAnewEachTime)
{
    BlockWalk w(FW_BUFFER_CAVE);
    EXPECT_EQ(w.next(), (Set{{w.kClean, FW_NONE}}));
    EXPECT_EQ(w.next(), (Set{{w.kA, 0}, {w.kB, 1}}));
    EXPECT_EQ(w.next(), (Set{{w.kA + 1, 0}, {w.kB + 1, 1}}));
    EXPECT_EQ(w.next(), (Set{{w.kB + 2, 0}, {w.kC, 1}})); // B is the first now
    EXPECT_EQ(w.next(), (Set{{w.kC + 1, 0}}));
    EXPECT_EQ(w.next(), (Set{{w.kC + 2, 1}}));
    EXPECT_EQ(w.next(), Set{});
}

/// A write to a page that stands in a channel's list: the page goes back to the working region, the others stay.
TEST(BlockWalk, AUseTakesAPageOut)
{
    BlockWalk w(FW_BUFFER_CAWR_BLOCK);
    w.next(); // the clean one
    w.use(w.kA, true);
    w.use(w.kC, true); // its block was given up, but has no list yet
    w.idle(w.kA);
    w.idle(w.kC);
    EXPECT_EQ(w.next(), (Set{{w.kA + 1, 0}, {w.kB, 1}}));
    EXPECT_EQ(w.next(), (Set{{w.kC + 1, 0}, {w.kB + 1, 1}})); // the rest of C, which was given up with it
    EXPECT_EQ(w.next(), (Set{{w.kC + 2, 0}, {w.kB + 2, 1}}));
    EXPECT_EQ(w.next(), (Set{{w.kA, 0}, {w.kC, 1}})); // blocks of one page, in order of use
    EXPECT_EQ(w.next(), Set{});
}

} // namespace
} // namespace tlmssd::tb
