// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the bytes of a codeword.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "models/flash/codeword.h"

namespace tlmssd::tb {
namespace {

using flash::crc32;

/// CRC-32 bit by bit, as IEEE 802.3 defines it.
u32 slow_crc(const u8* bytes, u32 n)
{
    u32 crc = 0xffffffff;
    for (u32 i = 0; i < n; ++i) {
        crc ^= bytes[i];
        for (u32 bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
        }
    }
    return crc ^ 0xffffffff;
}

struct Sector {
    Sector()
    {
        for (u32 i = 0; i < data.size(); ++i) {
            data[i] = static_cast<u8>(i * 7 + i / 256);
        }
    }
    std::array<u8, 512> data{};
};

TEST(Crc32, GivesThePublishedCheckValue)
{
    const char* const text = "123456789";
    EXPECT_EQ(crc32(reinterpret_cast<const u8*>(text), 9), 0xcbf43926u);
    EXPECT_EQ(crc32(nullptr, 0), 0u);
}

TEST(Crc32, AgreesWithTheBitwiseDefinitionAtEveryLength)
{
    const Sector s;
    for (u32 n = 1; n <= 512; ++n) {
        ASSERT_EQ(crc32(s.data.data(), n), slow_crc(s.data.data(), n)) << n;
    }
}

TEST(Codeword, IsDataThenCrcThenErasedBytes)
{
    const Sector s;
    std::array<u8, 540> codeword{};
    flash::encode_sector(s.data.data(), 27, codeword.data());
    EXPECT_TRUE(std::equal(s.data.begin(), s.data.end(), codeword.begin()));
    const u32 crc = slow_crc(s.data.data(), 512);
    for (u32 i = 0; i < 4; ++i) {
        EXPECT_EQ(codeword[512 + i], static_cast<u8>(crc >> (8 * i)));
    }
    EXPECT_EQ(std::count(codeword.begin() + 516, codeword.begin() + 539, 0xff), 23);
    EXPECT_EQ(codeword[539], 0) << "no more than 512 + 27 bytes";
}

TEST(Codeword, EveryFlippedBitIsNoticed)
{
    const Sector s;
    std::array<u8, 539> codeword{};
    flash::encode_sector(s.data.data(), 27, codeword.data());
    EXPECT_TRUE(flash::intact(codeword.data(), 27));
    for (u32 bit = 0; bit < 516 * 8; ++bit) {
        codeword[bit / 8] = static_cast<u8>(codeword[bit / 8] ^ 1u << bit % 8);
        ASSERT_FALSE(flash::intact(codeword.data(), 27)) << bit;
        codeword[bit / 8] = static_cast<u8>(codeword[bit / 8] ^ 1u << bit % 8);
    }
}

TEST(Codeword, ThatIsErasedFitsAndOneWithAClearedBitDoesNot)
{
    std::array<u8, 539> codeword{};
    codeword.fill(0xff);
    EXPECT_TRUE(flash::intact(codeword.data(), 27));
    codeword[100] = 0xfe;
    EXPECT_FALSE(flash::intact(codeword.data(), 27));
}

TEST(Codeword, WithoutRoomForACrcIsTakenAsItIs)
{
    const Sector s;
    std::array<u8, 515> codeword{};
    flash::encode_sector(s.data.data(), 3, codeword.data());
    EXPECT_EQ(std::count(codeword.begin() + 512, codeword.end(), 0xff), 3);
    codeword[0] ^= 1;
    EXPECT_TRUE(flash::intact(codeword.data(), 3));
}

TEST(FlipBits, InvertsThatManyAndAtMostHalf)
{
    for (const u64 random : {u64{0}, u64{0x123456789abcdef0}, ~u64{0}}) {
        for (const u32 count : {1u, 41u, 2048u, 65535u}) {
            std::array<u8, 512> data{};
            flash::flip_bits(data.data(), count, random);
            int ones = 0;
            for (const u8 byte : data) {
                ones += __builtin_popcount(byte);
            }
            EXPECT_EQ(ones, static_cast<int>(std::min(count, 2048u)));
        }
    }
}

} // namespace
} // namespace tlmssd::tb
