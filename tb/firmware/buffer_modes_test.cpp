// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the page buffer where it keeps nothing clean, where it writes through, where blocks are padded
// and where it reads ahead.
#include "tb/firmware/buffer_rig.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class BufferModes : public BufferTest {
protected:
    void boot_as(u32 policy, const std::function<void(fw_config&)>& change)
    {
        fw_config c = small_config();
        c.lines = 64;
        c.buffer_policy = policy;
        change(c);
        rig = std::make_unique<ModuleRig>(c);
    }
    u32 free_lines() const { return rig->f()->buffer->free_count; }
    /// A read of a page from beginning to end, whether the flash is asked or not.
    void read_through(u16 tag, u32 lpn)
    {
        read(tag, lpn);
        collect();
        if (answers.empty()) {
            op_done(ops.at(0));
            std::vector<u32> others(ops.begin() + 1, ops.end());
            collect();
            others.insert(others.end(), ops.begin(), ops.end());
            ops = others; // what else it began
        }
        const u32 slot = expect_answer(FW_MSG_PAGE_READY, tag);
        release(slot);
    }
    std::vector<u32> lpns() const
    {
        std::vector<u32> all;
        for (std::size_t i = 0; i < ops.size(); ++i) {
            all.push_back(op(i).lpn);
        }
        return all;
    }
};

TEST_F(BufferModes, ReadsThatBypassLeaveNothingBehind)
{
    boot_as(FW_BUFFER_LRU, [](fw_config& c) { c.reads_bypass = 1; });
    read_through(1, 7);
    EXPECT_EQ(free_lines(), 64u);
    fill(2, 7);
    EXPECT_EQ(free_lines(), 63u) << "what is written stays";
    read(3, 7);
    collect();
    release(expect_answer(FW_MSG_PAGE_READY, 3)); // a hit
    EXPECT_EQ(free_lines(), 63u);
    flush(4);
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    op_done(ops[0]);
    EXPECT_EQ(free_lines(), 64u) << "clean now, so it goes";
}

/// Of pages 0 and 1, which are written, page 0 is read again: without reads the order is that of writes.
TEST_F(BufferModes, ReadsThatBypassAreNoUseForThePolicy)
{
    for (const u32 bypass : {0u, 1u}) {
        boot_as(FW_BUFFER_LRU_WSR, [&](fw_config& c) { c.reads_bypass = bypass; });
        fill(1, 0);
        fill(2, 1);
        read(3, 0);
        collect();
        release(expect_answer(FW_MSG_PAGE_READY, 3));
        const u32 victim = rig->f()->buffer->policy->victim(rig->f());
        ASSERT_NE(victim, FW_NONE);
        EXPECT_EQ(rig->f()->buffer->lines[victim].lpn, 1 - bypass);
    }
}

TEST_F(BufferModes, WriteThroughAcknowledgesFromFlashAndKeepsThePage)
{
    for (u32 policy = FW_BUFFER_NONE + 1; policy < FW_BUFFER_COUNT; ++policy) {
        if (!buffer_policy_of(policy)->retain) {
            continue; // keeps no page that is clean
        }
        boot_as(policy, [](fw_config& c) { c.write_through = 1; });
        write(1, 7);
        collect();
        const u32 slot = expect_answer(FW_MSG_PAGE_GRANT, 1);
        received(1, slot);
        collect();
        EXPECT_THAT(answers, IsEmpty());
        ASSERT_THAT(ops, SizeIs(1));
        EXPECT_EQ(op(0).opcode, FLASH_OP_PROGRAM);
        op_done(ops[0]);
        collect();
        expect_answer(FW_MSG_PAGE_DONE, 1);
        EXPECT_EQ(rig->f()->buffer->dirty_count, 0u);
        read(2, 7);
        collect();
        EXPECT_EQ(expect_answer(FW_MSG_PAGE_READY, 2), slot);
        EXPECT_THAT(ops, IsEmpty()) << "a hit";
        release(slot);
        flush(3);
        collect();
        expect_answer(FW_MSG_FLUSH_DONE, 3);
    }
}

