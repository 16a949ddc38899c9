// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: with `data: full` the data path makes codewords of bytes and bytes of codewords.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/common/error.h"
#include "models/flash/codeword.h"
#include "models/flash/data_path.h"
#include "tb/flash/fake_dram.h"

namespace tlmssd::tb {
namespace {

using flash::DataPath;
using flash::SegmentRequest;

constexpr u32 kCodeword = 539;
constexpr u32 kPage = 8192;

struct ByteDram final : FlashDramIf {
    UnitTag* tags(u32 byte_offset) override { return &cells.at(byte_offset / 4096); }
    u8* bytes(u32 byte_offset) override { return &memory.at(byte_offset); }
    Picoseconds transfer(Picoseconds now, const DramAccess&) override { return now; }
    u8* oob(u32 byte_offset) override { return &records.at(byte_offset); }
    std::array<UnitTag, 8> cells{};
    std::array<u8, 4 * kPage> memory{};
    std::array<u8, 64> records{};
};

/// The DRAM byte i is salt(i); pages of 16 codewords, 8 correctable bits each.
class BytePath : public testing::Test {
protected:
    explicit BytePath(u64 falsify_at = 0)
        : geometry(flash_geometry()), inject{0, falsify_at, 0, {}},
          path(geometry, dram, controller(), inject)
    {
        for (u32 i = 0; i < dram.memory.size(); ++i) {
            dram.memory[i] = salt(i);
        }
        dram.records.fill(0x42);
        cells.page = burst.data();
        burst.fill(0xee);
    }
    static u8 salt(u32 i) { return static_cast<u8>(i * 13 + i / 512); }
    static config::Controller controller()
    {
        config::Controller c;
        c.ecc_bits = 8;
        return c;
    }
    static SegmentRequest request(u32 page, u32 col, u32 len, u32 oob = FLASH_NO_OOB)
    {
        SegmentRequest r;
        r.buf = page * kPage;
        r.col = static_cast<u8>(col);
        r.len = static_cast<u8>(len);
        r.oob = oob;
        return r;
    }
    /// Errors of the burst's first codewords; the others have none.
    void errors(std::initializer_list<u16> counts)
    {
        std::copy(counts.begin(), counts.end(), cells.bit_errors.begin());
        cells.codewords = static_cast<u32>(counts.size());
    }
    Geometry geometry;
    config::Inject inject;
    ByteDram dram;
    DataPath path;
    onfi::DataCells cells;
    std::array<u8, 8640 + 1> burst{};
};

TEST_F(BytePath, CarriesBytes) { EXPECT_TRUE(path.carries_bytes()); }

TEST_F(BytePath, SendsEachSectorBeforeItsParityAndTheOobLast)
{
    path.fetch(request(1, 0, 16, 16), cells, Picoseconds());
    for (u32 sector = 0; sector < 16; ++sector) {
        const u8* const codeword = &burst[sector * kCodeword];
        for (u32 i = 0; i < 512; ++i) {
            ASSERT_EQ(codeword[i], salt(kPage + sector * 512 + i)) << sector << ", " << i;
        }
        EXPECT_TRUE(flash::intact(codeword, 27));
        EXPECT_EQ(std::count(codeword + 516, codeword + kCodeword, 0xff), 23);
    }
    EXPECT_EQ(std::count(&burst[8624], &burst[8640], 0x42), 16);
    EXPECT_EQ(burst[8640], 0xee);
}

TEST_F(BytePath, SendsAPartOfAPageFromItsOwnSectors)
{
    path.fetch(request(1, 5, 2), cells, Picoseconds());
    EXPECT_EQ(burst[0], salt(kPage + 5 * 512));
    EXPECT_EQ(burst[kCodeword], salt(kPage + 6 * 512));
    EXPECT_EQ(burst[2 * kCodeword], 0xee);
}

TEST_F(BytePath, StoresTheSectorsOfABurstAndNoOthers)
{
    path.fetch(request(0, 4, 3), cells, Picoseconds());
    errors({0, 8, 3}); // all correctable
    const auto result = path.store(request(2, 4, 3), cells, Picoseconds());
    EXPECT_FALSE(result.uncorrectable);
    for (u32 i = 0; i < kPage; ++i) {
        const bool stored = i >= 4 * 512 && i < 7 * 512;
        ASSERT_EQ(dram.memory[2 * kPage + i], salt(stored ? i : 2 * kPage + i)) << i;
    }
}

TEST_F(BytePath, DeliversWrongBitsWhereEccGivesUp)
{
    path.fetch(request(0, 0, 3), cells, Picoseconds());
    errors({8, 9, 0});
    EXPECT_TRUE(path.store(request(2, 0, 3), cells, Picoseconds()).uncorrectable);
    u32 wrong[3] = {};
    for (u32 i = 0; i < 3 * 512; ++i) {
        wrong[i / 512] += static_cast<u32>(__builtin_popcount(dram.memory[2 * kPage + i] ^ salt(i)));
    }
    EXPECT_EQ(wrong[0], 0u);
    EXPECT_EQ(wrong[1], 9u);
    EXPECT_EQ(wrong[2], 0u);
    EXPECT_EQ(dram.cells[4], flash::kLostUnit);
    const auto first = dram.memory;
    path.store(request(2, 0, 3), cells, Picoseconds());
    EXPECT_EQ(dram.memory, first) << "the same bits again";
}

TEST_F(BytePath, AWrongByteThatEccDidNotSeeIsAnError)
{
    path.fetch(request(0, 0, 2), cells, Picoseconds());
    errors({8, 8});
    burst[kCodeword + 100] ^= 1;
    EXPECT_THROW(path.store(request(2, 0, 2), cells, Picoseconds()), ModelError);
}

TEST_F(BytePath, ABurstThatNobodyDrivesIsFf)
{
    path.undriven(request(2, 0, 2), cells);
    EXPECT_EQ(std::count(burst.begin(), burst.begin() + 2 * kCodeword, 0xff), 2 * kCodeword);
    EXPECT_TRUE(path.store(request(2, 0, 2), cells, Picoseconds()).uncorrectable);
    EXPECT_EQ(std::count(&dram.memory[2 * kPage], &dram.memory[2 * kPage + 1024], 0xff), 1024);
}

class FalseBytePath : public BytePath {
protected:
    FalseBytePath() : BytePath(1) {}
};

TEST_F(FalseBytePath, BytesComeFromTheWrongAddressTogetherWithTheTags)
{
    path.fetch(request(0, 0, 1), cells, Picoseconds());
    EXPECT_EQ(burst[0], salt(kPage));
    EXPECT_TRUE(flash::intact(burst.data(), 27)) << "only the host can find it";
    path.fetch(request(0, 0, 1), cells, Picoseconds());
    EXPECT_EQ(burst[0], salt(0));
}

} // namespace
} // namespace tlmssd::tb
