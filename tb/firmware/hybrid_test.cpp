// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler hybrid: reads, writes and hits on the test device: a read takes 1, a program 10; no
// bus and no software time. Each switch on and off; all times by hand from the rules of docs/explanation/hybrid.md.
#include "tb/firmware/sost_rig.h"

#include <array>

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

class Hybrid : public Sost {
protected:
    void boot(u32 chips, const std::function<void(fw_config&)>& change = {})
    {
        forget();
        Sost::boot(chips, FW_BUFFER_NONE, [&](fw_config& c) {
            c.scheduler = FW_SCHED_HYBRID;
            if (change) {
                change(c);
            }
        });
    }
    /// One die of two planes.
    void boot_planes(bool pack)
    {
        boot(1, [&](fw_config& c) {
            c.planes = 2;
            c.hybrid_pack = pack;
        });
    }
    /// `page` of block 0 in `plane` of the device.
    void put(u32 lpn, u32 plane, u32 page)
    {
        device->preload(lpn, ftl_ppn(device->f()->ftl, plane, 0, page));
    }
};

// ---- where writes go ----

TEST_F(Hybrid, AWriteGoesToAFreeDie)
{
    for (const bool late : {true, false}) {
        SCOPED_TRACE(late);
        boot(2, [&](fw_config& c) { c.hybrid_place_late = late; });
        const u32 a = write(1, 1);
        const u32 b = write(2, 1); // the order's die is busy
        run_all();
        EXPECT_EQ(ends[a], 10u);
        EXPECT_EQ(ends[b], late ? 10u : 20u);
        EXPECT_EQ(die_of_page(2), late ? 1u : 0u);
        check_map(*device);
    }
}

TEST_F(Hybrid, WritesThatWaitGoToTheFirstDieThatIsFree)
{
    boot(2);
    place(7, 1, 0);
    write(1, 1);
    write(2, 2);
    run_to(2);
    const u32 c = write(3, 2);
    const u32 r = read(7); // chip 1 has a read when it is free at 10: the write goes to chip 2
    run_all();
    EXPECT_EQ(ends[r], 11u);
    EXPECT_EQ(ends[c], 20u);
    EXPECT_EQ(die_of_page(3), 1u);
}

TEST_F(Hybrid, AgedWritesGoBeforeReads)
{
    boot(1, [](fw_config& c) { c.hybrid_age_limit_us = 30; });
    place(7, 1, 0);
    place(8, 1, 1);
    write(1, 1);
    const u32 w = write(2, 1);
    read(7);
    device->now_us = 30;
    read(8);
    run_all();
    EXPECT_EQ(ends[w], 20u); // both reads behind it; without age it would be 22
}

// ---- planes ----

// A goes alone, to plane 0. Then plane 1 is behind, so that B goes there alone; C and D are in step.
TEST_F(Hybrid, WritesOfBothPlanesShareAProgram)
{
    boot_planes(true);
    const u32 a = write(1, 1), b = write(2, 1), c = write(3, 1), d = write(4, 1);
    run_all();
    EXPECT_THAT((std::vector<u64>{ends[a], ends[b], ends[c], ends[d]}), ElementsAre(10u, 20u, 30u, 30u));
    EXPECT_EQ(device->stats().multi_plane_ops, 1u);
    check_map(*device);
}

// Two dies of two planes; a FLUSH of the cache sends all pages at once: two have a die each, four go two
// by two.
TEST_F(Hybrid, WritesShareAProgramOnlyWhereMoreWaitThanDiesAreFree)
{
    for (const u32 pages : {2u, 4u}) {
        SCOPED_TRACE(pages);
        boot(2, [](fw_config& c) {
            c.planes = 2;
            c.buffer_policy = FW_BUFFER_LRU;
        });
        for (u32 lpn = 1; lpn <= pages; ++lpn) {
            write(lpn, 1);
        }
        ASSERT_EQ(device->stats().flash_operations, 0u); // all in the cache
        const u32 flush = begun(device->flush());
        run_all();
        EXPECT_EQ(ends[flush], 10u);
        EXPECT_EQ(device->stats().multi_plane_ops, pages == 2 ? 0u : 2u);
        std::array<u32, 2> of_die{};
        for (u32 lpn = 1; lpn <= pages; ++lpn) {
            ++of_die.at(die_of_page(lpn) / 2); // it gives the plane
        }
        EXPECT_THAT(of_die, ElementsAre(pages / 2, pages / 2));
        EXPECT_NE(die_of_page(1) / 2, die_of_page(2) / 2) << "neighbours can be read side by side";
        check_map(*device);
    }
}

