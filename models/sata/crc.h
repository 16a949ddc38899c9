// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: CRC-32 and the scrambler of SATA frames (docs/reference/sata-facts.md, "Link layer").
#pragma once

#include <array>

#include "models/common/types.h"

namespace tlmssd::sata {

/// CRC-32 of a frame's dwords, payload included: polynomial 04C11DB7h, start 52325032h, most
/// significant bit first, no final complement.
class Crc {
public:
    void add(u32 dword)
    {
        value_ ^= dword;
        value_ = kTable[3][value_ >> 24] ^ kTable[2][value_ >> 16 & 0xff] ^
                 kTable[1][value_ >> 8 & 0xff] ^ kTable[0][value_ & 0xff];
    }
    u32 value() const { return value_; }

    using Table = std::array<std::array<u32, 256>, 4>;

private:
    static const Table kTable;
    u32 value_ = 0x52325032;
};

/// The scrambler starts again with each SOF, so its output is one fixed series: that of
/// x^16 + x^15 + x^13 + x^4 + 1 from FFFFh. Dword `index` of a frame (0: the first after SOF, the
/// CRC included) is XORed with scramble(index); the receiver does the same.
constexpr u32 kMostScrambled = 1 + 2048 + 1; ///< header, payload, CRC
u32 scramble(u32 index);

} // namespace tlmssd::sata
