// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler sost against the worked examples of the thesis (section 3): figures 1
// and 6, classes and queue-aware allocation. Expected numbers are the examples' or follow from them by
// counting units.
#include "tb/firmware/sost_rig.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

TEST_F(Sost, Figure1EndsAt20AndAnswersEachRequestWhenItIsDone)
{
    boot(4, FW_BUFFER_NONE, [](fw_config& c) { c.sost_leveler = c.hit_manager = 0; });
    place(40, 4, 0);
    place(41, 4, 1);
    const u32 r1[] = {write(1, 1), write(2, 2), write(3, 3)};
    const u32 r2 = read(3);
    const u32 r3 = write(1, 1);
    const u32 r4 = read(40, 2);
    const u32 r5[] = {write(5, 2), write(6, 4)};
    device->f()->ftl->counter = 0; // R3 is placed when its page is free, at 10
    run_all();
    EXPECT_THAT(ends[r1[0]], 10u);
    EXPECT_THAT(ends[r1[1]], 10u);
    EXPECT_THAT(ends[r1[2]], 10u);
    EXPECT_EQ(ends[r2], 11u);
    EXPECT_EQ(ends[r3], 20u);
    EXPECT_EQ(ends[r4], 2u);
    EXPECT_EQ(ends[r5[0]], 20u);
    EXPECT_EQ(ends[r5[1]], 12u);
    EXPECT_EQ(now, 20u);
}

/// Figure 6: the free chips are kept busy for one unit, so that all stands in the queues and has been
/// read as the example says when they look for work.
class Figure6 : public Sost {
protected:
    void queue_all(bool leveler)
    {
        boot(4, FW_BUFFER_NONE, [&](fw_config& c) { c.sost_leveler = leveler; });
        for (u32 i = 0; i < 10; ++i) {
            place(100 + i, 1, i);
        }
        place(120, 2, 0);
        place(121, 3, 0);
        read(120);
        read(121);
        read(100, 10);
        write(4, 4);
        write(1, 1);
        write(2, 1);
        write(3, 1);
    }
};

TEST_F(Figure6, MovesTheWritesThatAreReadLeastAndEndsAtTwoWriteTimes)
{
    queue_all(true);
    read(1);
    read(1);
    read(1);
    read(3);
    run_all();
    EXPECT_EQ(now, 20u);
    EXPECT_EQ(device->stats().reallocated, 2u);
    EXPECT_EQ(die_of_page(1), 0u);
    EXPECT_EQ(die_of_page(2), 1u);
    EXPECT_EQ(die_of_page(3), 2u);
    EXPECT_EQ(die_of_page(4), 3u);
    EXPECT_EQ(device->programs, 4u); // no page twice
    EXPECT_THAT(std::vector<Dispatched>(started.end() - 3, started.end()),
                ElementsAre(testing::_, testing::_, Dispatched{10, 0, 1}));
    EXPECT_THAT(started, testing::IsSupersetOf({Dispatched{1, 1, 2}, Dispatched{1, 2, 3}}));
}

TEST_F(Figure6, WithoutTheLevelerEndsAtFourWriteTimes)
{
    queue_all(false);
    run_all();
    EXPECT_EQ(now, 40u);
    EXPECT_EQ(device->stats().reallocated, 0u);
}

TEST_F(Sost, LevelerHalvesFourWritesOfOneChip) // variant B
{
    for (const bool leveler : {false, true}) {
        forget();
        boot(4, FW_BUFFER_NONE, [&](fw_config& c) { c.sost_leveler = leveler; });
        for (u32 i = 0; i < 10; ++i) {
            place(100 + i, 4, i);
        }
        place(120, 2, 0);
        place(121, 3, 0);
        read(120);
        read(121);
        read(100, 10);
        for (u32 lpn = 1; lpn <= 4; ++lpn) {
            write(lpn, 1);
        }
        run_all();
        // At 1 chips 2 and 3 take one each of the three that wait; the last one stays: 0-10, 10-20.
        EXPECT_EQ(now, leveler ? 20u : 40u);
        EXPECT_EQ(device->stats().reallocated, leveler ? 2u : 0u);
    }
}

