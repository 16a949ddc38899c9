// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: CRC, scrambler and primitives against the standard's examples and tables.
#include "models/sata/crc.h"

#include <gtest/gtest.h>

#include "models/sata/primitives.h"

namespace tlmssd::sata {
namespace {

// The standard's example of a register FIS, with the value behind each dword.
TEST(SataCrc, GivesTheStandardsExample)
{
    Crc crc;
    const u32 dwords[] = {0x00308027, 0xe1234567, 0x00000000, 0x00000002, 0x00000000};
    const u32 values[] = {0x11e353fd, 0x0f656da7, 0, 0x92d0d681, 0x319fff6f};
    for (u32 i = 0; i < 5; ++i) {
        crc.add(dwords[i]);
        if (i != 2) {
            EXPECT_EQ(crc.value(), values[i]) << i;
        }
    }
}

/// x^32 + ... bit by bit, as the standard draws it.
u32 slow_crc(u32 crc, u32 dword)
{
    for (u32 bit = 0; bit < 32; ++bit) {
        const bool out = (crc >> 31) != (dword >> (31 - bit) & 1);
        crc = crc << 1 ^ (out ? 0x04c11db7u : 0u);
    }
    return crc;
}

TEST(SataCrc, IsThatOfTheShiftRegister)
{
    Crc crc;
    u32 slow = 0x52325032;
    u32 dword = 1;
    for (u32 i = 0; i < 2049; ++i) {
        dword = dword * 1664525u + 1013904223u;
        crc.add(dword);
        slow = slow_crc(slow, dword);
        ASSERT_EQ(crc.value(), slow) << i;
    }
}

// First dwords of the standard's list of scrambler outputs.
TEST(Scrambler, GivesTheStandardsSeries)
{
    const u32 list[] = {0xc2d2768d, 0x1f26b368, 0xa508436c, 0x3452d354, 0x8a559502, 0xbb1abe1b};
    for (u32 i = 0; i < 6; ++i) {
        EXPECT_EQ(scramble(i), list[i]) << i;
    }
}

// Dx.y or Kx.y: y in bits 7:5, x in 4:0. K28.5 and K28.3 begin all primitives.
constexpr u32 d(u32 x, u32 y) { return y << 5 | x; }
constexpr u32 four(u32 a, u32 b, u32 c, u32 e) { return a | b << 8 | c << 16 | e << 24; }

TEST(Primitives, AreTheCharactersOfTheStandardsTable)
{
    const u32 k283 = d(28, 3);
    EXPECT_EQ(dword_of(Primitive::Align), four(d(28, 5), d(10, 2), d(10, 2), d(27, 3)));
    EXPECT_EQ(dword_of(Primitive::Cont), four(k283, d(10, 5), d(25, 4), d(25, 4)));
    EXPECT_EQ(dword_of(Primitive::Dmat), four(k283, d(21, 5), d(22, 1), d(22, 1)));
    EXPECT_EQ(dword_of(Primitive::Eof), four(k283, d(21, 5), d(21, 6), d(21, 6)));
    EXPECT_EQ(dword_of(Primitive::Hold), four(k283, d(10, 5), d(21, 6), d(21, 6)));
    EXPECT_EQ(dword_of(Primitive::HoldA), four(k283, d(10, 5), d(21, 4), d(21, 4)));
    EXPECT_EQ(dword_of(Primitive::PmAck), four(k283, d(21, 4), d(21, 4), d(21, 4)));
    EXPECT_EQ(dword_of(Primitive::PmNak), four(k283, d(21, 4), d(21, 7), d(21, 7)));
    EXPECT_EQ(dword_of(Primitive::PmReqP), four(k283, d(21, 5), d(23, 0), d(23, 0)));
    EXPECT_EQ(dword_of(Primitive::PmReqS), four(k283, d(21, 4), d(21, 3), d(21, 3)));
    EXPECT_EQ(dword_of(Primitive::RErr), four(k283, d(21, 5), d(22, 2), d(22, 2)));
    EXPECT_EQ(dword_of(Primitive::RIp), four(k283, d(21, 5), d(21, 2), d(21, 2)));
    EXPECT_EQ(dword_of(Primitive::ROk), four(k283, d(21, 5), d(21, 1), d(21, 1)));
    EXPECT_EQ(dword_of(Primitive::RRdy), four(k283, d(21, 4), d(10, 2), d(10, 2)));
    EXPECT_EQ(dword_of(Primitive::Sof), four(k283, d(21, 5), d(23, 1), d(23, 1)));
    EXPECT_EQ(dword_of(Primitive::Sync), four(k283, d(21, 4), d(21, 5), d(21, 5)));
    EXPECT_EQ(dword_of(Primitive::Wtrm), four(k283, d(21, 5), d(24, 2), d(24, 2)));
    EXPECT_EQ(dword_of(Primitive::XRdy), four(k283, d(21, 5), d(23, 2), d(23, 2)));
}

} // namespace
} // namespace tlmssd::sata
