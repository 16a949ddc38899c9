// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bursts out of a target that carry no page data.
#include <gtest/gtest.h>

#include "models/nand/target/target_output.h"
#include "tb/onfi/bytes.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

using nand::TargetOutput;

struct Output : testing::Test {
    TargetOutput output;
    DataCells cells;
    std::vector<u8> page = std::vector<u8>(16);

    void burst(u32 bytes)
    {
        cells.page = page.data();
        Segment s = register_out(bytes, cells);
        output.put_bytes(s);
    }
};

TEST_F(Output, RegisterBytesGoOnWithTheNextBurstAndComeAgain)
{
    output.deliver_bytes({1, 2, 3});
    burst(2);
    EXPECT_EQ(cells.bytes[0], 1);
    EXPECT_EQ(cells.bytes[1], 2);
    burst(4);
    EXPECT_EQ(page[0], 3);
    EXPECT_EQ(page[1], 1);
    EXPECT_EQ(page[3], 3);
}

TEST_F(Output, SeekChoosesTheNextByte)
{
    output.deliver_bytes({10, 11, 12, 13});
    output.seek(2);
    burst(1);
    EXPECT_EQ(cells.bytes[0], 12);
}

TEST_F(Output, StatusComesInBetween)
{
    output.deliver_bytes({5});
    output.deliver_status(1);
    EXPECT_TRUE(output.is_status());
    EXPECT_EQ(output.status_plane(), 1u);
    output.leave_status(); // 00h
    EXPECT_FALSE(output.is_status());
    EXPECT_TRUE(output.is_bytes());
    output.deliver_page();
    EXPECT_FALSE(output.is_bytes());
}

TEST_F(Output, StatusFillsTheBurst)
{
    cells.page = page.data();
    Segment s = register_out(4, cells);
    TargetOutput::put_status(s, 0xe0);
    EXPECT_EQ(cells.bytes[0], 0xe0);
    EXPECT_EQ(page[3], 0xe0);
    EXPECT_EQ(page[4], 0);
}

// 1000 bytes touch two codewords of 539.
TEST_F(Output, ASilentBusIsNoCodeword)
{
    Segment s = direct_out(1000, cells);
    TargetOutput::put_silence(s, small_geometry());
    EXPECT_EQ(cells.tags[0], (UnitTag{0xffffffff, 0xffffffff}));
    EXPECT_EQ(cells.oob[0], 0xff);
    EXPECT_EQ(cells.bytes[0], 0xff);
    EXPECT_EQ(cells.codewords, 2u);
    EXPECT_EQ(cells.bit_errors[1], 0xffff);
    EXPECT_EQ(cells.bit_errors[2], 0);
}

} // namespace
} // namespace tlmssd::tb
