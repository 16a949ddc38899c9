// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the switches of paq, writes beside the clump table, and reads that are translated early.
#include <gmock/gmock.h>

#include "tb/firmware/sets.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr u32 kAll[] = {FW_SCHED_PAQ0, FW_SCHED_PAQ1, FW_SCHED_PAQ2};

class PaqQueue : public QueueSets {
protected:
    PaqQueue() : QueueSets(FW_SCHED_PAQ2) {}
};

/// Two dies of one package with two reads each: one at a time, or one a die.
TEST_F(PaqQueue, TheClusterLimitDecidesBetweenPackageAndDie)
{
    for (const u32 die_limit : {0u, 1u}) {
        boot(1, 1, 2, 1, 4, [&](fw_config& c) { c.paq_cluster_die = die_limit; });
        place(1, 0, 0, 0, 0, 0);
        place(2, 0, 0, 1, 0, 0);
        place(3, 0, 0, 0, 0, 1);
        place(4, 0, 0, 1, 0, 1);
        read(1, 4);
        const std::size_t sets = run().size();
        EXPECT_EQ(sets, die_limit != 0 ? 2u : 4u);
        EXPECT_EQ(makespan, sets);
    }
}

/// Package A: two reads of 3 us; package B: two of 1 us. B's second may go at 1, or in the second
/// clump only, behind A's.
TEST_F(PaqQueue, WaitBlockGoesClumpByClump)
{
    for (const u32 block : {0u, 1u}) {
        boot(2, 1, 1, 1, 4, [&](fw_config& c) { c.paq_wait_block = block; });
        place(1, 0, 0, 0, 0, 0);
        place(2, 0, 0, 0, 0, 1);
        place(3, 1, 0, 0, 0, 0);
        place(4, 1, 0, 0, 0, 1);
        read(1, 4);
        const std::vector<Started> sets = run([](u32 lpn) { return lpn <= 2 ? 3 : 1; });
        if (block != 0) {
            EXPECT_THAT(sets, ElementsAre(Started{0, {1, 3}}, Started{3, {2, 4}}));
        } else {
            EXPECT_THAT(sets, ElementsAre(Started{0, {1, 3}}, Started{1, {4}}, Started{3, {2}}));
        }
    }
}

/// Request #1: four reads of 10 us on die 1; request #2: one on die 2 of the package. Without a
/// limit #2 waits for all of #1. At 15 us both are too old, and need idle dies only.
TEST_F(PaqQueue, TheAgeLimitBoundsTheWaitForThePackage)
{
    for (const u32 block : {0u, 1u}) {
        for (const u32 limit : {0u, 15u}) {
            boot(1, 1, 2, 1, 4, [&](fw_config& c) {
                c.paq_age_limit_us = limit;
                c.paq_wait_block = block;
            });
            for (u32 page = 0; page < 4; ++page) {
                place(1 + page, 0, 0, 0, 0, page);
            }
            place(9, 0, 0, 1, 0, 0);
            read(1, 4);
            read(9);
            const std::vector<Started> sets = run([](u32) { return 10; });
            if (limit != 0) {
                EXPECT_THAT(sets, ElementsAre(Started{0, {1}}, Started{10, {2}}, Started{15, {9}},
                                              Started{20, {3}}, Started{30, {4}}));
            } else {
                EXPECT_THAT(sets, ElementsAre(Started{0, {1}}, Started{10, {2}}, Started{20, {3}},
                                              Started{30, {4}}, Started{40, {9}}));
            }
        }
    }
}

/// One die. A write takes 20 us, a read 1 us.
TEST_F(PaqQueue, AWriteWaitsForOlderReadsOfItsDieOnly)
{
    for (const u32 s : kAll) {
        scheduler = s;
        boot(1, 1, 1, 1, 4);
        place(1, 0, 0, 0, 0, 0);
        place(2, 0, 0, 0, 0, 1);
        place(3, 0, 0, 0, 0, 2);
        device->refuse = true;
        read(1);
        read(2);
        device->run();
        device->write_page(7);
        device->run();
        read(3);
        hold();
        EXPECT_THAT(run([](u32 lpn) { return lpn == 7 ? 20 : 1; }),
                    ElementsAre(Started{0, {1}}, Started{1, {2}}, Started{2, {7}},
                                Started{22, {3}}));
    }
}

