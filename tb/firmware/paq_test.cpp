// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: paq0, paq1 and paq2 against the worked examples of PAQ's figures 5, 6 and 7 (sections 1
// and 2). All expected sets are those of the tables there, or worked by hand beside the test.
#include <gmock/gmock.h>

#include <numeric>

#include "models/common/hash.h"
#include "tb/firmware/sets.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

class Paq : public QueueSets {
protected:
    Paq() : QueueSets(FW_SCHED_PAQ1) {}
    const paq& table() { return *paq_of(device->f()); }
    /// Of a pending read.
    paq_conflict level(u32 lpn)
    {
        for (u32 op = table().oldest; op != FW_NONE; op = table().link[op].newer) {
            if (device->f()->ops[op].lpn == lpn) {
                return paq_level(device->f(), op);
            }
        }
        throw std::runtime_error("not pending");
    }
    static std::vector<Set> in_order(const std::vector<Started>& sets)
    {
        std::vector<Set> all;
        for (const Started& set : sets) {
            all.push_back(set.lpns);
            std::sort(all.back().begin(), all.back().end());
        }
        return all;
    }
};

/// Section 1.2: 1a 1b = LPN 10 11, 2a..2d = 20..23, 3a = 31, 4a..4c = 40..42; 50 is 1.6b's #5.
class PaqFigure5 : public Paq {
protected:
    struct Place {
        u32 lpn, channel, way, die, plane, page;
    };
    static constexpr Place kPlaces[] = {
        {10, 0, 0, 1, 0, 0}, {11, 0, 0, 1, 0, 1}, {20, 2, 1, 1, 0, 0}, {21, 2, 1, 1, 0, 1},
        {22, 2, 1, 1, 0, 2}, {23, 0, 0, 0, 0, 2}, {31, 1, 1, 0, 1, 1}, {40, 3, 0, 0, 0, 0},
        {41, 3, 0, 0, 0, 1}, {42, 3, 0, 0, 0, 2}, {50, 3, 1, 0, 0, 0}};

    void boot_queue(u32 of_scheduler, bool block = false)
    {
        scheduler = of_scheduler;
        boot(4, 2, 2, 2, 4, [&](fw_config& c) { c.paq_wait_block = block; });
        for (const Place& p : kPlaces) {
            place(p.lpn, p.channel, p.way, p.die, p.plane, p.page);
        }
    }
    void queue_all()
    {
        read(10, 2);
        read(20, 4);
        read(31, 1);
        read(40, 3);
    }
};

TEST_F(PaqFigure5, ClassifiesTheWholeQueue)
{
    boot_queue(FW_SCHED_PAQ2);
    queue_all();
    hold();
    for (const u32 lpn : {10u, 11u, 20u, 21u, 22u, 40u, 41u, 42u}) {
        EXPECT_EQ(level(lpn), PAQ_NODE) << lpn;
    }
    EXPECT_EQ(level(23), PAQ_CLUSTER); // shares the package with 10 and 11, not their die
    EXPECT_EQ(level(31), PAQ_FREE);
}

TEST_F(PaqFigure5, ClassifiesEachPair)
{
    const std::set<std::pair<u32, u32>> node{{10, 11}, {20, 21}, {20, 22}, {21, 22},
                                             {40, 41}, {40, 42}, {41, 42}};
    const std::set<std::pair<u32, u32>> cluster{{10, 23}, {11, 23}};
    const std::set<std::pair<u32, u32>> domain{{40, 50}, {41, 50}, {42, 50}};
    u32 pairs = 0;
    for (const Place& a : kPlaces) {
        for (const Place& b : kPlaces) {
            if (a.lpn >= b.lpn) {
                continue;
            }
            boot_queue(FW_SCHED_PAQ2);
            read(a.lpn);
            read(b.lpn);
            hold();
            const std::pair<u32, u32> pair{a.lpn, b.lpn};
            const auto expected = node.count(pair) != 0      ? PAQ_NODE
                                  : cluster.count(pair) != 0 ? PAQ_CLUSTER
                                  : domain.count(pair) != 0  ? PAQ_DOMAIN
                                                             : PAQ_FREE;
            EXPECT_EQ(level(a.lpn), expected) << a.lpn << " with " << b.lpn;
            EXPECT_EQ(level(b.lpn), expected) << a.lpn << " with " << b.lpn;
            ++pairs;
        }
    }
    EXPECT_EQ(pairs, 55u);
}

