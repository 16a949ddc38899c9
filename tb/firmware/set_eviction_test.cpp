// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the buffer module with policies that evict in sets: when it asks, what it does with a set, which
// channel the FTL gives it; eviction on demand.
#include "tb/firmware/buffer_rig.h"

namespace tlmssd::tb {
namespace {

/// 16 slots: two are kept free (16 / 8). Two channels.
class SetEviction : public BufferTest {
protected:
    void boot_with(u32 policy, u32 list = 4, u32 on_demand = 0)
    {
        fw_config c = small_config();
        c.lines = 16;
        c.buffer_policy = policy;
        c.cawr_list = list;
        c.evict_on_demand = on_demand;
        rig = std::make_unique<ModuleRig>(c);
    }
    /// A whole write; what it causes stays in `answers` and `ops`.
    void put(u32 lpn)
    {
        write(1, lpn);
        collect();
        ASSERT_FALSE(answers.empty());
        const std::vector<u32> before = ops;
        received(1, answers.at(0).b);
        collect();
        ops.insert(ops.begin(), before.begin(), before.end());
    }
    u32 free() const { return rig->f()->buffer->free_count; }
};

TEST_F(SetEviction, CawrSendsAPageToEachChannelAtOnce)
{
    boot_with(FW_BUFFER_CAWR);
    for (u32 i = 0; i < 14; ++i) {
        put(i < 7 ? 100 + i : 200 + i);
        ASSERT_TRUE(ops.empty());
    }
    put(300); // the fifteenth: one slot is left
    ASSERT_EQ(ops.size(), 2u);
    // 100..103 fill the first list, 104..106 the second.
    EXPECT_EQ(op(0).lpn, 100u);
    EXPECT_EQ(op(0).die, 0u) << "the channel that it wants";
    EXPECT_EQ(op(1).lpn, 104u);
    EXPECT_EQ(op(1).die, 1u);
    EXPECT_EQ(stats().evicted_sets, 1u);
    EXPECT_EQ(free(), 1u);
    const std::vector<u32> both = ops;
    op_done(both[0]);
    op_done(both[1]);
    EXPECT_EQ(free(), 3u);
}

TEST_F(SetEviction, AHitWhileAPageIsProgrammedKeepsIt)
{
    boot_with(FW_BUFFER_CAWR);
    for (u32 i = 0; i < 15; ++i) {
        put(10 * i);
    }
    ASSERT_EQ(ops.size(), 2u);
    const std::vector<u32> both = ops;
    const u32 kept = op(0).lpn;
    read(2, kept);
    collect();
    const u32 slot = expect_answer(FW_MSG_PAGE_READY, 2);
    op_done(both[0]);
    op_done(both[1]);
    EXPECT_EQ(free(), 2u) << "one of two";
    release(slot);
    collect();
    EXPECT_TRUE(ops.empty());
    read(3, kept);
    collect();
    expect_answer(FW_MSG_PAGE_READY, 3);
    EXPECT_EQ(stats().read_hits, 2u);
}

TEST_F(SetEviction, AnIncompleteSetWaitsUntilSomebodyNeedsASlot)
{
    boot_with(FW_BUFFER_CAWR, 16);
    for (u32 i = 0; i < 16; ++i) { // one run: one list
        put(100 + i);
        ASSERT_TRUE(ops.empty()) << i;
    }
    EXPECT_EQ(free(), 0u);
    write(2, 500);
    collect();
    EXPECT_TRUE(answers.empty());
    ASSERT_EQ(ops.size(), 1u);
    EXPECT_EQ(op(0).lpn, 100u);
    EXPECT_EQ(op(0).die, 0u);
    EXPECT_EQ(stats().partial_sets, 1u);
    op_done(ops[0]);
    collect();
    expect_answer(FW_MSG_PAGE_GRANT, 2);
}

TEST_F(SetEviction, FlushDrainsAllLists)
{
    for (const u32 policy : {FW_BUFFER_CAWR, FW_BUFFER_CAVE, FW_BUFFER_GATING}) {
        boot_with(policy, 16);
        const u32 pages = policy == FW_BUFFER_GATING ? 1 : 16;
        for (u32 i = 0; i < pages; ++i) {
            put(100 + i);
            // Two more than slots that shall be free: what has been put aside or listed is drained too.
            for (const u32 o : std::vector<u32>(ops)) {
                op_done(o);
            }
        }
        collect();
        const u32 dirty = rig->f()->buffer->dirty_count;
        ASSERT_GT(dirty, 0u);
        flush(9);
        collect();
        EXPECT_EQ(ops.size(), dirty);
        for (const u32 o : std::vector<u32>(ops)) {
            EXPECT_EQ(rig->f()->ops[o].wanted_channel, FW_NONE) << "by the order";
            op_done(o);
        }
        collect();
        expect_answer(FW_MSG_FLUSH_DONE, 9);
        EXPECT_EQ(rig->f()->buffer->dirty_count, 0u);
        const u64 programs = stats().evicted_sets + stats().partial_sets;
        for (u32 i = 0; i < 10 && policy != FW_BUFFER_GATING; ++i) { // clean pages make room, alone
            put(900 + 2 * i);
            ASSERT_TRUE(ops.empty()) << i;
            ASSERT_EQ(stats().evicted_sets + stats().partial_sets, programs);
        }
    }
}

TEST_F(SetEviction, CaveSharesOutInTurnWhateverThePagesAre)
{
    boot_with(FW_BUFFER_CAVE);
    for (u32 i = 0; i < 15; ++i) {
        put(100 + i);
    }
    ASSERT_EQ(ops.size(), 2u);
    EXPECT_EQ(op(0).lpn, 100u);
    EXPECT_EQ(op(0).die, 0u);
    EXPECT_EQ(op(1).lpn, 101u);
    EXPECT_EQ(op(1).die, 1u);
}

TEST_F(SetEviction, ARequestTakesBackWhatCaveHasPutAside)
{
    boot_with(FW_BUFFER_CAVE);
    // One dirty page and clean ones that are used again: hot. The dirty cold one is put aside first.
    for (u32 i = 0; i < 13; ++i) {
        read(1, 10 * i);
        collect();
        op_done(ops.at(0));
        collect();
        const u32 slot = expect_answer(FW_MSG_PAGE_READY, 1);
        release(slot);
        read(1, 10 * i);
        collect();
        expect_answer(FW_MSG_PAGE_READY, 1);
        release(slot);
    }
    put(777);
    write(2, 888); // the fifteenth slot: somebody has to leave
    collect();
    EXPECT_TRUE(ops.empty()) << "a clean page leaves: free at once";
    EXPECT_EQ(free(), 2u);
    read(3, 777);
    collect();
    expect_answer(FW_MSG_PAGE_READY, 3);
}

TEST_F(SetEviction, GatingWritesAsSoonAsThereIsOneForEachChannel)
{
    boot_with(FW_BUFFER_GATING);
    put(100);
    EXPECT_TRUE(ops.empty());
    EXPECT_EQ(free(), 15u);
    put(101);
    ASSERT_EQ(ops.size(), 2u);
    EXPECT_EQ(op(0).die, 0u);
    EXPECT_EQ(op(1).die, 1u);
    const std::vector<u32> both = ops;
    op_done(both[0]);
    op_done(both[1]);
    EXPECT_EQ(free(), 16u);
    EXPECT_EQ(stats().evicted_sets, 1u);
}

TEST_F(SetEviction, OnDemandOnePageLeavesForOneThatComes)
{
    for (const u32 policy : {FW_BUFFER_CCF_LRU, FW_BUFFER_CAWR}) {
        boot_with(policy, 4, 1);
        for (u32 i = 0; i < 16; ++i) {
            put(10 * i);
            ASSERT_TRUE(ops.empty());
        }
        const std::size_t leaving = policy == FW_BUFFER_CAWR ? 2 : 1; // a set
        write(2, 1000);
        write(3, 2000);
        collect();
        ASSERT_EQ(ops.size(), leaving);
        const std::vector<u32> first = ops;
        op_done(first[0]);
        collect();
        expect_answer(FW_MSG_PAGE_GRANT, 2);
        EXPECT_EQ(ops.size(), 2 - leaving) << "for the other";
        const std::vector<u32> second = ops.empty() ? std::vector<u32>{first[1]} : ops;
        op_done(second[0]);
        collect();
        expect_answer(FW_MSG_PAGE_GRANT, 3);
    }
}

TEST_F(SetEviction, OnDemandEachOnePageLeavesForEachThatComes)
{
    boot_with(FW_BUFFER_CCF_LRU, 4, 2);
    for (u32 i = 0; i < 16; ++i) {
        put(10 * i);
        ASSERT_TRUE(ops.empty());
    }
    for (u16 tag = 2; tag < 5; ++tag) {
        write(tag, 1000u * tag);
    }
    collect();
    EXPECT_EQ(ops.size(), 3u);
}

/// 2 channels x 2 ways x 2 dies x 2 planes: planes 0..7 are channel 0's. Order CWDP.
TEST(DirectedWrite, GoesToTheChannelsPlanesInTheOrder)
{
    for (const u32 points : {0u, 1u}) {
        fw_config c = small_config();
        c.channel_points = points;
        HalLog firmware(c);
        fw* f = firmware.f();
        fw_op o{};
        o.opcode = FLASH_OP_PROGRAM;
        o.wanted_channel = 1;
        std::vector<u32> planes;
        for (u32 i = 0; i < 5; ++i) {
            const u32 plane = ftl_plane_for_op(f, &o);
            planes.push_back(plane);
            ++f->ftl->planes[plane].valid;
            ++f->ftl->planes[plane].unassigned;
        }
        // A page each: plane number = ((channel * 2 + way) * 2 + die) * 2 + plane; channel 1: 8 + 4 way + 2 die
        // + plane, way first, then die. One write point: four pages of the first plane's block.
        const std::vector<u32> each{8, 12, 10, 14, 9};
        const std::vector<u32> filled{8, 8, 8, 8, 12};
        EXPECT_EQ(planes, points != 0 ? filled : each);
        EXPECT_EQ(f->stats.directed_elsewhere, 0u);
        o.wanted_channel = FW_NONE;
        EXPECT_LT(ftl_plane_for_op(f, &o), 8u) << "the order itself has not moved";
    }
}

TEST(DirectedWrite, GoesElsewhereWhereTheChannelHasNoRoom)
{
    HalLog firmware(small_config());
    fw* f = firmware.f();
    for (u32 plane = 8; plane < 16; ++plane) {
        f->ftl->planes[plane].valid = f->ftl->planes[plane].limit;
    }
    fw_op o{};
    o.opcode = FLASH_OP_PROGRAM;
    o.wanted_channel = 1;
    EXPECT_EQ(ftl_plane_for_op(f, &o), 0u);
    EXPECT_EQ(f->stats.directed_elsewhere, 1u);
    for (u32 plane = 0; plane < 8; ++plane) {
        f->ftl->planes[plane].valid = f->ftl->planes[plane].limit;
    }
    EXPECT_EQ(ftl_plane_for_op(f, &o), FW_NONE);
    EXPECT_EQ(f->stats.directed_elsewhere, 1u) << "it waits";
}

} // namespace
} // namespace tlmssd::tb