/// A head of the queue that waits for its die holds no write back that has another.
TEST_F(PaqQueue, WritesPassTheQueueOfReads)
{
    for (const u32 s : kAll) {
        scheduler = s;
        boot(2, 1, 1, 1, 4);
        place(1, 1, 0, 0, 0, 0);
        place(2, 1, 0, 0, 0, 1);
        read(1);
        read(2);
        device->run();
        device->write_page(7); // the first write goes to channel 0
        EXPECT_THAT(run(), ElementsAre(Started{0, {1, 7}}, Started{1, {2}}));
        EXPECT_EQ(device->stats().reordered, 0u) << "writes are not of the reads' queue";
    }
}

TEST_F(PaqQueue, JoinsProgramsThatAllocationPutsOnThePlanesOfOneDie)
{
    for (const u32 s : kAll) {
        scheduler = s;
        boot(2, 1, 1, 2, 4, [](fw_config& c) {
            const u32 pcwd[4] = {3, 0, 1, 2};
            std::copy(pcwd, pcwd + 4, c.allocation);
            c.buffer_policy = FW_BUFFER_LRU;
        });
        device->issue(HAL_HOST_WRITE, 0, 4 * 8);
        device->run();
        device->flush();
        EXPECT_THAT(run(), ElementsAre(Started{0, {0, 1, 2, 3}}));
        EXPECT_EQ(device->stats().multi_plane_ops, 2u);
        EXPECT_EQ(device->programs, 4u);
        check_map(*device);
    }
}

TEST_F(PaqQueue, JoinsAdjacentPagesOfOneRequestOnAnIdleDie)
{
    for (const u32 s : kAll) {
        scheduler = s;
        boot(1, 1, 1, 2, 4);
        place(1, 0, 0, 0, 0, 3);
        place(2, 0, 0, 0, 1, 3);
        read(1, 2);
        EXPECT_THAT(run(), ElementsAre(Started{0, {1, 2}}));
    }
}

TEST_F(PaqQueue, TriesAgainWhenTheControllerHasSpace)
{
    for (const u32 s : kAll) {
        scheduler = s;
        boot(2, 1, 1, 2, 4);
        place(1, 0, 0, 0, 0, 0);
        place(2, 0, 0, 0, 1, 0); // joined with 1
        place(3, 1, 0, 0, 0, 0);
        read(1, 3);
        hold();
        EXPECT_GE(device->refused, 1u);
        EXPECT_THAT(run(), ElementsAre(Started{0, {1, 2, 3}}));
        EXPECT_EQ(device->stats().multi_plane_ops, 1u);
    }
}

/// The scheduler's module alone, one die: pages of requests that come in interleaved.
TEST(PaqTags, APageThatComesLateHasTheAgeOfItsRequest)
{
    for (const u32 s : {FW_SCHED_PAQ1, FW_SCHED_PAQ2}) {
        fw_config c = small_config(1, 1, 1, 1);
        c.scheduler = s;
        ModuleRig rig(c);
        std::vector<u32> ops;
        for (const u32 request : {1u, 1u, 2u, 0u, 1u}) { // 0: the device's own, a tag for itself
            const u32 op = fw_op_alloc(rig.f());
            fw_op& o = rig.f()->ops[op];
            o.opcode = FLASH_OP_READ;
            o.die = 0;
            o.request = request;
            o.row = static_cast<u32>(ops.size());
            o.flags = FW_OP_TRANSLATED | FW_OP_ASSIGNED;
            fw_message m{};
            m.kind = FW_MSG_OP_PLACED;
            m.a = op;
            rig.deliver(FW_MODULE_SCHED, m);
            ops.push_back(op);
        }
        for (std::size_t i = 0; i < ops.size(); ++i) {
            ASSERT_THAT(rig.submitted, SizeIs(i + 1));
            hal_event event{};
            event.kind = HAL_EVENT_FLASH;
            event.u.flash.tag = rig.submitted[i].tag;
            rig.give(FW_MODULE_SCHED, event);
        }
        std::vector<u32> order;
        for (const flash_op& o : rig.submitted) {
            order.push_back(o.cookie);
        }
        EXPECT_THAT(order, ElementsAre(ops[0], ops[1], ops[4], ops[2], ops[3]));
        EXPECT_EQ(rig.stats().reordered, 1u) << "the last one passed two, and is one";
        EXPECT_TRUE(fw_sched_idle(rig.f()));
    }
}