/// Table 1.5: each pass in order of channel and package.
TEST_F(PaqFigure5, ClumpsPassByPass)
{
    for (const u32 s : {FW_SCHED_PAQ1, FW_SCHED_PAQ2}) {
        boot_queue(s, true);
        queue_all();
        hold();
        EXPECT_THAT(run(), ElementsAre(Started{0, {10, 31, 20, 40}}, Started{1, {11, 21, 41}},
                                       Started{2, {23, 22, 42}}));
        EXPECT_EQ(makespan, 3u);
        EXPECT_EQ(device->stats().multi_plane_ops, 0u);
        // Older ones left in the queue at each commit: 10 none; 31, 20, 40: 11; 11 and 21 none
        // (31 and 20 have gone); 41: 22; 23: 22; 22 and 42 none.
        EXPECT_EQ(device->stats().reordered, 5u);
    }
}

TEST_F(PaqFigure5, SkippingBusyPackagesGivesTheSameClumpsWhenTimesAreEqual)
{
    for (const u32 s : {FW_SCHED_PAQ1, FW_SCHED_PAQ2}) {
        for (const bool held : {true, false}) {
            boot_queue(s);
            queue_all();
            if (held) {
                hold();
            }
            const std::vector<Started> sets = run();
            EXPECT_THAT(in_order(sets), ElementsAre(Set{10, 20, 31, 40}, Set{11, 21, 41},
                                                    Set{22, 23, 42}));
            EXPECT_EQ(makespan, 3u);
            // Released: #3 at 1, #1 at 2, then #2 and #4 (tags 2, 0, 1, 3).
            ASSERT_EQ(device->ended.size(), 4u);
            EXPECT_EQ(device->ended[0].tag, 2u);
            EXPECT_EQ(device->ended[1].tag, 0u);
        }
    }
}

TEST_F(PaqFigure5, Paq0IsVaqHereBecauseNothingCanBePacked)
{
    boot_queue(FW_SCHED_PAQ0);
    queue_all();
    EXPECT_THAT(run(), ElementsAre(Started{0, {10}}, Started{1, {11, 20}}, Started{2, {21}},
                                   Started{3, {22, 23, 31, 40}}, Started{4, {41}},
                                   Started{5, {42}}));
    EXPECT_EQ(device->stats().reordered, 0u);
}

TEST_F(PaqFigure5, OneRequestAloneIsBoundByItsFullestPackage) // 1.6a
{
    boot_queue(FW_SCHED_PAQ1);
    read(20, 4);
    EXPECT_THAT(run(), ElementsAre(Started{0, {23, 20}}, Started{1, {21}}, Started{2, {22}}));
}

TEST_F(PaqFigure5, ADomainMayBeShared) // 1.6b
{
    boot_queue(FW_SCHED_PAQ1, true);
    queue_all();
    read(50);
    hold();
    EXPECT_THAT(run(), ElementsAre(Started{0, {10, 31, 20, 40, 50}}, Started{1, {11, 21, 41}},
                                   Started{2, {23, 22, 42}}));
}

TEST_F(Paq, ServesTheNodeConflictFirst) // 1.6c: x1 on die 1, x2 and x3 on die 2
{
    for (const u32 s : {FW_SCHED_PAQ1, FW_SCHED_PAQ2}) {
        scheduler = s;
        boot(1, 1, 2, 1, 4);
        place(1, 0, 0, 0, 0, 0);
        place(2, 0, 0, 1, 0, 0);
        place(3, 0, 0, 1, 0, 1);
        read(1, 3);
        EXPECT_THAT(run(), ElementsAre(Started{0, {2}}, Started{1, {1}}, Started{2, {3}}));
    }
}

TEST_F(Paq, ServesTheOldestTagFirstWhateverItsConflict) // 1.6d: y1 on die 1, y2 and y3 on die 2
{
    boot(1, 1, 2, 1, 4);
    place(1, 0, 0, 0, 0, 0);
    place(2, 0, 0, 1, 0, 0);
    place(3, 0, 0, 1, 0, 1);
    read(1);
    read(2, 2);
    hold();
    EXPECT_THAT(run(), ElementsAre(Started{0, {1}}, Started{1, {2}}, Started{2, {3}}));
}