TEST_F(Sost, LevelerCannotMoveReads) // variant C
{
    boot(4, FW_BUFFER_NONE, [](fw_config& c) { c.pages = 64; });
    for (u32 i = 0; i < 40; ++i) {
        place(100 + i, 1, i);
    }
    for (u32 i = 0; i < 4; ++i) {
        read(100 + 10 * i, 10);
    }
    run_all();
    EXPECT_EQ(now, 40u);
    EXPECT_EQ(device->stats().reallocated, 0u);
}

TEST_F(Sost, LevelerMovesTheYoungestOfEquals) // variant D
{
    boot(2, FW_BUFFER_NONE);
    place(120, 2, 0);
    read(120);
    for (u32 lpn = 1; lpn <= 4; ++lpn) {
        write(lpn, 1);
    }
    run_to(1);
    EXPECT_THAT(started, ElementsAre(Dispatched{0, 1, 120}, Dispatched{0, 0, 1}, Dispatched{1, 1, 4}));
}

TEST_F(Sost, LevelerTakesFromTheChipWithTheMostWorkInTime)
{
    boot(3, FW_BUFFER_NONE);
    for (u32 i = 0; i < 12; ++i) {
        place(100 + i, 2, i);
    }
    place(120, 3, 0);
    read(120);
    for (u32 lpn = 1; lpn <= 3; ++lpn) {
        write(lpn, 1); // 3 writes: 30
    }
    read(100, 12);
    write(4, 2);
    write(5, 2); // 2 writes and 12 reads: 32
    run_to(1);
    EXPECT_EQ(started.back(), (Dispatched{1, 2, 5}));
}

/// Variant E: 12 writes, 3 a chip, then 30 reads of chip 1.
class QueueAware : public Sost {
protected:
    void queue_all(const std::function<void(fw_config&)>& change)
    {
        boot(4, FW_BUFFER_NONE, change);
        for (u32 i = 0; i < 30; ++i) {
            place(100 + i, 1, i);
        }
        for (u32 lpn = 1; lpn <= 12; ++lpn) {
            write(lpn, 1 + (lpn - 1) % 4); // which is where the queue-aware FTL puts them as well
        }
        for (u32 i = 0; i < 3; ++i) {
            read(100 + 10 * i, 10);
        }
        run_all();
    }
};

TEST_F(QueueAware, FtlCannotHelpTheChipThatGetsTheReads)
{
    queue_all([](fw_config& c) {
        c.queue_aware = c.sost_reads_first = 1;
        c.sost_leveler = 0;
    });
    EXPECT_EQ(now, 60u);
}

TEST_F(QueueAware, LevelerCan)
{
    queue_all([](fw_config& c) { c.sost_reads_first = 1; });
    EXPECT_EQ(now, 50u);
    EXPECT_EQ(device->stats().reallocated, 1u);
}

TEST_F(QueueAware, LevelerFindsNothingMovableInAStrictFifo)
{
    queue_all([](fw_config&) {});
    EXPECT_EQ(now, 60u);
    EXPECT_EQ(device->stats().reallocated, 0u);
}