/// A package of two dies. A read of die 1 does not end, so that the read of LPN 0 on die 0 stays in
/// the clump table, with a physical address in block 0, while die 0 is free for collection.
class PendingRead : public QueueSets {
protected:
    PendingRead() : QueueSets(FW_SCHED_PAQ2)
    {
        boot(1, 1, 2, 1, 4, [](fw_config& c) {
            c.blocks = 12;
            c.gc_threshold = 8;
            c.logical_pages = 24;
        });
        for (u32 lpn = 0; lpn < 4; ++lpn) {
            place(lpn, 0, 0, 0, 0, lpn);
        }
        place(4, 0, 0, 1, 0, 0);
        read(4);
        device->run();
        pending = device->read_page(0);
        device->run();
    }
    /// End all operations of die 0; the one of die 1 stays.
    void finish_die_0()
    {
        device->run();
        for (std::size_t i = 0; i < device->flights().size();) {
            if (device->die_of(device->flights()[i].op) == 0) {
                device->finish(i);
                device->run();
                i = 0;
            } else {
                ++i;
            }
        }
    }
    const struct block& block_0() const { return device->f()->ftl->blocks[0]; }
    u32 pending = 0;
};

TEST_F(PendingRead, KeepsItsBlockFromBeingErased)
{
    ASSERT_THAT(device->flights(), SizeIs(1));
    ASSERT_EQ(block_0().pending, 1u);
    for (const u32 lpn : {1u, 2u, 3u}) { // block 0 keeps one valid page: the one to be read
        device->write_page(lpn);
        finish_die_0();
    }
    for (u32 lpn = 5; lpn < 24; ++lpn) { // every other block that fills has four
        device->write_page(lpn);
        finish_die_0();
    }
    EXPECT_LE(block_0().valid, 1u);
    EXPECT_LE(device->f()->ftl->planes[0].free_count, 8u) << "collection wants a victim";
    EXPECT_TRUE(device->inside(pending));
    EXPECT_EQ(device->erases, 0u);
    device->drain(); // the read of die 1, then LPN 0: its data are checked
    EXPECT_FALSE(device->inside(pending));
    EXPECT_GE(device->erases, 1u) << "and then block 0 is collected";
    EXPECT_EQ(device->f()->ftl->blocks[0].erases, 1u);
    device->expect_all_in_flash();
    check_map(*device);
}

/// The read brings what was written before it came (the device checks the version).
TEST_F(PendingRead, IsNotDisturbedByALaterOverwriteOrTrim)
{
    for (const bool trim : {false, true}) {
        if (trim) {
            pending = device->read_page(0);
            device->issue(HAL_HOST_TRIM, 0, device->spp());
        } else {
            device->write_page(0);
        }
        finish_die_0();
        EXPECT_TRUE(device->inside(pending) || trim);
        device->drain();
        EXPECT_EQ(device->inside(), 0u);
        EXPECT_EQ(device->f()->ftl->map[0] == 0, trim);
        check_map(*device);
    }
}

} // namespace
} // namespace tlmssd::tb
