// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a whole device of one plane, 10 blocks of 4 pages, 20 logical pages, one thing at a time: write
// amplification and copybacks by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "tb/firmware/device.h"

namespace tlmssd::tb {
namespace {

class WriteAmplification : public testing::Test {
protected:
    WriteAmplification() : device(config()) {}
    static fw_config config()
    {
        fw_config c = small_config(1, 1, 1, 1, 10, 4);
        c.buffer_policy = FW_BUFFER_NONE;
        c.scheduler = FW_SCHED_SERIAL;
        return c;
    }
    void write(u32 lpn)
    {
        device.write_page(lpn);
        device.drain();
    }
    Device device;
};

TEST_F(WriteAmplification, IsOneForSequentialOverwrites)
{
    ASSERT_EQ(device.config().logical_pages, 20u);
    for (u32 round = 0; round < 10; ++round) {
        for (u32 lpn = 0; lpn < 20; ++lpn) {
            write(lpn);
        }
    }
    EXPECT_EQ(device.stats().host_pages_written, 200u);
    EXPECT_EQ(device.stats().flash_pages_written, 200u);
    EXPECT_EQ(device.stats().gc_pages_moved, 0u);
    EXPECT_GT(device.stats().gc_blocks_erased, 0u);
    check_map(device);
}

/// Blocks 0 to 4 hold LPNs 0-3, 4-7, 8-11, 12-15, 16-19. 0, 4, 8, 12 go to block 5 and 16, 1, 5, 9
/// to block 6: 2, 2, 2, 3, 3 valid pages are left. 13 opens block 7 (2 blocks free: collection) and
/// leaves 2 in block 3. Victim 0: 2 pages move to block 8, 1 + 1 free; still no more than 2: victim
/// 1, 2 more pages fill block 8; 3 free: enough. 29 host pages, 4 moved.
TEST_F(WriteAmplification, OfAHandSizedCase)
{
    for (u32 lpn = 0; lpn < 20; ++lpn) {
        write(lpn);
    }
    for (const u32 lpn : {0, 4, 8, 12, 16, 1, 5, 9}) {
        write(lpn);
    }
    EXPECT_EQ(device.stats().gc_runs, 0u);
    write(13);
    EXPECT_EQ(device.stats().gc_runs, 2u);
    EXPECT_EQ(device.stats().gc_pages_moved, 4u);
    EXPECT_EQ(device.stats().gc_blocks_erased, 2u);
    EXPECT_EQ(device.stats().host_pages_written, 29u);
    EXPECT_EQ(device.stats().flash_pages_written, 33u);
    const fw_ftl* ftl = device.f()->ftl;
    EXPECT_EQ(ftl->map[2], ftl_ppn(ftl, 0, 8, 0) + 1);
    EXPECT_EQ(ftl->map[3], ftl_ppn(ftl, 0, 8, 1) + 1);
    EXPECT_EQ(ftl->map[6], ftl_ppn(ftl, 0, 8, 2) + 1);
    EXPECT_EQ(ftl->map[7], ftl_ppn(ftl, 0, 8, 3) + 1);
    EXPECT_EQ(ftl->map[13], ftl_ppn(ftl, 0, 7, 0) + 1);
    check_map(device);
    u32 least = 0;
    u32 most = 0;
    u64 sum = 0;
    u64 squares = 0;
    fw_wear(device.f(), &least, &most, &sum, &squares);
    EXPECT_EQ(least, 0u);
    EXPECT_EQ(most, 1u);
    EXPECT_EQ(sum, 2u);
    EXPECT_EQ(squares, 2u);
}

class GcCopyback : public testing::Test {
protected:
    static fw_config config()
    {
        fw_config c = small_config(1, 1, 1, 1, 10, 4);
        c.buffer_policy = FW_BUFFER_NONE;
        c.scheduler = FW_SCHED_SERIAL;
        c.gc_copyback = 2;
        return c;
    }
    /// As WriteAmplification.OfAHandSizedCase: blocks 0 and 1 are collected, two pages each.
    void collect_twice()
    {
        for (u32 lpn = 0; lpn < 20; ++lpn) {
            write(lpn);
        }
        for (const u32 lpn : {0, 4, 8, 12, 16, 1, 5, 9, 13}) {
            write(lpn);
        }
    }
    void write(u32 lpn)
    {
        device.write_page(lpn);
        device.drain();
    }
    u32 count(u8 opcode) const
    {
        return static_cast<u32>(std::count_if(device.submitted.begin(), device.submitted.end(),
                                              [=](const flash_op& op) { return op.opcode == opcode; }));
    }
    Device device{config()};
};

/// The hand-sized case: 4 pages of victims 0 and 1 go to block 8, one operation each and no read.
TEST_F(GcCopyback, MovesPagesInOneOperation)
{
    collect_twice();
    EXPECT_EQ(count(FLASH_OP_COPYBACK), 4u);
    EXPECT_EQ(count(FLASH_OP_READ), 0u);
    EXPECT_EQ(device.stats().gc_copybacks, 4u);
    EXPECT_EQ(device.stats().gc_pages_moved, 4u);
    EXPECT_EQ(device.stats().flash_pages_written, 33u);
    EXPECT_EQ(device.stats().gc_blocks_erased, 2u);
    const fw_ftl* ftl = device.f()->ftl;
    EXPECT_EQ(ftl->map[2], ftl_ppn(ftl, 0, 8, 0) + 1);
    EXPECT_EQ(ftl->map[7], ftl_ppn(ftl, 0, 8, 3) + 1);
    EXPECT_EQ(ftl->copies[8], 1) << "of 2";
    EXPECT_EQ(ftl->copies[7], 2) << "the host's";
    check_map(device);
}

/// What a block holds has been copied at most `gc_copyback` times; the device fails where a page has more. With
/// every page cold but one some are copied again and again.
TEST_F(GcCopyback, ChecksAPageThatHasBeenCopiedTooOften)
{
    collect_twice();
    for (u32 i = 0; i < 400; ++i) {
        write(i % 3 == 0 ? device.draw(20) : 13);
    }
    EXPECT_GT(device.checked_copies, 5u);
    EXPECT_GT(device.copybacks, 2 * device.checked_copies) << "two of three go without";
    EXPECT_EQ(count(FLASH_OP_READ), 0u) << "one operation all the same";
    EXPECT_EQ(device.stats().gc_copybacks, device.stats().gc_pages_moved);
    check_map(device);
}

/// ECC gives a page up that it checks on the way: the copy is dead, the block goes on, the page is read.
TEST_F(GcCopyback, ReadsAPageThatTheCheckCannotCorrect)
{
    collect_twice(); // LPN 2, 3, 6, 7 are in block 8
    const fw_ftl* ftl = device.f()->ftl;
    ftl->copies[8] = 0;
    device.unreadable.insert(ftl_ppn(ftl, 0, 8, 0)); // LPN 2
    for (const u32 lpn : {3, 6, 7}) { // block 8 becomes a victim with LPN 2 alone
        write(lpn);
    }
    for (u32 i = 0; i < 40 && device.checked_copies == 0; ++i) {
        write(13);
    }
    EXPECT_EQ(device.checked_copies, 1u);
    EXPECT_EQ(count(FLASH_OP_READ), 1u) << "it may be read with retries";
    EXPECT_EQ(device.stats().program_fails, 0u);
    EXPECT_EQ(device.stats().pages_lost, 1u);
    EXPECT_EQ(ftl->map[2], FTL_LOST);
    check_map(device);
}

/// Block 8 does not take its first page: it is read and goes to a block of its own, as does all that follows.
TEST_F(GcCopyback, ReadsAndWritesWhereTheCopyFails)
{
    device.failing_blocks.insert(8);
    collect_twice();
    EXPECT_EQ(device.stats().program_fails, 1u);
    EXPECT_EQ(count(FLASH_OP_READ), 1u);
    EXPECT_EQ(device.stats().gc_copybacks + 1, device.stats().gc_pages_moved);
    for (u32 lpn = 0; lpn < 20; ++lpn) {
        EXPECT_NE(device.f()->ftl->map[lpn], 0u);
    }
    check_map(device);
}

/// Each record that comes with a copy is unreadable: the copy is dead, the page is read and written.
TEST_F(GcCopyback, ReadsAPageThatDoesNotSayWhoseItIs)
{
    device.faults.read = 5000; // of 10,000
    for (u32 i = 0; i < 200; ++i) {
        write(device.draw(20));
    }
    EXPECT_GT(device.stats().gc_copybacks, 0u);
    EXPECT_GT(count(FLASH_OP_COPYBACK), device.stats().gc_copybacks);
    EXPECT_GE(count(FLASH_OP_READ), count(FLASH_OP_COPYBACK) - device.stats().gc_copybacks);
    EXPECT_EQ(device.stats().program_fails, 0u);
}

} // namespace
} // namespace tlmssd::tb
