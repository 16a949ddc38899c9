// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler vaq against the worked examples of PAQ's figures 5, 6 and 7 (sections 1 and 2).
#include <gmock/gmock.h>

#include <algorithm>

#include "tb/firmware/sets.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

class Vaq : public QueueSets {
protected:
    Vaq() : QueueSets(FW_SCHED_VAQ) {}
};

/// Section 1.2: 1a 1b = LPN 10 11, 2a..2d = 20..23, 3a = 31, 4a..4c = 40..42.
class Figure5 : public Vaq {
protected:
    void boot_queue(const std::function<void(fw_config&)>& change = {})
    {
        boot(4, 2, 2, 2, 4, change);
        place(10, 0, 0, 1, 0, 0);
        place(11, 0, 0, 1, 0, 1);
        place(20, 2, 1, 1, 0, 0);
        place(21, 2, 1, 1, 0, 1);
        place(22, 2, 1, 1, 0, 2);
        place(23, 0, 0, 0, 0, 2);
        place(31, 1, 1, 0, 1, 1);
        place(40, 3, 0, 0, 0, 0);
        place(41, 3, 0, 0, 0, 1);
        place(42, 3, 0, 0, 0, 2);
    }
    void queue_all()
    {
        read(10, 2);
        read(20, 4);
        read(31, 1);
        read(40, 3);
    }
};

TEST_F(Figure5, HasSixRequestSetsOfWhichTwoInterleave)
{
    boot_queue();
    queue_all();
    EXPECT_THAT(run(), ElementsAre(Started{0, {10}}, Started{1, {11, 20}}, Started{2, {21}},
                                   Started{3, {22, 23, 31, 40}}, Started{4, {41}},
                                   Started{5, {42}}));
    EXPECT_EQ(makespan, 6u);
    EXPECT_EQ(device->stats().multi_plane_ops, 0u);
    // Requests end at 2, 4, 4, 6: #1, then #2 with #3, then #4 (tags 0 to 3).
    ASSERT_EQ(device->ended.size(), 4u);
    EXPECT_EQ(device->ended[0].tag, 0u);
    EXPECT_EQ(device->ended[3].tag, 3u);
}

TEST_F(Figure5, IsTheSameWhereABlockedHeadWaitsForAllEarlierRequests)
{
    boot_queue([](fw_config& c) { c.vaq_block_request = 1; });
    queue_all();
    EXPECT_EQ(run().size(), 6u); // with equal times both kinds of blocking coincide (1.4)
    EXPECT_EQ(makespan, 6u);
}

TEST_F(Figure5, OneRequestAloneHasThreeSets) // 1.6a
{
    boot_queue();
    read(20, 4);
    EXPECT_THAT(run(),
                ElementsAre(Started{0, {20}}, Started{1, {21}}, Started{2, {22, 23}}));
}

TEST_F(Figure5, ADomainConflictDoesNotBlock) // 1.6b
{
    boot_queue();
    place(50, 3, 1, 0, 0, 0);
    queue_all();
    read(50);
    const std::vector<Started> sets = run();
    ASSERT_EQ(sets.size(), 6u);
    EXPECT_EQ(sets.back(), (Started{5, {42, 50}}));
}

/// Section 2: A = (0,0,0), B = (1,0,0), C = (0,1,0); requests of two consecutive LPNs.
class Figure7 : public Vaq {
protected:
    void boot_queue(bool join)
    {
        boot(2, 2, 1, 2, 32, [&](fw_config& c) { c.vaq_join = join; });
        place_all();
    }
    void place_all()
    {
        place(10, 0, 0, 0, 0, 10); // #1: A plane 0 page 10, B plane 0 page 20
        place(11, 1, 0, 0, 0, 20);
        place(20, 0, 0, 0, 1, 10); // #2: the same on plane 1
        place(21, 1, 0, 0, 1, 20);
        place(30, 0, 1, 0, 0, 30); // #3: C plane 0 page 30, A plane 0 page 12
        place(31, 0, 0, 0, 0, 12);
        place(40, 0, 1, 0, 1, 30); // #4: C plane 1 page 30, A plane 1 page 13
        place(41, 0, 0, 0, 1, 13);
        place(50, 0, 0, 0, 0, 0); // keeps A busy where a test wants a queue behind it
    }
};

