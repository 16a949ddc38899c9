// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: identity and logs against bytes written by hand from the standard's tables.
#include <gmock/gmock.h>

#include <numeric>
#include <string>
#include <vector>

#include "models/sata/identify.h"
#include "models/sata/logs.h"

namespace tlmssd::sata {
namespace {

using testing::ElementsAre;

std::vector<int> part(const Block& block, u32 first, u32 count)
{
    return std::vector<int>(block.begin() + first, block.begin() + first + count);
}
u32 word(const Block& block, u32 number)
{
    return block[number * 2] | u32{block[number * 2 + 1]} << 8;
}
u32 sum(const Block& block) { return std::accumulate(block.begin(), block.end(), 0u) & 0xff; }

TEST(Identity, WordsOfADriveWithAllItHas)
{
    DeviceFacts facts;
    facts.sectors = 0x123456789abull;
    facts.queued_trim = true;
    facts.model = "AB C";
    facts.serial = "XYZ";
    facts.revision = "R1";
    Block block;
    make_identity(facts, DeviceSettings(), block);
    // "XYZ" as words: 'X' is the high byte of word 10.
    EXPECT_THAT(part(block, 20, 6), ElementsAre('Y', 'X', ' ', 'Z', ' ', ' '));
    EXPECT_THAT(part(block, 46, 4), ElementsAre('1', 'R', ' ', ' '));
    EXPECT_THAT(part(block, 54, 6), ElementsAre('B', 'A', 'C', ' ', ' ', ' '));
    EXPECT_EQ(word(block, 49) & 0x0300, 0x0300u); // DMA, LBA
    EXPECT_EQ(word(block, 60), 0xffffu);          // LBA28: 0FFFFFFFh at most
    EXPECT_EQ(word(block, 61), 0x0fffu);
    EXPECT_EQ(word(block, 75), 31u);     // depth 32
    EXPECT_EQ(word(block, 76), 0x110eu); // 1.5, 3, 6 Gb/s, NCQ, priority
    EXPECT_EQ(word(block, 77), 0x0046u); // runs at the third rate, SEND FPDMA QUEUED
    EXPECT_EQ(word(block, 78), 0x0006u); // offsets, auto-activate
    EXPECT_EQ(word(block, 79), 0x0006u);
    EXPECT_EQ(word(block, 82), 0x0060u);
    EXPECT_EQ(word(block, 83), 0x7400u); // bits 14, 13, 12, 10
    EXPECT_EQ(word(block, 84), 0x4060u);
    EXPECT_EQ(word(block, 85), 0x0060u);
    EXPECT_EQ(word(block, 93), 0u);
    EXPECT_THAT(part(block, 200, 8), ElementsAre(0xab, 0x89, 0x67, 0x45, 0x23, 0x01, 0, 0));
    EXPECT_EQ(word(block, 105), 1u);
    EXPECT_EQ(word(block, 106), 0x6003u); // 8 sectors of 512 bytes are one of the medium
    EXPECT_EQ(word(block, 169), 1u);
    EXPECT_EQ(word(block, 217), 1u);
    EXPECT_EQ(block[510], 0xa5);
    EXPECT_EQ(sum(block), 0u);
}

TEST(Identity, WithoutNcqAtTheFirstRateAndWithEverythingOff)
{
    DeviceFacts facts;
    facts.sectors = 0x12345;
    facts.gbps_tenths = 15;
    facts.ncq = false;
    Block block;
    make_identity(facts, {false, false, false, false}, block);
    EXPECT_EQ(word(block, 60), 0x2345u);
    EXPECT_EQ(word(block, 61), 0x0001u);
    EXPECT_EQ(word(block, 75), 0u);
    EXPECT_EQ(word(block, 76), 0x0002u);
    EXPECT_EQ(word(block, 77), 0x0002u);
    EXPECT_EQ(word(block, 78), 0u);
    EXPECT_EQ(word(block, 79), 0u);
    EXPECT_EQ(word(block, 85), 0u);
    EXPECT_EQ(sum(block), 0u);
}

TEST(NcqErrorLog, EveryByte)
{
    NcqError error;
    error.tag = 21;
    error.status = 0x41;
    error.error = 0x40;
    error.lba = 0x665544332211ull;
    error.device = 0x40;
    error.count = 0x80a8;
    Block block;
    make_ncq_error(error, block);
    EXPECT_THAT(part(block, 0, 16), ElementsAre(0x15, 0, 0x41, 0x40, 0x11, 0x22, 0x33, 0x40, 0x44,
                                                0x55, 0x66, 0, 0xa8, 0x80, 0, 0));
    EXPECT_EQ(std::accumulate(block.begin() + 16, block.begin() + 511, 0u), 0u);
    // 15h + 41h + 40h + 11h + 22h + 33h + 40h + 44h + 55h + 66h + A8h + 80h = 363h: 100h - 63h = 9Dh
    EXPECT_EQ(block[511], 0x9d);
    NcqError back;
    read_ncq_error(block, back);
    EXPECT_FALSE(back.not_queued);
    EXPECT_EQ(back.tag, 21);
    EXPECT_EQ(back.status, 0x41);
    EXPECT_EQ(back.error, 0x40);
    EXPECT_EQ(back.lba, error.lba);
    EXPECT_EQ(back.count, 0x80a8);
    error = NcqError();
    error.not_queued = true;
    make_ncq_error(error, block);
    EXPECT_EQ(block[0], 0x80);
    EXPECT_EQ(block[511], 0x80);
}

TEST(Logs, DirectoryTellsThePagesOfEach)
{
    Block block;
    make_log_directory(block);
    EXPECT_EQ(word(block, 0), 1u);
    EXPECT_EQ(word(block, 4), 8u);
    EXPECT_EQ(word(block, 0x10), 1u);
    EXPECT_EQ(std::accumulate(block.begin(), block.end(), 0u), 1u + 8 + 1);
    EXPECT_EQ(log_pages(0x00), 1u);
    EXPECT_EQ(log_pages(0x11), 0u);
}

TEST(Logs, StatisticsPages)
{
    DeviceStatistics s;
    s.sectors_written = 0x0102030405ull;
    s.write_commands = 7;
    s.sectors_read = 8;
    s.read_commands = 9;
    s.percentage_used = 12;
    Block block;
    make_statistics(s, 0, block);
    EXPECT_THAT(part(block, 0, 12), ElementsAre(1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 1, 7));
    make_statistics(s, 1, block);
    EXPECT_THAT(part(block, 0, 8), ElementsAre(1, 0, 1, 0, 0, 0, 0, 0));
    EXPECT_THAT(part(block, 24, 8), ElementsAre(5, 4, 3, 2, 1, 0, 0, 0xc0));
    EXPECT_THAT(part(block, 32, 8), ElementsAre(7, 0, 0, 0, 0, 0, 0, 0xc0));
    EXPECT_THAT(part(block, 40, 8), ElementsAre(8, 0, 0, 0, 0, 0, 0, 0xc0));
    EXPECT_THAT(part(block, 48, 8), ElementsAre(9, 0, 0, 0, 0, 0, 0, 0xc0));
    make_statistics(s, 7, block);
    EXPECT_THAT(part(block, 0, 16), ElementsAre(1, 0, 7, 0, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0xc0));
    make_statistics(s, 5, block); // temperature: not there
    EXPECT_EQ(std::accumulate(block.begin(), block.end(), 0u), 0u);
}

} // namespace
} // namespace tlmssd::sata