// Six writes at a time for four dies of four planes: one die gets four, the next ones one each, so that planes go out of
// step and some of the four come back. A die's turn is 16 pages: no die may be more than that and one operation ahead.
TEST_F(Hybrid, EachDieGetsItsShareOfThePages)
{
    constexpr u32 kPages = 3000;
    boot(4, [](fw_config& c) {
        c.planes = 4;
        c.logical_pages = kPages;
        c.buffer_policy = FW_BUFFER_LRU;
    });
    for (u32 lpn = 0; lpn < kPages; lpn += 6) {
        for (u32 i = 0; i < 6; ++i) {
            write(lpn + i, 1);
        }
        begun(device->flush());
        run_all();
    }
    std::array<u32, 4> of_die{};
    for (u32 lpn = 0; lpn < kPages; ++lpn) {
        ++of_die.at(die_of_page(lpn) / 4);
    }
    const auto [least, most] = std::minmax_element(of_die.begin(), of_die.end());
    EXPECT_LE(*most - *least, 20u) << testing::PrintToString(of_die);
}

TEST_F(Hybrid, WithoutPackingEachWriteIsAProgram)
{
    boot_planes(false);
    const u32 a = write(1, 1), b = write(2, 1), c = write(3, 1), d = write(4, 1);
    run_all();
    EXPECT_THAT((std::vector<u64>{ends[a], ends[b], ends[c], ends[d]}), ElementsAre(10u, 20u, 30u, 40u));
    EXPECT_EQ(device->stats().multi_plane_ops, 0u);
}

// 1 is being read; 2 (plane 0) and 4 (plane 1) have one page offset, 3 lies between them.
TEST_F(Hybrid, ReadsOfOneOffsetShareAnOperation)
{
    for (const bool pack : {true, false}) {
        boot_planes(pack);
        put(1, 0, 5);
        put(2, 0, 6);
        put(3, 0, 7);
        put(4, 1, 6);
        put(5, 0, 4);
        read(1);
        read(5); // the die has two
        const u32 b = read(2), c = read(3), d = read(4);
        run_all();
        EXPECT_EQ(ends[b], 3u);
        EXPECT_EQ(ends[d], pack ? 3u : 5u);
        EXPECT_EQ(ends[c], 4u);
    }
}

// As above, with reads of other offsets between: the partner is found 32 reads behind, and no further.
TEST_F(Hybrid, APartnerIsLookedForAmongThirtyTwoReads)
{
    for (const u32 between : {30u, 31u}) {
        SCOPED_TRACE(between);
        boot_planes(true);
        put(0, 0, 0);
        put(1, 0, 1);
        put(2, 0, 2);
        put(3, 1, 2);
        read(0);
        read(1); // the die has two
        const u32 b = read(2);
        for (u32 i = 0; i < between; ++i) {
            put(4 + i, 0, 3 + i % 29); // page 2 is not among them
        }
        read(4, between);
        const u32 d = read(3);
        run_all();
        EXPECT_EQ(ends[b], 3u);
        EXPECT_EQ(ends[d], between == 30 ? 3u : 4u + between); // alone behind all
    }
}

// The die has two reads and takes no third: it joins its lists, and no decision follows.
TEST_F(Hybrid, AReadThatCannotGoIsNotDecidedAbout)
{
    boot(1);
    for (u32 i = 1; i <= 3; ++i) {
        place(i, 1, i);
    }
    read(1);
    read(2);
    const u64 before = device->stats().cycles[FW_MODULE_SCHED];
    read(3);
    u64 cycles = 0;
    for (const fw_cost cost : {FW_COST_SCHED_MESSAGE, FW_COST_SCHED_ENQUEUE, FW_COST_HYBRID_ADD, FW_COST_HYBRID_READ_IN,
                               FW_COST_HYBRID_LINK}) { // the message itself is charged to no module
        cycles += fw_cycles_of[cost];
    }
    EXPECT_EQ(device->stats().cycles[FW_MODULE_SCHED] - before, cycles);
}

// A command of two pages in two planes of a die, and two commands of a page each: these go as they come.
TEST_F(Hybrid, PagesOfACommandWaitForEachOther)
{
    for (const bool one : {true, false}) {
        boot_planes(true);
        put(1, 0, 5);
        put(2, 1, 5);
        one ? read(1, 2) : (read(1), read(2));
        run_all();
        EXPECT_EQ(device->stats().multi_plane_ops, one ? 1u : 0u);
    }
}

// ---- hits ----

// v1 runs until 10; v2 and v3 wait for it and then go together.
TEST_F(Hybrid, WritesThatWaitForAProgramShareTheNext)
{
    for (const bool join : {true, false}) {
        boot(1, [&](fw_config& c) { c.join_writes = join; });
        const u32 v1 = write(5, 1);
        run_to(1);
        const u32 v2 = write(5, 1), v3 = write(5, 1);
        run_all();
        EXPECT_EQ(ends[v1], 10u);
        EXPECT_EQ(ends[v2], 20u);
        EXPECT_EQ(ends[v3], join ? 20u : 30u);
        EXPECT_EQ(device->programs, join ? 2u : 3u);
        EXPECT_EQ(device->stats().joined_writes, join ? 1u : 0u);
        check_map(*device);
    }
}

