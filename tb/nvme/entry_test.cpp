// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: queue entries against bytes written by hand from the specification's figures.
#include "models/nvme/entries.h"

#include <gmock/gmock.h>

#include <vector>

#include "models/nvme/bytes.h"
#include "models/nvme/register_map.h"

namespace tlmssd::nvme {
namespace {

using testing::ElementsAre;

// Dword n lies at byte 4n, its lowest byte first. CDW0: opcode in 7:0, identifier in 31:16. PRP 1 in dwords 6 and 7,
// PRP 2 in 8 and 9.
TEST(Entry, OfASubmissionQueue)
{
    Submission s;
    s.dw[0] = 0x01230002;
    s.set_prp(0x0000010000000200, 0x0000010000001000);
    s.dw[15] = 0xa1b2c3d4;
    std::vector<u8> bytes(kSubmissionBytes, 0xff);
    pack(s, bytes.data());
    EXPECT_THAT(std::vector<u8>(bytes.begin(), bytes.begin() + 8), ElementsAre(0x02, 0x00, 0x23, 0x01, 0, 0, 0, 0));
    EXPECT_THAT(std::vector<u8>(bytes.begin() + 24, bytes.begin() + 40),
                ElementsAre(0x00, 0x02, 0, 0, 0x00, 0x01, 0, 0, 0x00, 0x10, 0, 0, 0x00, 0x01, 0, 0));
    EXPECT_THAT(std::vector<u8>(bytes.begin() + 60, bytes.end()), ElementsAre(0xd4, 0xc3, 0xb2, 0xa1));
    EXPECT_EQ(unpack_submission(bytes.data()).dw, s.dw);
    EXPECT_EQ(s.opcode(), kRead);
    EXPECT_EQ(s.id(), 0x0123u);
    EXPECT_EQ(s.prp1(), 0x0000010000000200u);
    EXPECT_EQ(s.prp2(), 0x0000010000001000u);
}

// Dword 2: head in 15:0, queue in 31:16. Dword 3: identifier in 15:0, phase in 16, status in 31:17; type 2 (media), code
// 81h, more: bit 13 of the status.
TEST(Entry, OfACompletionQueue)
{
    Completion c;
    c.result = 0x11223344;
    c.sq_head = 3;
    c.sq = 2;
    c.id = 0x55;
    c.status = kUnrecoveredRead | kMore;
    std::vector<u8> bytes(kCompletionBytes, 0xff);
    pack(c, true, bytes.data());
    const u32 status = 2u << 8 | 0x81 | 1u << 13;
    EXPECT_EQ(get32(bytes.data()), 0x11223344u);
    EXPECT_EQ(get32(bytes.data() + 4), 0u);
    EXPECT_EQ(get32(bytes.data() + 8), 0x00020003u);
    EXPECT_EQ(get32(bytes.data() + 12), 0x55u | 1u << 16 | status << 17);
    Completion back;
    EXPECT_TRUE(unpack(bytes.data(), back));
    EXPECT_EQ(back.result, 0x11223344u);
    EXPECT_EQ(back.sq_head, 3u);
    EXPECT_EQ(back.sq, 2u);
    EXPECT_EQ(back.id, 0x55u);
    EXPECT_EQ(back.status, status);
    pack(c, false, bytes.data());
    EXPECT_FALSE(unpack(bytes.data(), back));
}

// A range: context attributes, length in blocks, starting LBA.
TEST(Entry, OfARange)
{
    std::vector<u8> bytes(kRangeBytes, 0xff);
    pack_range(0x00000003'00000010, 24, bytes.data());
    EXPECT_THAT(bytes, ElementsAre(0, 0, 0, 0, 24, 0, 0, 0, 0x10, 0, 0, 0, 3, 0, 0, 0));
}

// 1000h + 2y (4 << DSTRD), and one place further for the completion queue.
TEST(Entry, Doorbells)
{
    EXPECT_EQ(submission_bell(0), 0x1000u);
    EXPECT_EQ(completion_bell(0), 0x1004u);
    EXPECT_EQ(submission_bell(3), 0x1018u);
    EXPECT_EQ(completion_bell(3, 2), 0x1000u + 7 * 16);
}

} // namespace
} // namespace tlmssd::nvme
