// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ftl.placement = queue_aware by hand: a die without work first, then dies with at most one program
// more than the mean, in the order. A read takes 1, a program 10; expected dies follow by counting units.
#include "tb/firmware/sost_rig.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

class QueueAwarePlacement : public Sost {
protected:
    void boot(u32 chips, const std::function<void(fw_config&)>& change = {})
    {
        Sost::boot(chips, FW_BUFFER_NONE, [&](fw_config& c) {
            c.queue_aware = 1;
            c.sost_leveler = 0;
            if (change) {
                change(c);
            }
        });
    }
    /// Pages 100, 101, ... of chip 1 are read once each, without an end so far.
    void read_chip_1(u32 pages)
    {
        for (u32 i = 0; i < pages; ++i) {
            place(100 + i, 1, i);
        }
        for (u32 i = 0; i < pages; i += 8) {
            read(100 + i, std::min(8u, pages - i));
        }
    }
    /// The order goes on where it is.
    void write_next(u32 lpn) { begun(device->write_page(lpn)); }
    /// Planes over the device of these LPNs, when all has ended: with one plane a die the dies.
    std::vector<u32> planes_of(u32 first, u32 count)
    {
        run_all();
        std::vector<u32> planes;
        for (u32 lpn = first; lpn < first + count; ++lpn) {
            planes.push_back(die_of_page(lpn));
        }
        return planes;
    }
};

TEST_F(QueueAwarePlacement, EqualQueuesKeepTheOrder)
{
    boot(4);
    for (u32 lpn = 1; lpn <= 10; ++lpn) {
        write_next(lpn);
    }
    EXPECT_THAT(planes_of(1, 10), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 0, 1));
    EXPECT_EQ(device->f()->stats.turns_passed, 0u);
}

TEST_F(QueueAwarePlacement, IdleDiesComeBeforeBusyOnesHoweverLittleThoseHaveToDo)
{
    boot(3);
    read_chip_1(1);
    for (u32 lpn = 1; lpn <= 5; ++lpn) { // 1 0 0, 1 10 0, 1 10 10, 11 10 10, 11 20 10
        write_next(lpn);
    }
    EXPECT_THAT(planes_of(1, 5), ElementsAre(1, 2, 0, 1, 2));
    EXPECT_EQ(device->f()->stats.turns_passed, 1u);
}

/// Chips 2 and 3 have a program each, chip 1 r reads and its turn. Mean and one program: (r + 20) / 3 + 10.
TEST_F(QueueAwarePlacement, ADieKeepsItsTurnUpToOneProgramAboveTheMean)
{
    for (const u32 reads : {25u, 26u}) { // 3 r <= r + 50
        boot(3);
        write(1, 2);
        write(2, 3);
        read_chip_1(reads);
        write_next(3);
        EXPECT_THAT(planes_of(3, 1), ElementsAre(reads == 25 ? 0u : 1u)) << reads;
    }
}

/// The same where a page takes 1 on the bus: a read is 2, a program 11, so 6 r <= 2 r + 22 + 33.
TEST_F(QueueAwarePlacement, TimeOnTheBusIsWork)
{
    for (const u32 reads : {13u, 14u}) {
        boot(3, [](fw_config& c) { c.t_sector_ns = c.t_read_ns / 8; });
        write(1, 2);
        write(2, 3);
        read_chip_1(reads);
        write_next(3);
        EXPECT_THAT(planes_of(3, 1), ElementsAre(reads == 13 ? 0u : 1u)) << reads;
    }
}

/// Two planes a die: the order has chips 1, 2, 3 and then the same again for the other plane. Chip 1 reads.
TEST_F(QueueAwarePlacement, ABusyDiePassesTheTurnOfOnePlaneAndKeepsThatOfTheOther)
{
    boot(3, [](fw_config& c) { c.planes = 2; });
    place(100, 1, 0);
    read(100);
    for (u32 lpn = 1; lpn <= 4; ++lpn) { // 1 0 0, 1 10 0, 1 10 10: from here on nothing is idle
        write_next(lpn);
    }
    EXPECT_THAT(planes_of(1, 4), ElementsAre(2, 4, 1, 3)); // planes over the device: two of each die
}

/// What is read, programmed, moved and erased under garbage collection leaves every die's work at 0.
TEST_F(QueueAwarePlacement, NothingIsLeftOfTheWorkWhenAllHasEnded)
{
    boot(3);
    for (u32 i = 0; i < 3 * 12 * 32; ++i) {
        write_next(i * 7 % device->config().logical_pages);
        run_all();
    }
    EXPECT_GT(device->f()->stats.gc_blocks_erased, 0u);
    check_map(*device);
}

} // namespace
} // namespace tlmssd::tb
