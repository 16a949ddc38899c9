// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ONFI bytes of every phase by hand.
#include <gmock/gmock.h>

#include "tb/flash/segment_port_rig.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

TEST_F(Port, SpeaksReadOfOnePlane)
{
    SegmentRequest r = request(Phase::Command, FLASH_OP_READ, 0x012345);
    r.col = 4; // column 4 x 539 = 2156 = 0x086c
    const onfi::Segment command = send(r);
    EXPECT_THAT(cycles(command), ElementsAre(0x00, 0x6c, 0x08, 0x45, 0x23, 0x01, 0x30));
    EXPECT_THAT(commands(command), ElementsAre(0, 6));
    EXPECT_EQ(command.direction, onfi::DataDirection::None);
    r.phase = Phase::DataOut;
    r.len = 3;
    const onfi::Segment burst = send(r);
    EXPECT_EQ(u32{burst.lead} + burst.trail, 0u) << "straight out of the register";
    EXPECT_EQ(burst.direction, onfi::DataDirection::Out);
    EXPECT_EQ(burst.data_bytes, 3u * 539);
}

TEST_F(Port, SpeaksReadOfTwoPlanes)
{
    EXPECT_THAT(cycles(send(request(Phase::Command, FLASH_OP_READ, 0x11, 0, 2))),
                ElementsAre(0x00, 0, 0, 0x11, 0, 0, 0x32));
    EXPECT_THAT(cycles(send(request(Phase::Command, FLASH_OP_READ, 0x15, 1, 2))),
                ElementsAre(0x00, 0, 0, 0x15, 0, 0, 0x30));
    for (const u8 plane : {u8{0}, u8{1}}) {
        const u32 row = 0x11u + 4u * plane;
        SegmentRequest r = request(Phase::DataOut, FLASH_OP_READ, row, plane, 2);
        r.oob = 16u * plane;
        const onfi::Segment s = send(r);
        EXPECT_THAT(cycles(s), ElementsAre(0x06, 0, 0, row, 0, 0, 0xe0));
        EXPECT_THAT(commands(s), ElementsAre(0, 6));
        EXPECT_EQ(s.data_bytes, 16u * 539 + 16);
        EXPECT_EQ(s.trail, 0);
    }
}

TEST_F(Port, SpeaksProgram)
{
    for (const bool last : {false, true}) {
        SegmentRequest r = request(Phase::DataIn, FLASH_OP_PROGRAM, 0x21, last ? 1 : 0, 2);
        r.oob = 0;
        const onfi::Segment s = send(r);
        EXPECT_THAT(cycles(s), ElementsAre(0x80, 0, 0, 0x21, 0, 0, last ? 0x10 : 0x11));
        EXPECT_EQ(s.lead, 6);
        EXPECT_EQ(s.trail, 1);
        EXPECT_EQ(s.direction, onfi::DataDirection::In);
        EXPECT_EQ(s.data_bytes, 8640u);
    }
}

TEST_F(Port, SpeaksErase)
{
    EXPECT_THAT(cycles(send(request(Phase::Command, FLASH_OP_ERASE, 0x30, 0, 2))),
                ElementsAre(0x60, 0x30, 0, 0, 0xd1));
    const onfi::Segment s = send(request(Phase::Command, FLASH_OP_ERASE, 0x34, 1, 2));
    EXPECT_THAT(cycles(s), ElementsAre(0x60, 0x34, 0, 0, 0xd0));
    EXPECT_THAT(commands(s), ElementsAre(0, 4));
}

TEST_F(Port, SpeaksResetAndStatus)
{
    EXPECT_THAT(cycles(send(request(Phase::Command, FLASH_OP_RESET))), ElementsAre(0xff));
    target.status = 0xe1;
    const onfi::Segment s = send(request(Phase::Status, FLASH_OP_ERASE, 0x30));
    EXPECT_THAT(cycles(s), ElementsAre(0x70));
    EXPECT_EQ(s.data_bytes, 1u);
    EXPECT_THAT(client.status, ElementsAre(0, 0xe1));
}