/// 1.6e: the number of clumps is the number of transactions in the fullest package.
TEST_F(Paq, NeedsAsManyClumpsAsTheFullestPackageHasTransactions)
{
    for (u64 seed = 1; seed <= 40; ++seed) {
        for (const u32 dies : {1u, 2u}) {
            std::vector<std::array<u32, 4>> places; // channel, way, die, page
            std::map<std::pair<u32, u32>, u32> of_package;
            for (u32 i = 0; i < 30; ++i) { // each its own page of block 0
                const u32 package = static_cast<u32>(draw_below(draw64(seed, 10, i), 6));
                const u32 die = static_cast<u32>(draw_below(draw64(seed, 11, i), dies));
                places.push_back({package / 2, package % 2, die, i});
                ++of_package[{package / 2, package % 2}];
            }
            u32 fullest = 0;
            for (const auto& [package, count] : of_package) {
                fullest = std::max(fullest, count);
            }
            const auto sets_of = [&](u32 of_scheduler, bool block) {
                scheduler = of_scheduler;
                boot(3, 2, dies, 1, 32, [&](fw_config& c) { c.paq_wait_block = block; });
                for (u32 i = 0; i < 30; ++i) {
                    place(i, places[i][0], places[i][1], places[i][2], 0, places[i][3]);
                }
                for (u32 i = 0; i < 30;) { // requests of 1 to 4 transactions
                    const u32 pages = std::min(
                        30 - i, 1 + static_cast<u32>(draw_below(draw64(seed, 12, i), 4)));
                    read(i, pages);
                    i += pages;
                }
                hold();
                return run().size();
            };
            SCOPED_TRACE("seed " + std::to_string(seed) + ", dies " + std::to_string(dies));
            EXPECT_EQ(sets_of(FW_SCHED_PAQ1, true), fullest);
            EXPECT_EQ(sets_of(FW_SCHED_PAQ1, false), fullest);
            EXPECT_EQ(sets_of(FW_SCHED_PAQ2, true), fullest); // one plane: nothing to pack
            if (dies == 1) { // only then does a taken die block like a taken package
                EXPECT_GE(sets_of(FW_SCHED_VAQ, false), fullest);
            }
        }
    }
}

/// Section 2: A = (0,0,0), B = (1,0,0), C = (0,1,0); requests of two consecutive LPNs.
class PaqFigure7 : public Paq {
protected:
    void boot_queue(u32 of_scheduler)
    {
        scheduler = of_scheduler;
        boot(2, 2, 1, 2, 32);
        place(10, 0, 0, 0, 0, 10); // #1: A plane 0 page 10, B plane 0 page 20
        place(11, 1, 0, 0, 0, 20);
        place(20, 0, 0, 0, 1, 10); // #2: the same on plane 1
        place(21, 1, 0, 0, 1, 20);
        place(30, 0, 1, 0, 0, 30); // #3: C plane 0 page 30, A plane 0 page 12
        place(31, 0, 0, 0, 0, 12);
        place(40, 0, 1, 0, 1, 30); // #4: C plane 1 page 30, A plane 1 page 13
        place(41, 0, 0, 0, 1, 13);
    }
    void queue_all()
    {
        for (const u32 request : {10u, 20u, 30u, 40u}) {
            read(request, 2);
        }
        hold();
    }
};

TEST_F(PaqFigure7, Paq2PacksThreeOperationsOfTheWholeEntry)
{
    boot_queue(FW_SCHED_PAQ2);
    queue_all();
    EXPECT_THAT(run(), ElementsAre(Started{0, {10, 20, 30, 40, 11, 21}}, Started{1, {31}},
                                   Started{2, {41}}));
    EXPECT_EQ(device->stats().multi_plane_ops, 3u);
    EXPECT_EQ(device->stats().flash_operations, 5u);
    EXPECT_EQ(device->reads, 8u) << "pages";
}

