// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: CRC-32 of sectors: by carry-less multiplication where the processor has it, else eight bytes a step.
#include "models/flash/codeword.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "models/common/geometry.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

#if defined(__x86_64__)
#define TLMSSD_CLMUL __attribute__((target("pclmul,sse4.1")))

/// Both halves of `x` moved up by the distance that `by` stands for, modulo the polynomial.
TLMSSD_CLMUL inline __m128i fold(__m128i x, __m128i by)
{
    return _mm_xor_si128(_mm_clmulepi64_si128(x, by, 0x00), _mm_clmulepi64_si128(x, by, 0x11));
}

TLMSSD_CLMUL inline __m128i load(const u8* bytes)
{
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

/// The CRC register behind `n` bytes, a multiple of 64 and not 0. Gopal et al., "Fast CRC Computation for Generic
/// Polynomials Using PCLMULQDQ Instruction", Intel 2009: the constants of this polynomial are there.
TLMSSD_CLMUL u32 crc_by_folding(u32 crc, const u8* bytes, u32 n)
{
    const __m128i by512 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i by128 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const __m128i even = _mm_set_epi32(0, ~0, 0, ~0);
    __m128i x[4] = {load(bytes), load(bytes + 16), load(bytes + 32), load(bytes + 48)};
    x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128(static_cast<int>(crc)));
    for (bytes += 64, n -= 64; n != 0; bytes += 64, n -= 64) {
        for (u32 i = 0; i < 4; ++i) {
            x[i] = _mm_xor_si128(fold(x[i], by512), load(bytes + 16 * i));
        }
    }
    __m128i y = x[0];
    for (u32 i = 1; i < 4; ++i) {
        y = _mm_xor_si128(fold(y, by128), x[i]);
    }
    y = _mm_xor_si128(_mm_srli_si128(y, 8), _mm_clmulepi64_si128(y, by128, 0x10)); // to 96 bits, 64 bits
    y = _mm_xor_si128(_mm_srli_si128(y, 4),
                      _mm_clmulepi64_si128(_mm_and_si128(y, even), _mm_set_epi64x(0, 0x163cd6124), 0x00));
    const __m128i barrett = _mm_set_epi64x(0x1f7011641, 0x1db710641);
    __m128i q = _mm_clmulepi64_si128(_mm_and_si128(y, even), barrett, 0x10);
    q = _mm_clmulepi64_si128(_mm_and_si128(q, even), barrett, 0x00);
    return static_cast<u32>(_mm_extract_epi32(_mm_xor_si128(y, q), 1));
}

bool can_fold()
{
    static const bool can = __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
    return can;
}
#else
u32 crc_by_folding(u32 crc, const u8*, u32) { return crc; }
bool can_fold() { return false; }
#endif

} // namespace

u32 crc32(const u8* bytes, u32 n)
{
    u32 crc = ~0u;
    if (n >= 64 && can_fold()) {
        crc = crc_by_folding(crc, bytes, n & ~63u);
        bytes += n & ~63u;
        n &= 63u;
    }
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
