// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: queue entries against dwords written by hand from the specification's figures.
#include "models/nvme/entry.h"

#include <gmock/gmock.h>

namespace tlmssd::nvme {
namespace {

using testing::ElementsAre;

Command read_command()
{
    Command c;
    c.opcode = kRead;
    c.id = 0x0123;
    c.prp1 = 0x0000010000000200; // byte 512 of its page
    c.prp2 = 0x0000010000001000;
    c.lba = 0x00000002'00000007;
    c.sectors = 9;
    return c;
}

// CDW0: opcode in 7:0, identifier in 31:16. Dword 1: namespace. 6 to 9: PRP entries. 10, 11: SLBA.
// 12: NLB from 0 in 15:0, FUA in 30.
TEST(Entry, OfARead)
{
    EXPECT_THAT(encode(read_command()), ElementsAre(0x01230002, 1, 0, 0, 0, 0, 0x00000200, 0x00000100, 0x00001000,
                                                    0x00000100, 7, 2, 8, 0, 0, 0));
}

TEST(Entry, OfAWriteWithFua)
{
    Command c = read_command();
    c.opcode = kWrite;
    c.fua = true;
    const SubmissionEntry e = encode(c);
    EXPECT_EQ(e[0], 0x01230001u);
    EXPECT_EQ(e[12], 0x40000008u);
}

TEST(Entry, OfTheLongestCommand)
{
    Command c = read_command();
    c.sectors = 65536;
    EXPECT_EQ(encode(c)[12], 0xffffu);
    EXPECT_EQ(decode(encode(c)).sectors, 65536u);
}

// Dataset management: number of ranges from 0 in CDW10 7:0, deallocate in CDW11 2.
TEST(Entry, OfATrim)
{
    Command c;
    c.opcode = kDatasetManagement;
    c.id = 5;
    c.prp1 = 0x3000;
    c.deallocate = true;
    EXPECT_THAT(encode(c), ElementsAre(0x00050009, 1, 0, 0, 0, 0, 0x3000, 0, 0, 0, 0, 4, 0, 0, 0, 0));
}

// A range: context attributes, length in blocks, starting LBA.
TEST(Entry, OfARange)
{
    EXPECT_THAT(encode(Range{0x00000003'00000010, 24}).dwords, ElementsAre(0, 24, 0x10, 3));
    const Range back = decode(RangeEntry{{0, 24, 0x10, 3}});
    EXPECT_EQ(back.lba, 0x00000003'00000010u);
    EXPECT_EQ(back.sectors, 24u);
}

TEST(Entry, OfAFlushHasNoAddress)
{
    Command c;
    c.opcode = kFlush;
    c.id = 1;
    EXPECT_THAT(encode(c), ElementsAre(0x00010000, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(Entry, SaysWhatWasPutIn)
{
    const Command c = decode(encode(read_command()));
    EXPECT_EQ(c.opcode, kRead);
    EXPECT_EQ(c.id, 0x0123u);
    EXPECT_EQ(c.prp1, 0x0000010000000200u);
    EXPECT_EQ(c.prp2, 0x0000010000001000u);
    EXPECT_EQ(c.lba, 0x00000002'00000007u);
    EXPECT_EQ(c.sectors, 9u);
    EXPECT_FALSE(c.fua);
}

// Dword 2: head in 15:0, queue in 31:16. Dword 3: identifier in 15:0, phase in 16, status in 27:17.
TEST(Entry, OfACompletion)
{
    Completion c;
    c.head = 3;
    c.queue = 2;
    c.id = 0x55;
    c.phase = true;
    c.status = kUnrecoveredRead; // type 2 (media), code 81h
    EXPECT_THAT(encode(c), ElementsAre(0, 0, 0x00020003, 0x00000055 | 1u << 16 | 0x81u << 17 | 2u << 25));
    const Completion back = decode(encode(c));
    EXPECT_EQ(back.status, 0x281u);
    EXPECT_TRUE(back.phase);
    EXPECT_EQ(back.id, 0x55u);
}

// 4 KiB at the start of a page: one page. At 512: two, no list. 12 KiB and one sector: three to four.
TEST(Prp, ListsFromTheThirdPageOn)
{
    EXPECT_EQ(prp_list_bytes(0, 4096), 0u);
    EXPECT_EQ(prp_list_bytes(512, 4096), 0u);
    EXPECT_EQ(prp_list_bytes(0, 8192), 0u);
    EXPECT_EQ(prp_list_bytes(512, 8192), 16u); // 3 pages, the first in the command
    EXPECT_EQ(prp_list_bytes(0, 131072), 31u * 8);
    EXPECT_EQ(prp_list_bytes(3584, 131072), 32u * 8);
}

} // namespace
} // namespace tlmssd::nvme
