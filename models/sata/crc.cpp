// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tables of the CRC and of the scrambler.
#include "models/sata/crc.h"

namespace tlmssd::sata {

namespace {

constexpr u32 kPolynomial = 0x04c11db7;

std::array<u32, kMostScrambled> make_series()
{
    std::array<u32, kMostScrambled> series{};
    u32 state = 0xffff;
    for (u32& dword : series) {
        for (u32 bit = 0; bit < 32; ++bit) { // least significant bit first
            const u32 out = state >> 15 & 1;
            dword |= out << bit;
            state = (state << 1 & 0xffff) ^ (out != 0 ? 0xa011u : 0u);
        }
    }
    return series;
}

constexpr Crc::Table make_table()
{
    Crc::Table table{};
    for (u32 byte = 0; byte < 256; ++byte) {
        u32 value = byte << 24;
        for (u32 zeros = 0; zeros < 4; ++zeros) { // the byte, and that many zero bytes behind it
            for (u32 bit = 0; bit < 8; ++bit) {
                value = value << 1 ^ (value >> 31 != 0 ? kPolynomial : 0u);
            }
            table[zeros][byte] = value;
        }
    }
    return table;
}

} // namespace

const Crc::Table Crc::kTable = make_table();

u32 scramble(u32 index)
{
    static const std::array<u32, kMostScrambled> kSeries = make_series();
    return kSeries[index];
}

} // namespace tlmssd::sata