TEST_F(PaqFigure7, Paq0PacksTheSameInQueueOrder)
{
    boot_queue(FW_SCHED_PAQ0);
    queue_all();
    EXPECT_THAT(run(), ElementsAre(Started{0, {10, 20, 11, 21, 30, 40}}, Started{1, {31}},
                                   Started{2, {41}}));
    EXPECT_EQ(device->stats().multi_plane_ops, 3u);
    EXPECT_EQ(device->stats().flash_operations, 5u);
    // {10,20} leaves 11, which is older than 20; {11,21} leaves 30, {30,40} leaves 31, older than 40.
    EXPECT_EQ(device->stats().reordered, 2u);
}

TEST_F(PaqFigure7, Paq1DoesNotPack) // A has four reads: 10, 20, 31, 41
{
    boot_queue(FW_SCHED_PAQ1);
    queue_all();
    EXPECT_EQ(run().size(), 4u);
    EXPECT_EQ(device->stats().multi_plane_ops, 0u);
    EXPECT_EQ(device->stats().flash_operations, 8u);
}

TEST_F(PaqFigure7, AnyOrderOfTheRequestsPacksTheSame)
{
    std::vector<u32> order{10, 20, 30, 40};
    u32 orders = 0;
    do {
        for (const u32 s : {FW_SCHED_PAQ0, FW_SCHED_PAQ2}) {
            boot_queue(s);
            for (const u32 request : order) {
                read(request, 2);
            }
            hold();
            run();
            EXPECT_EQ(device->stats().multi_plane_ops, 3u);
            EXPECT_EQ(device->stats().flash_operations, 5u);
        }
        ++orders;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(orders, 24u);
}

/// Paq1 keeps vaq's joining: 10 and 20 one after the other are joined, with 30 between them not.
TEST_F(PaqFigure7, Paq1JoinsOnlyWhatArrivedInARow)
{
    const struct {
        u32 scheduler;
        std::vector<u32> queue;
        u32 joined;
    } cases[] = {{FW_SCHED_PAQ1, {10, 20, 30}, 1}, {FW_SCHED_PAQ1, {10, 30, 20}, 0},
                 {FW_SCHED_PAQ1, {31, 41}, 0},     {FW_SCHED_PAQ2, {10, 30, 20}, 1},
                 {FW_SCHED_PAQ2, {31, 41}, 0},     {FW_SCHED_PAQ0, {10, 30, 20}, 1}};
    for (const auto& c : cases) {
        boot_queue(c.scheduler);
        for (const u32 lpn : c.queue) {
            read(lpn);
        }
        hold();
        run();
        EXPECT_EQ(device->stats().multi_plane_ops, c.joined) << c.scheduler;
        EXPECT_EQ(device->stats().flash_operations, c.queue.size() - c.joined);
    }
}

/// 2 arrives after 1 and leaves; 3 gets its record (the pool is a stack) and would fit to 1, but did
/// not arrive right after it.
TEST_F(Paq, Paq1DoesNotTakeAReusedRecordForANeighbour)
{
    boot(2, 1, 1, 2, 4);
    place(9, 0, 0, 0, 0, 0); // keeps the die busy
    place(1, 0, 0, 0, 0, 3);
    place(2, 1, 0, 0, 0, 0);
    place(3, 0, 0, 0, 1, 3);
    for (const u32 lpn : {9u, 1u, 2u}) {
        read(lpn);
        device->run();
    }
    ASSERT_EQ(device->flights().size(), 2u);
    const u32 record = device->flights()[1].op.cookie;
    device->finish(1);
    device->run();
    read(3);
    device->run();
    ASSERT_EQ(device->f()->ops[record].lpn, 3u);
    EXPECT_THAT(run(), ElementsAre(Started{0, {9}}, Started{1, {1}}, Started{2, {3}}));
}

TEST_F(Paq, PacksUpToAllPlanesOfADie)
{
    for (const u32 s : {FW_SCHED_PAQ0, FW_SCHED_PAQ2}) {
        scheduler = s;
        boot(1, 1, 1, 4, 4);
        for (u32 plane = 0; plane < 4; ++plane) {
            place(plane, 0, 0, 0, plane, 2);
            place(10 + plane, 0, 0, 0, plane, 3);
        }
        for (const u32 lpn : {3u, 11u, 0u, 10u, 2u, 1u}) {
            read(lpn);
        }
        hold();
        EXPECT_THAT(run(), ElementsAre(Started{0, {3, 0, 2, 1}}, Started{1, {11, 10}}));
    }
}

} // namespace
} // namespace tlmssd::tb
