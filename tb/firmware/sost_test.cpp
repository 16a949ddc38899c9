// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler sost against the worked examples of the thesis (section 3): figures 1, 6 and 8.
// A read takes 1, a program 10; no bus and no software time. All expected numbers are the examples'.
#include <gmock/gmock.h>

#include <functional>

#include "tb/firmware/device.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

constexpr u64 kNever = ~u64{0};

struct Started {
    u64 time;
    u32 die, lpn;
    friend bool operator==(const Started& a, const Started& b)
    {
        return a.time == b.time && a.die == b.die && a.lpn == b.lpn;
    }
};
void PrintTo(const Started& s, std::ostream* out)
{
    *out << "t" << s.time << " die " << s.die << " LPN " << s.lpn;
}

/// Chip n of the examples is die n - 1. Pages that are only read lie in block 0.
class Sost : public testing::Test {
protected:
    void boot(u32 chips, u32 policy, const std::function<void(fw_config&)>& change = {})
    {
        fw_config c = small_config(chips, 1, 1, 1, 12, 32);
        c.scheduler = FW_SCHED_SOST;
        c.buffer_policy = policy;
        c.t_read_ns = 160000;
        c.t_program_ns = 1600000;
        c.sost_return_reads = 0;
        if (change) {
            change(c);
        }
        device = std::make_unique<Device>(c);
        ends.assign(c.host_tags, kNever);
    }
    void place(u32 lpn, u32 chip, u32 page)
    {
        device->preload(lpn, ftl_ppn(device->f()->ftl, chip - 1, 0, page));
    }
    u32 read(u32 lpn, u32 pages = 1) { return begun(device->issue(HAL_HOST_READ, lpn * 8u, pages * 8)); }
    /// The allocation order comes to this chip next.
    u32 write(u32 lpn, u32 chip, u8 flags = 0)
    {
        device->run();
        device->f()->ftl->counter = chip - 1;
        return begun(device->write_page(lpn, flags));
    }
    u32 begun(u32 tag)
    {
        device->run();
        look();
        return tag;
    }
    /// Note what has started and ended.
    void look()
    {
        for (const Device::Flight& flight : device->flights()) {
            if (flight_ends.count(flight.number) == 0) {
                const u64 units = flight.op.opcode == FLASH_OP_READ ? 1 : 10;
                flight_ends[flight.number] = now + units;
                started.push_back(
                    {now, device->die_of(flight.op), device->f()->ops[flight.op.cookie].lpn});
            }
        }
        for (; seen < device->ended.size(); ++seen) {
            ends[device->ended[seen].tag] = now;
        }
    }
    /// Until `time`, or until nothing is left to happen.
    void run_to(u64 time)
    {
        for (;;) {
            device->run();
            look();
            u64 next = kNever;
            for (const Device::Flight& flight : device->flights()) {
                next = std::min(next, flight_ends[flight.number]);
            }
            if (next > time || next == kNever) {
                now = time == kNever ? now : time;
                return;
            }
            now = next;
            for (std::size_t i = 0; i < device->flights().size();) { // ties: first come, first served
                if (flight_ends[device->flights()[i].number] == now) {
                    device->finish(i);
                } else {
                    ++i;
                }
            }
        }
    }
    void run_all()
    {
        run_to(kNever);
        EXPECT_EQ(device->inside(), 0u);
    }
    u32 die_of_page(u32 lpn) const { return ftl_plane_index(device->f()->ftl, device->f()->ftl->map[lpn] - 1); }
    /// Host pages that were programmed and are not live.
    u64 invalid_pages() const
    {
        u64 live = 0;
        for (u32 lpn = 0; lpn < device->config().logical_pages; ++lpn) {
            live += device->f()->ftl->map[lpn] != 0;
        }
        return device->programs - live;
    }

    std::unique_ptr<Device> device;
    std::map<u64, u64> flight_ends;
    std::vector<Started> started;
    std::vector<u64> ends; ///< by tag
    std::size_t seen = 0;
    u64 now = 0;
};