/// 64 slots, 8 of them kept free: page 0 to 55 fill the rest, and the next ones push out clean pages only.
TEST_F(BufferModes, WriteThroughEvictsWithoutProgramsOfItsOwn)
{
    boot_as(FW_BUFFER_LRU, [](fw_config& c) { c.write_through = 1; });
    for (u16 n = 0; n < 100; ++n) {
        write(n, n);
        collect();
        received(n, expect_answer(FW_MSG_PAGE_GRANT, n));
        collect();
        ASSERT_THAT(ops, SizeIs(1));
        EXPECT_EQ(op(0).lpn, n);
        op_done(ops[0]);
        collect();
        expect_answer(FW_MSG_PAGE_DONE, n);
        EXPECT_THAT(ops, IsEmpty());
    }
    EXPECT_EQ(free_lines(), 8u);
    read(101, 44); // 44 to 99 are there
    collect();
    expect_answer(FW_MSG_PAGE_READY, 101);
    read(102, 43);
    collect();
    EXPECT_THAT(ops, SizeIs(1));
}

/// Blocks of 4. Pages 1 and 2 of the first block leave; 0 and 3 are read, then programmed. 8 slots of 64
/// are kept free, so the 57th page begins it.
class Padding : public BufferModes {
protected:
    void fill_up()
    {
        boot_as(FW_BUFFER_BPLRU, [](fw_config& c) {
            c.reads_bypass = 1;
            c.page_padding = 1;
        });
        fill(1, 1);
        fill(2, 2);
        for (u16 n = 3; n <= 56; ++n) {
            fill(n, 4u * n); // a block of their own each
        }
        write(57, 228);
        collect();
        expect_answer(FW_MSG_PAGE_GRANT, 57);
    }
};

TEST_F(Padding, ReadsWhatIsMissingAndProgramsTheWholeBlock)
{
    fill_up();
    ASSERT_THAT(ops, SizeIs(3)); // one program makes one more slot free; the reads are of that block
    EXPECT_EQ(op(0).opcode, FLASH_OP_PROGRAM);
    EXPECT_EQ(op(1).opcode, FLASH_OP_READ);
    EXPECT_EQ(op(2).opcode, FLASH_OP_READ);
    EXPECT_THAT(lpns(), ElementsAre(1, 0, 3));
    const std::vector<u32> first = ops;
    op_done(first[1]);
    collect();
    ASSERT_THAT(ops, SizeIs(1));
    EXPECT_EQ(op(0).opcode, FLASH_OP_PROGRAM);
    EXPECT_EQ(op(0).lpn, 0u);
    const u32 pad = ops[0];
    op_done(first[2]);
    collect();
    EXPECT_THAT(lpns(), ElementsAre(3));
    EXPECT_EQ(stats().padded_pages, 2u);
    EXPECT_EQ(rig->f()->buffer->dirty_count, 56u - 2u + 2u) << "a page that pads is not dirty";
    op_done(pad);
    op_done(ops[0]);
    EXPECT_EQ(line_find(rig->f(), 0), FW_NONE) << "they do not stay";
    EXPECT_EQ(line_find(rig->f(), 3), FW_NONE);
}

TEST_F(Padding, LeavesOutWhatWasNeverWrittenAndWhatCannotBeRead)
{
    fill_up();
    const std::vector<u32> first = ops;
    op_done(first[1], true); // not mapped
    rig->f()->ops[first[2]].status = FLASH_STATUS_UNCORRECTABLE;
    op_done(first[2]);
    collect();
    EXPECT_THAT(ops, IsEmpty());
    EXPECT_EQ(stats().padded_pages, 0u);
    EXPECT_EQ(line_find(rig->f(), 0), FW_NONE);
    EXPECT_EQ(line_find(rig->f(), 3), FW_NONE);
}

