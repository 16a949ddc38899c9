// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: CRC-32 of sectors, eight bytes a step.
#include "models/flash/codeword.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "models/common/geometry.h"

namespace tlmssd::flash {

namespace {

constexpr u32 kPolynomial = 0xedb88320u;
constexpr u32 kCrcBytes = 4;
constexpr u32 kSectorBits = kSectorBytes * 8;

/// tables[k][b]: the CRC register after byte b and k zero bytes.
using Tables = std::array<std::array<u32, 256>, 8>;

constexpr Tables make_tables()
{
    Tables t{};
    for (u32 b = 0; b < 256; ++b) {
        u32 value = b;
        for (u32 bit = 0; bit < 8; ++bit) {
            value = value >> 1 ^ ((value & 1) != 0 ? kPolynomial : 0);
        }
        t[0][b] = value;
    }
    for (u32 k = 1; k < t.size(); ++k) {
        for (u32 b = 0; b < 256; ++b) {
            t[k][b] = t[k - 1][b] >> 8 ^ t[0][t[k - 1][b] & 0xff];
        }
    }
    return t;
}

constexpr Tables kTables = make_tables();

} // namespace

u32 crc32(const u8* bytes, u32 n)
{
    u32 crc = ~0u;
    for (; n >= 8; n -= 8, bytes += 8) {
        u64 word = 0;
        std::memcpy(&word, bytes, sizeof word); // little endian
        word ^= crc;
        crc = 0;
        for (u32 i = 0; i < 8; ++i) {
            crc ^= kTables[7 - i][word >> (8 * i) & 0xff];
        }
    }
    for (; n > 0; --n, ++bytes) {
        crc = crc >> 8 ^ kTables[0][(crc ^ *bytes) & 0xff];
    }
    return ~crc;
}

void encode_sector(const u8* data, u32 parity, u8* codeword)
{
    std::memcpy(codeword, data, kSectorBytes);
    std::memset(codeword + kSectorBytes, 0xff, parity);
    if (parity >= kCrcBytes) {
        const u32 crc = crc32(data, kSectorBytes);
        std::memcpy(codeword + kSectorBytes, &crc, kCrcBytes);
    }
}

bool intact(const u8* codeword, u32 parity)
{
    if (parity < kCrcBytes) {
        return true;
    }
    u32 stored = 0;
    std::memcpy(&stored, codeword + kSectorBytes, kCrcBytes);
    if (crc32(codeword, kSectorBytes) == stored) {
        return true;
    }
    return std::all_of(codeword, codeword + kSectorBytes + parity, [](u8 b) { return b == 0xff; });
}

void flip_bits(u8* data, u32 count, u64 random)
{
    const u32 first = static_cast<u32>(random) % kSectorBits;
    const u32 step = static_cast<u32>(random >> 32) % kSectorBits | 1; // odd: meets every bit once
    for (u32 i = 0; i < std::min(count, kSectorBits / 2); ++i) {
        const u32 bit = (first + i * step) % kSectorBits;
        data[bit / 8] = static_cast<u8>(data[bit / 8] ^ 1u << bit % 8);
    }
}

} // namespace tlmssd::flash