TEST_F(Sost, Figure1EndsAt20AndAnswersEachRequestWhenItIsDone)
{
    boot(4, FW_BUFFER_NONE, [](fw_config& c) { c.sost_leveler = c.sost_hit_manager = 0; });
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
    EXPECT_THAT(std::vector<Started>(started.end() - 3, started.end()),
                ElementsAre(testing::_, testing::_, Started{10, 0, 1}));
    EXPECT_THAT(started, testing::IsSupersetOf({Started{1, 1, 2}, Started{1, 2, 3}}));
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
        started.clear();
        flight_ends.clear();
        seen = now = 0;
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
    EXPECT_THAT(started, ElementsAre(Started{0, 1, 120}, Started{0, 0, 1}, Started{1, 1, 4}));
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
    EXPECT_EQ(started.back(), (Started{1, 2, 5}));
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
        started.clear();
        flight_ends.clear();
        seen = now = 0;
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
        if (queue_aware) { // 12 0 0, 12 10 0, 12 10 10, 12 20 10, 12 20 20
            EXPECT_THAT(dies, ElementsAre(1, 2, 1, 2, 0));
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
        for (const Started& s : started) {
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
        started.clear();
        flight_ends.clear();
        seen = now = 0;
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

/// Figure 8: one chip. At 0 a write of LPN 9 is in service and one of LPN 5 waits; both came from the
/// cache, by background write-back.
class Figure8 : public Sost {
protected:
    void queue_both(bool hit_manager, u32 return_reads = 0)
    {
        boot(1, FW_BUFFER_LRU, [&](fw_config& c) {
            c.sost_hit_manager = hit_manager;
            c.sost_return_reads = return_reads;
            c.flush_after_us = 50;
        });
        write(9, 1);
        write(5, 1);
        device->fire(FW_ROOM_BUFFER);
        device->run();
        look();
        ASSERT_THAT(started, ElementsAre(Started{0, 0, 9}));
    }
    const queued_page& page_of(u32 lpn) const
    {
        const fw_buffer* b = device->f()->buffer;
        return b->queued[slot_find(b, lpn)];
    }
};

TEST_F(Figure8, AnOverwriteTakesTheQueuedWriteBack)
{
    queue_both(true);
    run_to(1);
    const u32 v2 = write(5, 1, HAL_HOST_FUA);
    run_all();
    EXPECT_EQ(ends[v2], 20u);
    EXPECT_EQ(device->programs, 2u);
    EXPECT_EQ(invalid_pages(), 0u);
    EXPECT_EQ(device->stats().cancelled_writes, 1u);
    device->expect_all_in_flash();
    check_map(*device);
}

TEST_F(Figure8, WithoutTheHitManagerBothVersionsAreProgrammed)
{
    queue_both(false);
    run_to(1);
    const u32 v2 = write(5, 1, HAL_HOST_FUA);
    run_all();
    EXPECT_EQ(ends[v2], 30u);
    EXPECT_EQ(device->programs, 3u);
    EXPECT_EQ(invalid_pages(), 1u);
    EXPECT_EQ(device->stats().cancelled_writes, 0u);
}

TEST_F(Figure8, AWriteInServiceIsNotTakenBack)
{
    queue_both(true);
    run_to(11); // LPN 5 is in service since 10
    const u32 v2 = write(5, 1, HAL_HOST_FUA);
    run_all();
    EXPECT_EQ(ends[v2], 30u);
    EXPECT_EQ(device->programs, 3u);
    EXPECT_EQ(device->stats().cancelled_writes, 0u);
}

TEST_F(Figure8, AWriteThatTheHostWaitsForIsNotTakenBack)
{
    queue_both(true);
    run_to(1);
    const u32 v2 = write(5, 1, HAL_HOST_FUA);
    const u32 v3 = write(5, 1, HAL_HOST_FUA);
    run_all();
    EXPECT_EQ(ends[v2], 20u) << "its data are in flash when it ends";
    EXPECT_EQ(ends[v3], 30u);
    EXPECT_EQ(device->stats().cancelled_writes, 1u);
}

TEST_F(Figure8, ATrimTakesTheQueuedWriteBack)
{
    queue_both(true);
    run_to(1);
    const u32 trim = begun(device->issue(HAL_HOST_TRIM, 5 * 8, 8));
    run_all();
    EXPECT_EQ(ends[trim], 1u);
    EXPECT_EQ(device->programs, 1u);
    EXPECT_EQ(device->stats().cancelled_writes, 1u);
    EXPECT_EQ(device->f()->ftl->map[5], 0u);
}

TEST_F(Figure8, AReadOfAQueuedPageIsAnsweredFromDram)
{
    queue_both(true);
    run_to(2);
    EXPECT_EQ(ends[read(5)], 2u);
    run_to(5);
    EXPECT_EQ(ends[read(9)], 5u); // in service: a hit too
    run_all();
    EXPECT_EQ(device->reads, 0u);
    EXPECT_EQ(device->stats().hit_manager_reads, 2u);
    EXPECT_EQ(now, 20u);
}

TEST_F(Figure8, WithoutTheHitManagerAReadWaitsForTheProgramAndThenReadsFlash)
{
    queue_both(false);
    run_to(2);
    const u32 r5 = read(5);
    run_all();
    EXPECT_EQ(ends[r5], 21u); // response 19
    EXPECT_EQ(device->reads, 1u);
    EXPECT_EQ(device->stats().hit_manager_reads, 0u);
}

TEST_F(Figure8, AReadAfterAnOverwriteGetsTheNewData) // the device checks them
{
    queue_both(true);
    run_to(1);
    write(5, 1, HAL_HOST_FUA);
    run_to(2);
    const u32 r = read(5);
    EXPECT_EQ(ends[r], 2u);
    EXPECT_EQ(page_of(5).overwrites, 1u);
    EXPECT_EQ(page_of(5).reads, 1u); // total hits: 2
    run_all();
    EXPECT_EQ(device->programs, 2u);
}

TEST_F(Figure8, ThreeReadsBringThePageBackAndOneOtherLeavesTheCache)
{
    queue_both(true, 3);
    write(7, 1); // in the cache
    read(5);
    read(5);
    EXPECT_EQ(device->stats().returned_pages, 0u);
    read(5);
    EXPECT_EQ(device->stats().returned_pages, 1u);
    EXPECT_EQ(page_of(5).reads, 3u) << "it takes its count along";
    run_all();
    EXPECT_THAT(started, ElementsAre(Started{0, 0, 9}, Started{10, 0, 7}));
    EXPECT_EQ(device->f()->ftl->map[5], 0u) << "until its next eviction";
    begun(device->flush());
    run_all();
    EXPECT_EQ(started.back(), (Started{20, 0, 5}));
    EXPECT_EQ(device->programs, 3u);
    device->expect_all_in_flash();
    check_map(*device);
}

TEST_F(Figure8, APageDoesNotComeBackWhereTheCacheHasNoneToGive)
{
    queue_both(true, 3);
    read(5);
    read(5);
    read(5);
    read(5);
    run_all();
    EXPECT_EQ(device->stats().returned_pages, 0u);
    EXPECT_EQ(device->programs, 2u);
}

} // namespace
} // namespace tlmssd::tb
