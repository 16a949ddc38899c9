// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: copybacks on a whole device: times by hand, data, what ECC sees of them.
#include "tb/flash/device_rig.h"

namespace tlmssd::tb {
namespace {

using testing::SizeIs;

/// A copy of a page from block 0 to block 1 of its plane.
flash_op copyback(flash_op o, u32 to)
{
    o.row[1] = to;
    o.col[0] = 16;
    o.len[0] = 0;
    o.oob = kOobBase;
    return o;
}

TEST_F(Device, CopiesAPageBackInTheSumOfItsParts)
{
    flash_op write = op(FLASH_OP_PROGRAM, geometry.row(0, 0, 0, 0), 0);
    write.oob = kOobBase;
    *dram.tags(0) = {5, 1};
    oob[7] = 0x37;
    finish(write);
    oob[7] = 0;
    const u32 to = geometry.row(0, 0, 1, 0);
    run_for(event_queue, milliseconds(2) - event_queue.now());
    finish(copyback(op(FLASH_OP_COPYBACK, geometry.row(0, 0, 0, 0), 0), to));
    // 00h addr 35h:    20 + 7 x 25                   =    195
    // tWB + tR:        100 + 50000                   =  50100
    // OOB burst out:   20 + 20 + 30 + 16 / 2 x 6     =    118
    // tRHW 100, of which the next tCS is a part      =     80
    // 85h addr 10h:    20 + 7 x 25                   =    195
    // tWB + tPROG                                    = 900100
    // status                                         =    161
    EXPECT_EQ(times.back() - milliseconds(2), nanoseconds(195 + 50100 + 118 + 80 + 195 + 900100 + 161));
    EXPECT_EQ(oob[7], 0x37) << "the record has been read on the way";
    EXPECT_EQ(port.channel_statistics(0).copybacks, 1u);
    EXPECT_EQ(port.channel_statistics(0).page_programs, 1u) << "the host's";
    EXPECT_EQ(port.channel_statistics(0).page_reads, 0u);
    EXPECT_EQ(port.die_statistics(0, event_queue.now()).busy,
              nanoseconds(26206 + 900100) + nanoseconds(195 + 50100 + 118 + 80 + 195 + 900100));
    flash_op read = op(FLASH_OP_READ, to, 1);
    read.oob = kOobBase;
    finish(read);
    EXPECT_EQ(*dram.tags(8192), (UnitTag{5, 1}));
    expect_clean();
}

/// The same where ECC is to see the page: it is read out as a whole, and the die waits for the verdict.
flash_op checked(flash_op o)
{
    o.col[0] = 0;
    o.len[0] = 16;
    return o;
}

TEST_F(Device, ChecksAPageOnItsWayInTheSumOfItsParts)
{
    flash_op write = op(FLASH_OP_PROGRAM, geometry.row(0, 0, 0, 0), 0);
    write.oob = kOobBase;
    *dram.tags(0) = {5, 1};
    finish(write);
    const u32 to = geometry.row(0, 0, 1, 0);
    run_for(event_queue, milliseconds(2) - event_queue.now());
    finish(checked(copyback(op(FLASH_OP_COPYBACK, geometry.row(0, 0, 0, 0), 1), to)));
    // 00h addr 35h:    20 + 7 x 25                     =    195
    // tWB + tR:        100 + 50000                     =  50100
    // page out:        20 + 20 + 30 + 8640 / 2 x 6     =  25990
    // DRAM, ECC:       50 + 8192 x 0.3125, 1000        =   3610
    // 85h addr 10h:    20 + 7 x 25                     =    195
    // tWB + tPROG                                      = 900100
    // status                                           =    161
    EXPECT_EQ(times.back() - milliseconds(2), nanoseconds(195 + 50100 + 25990 + 3610 + 195 + 900100 + 161));
    EXPECT_EQ(*dram.tags(8192), (UnitTag{5, 1}));
    EXPECT_EQ(port.channel_statistics(0).copybacks, 1u) << "nothing to correct: the page does not come back";
    EXPECT_EQ(port.channel_statistics(0).page_programs, 1u) << "the host's";
    EXPECT_EQ(port.channel_statistics(0).page_reads, 1u);
    expect_clean();
}

/// The firmware reads the source with retries; the copy has taken its page of the block all the same.
TEST_F(WithErrors, GivesUpACheckedCopyThatEccCannotCorrect)
{
    flash_op write = op(FLASH_OP_PROGRAM, geometry.row(0, 0, 0, 0), 0);
    write.oob = kOobBase;
    finish(write);
    controller.submit(checked(copyback(op(FLASH_OP_COPYBACK, geometry.row(0, 0, 0, 0), 1), geometry.row(0, 0, 1, 0))));
    run_for(event_queue, milliseconds(2));
    ASSERT_THAT(ended, SizeIs(2));
    EXPECT_EQ(ended[1].status, FLASH_STATUS_UNCORRECTABLE);
    EXPECT_EQ(ended[1].failed_planes, 1);
    EXPECT_EQ(port.channel_statistics(0).copybacks, 1u);
    EXPECT_EQ(store.next_page({0, 0, 1, 0}), 1u);
    expect_clean();
}

/// One bit in a thousand is wrong: 4312 x 16 / 1000 = 69 of a page, with ECC's 40 a codeword all are corrected.
class WithFewErrors : public Device {
protected:
    WithFewErrors()
        : Device(1, [](config::Config& c) {
              c.nand.errors.enabled = true;
              c.nand.errors.e = 0.001;
          })
    {
    }
    u32 corrected(u32 row)
    {
        finish(op(FLASH_OP_READ, row, 2));
        return ended.back().corrected;
    }
};

TEST_F(WithFewErrors, ACheckedCopyLeavesTheErrorsOfItsSourceBehind)
{
    const u32 rows[] = {geometry.row(0, 0, 0, 0), geometry.row(0, 0, 1, 0), geometry.row(0, 0, 2, 0)};
    flash_op write = op(FLASH_OP_PROGRAM, rows[0], 0);
    write.oob = kOobBase;
    finish(write);
    const u32 once = corrected(rows[0]);
    finish(copyback(op(FLASH_OP_COPYBACK, rows[0], 0), rows[1]));
    const u32 twice = corrected(rows[1]);
    EXPECT_GT(twice, once + once / 2) << "its own and those of its source";
    finish(checked(copyback(op(FLASH_OP_COPYBACK, rows[1], 1), rows[2])));
    EXPECT_EQ(ended.back().corrected, twice);
    EXPECT_EQ(port.channel_statistics(0).page_programs, 2u) << "the corrected page has gone to the die";
    EXPECT_LT(corrected(rows[2]), once + once / 2);
    expect_clean();
}

} // namespace
} // namespace tlmssd::tb