// The die is busy with page 9, page 5 waits: its younger version takes it along, although the host
// waits for it.
TEST_F(Hybrid, AQueuedWriteIsAcknowledgedWithTheYoungerOneOfItsPage)
{
    boot(1);
    write(9, 1);
    const u32 v1 = write(5, 1), v2 = write(5, 1);
    run_all();
    EXPECT_EQ(ends[v1], 20u);
    EXPECT_EQ(ends[v2], 20u);
    EXPECT_EQ(device->programs, 2u);
    EXPECT_EQ(device->stats().cancelled_writes, 1u);
    EXPECT_EQ(device->stats().joined_writes, 1u);
    EXPECT_EQ(invalid_pages(), 0u);
    device->expect_all_in_flash();
}

// Halves of a page: joined, they need no read of the rest.
TEST_F(Hybrid, HalvesOfAPageGoTogether)
{
    boot(1);
    place(5, 1, 0);
    write(9, 1);
    const u32 half = device->spp() / 2;
    const u32 whole = write(5, 1);
    const u32 a = begun(device->issue(HAL_HOST_WRITE, u64{5} * device->spp(), half));
    const u32 b = begun(device->issue(HAL_HOST_WRITE, u64{5} * device->spp() + half, half));
    run_all();
    EXPECT_THAT((std::vector<u64>{ends[whole], ends[a], ends[b]}), ElementsAre(20u, 20u, 20u));
    EXPECT_EQ(device->reads, 0u);
    device->expect_all_in_flash();
}

TEST_F(Hybrid, ATrimTakesNoAwaitedWriteBack)
{
    boot(1);
    write(9, 1);
    const u32 w = write(5, 1);
    const u32 t = begun(device->issue(HAL_HOST_TRIM, u64{5} * device->spp(), device->spp()));
    run_all();
    EXPECT_EQ(ends[w], 20u);
    EXPECT_EQ(ends[t], 20u);
    EXPECT_EQ(device->stats().cancelled_writes, 0u);
}

TEST_F(Hybrid, ReadsOfQueuedPagesAreAnsweredAtOnce)
{
    for (const bool hits : {true, false}) {
        boot(1, [&](fw_config& c) { c.hit_manager = hits; });
        write(9, 1);
        write(5, 1);
        run_to(3);
        const u32 r = read(5);
        run_all();
        EXPECT_EQ(ends[r], hits ? 3u : 21u); // else after its program, from flash
    }
}

// ---- which read next ----

// Four dies of one channel.
TEST_F(Hybrid, TheWindowBoundsReadsInFlightOldestFirst)
{
    for (const u32 window : {0u, 2u}) {
        boot(1, [&](fw_config& c) {
            c.dies = 4;
            c.hybrid_window = window;
        });
        for (u32 i = 0; i < 4; ++i) {
            put(i, i, 0);
        }
        const u32 a = read(3), b = read(1), c = read(0), d = read(2);
        run_all();
        EXPECT_THAT((std::vector<u64>{ends[a], ends[b]}), ElementsAre(1u, 1u));
        EXPECT_THAT((std::vector<u64>{ends[c], ends[d]}),
                    ElementsAre(window == 0 ? 1u : 2u, window == 0 ? 1u : 2u));
    }
}

// Two pages of window hold two reads of a page, or four of half a page.
TEST_F(Hybrid, TheWindowInSectorsLetsMoreSmallReadsGo)
{
    for (const bool half : {false, true}) {
        boot(1, [&](fw_config& c) {
            c.dies = 4;
            c.hybrid_window_sectors = 2 * c.page_bytes / 512;
        });
        for (u32 i = 0; i < 4; ++i) {
            put(i, i, 0);
        }
        const u32 sectors = half ? device->spp() / 2 : device->spp();
        std::vector<u32> ids;
        for (const u64 page : {3, 1, 0, 2}) {
            ids.push_back(begun(device->issue(HAL_HOST_READ, page * device->spp(), sectors)));
        }
        run_all();
        for (std::size_t i = 0; i < ids.size(); ++i) {
            EXPECT_EQ(ends[ids[i]], half || i < 2 ? 1u : 2u) << half << i;
        }
    }
}

TEST_F(Hybrid, PriorityGoesFirstUntilAgeDoes)
{
    for (const u32 set : {0u, 1u, 2u}) { // off, on, on and aged
        boot(1, [&](fw_config& c) {
            c.hybrid_priorities = set != 0;
            c.hybrid_age_limit_us = 30;
        });
        place(1, 1, 0);
        place(2, 1, 1);
        place(3, 1, 2);
        place(4, 1, 3);
        read(1);
        read(4); // the die has two
        const u32 low = read(2);
        device->now_us = set == 2 ? 30 : 0;
        const u32 high = begun(device->issue(HAL_HOST_READ, u64{3} * device->spp(), device->spp(),
                                             2 << HAL_HOST_PRIORITY_SHIFT));
        run_all();
        EXPECT_EQ(ends[low], set == 1 ? 4u : 3u) << set;
        EXPECT_EQ(ends[high], set == 1 ? 3u : 4u) << set;
    }
}

} // namespace
} // namespace tlmssd::tb