TEST_F(Padding, AWriteThatComesMeanwhileTakesThePage)
{
    fill_up();
    const std::vector<u32> first = ops;
    write(90, 0); // page 0 is being read
    collect();
    EXPECT_THAT(answers, IsEmpty());
    op_done(first[1]);
    collect();
    received(90, expect_answer(FW_MSG_PAGE_GRANT, 90));
    collect();
    expect_answer(FW_MSG_PAGE_DONE, 90);
    EXPECT_EQ(stats().padded_pages, 0u) << "it is dirty and leaves another time";
}

/// Tag and lists of a page for each policy, by hand: their growth from 1024 to 2048 page buffers. A tag has 72
/// bytes, the hash two words a page; the hash of blocks has one more.
TEST(BufferTables, AreCountedToTheByte)
{
    const auto growth = [](u32 policy, u32 over = FW_BUFFER_FAB) {
        fw_config c = small_config();
        c.buffer_policy = policy;
        c.cave_over = c.cawr_over = over;
        c.lines = 1024;
        const u64 small = fw_line_table_bytes(&c);
        c.lines = 2048;
        return fw_line_table_bytes(&c) - small;
    };
    const u64 common = 1024 * (72 + 8);
    EXPECT_EQ(growth(FW_BUFFER_NONE), common);
    EXPECT_EQ(growth(FW_BUFFER_LRU), common + 1024 * 8);
    for (const u32 policy : {FW_BUFFER_FIFO, FW_BUFFER_CLOCK, FW_BUFFER_LRU_WSR, FW_BUFFER_CCF_LRU}) {
        EXPECT_EQ(growth(policy), common + 1024 * 9) << policy;
    }
    EXPECT_EQ(growth(FW_BUFFER_CFLRU), common + 1024 * (16 + 8 + 1)); // a node of the tournament and a mark
    for (const u32 policy : {FW_BUFFER_FAB, FW_BUFFER_BPLRU, FW_BUFFER_CLC}) {
        EXPECT_EQ(growth(policy), common + 1024 * (52 + 4)) << policy;
    }
    EXPECT_EQ(growth(FW_BUFFER_REF), common + 1024 * (68 + 4));
    EXPECT_EQ(growth(FW_BUFFER_GATING), common + 1024 * 8);
    EXPECT_EQ(growth(FW_BUFFER_CAWR), common + 1024 * 10);
    EXPECT_EQ(growth(FW_BUFFER_CAVE, FW_BUFFER_LRU), common + 1024 * (8 + 1));
    EXPECT_EQ(growth(FW_BUFFER_CAVE, FW_BUFFER_CFLRU), common + 1024 * (16 + 8 + 1 + 1));
    for (const u32 over : {FW_BUFFER_FAB, FW_BUFFER_BPLRU, FW_BUFFER_CLC}) { // a link and the list's number
        EXPECT_EQ(growth(FW_BUFFER_CAVE, over), common + 1024 * (52 + 4 + 8 + 1)) << over;
        EXPECT_EQ(growth(FW_BUFFER_CAWR_BLOCK, over), common + 1024 * (52 + 4 + 8 + 1)) << over;
    }
}

/// A third command in sequence starts it: 4 pages ahead, then one for each page that is read.
class ReadAhead : public BufferModes {
protected:
    void boot_ahead(u32 policy)
    {
        boot_as(policy, [](fw_config& c) { c.read_ahead = 4; });
    }
};

