// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the pattern of a sector, and which bytes a read may bring.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>
#include <string>

#include "models/common/geometry.h"
#include "models/host/expected_versions.h"

namespace tlmssd::host {
namespace {

using Sector = std::array<u8, kSectorBytes>;

Sector sector_of(const ExpectedBytes& bytes, u64 lba, u32 version)
{
    Sector out;
    bytes.fill(lba, version, out.data());
    return out;
}

constexpr u32 kRight = kSectorBytes; ///< what first_wrong() says of right bytes

TEST(ExpectedBytes, ASectorThatWasNeverWrittenIsZeros)
{
    const ExpectedBytes b(100, 1);
    Sector zeros{};
    EXPECT_EQ(sector_of(b, 7, 0), zeros);
    EXPECT_EQ(b.first_wrong(7, b.word(7), zeros.data()), kRight);
    zeros[300] = 1;
    EXPECT_EQ(b.first_wrong(7, b.word(7), zeros.data()), 300u);
}

TEST(ExpectedBytes, BeginWithAddressAndVersion)
{
    const ExpectedBytes b(u64{1} << 40, 1);
    const Sector s = sector_of(b, 0x123456789a, 0x0badcafe);
    const u8 want[12] = {0x9a, 0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0xfe, 0xca, 0xad, 0x0b};
    EXPECT_EQ(std::memcmp(s.data(), want, sizeof want), 0);
}

TEST(ExpectedBytes, DifferForEverySeedAddressAndVersionBeyondTheHeader)
{
    std::set<std::string> tails;
    for (u64 seed = 1; seed <= 3; ++seed) {
        const ExpectedBytes b(100, seed);
        for (u64 lba = 0; lba < 20; ++lba) {
            for (u32 version = 1; version <= 20; ++version) {
                const Sector s = sector_of(b, lba, version);
                tails.emplace(s.begin() + 16, s.end());
            }
        }
    }
    EXPECT_EQ(tails.size(), 3u * 20 * 20);
}

TEST(ExpectedBytes, EveryWrongByteIsFound)
{
    ExpectedBytes b(100, 1);
    b.write(9, 4);
    Sector s = sector_of(b, 9, 4);
    EXPECT_EQ(b.first_wrong(9, b.word(9), s.data()), kRight);
    for (u32 i = 0; i < kSectorBytes; ++i) {
        s[i] ^= 0x10;
        ASSERT_EQ(b.first_wrong(9, b.word(9), s.data()), i);
        s[i] ^= 0x10;
    }
}

TEST(ExpectedBytes, AnotherVersionOrAddressIsWrong)
{
    ExpectedBytes b(100, 1);
    b.write(9, 4);
    EXPECT_NE(b.first_wrong(9, b.word(9), sector_of(b, 9, 3).data()), kRight);
    EXPECT_NE(b.first_wrong(9, b.word(9), sector_of(b, 9, 5).data()), kRight);
    EXPECT_EQ(b.first_wrong(9, b.word(9), sector_of(b, 8, 4).data()), 0u); // its LBA
    EXPECT_NE(b.first_wrong(9, b.word(9), Sector{}.data()), kRight);
}

TEST(ExpectedBytes, ATrimmedSectorMayBeZerosOrAsBeforeUntilWritten)
{
    ExpectedBytes b(100, 1);
    b.write(9, 4);
    b.trim(9);
    EXPECT_EQ(b.first_wrong(9, b.word(9), sector_of(b, 9, 4).data()), kRight);
    EXPECT_EQ(b.first_wrong(9, b.word(9), Sector{}.data()), kRight);
    EXPECT_NE(b.first_wrong(9, b.word(9), sector_of(b, 9, 3).data()), kRight);
    b.write(9, 5);
    EXPECT_NE(b.first_wrong(9, b.word(9), Sector{}.data()), kRight);
}

TEST(ExpectedBytes, ADoubtfulSectorMayHaveAnyVersionSoFarUntilWritten)
{
    ExpectedBytes b(100, 1);
    b.write(9, 4);
    b.doubt(9);
    for (u32 version = 0; version <= 4; ++version) {
        EXPECT_EQ(b.first_wrong(9, b.word(9), sector_of(b, 9, version).data()), kRight) << version;
    }
    EXPECT_NE(b.first_wrong(9, b.word(9), sector_of(b, 9, 5).data()), kRight);
    EXPECT_NE(b.first_wrong(9, b.word(9), sector_of(b, 8, 2).data()), kRight);
    Sector torn = sector_of(b, 9, 2);
    torn[511] ^= 1;
    EXPECT_NE(b.first_wrong(9, b.word(9), torn.data()), kRight);
    b.write(9, 5);
    EXPECT_NE(b.first_wrong(9, b.word(9), sector_of(b, 9, 4).data()), kRight);
}

} // namespace
} // namespace tlmssd::host