/// Chip 1 has 12 reads (12 units of array time), the others nothing; five writes (10 each) follow.
TEST_F(Sost, QueueAwareFtlGivesWritesToTheChipWithTheLeastWork)
{
    for (const bool queue_aware : {false, true}) {
        forget();
        boot(3, FW_BUFFER_NONE, [&](fw_config& c) {
            c.queue_aware = queue_aware;
            c.sost_leveler = 0;
        });
        for (u32 i = 0; i < 12; ++i) {
            place(100 + i, 1, i);
        }
        read(100, 12);
        for (u32 lpn = 1; lpn <= 5; ++lpn) {
            begun(device->write_page(lpn)); // the order begins with chip 1
        }
        run_all();
        std::vector<u32> dies;
        for (u32 lpn = 1; lpn <= 5; ++lpn) {
            dies.push_back(die_of_page(lpn));
        }
        if (queue_aware) { // 12 0 0, 12 10 0, 12 10 10, 22 10 10, 22 20 10: within one program all are alike
            EXPECT_THAT(dies, ElementsAre(1, 2, 0, 1, 2));
            EXPECT_EQ(now, 22u);
        } else {
            EXPECT_THAT(dies, ElementsAre(0, 1, 2, 0, 1));
            EXPECT_EQ(now, 32u);
        }
    }
}

/// One chip, busy until 10 with LPN 9; then all that waits goes by class.
class Priorities : public Sost {
protected:
    void queue(const std::function<void(fw_config&)>& change)
    {
        boot(1, FW_BUFFER_NONE, change);
        place(100, 1, 0);
        place(101, 1, 1);
        write(9, 1);
        begun(device->issue(HAL_HOST_WRITE, 1 * 8, 8));
        begun(device->issue(HAL_HOST_READ, 100 * 8, 8));
        begun(device->issue(HAL_HOST_WRITE, 2 * 8, 8, 1 << HAL_HOST_PRIORITY_SHIFT));
        begun(device->issue(HAL_HOST_READ, 101 * 8, 8, 3 << HAL_HOST_PRIORITY_SHIFT));
    }
    std::vector<u32> order()
    {
        run_all();
        std::vector<u32> lpns;
        for (const Dispatched& s : started) {
            lpns.push_back(s.lpn);
        }
        return lpns;
    }
};

TEST_F(Priorities, AreOffInAFifo)
{
    queue([](fw_config& c) {
        c.sost_priorities = 0;
        c.sost_reads_first = 1;
    });
    EXPECT_THAT(order(), ElementsAre(9, 1, 100, 2, 101));
    EXPECT_EQ(device->stats().reordered, 0u);
}

TEST_F(Priorities, OfCommandsComeFirst)
{
    queue([](fw_config&) {});
    EXPECT_THAT(order(), ElementsAre(9, 101, 2, 1, 100));
    EXPECT_EQ(device->stats().reordered, 2u);
}

TEST_F(Priorities, OfReadsAreAboveWritesOfTheSamePriority)
{
    queue([](fw_config& c) { c.sost_reads_first = 1; });
    EXPECT_THAT(order(), ElementsAre(9, 101, 2, 100, 1));
}

TEST_F(Priorities, OfAnAddressRangeCountLikeThoseOfCommands)
{
    queue([](fw_config& c) {
        c.sost_ranges[0] = {100, 101, 2}; // LPN 100 alone
        c.sost_ranges[1] = {0, 200, 0};   // has nothing to add
    });
    EXPECT_THAT(order(), ElementsAre(9, 101, 100, 2, 1));
}

TEST_F(Priorities, YieldToAge)
{
    queue([](fw_config& c) { c.sost_age_limit_us = 500; });
    device->now_us = 500; // all are old now: in order of arrival
    EXPECT_THAT(order(), ElementsAre(9, 1, 100, 2, 101));
}

TEST_F(Priorities, LetWritesThatAreHitOftenWait)
{
    for (const u32 hot_hits : {0u, 2u}) {
        forget();
        boot(1, FW_BUFFER_NONE, [&](fw_config& c) { c.sost_hot_hits = hot_hits; });
        write(9, 1);
        write(1, 1);
        write(2, 1);
        write(3, 1);
        read(1);
        read(1);
        read(2); // once is not often
        if (hot_hits != 0) {
            EXPECT_THAT(order(), ElementsAre(9, 2, 3, 1));
        } else {
            EXPECT_THAT(order(), ElementsAre(9, 1, 2, 3));
        }
    }
}

} // namespace
} // namespace tlmssd::tb