TEST_F(ReadAhead, BringsThePagesThatFollowAStream)
{
    for (u32 policy = FW_BUFFER_NONE + 1; policy < FW_BUFFER_COUNT; ++policy) {
        if (policy == FW_BUFFER_GATING) {
            continue; // it keeps nothing
        }
        boot_ahead(policy);
        read_through(1, 10);
        EXPECT_THAT(ops, IsEmpty());
        read_through(2, 11);
        EXPECT_THAT(ops, IsEmpty());
        read_through(3, 12);
        EXPECT_THAT(lpns(), ElementsAre(13, 14, 15, 16));
        const std::vector<u32> ahead = ops;
        for (const u32 i : ahead) {
            EXPECT_EQ(rig->f()->ops[i].request, 0u);
            EXPECT_EQ(rig->f()->ops[i].flags & FW_OP_PRIORITY, 0);
        }
        op_done(ahead[0]);
        read(4, 13);
        collect();
        release(expect_answer(FW_MSG_PAGE_READY, 4)); // a hit
        EXPECT_THAT(lpns(), ElementsAre(17));
        read(5, 14); // on its way
        collect();
        EXPECT_THAT(answers, IsEmpty());
        EXPECT_THAT(lpns(), ElementsAre(18));
        op_done(ahead[1]);
        collect();
        expect_answer(FW_MSG_PAGE_READY, 5);
        EXPECT_EQ(stats().read_ahead_pages, 6u);
        EXPECT_EQ(stats().read_ahead_hits, 2u);
        EXPECT_EQ(stats().read_ahead_unused, 0u);
        EXPECT_EQ(stats().read_hits, 1u);
    }
}

TEST_F(ReadAhead, IsOffForRandomReadsAndForOneLargeCommand)
{
    boot_ahead(FW_BUFFER_LRU);
    for (const u32 lpn : {40u, 7u, 22u, 8u, 30u, 41u, 9u + 3u, 23u + 1u}) {
        read_through(1, lpn);
        EXPECT_THAT(ops, IsEmpty()) << lpn;
    }
    for (u32 page = 0; page < 8; ++page) {
        fw_message m{};
        m.kind = FW_MSG_PAGE_READ;
        m.tag = 2;
        m.a = page;
        m.b = 50 + page;
        m.d = 8;
        rig->deliver(FW_MODULE_BUFFER, m);
    }
    collect();
    EXPECT_THAT(ops, SizeIs(8)) << "only its own";
    EXPECT_EQ(stats().read_ahead_pages, 0u);
}

TEST_F(ReadAhead, StopsAtTheEndOfTheDevice)
{
    boot_ahead(FW_BUFFER_LRU);
    const u32 last = rig->config().logical_pages - 1;
    read_through(1, last - 3);
    read_through(2, last - 2);
    read_through(3, last - 1);
    EXPECT_THAT(lpns(), ElementsAre(last));
}

/// All that is in the buffer is dirty: nothing leaves for a page that nobody has asked for.
TEST_F(ReadAhead, NeverEvictsDirtyPages)
{
    boot_ahead(FW_BUFFER_FIFO);
    for (u16 n = 0; n < 56; ++n) {
        fill(n, 64 + n);
    }
    EXPECT_EQ(free_lines(), 8u);
    std::vector<u32> programs;
    for (u16 n = 0; n < 3; ++n) {
        read(n, n);
        collect();
        ASSERT_THAT(ops, SizeIs(2)) << "its own read, and a program for the slot that it takes";
        EXPECT_EQ(op(0).opcode, FLASH_OP_READ);
        EXPECT_EQ(op(1).opcode, FLASH_OP_PROGRAM);
        op_done(ops[0]);
        collect();
        release(expect_answer(FW_MSG_PAGE_READY, n));
    }
    EXPECT_EQ(stats().read_ahead_pages, 0u);
}

TEST_F(ReadAhead, CountsWhatNobodyHasUsed)
{
    boot_ahead(FW_BUFFER_LRU);
    read_through(1, 10);
    read_through(2, 11);
    read_through(3, 12);
    const std::vector<u32> ahead = ops;
    ASSERT_THAT(ahead, SizeIs(4));
    for (const u32 i : ahead) {
        op_done(i);
    }
    write(4, 14); // over what was brought
    collect();
    received(4, expect_answer(FW_MSG_PAGE_GRANT, 4));
    EXPECT_EQ(stats().read_ahead_unused, 1u);
    trim(5, 15);
    collect();
    EXPECT_EQ(stats().read_ahead_unused, 2u);
}

} // namespace
} // namespace tlmssd::tb