TEST_F(PortWithLuns, ChoosesTheLunForDataAndStatus)
{
    const u32 row = 1u << 6 | 0x11; // LUN 1
    EXPECT_THAT(cycles(send(request(Phase::DataOut, FLASH_OP_READ, row))),
                ElementsAre(0x06, 0, 0, 0x51, 0, 0, 0xe0));
    const onfi::Segment s = send(request(Phase::Status, FLASH_OP_PROGRAM, row));
    EXPECT_THAT(cycles(s), ElementsAre(0x78, 0x51, 0, 0));
    EXPECT_THAT(commands(s), ElementsAre(0));
}

TEST_F(PortOnNvDdr, ResetsSynchronously)
{
    EXPECT_THAT(cycles(send(request(Phase::Command, FLASH_OP_RESET))), ElementsAre(0xfc));
}

TEST_F(PortWithLunsThatFail, AsksForTheStatusOfAllPlanesOfAnOperation)
{
    const u32 row = 1u << 6 | 0x15; // LUN 1, plane 1
    EXPECT_THAT(cycles(send(request(Phase::Status, FLASH_OP_PROGRAM, row))),
                ElementsAre(0x78, 0x55, 0, 0));
    const onfi::Segment both = send(request(Phase::Status, FLASH_OP_PROGRAM, row, 1, 2));
    EXPECT_THAT(cycles(both), ElementsAre(0x78, 0x55, 0, 0, 0x70));
    EXPECT_THAT(commands(both), ElementsAre(0, 4));
}

TEST_F(PortWithLuns, SpeaksLunSetFeaturesForAReadRetryLevel)
{
    SegmentRequest r = request(Phase::Feature, FLASH_OP_READ, 1u << 6 | 0x11);
    r.lun = 1;
    r.level = 3;
    const onfi::Segment s = send(r);
    EXPECT_THAT(cycles(s), ElementsAre(0xd5, 1, 0x89));
    EXPECT_THAT(commands(s), ElementsAre(0));
    EXPECT_EQ(s.direction, onfi::DataDirection::In);
    EXPECT_EQ(s.data_bytes, 4u);
    EXPECT_TRUE(s.narrow);
    EXPECT_THAT(std::vector<u32>(target.register_bytes.begin(), target.register_bytes.begin() + 4),
                ElementsAre(3, 0, 0, 0));
    EXPECT_EQ(port.channel_statistics(0).features, 1u);
    EXPECT_EQ(port.channel_statistics(0).page_programs, 0u);
    EXPECT_TRUE(dram.transfers.empty());
}

TEST_F(Port, GoesBackFromStatusToDataOnlyWhereItHasTo)
{
    SegmentRequest r = request(Phase::DataOut, FLASH_OP_READ, 0x11);
    r.after_status = true;
    EXPECT_THAT(cycles(send(r)), ElementsAre(0x00));
    r.nplanes = 2;
    EXPECT_THAT(cycles(send(r)), ElementsAre(0x06, 0, 0, 0x11, 0, 0, 0xe0)) << "06h does it, too";
}

TEST_F(Port, SaysWhoseSegmentItIsAndWhichBytesAreNarrow)
{
    SegmentRequest r = request(Phase::Command, FLASH_OP_READ);
    r.tag = 42;
    EXPECT_EQ(send(r).owner, 42u);
    r.phase = Phase::DataOut;
    EXPECT_FALSE(send(r).narrow);
    r.phase = Phase::Status;
    EXPECT_TRUE(send(r).narrow);
}

TEST_F(PortWithFaults, TakesABurstThatNobodyDrivesForLost)
{
    send(request(Phase::DataOut, FLASH_OP_READ));
    target.dead = true;
    SegmentRequest r = request(Phase::DataOut, FLASH_OP_READ);
    r.len = 8;
    send(r);
    send(request(Phase::Status, FLASH_OP_READ));
    EXPECT_TRUE(client.lost[1]) << "and not for the page before it";
    EXPECT_EQ(dram.cells[0], flash::kLostUnit);
    EXPECT_EQ(client.status[2], 0xff);
}

} // namespace
} // namespace tlmssd::tb