TEST_F(Figure7, ArrivalOrderGivesFourSetsAndNoMultiPlaneOperation)
{
    boot_queue(true);
    for (const u32 request : {10u, 20u, 30u, 40u}) {
        read(request, 2);
    }
    EXPECT_THAT(run(), ElementsAre(Started{0, {10, 11}}, Started{1, {20, 21, 30}},
                                   Started{2, {31, 40}}, Started{3, {41}}));
    EXPECT_EQ(device->stats().multi_plane_ops, 0u);
    EXPECT_EQ(device->stats().flash_operations, 8u);
}

TEST_F(Figure7, NoOrderOfTheRequestsLetsVaqPack)
{
    std::vector<u32> order{10, 20, 30, 40};
    u32 orders = 0;
    do {
        boot_queue(true);
        for (const u32 request : order) {
            read(request, 2);
        }
        run();
        EXPECT_EQ(device->stats().multi_plane_ops, 0u);
        EXPECT_EQ(device->stats().flash_operations, 8u);
        ++orders;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(orders, 24u);
}

TEST_F(Figure7, AdjacentPartnersAreJoinedAlsoAcrossRequests)
{
    for (const bool join : {true, false}) {
        boot_queue(join);
        read(50);
        read(10); // A10
        read(20); // A10 on the other plane: adjacent now
        read(31); // A12 and A13: other planes, but different pages
        read(41);
        const std::vector<Started> sets = run();
        if (join) {
            EXPECT_THAT(sets, ElementsAre(Started{0, {50}}, Started{1, {10, 20}}, Started{2, {31}},
                                          Started{3, {41}}));
        } else {
            EXPECT_EQ(sets.size(), 5u);
        }
        EXPECT_EQ(device->stats().multi_plane_ops, join ? 1u : 0u);
        EXPECT_EQ(device->stats().flash_operations, join ? 4u : 5u);
        EXPECT_EQ(device->reads, 5u) << "pages read";
    }
}

/// 50 holds A while the others queue up. Then 10 and 20, 11 and 21 satisfy the plane rule, though not
/// adjacent; 31 wants plane 0 of A, which 10 has: the first conflict. 41 is on another page than 31.
TEST_F(Figure7, AWindowJoinsOverRequestsUpToTheFirstConflict)
{
    boot(2, 2, 1, 2, 32, [](fw_config& c) { c.vaq_join_window = 8; });
    place_all();
    read(50);
    for (const u32 request : {10u, 20u, 30u, 40u}) {
        read(request, 2);
    }
    EXPECT_THAT(run(), ElementsAre(Started{0, {50}}, Started{1, {10, 20, 11, 21, 30}},
                                   Started{2, {31, 40}}, Started{3, {41}}));
    EXPECT_EQ(device->stats().multi_plane_ops, 2u);
    EXPECT_EQ(device->stats().flash_operations, 7u);
}

TEST_F(Figure7, AWindowTakesNoMoreThanItsSize)
{
    boot(2, 2, 1, 2, 32, [](fw_config& c) { c.vaq_join_window = 2; });
    place_all();
    read(50);
    read(10, 2); // A10, B20 together, so that 20 (A10) finds A busy
    read(20, 2);
    EXPECT_THAT(run(), ElementsAre(Started{0, {50}}, Started{1, {10, 11}}, Started{2, {20, 21}}));
}

TEST_F(Figure7, AWindowWithoutJoiningKeepsToOnePageADie)
{
    boot(2, 2, 1, 2, 32, [](fw_config& c) {
        c.vaq_join_window = 8;
        c.vaq_join = 0;
    });
    place_all();
    read(50);
    read(10, 2);
    read(20, 2);
    EXPECT_THAT(run(), ElementsAre(Started{0, {50}}, Started{1, {10, 11}}, Started{2, {20, 21}}));
    EXPECT_EQ(device->stats().multi_plane_ops, 0u);
}

/// Two dies of one package: one after the other, unless they are committed together.
TEST_F(Vaq, ABusyPackageIsAConflictWhereItIsTheUnit)
{
    for (const u32 window : {1u, 4u}) {
        boot(1, 1, 2, 1, 4, [&](fw_config& c) {
            c.vaq_conflict_dies = c.dies;
            c.vaq_join_window = window;
        });
        place(1, 0, 0, 0, 0, 0);
        place(2, 0, 0, 0, 0, 1);
        place(3, 0, 0, 1, 0, 0);
        read(1); // holds the package while the others queue up
        read(2);
        read(3);
        if (window == 1) {
            EXPECT_THAT(run(), ElementsAre(Started{0, {1}}, Started{1, {2}}, Started{2, {3}}));
        } else {
            EXPECT_THAT(run(), ElementsAre(Started{0, {1}}, Started{1, {2, 3}}));
        }
    }
}

/// Two packages on the first channel, one on the second: the channel's first read holds its second, which holds
/// all behind it.
TEST_F(Vaq, ABusyChannelIsAConflictWhereItIsTheUnit)
{
    for (const bool channel : {false, true}) {
        boot(2, 2, 1, 1, 4, [&](fw_config& c) { c.vaq_conflict_dies = channel ? c.ways * c.dies : c.dies; });
        place(1, 0, 0, 0, 0, 0);
        place(2, 0, 1, 0, 0, 0);
        place(3, 1, 0, 0, 0, 0);
        read(1);
        read(2);
        read(3);
        if (channel) {
            EXPECT_THAT(run(), ElementsAre(Started{0, {1}}, Started{1, {2, 3}}));
        } else {
            EXPECT_THAT(run(), ElementsAre(Started{0, {1, 2, 3}}));
        }
    }
}

/// A read is gathered; collection's copy of another page is assigned behind it and waits for the die; then the map
/// gives that copy to the next read. It must not join the first: the copy is not in flash yet.
TEST(VaqWindow, AReadWaitsForTheCopyThatItReads)
{
    fw_config c = small_config(1, 1, 1, 2);
    c.scheduler = FW_SCHED_VAQ;
    c.vaq_join_window = 8;
    ModuleRig rig(c);
    const auto tell = [&rig](u16 kind, u32 op) {
        fw_message m{};
        m.kind = kind;
        m.a = op;
        rig.deliver(FW_MODULE_SCHED, m);
    };
    const auto make = [&rig](u8 opcode, u8 flags) {
        const u32 op = fw_op_alloc(rig.f());
        rig.f()->ops[op].opcode = opcode;
        rig.f()->ops[op].flags = flags;
        rig.f()->ops[op].channel = rig.f()->ops[op].ce = rig.f()->ops[op].lun = 0;
        return op;
    };
    const auto answer = [&](u16 kind, u32 op, u8 plane) { // page 1 of block 0
        fw_op& o = rig.f()->ops[op];
        o.flags |= FW_OP_TRANSLATED | FW_OP_ASSIGNED;
        o.die = 0;
        o.plane = plane;
        o.ppn = ftl_ppn(rig.f()->ftl, plane, 0, 1);
        ftl_row_op(rig.f(), &o);
        tell(kind, op);
    };
    const auto ends = [&rig](std::size_t i) {
        hal_event event{};
        event.kind = HAL_EVENT_FLASH;
        event.u.flash.tag = rig.submitted.at(i).tag;
        rig.give(FW_MODULE_SCHED, event);
    };
    const u32 first = make(FLASH_OP_READ, 0);
    const u32 second = make(FLASH_OP_READ, 0);
    const u32 copy = make(FLASH_OP_PROGRAM, FW_OP_GC);
    tell(FW_MSG_OP_NEW, first);
    tell(FW_MSG_OP_NEW, second);
    answer(FW_MSG_OP_TRANSLATED, first, 0);
    tell(FW_MSG_OP_PLACED, copy);
    answer(FW_MSG_OP_ASSIGNED, copy, 1);
    answer(FW_MSG_OP_TRANSLATED, second, 1);
    ASSERT_EQ(rig.submitted.size(), 1u);
    EXPECT_EQ(rig.submitted[0].cookie, first);
    EXPECT_EQ(rig.submitted[0].nplanes, 1u);
    ends(0);
    ASSERT_EQ(rig.submitted.size(), 2u);
    EXPECT_EQ(rig.submitted[1].cookie, copy);
    ends(1);
    ASSERT_EQ(rig.submitted.size(), 3u);
    EXPECT_EQ(rig.submitted[2].cookie, second);
}

TEST_F(Vaq, ReadsAndProgramsAreNotJoined)
{
    boot(1, 1, 1, 2, 4);
    place(0, 0, 0, 0, 0, 0);
    read(0);
    device->write_page(5);
    EXPECT_EQ(run().size(), 2u);
    EXPECT_EQ(device->stats().multi_plane_ops, 0u);
}

TEST_F(Vaq, JoinsProgramsThatAllocationPutsOnThePlanesOfOneDie)
{
    boot(2, 1, 1, 2, 4, [](fw_config& c) {
        const u32 pcwd[4] = {3, 0, 1, 2};
        std::copy(pcwd, pcwd + 4, c.allocation);
        c.buffer_policy = FW_BUFFER_LRU;
    });
    device->issue(HAL_HOST_WRITE, 0, 4 * 8);
    device->run();
    device->flush(); // all four programs are queued at one time
    EXPECT_THAT(run(), ElementsAre(Started{0, {0, 1, 2, 3}}));
    EXPECT_EQ(device->stats().multi_plane_ops, 2u);
    EXPECT_EQ(device->stats().flash_operations, 2u);
    EXPECT_EQ(device->programs, 4u);
    check_map(*device);
}

/// #1 on die A takes 3; #2 and #3 on die B, #4 on die C take 1. #3 is blocked by #2 until 1.
TEST_F(Vaq, BlocksUntilTheDieIsFreeOrUntilEarlierRequestsHaveEnded)
{
    for (const u32 whole_request : {0u, 1u}) {
        boot(3, 1, 1, 1, 4, [&](fw_config& c) { c.vaq_block_request = whole_request; });
        place(1, 0, 0, 0, 0, 0);
        place(2, 1, 0, 0, 0, 0);
        place(3, 1, 0, 0, 0, 1);
        place(4, 2, 0, 0, 0, 0);
        for (u32 lpn = 1; lpn <= 4; ++lpn) {
            read(lpn);
        }
        const u64 unblocked = whole_request != 0 ? 3 : 1;
        EXPECT_THAT(run([](u32 lpn) { return lpn == 1 ? 3 : 1; }),
                    ElementsAre(Started{0, {1, 2}}, Started{unblocked, {3, 4}}));
    }
}

TEST_F(Vaq, AnUnmappedReadLeavesTheQueueWithoutAFlashOperation)
{
    boot(1, 1, 1, 1, 4);
    place(1, 0, 0, 0, 0, 0);
    place(3, 0, 0, 0, 0, 1);
    read(1, 3); // LPN 2 was never written
    EXPECT_THAT(run(), ElementsAre(Started{0, {1}}, Started{1, {3}}));
    EXPECT_EQ(device->reads, 2u);
}

TEST_F(Vaq, TriesAgainWhenTheControllerHasSpace)
{
    boot(2, 1, 1, 2, 4);
    place(1, 0, 0, 0, 0, 0);
    place(2, 0, 0, 0, 1, 0); // joined with 1
    place(3, 1, 0, 0, 0, 0);
    device->refuse = true;
    read(1, 3);
    device->run();
    EXPECT_GE(device->refused, 1u);
    EXPECT_TRUE(device->flights().empty());
    device->refuse = false;
    hal_event event{};
    event.kind = HAL_EVENT_FLASH_SPACE;
    device->post(FW_MODULE_SCHED, event);
    EXPECT_THAT(run(), ElementsAre(Started{0, {1, 2, 3}}));
    EXPECT_EQ(device->stats().multi_plane_ops, 1u);
}

} // namespace
} // namespace tlmssd::tb
