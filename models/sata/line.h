// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a frame as the dwords of the line: framing, scrambling, CRC, ALIGN, HOLD (`link: full`).
#pragma once

#include <vector>

#include "models/common/types.h"
#include "models/sata/frame.h"

namespace tlmssd::sata {

inline constexpr u32 kFramingDwords = 3; ///< SOF, CRC, EOF
inline constexpr u32 kAlignEvery = 256;  ///< dwords between ALIGN pairs
inline constexpr u32 kAlignPair = 2;

/// Bits of the line that noise has changed: 40 a dword of SOF, FIS, payload, CRC, EOF.
using BitErrors = std::vector<u64>;

/// A dword of the line. Primitives begin with a K character, which no data dword has.
struct LineDword {
    u32 value = 0;
    bool primitive = false;
};

/// Encodes frames of one direction. Keeps where the next ALIGN pair is due.
class LineSender {
public:
    /// SOF, scrambled FIS with payload and CRC, EOF; an ALIGN pair after each 256 other dwords.
    /// `holds` HOLD dwords (the receiver's FIFO was full) stand before the CRC. A bit error changes
    /// that bit of the dword, scaled from 40 line bits to its 32.
    void send(const Frame& frame, u32 holds, const BitErrors& errors, std::vector<LineDword>& line);

private:
    void put(LineDword dword, std::vector<LineDword>& line);
    u32 since_align_ = 0;
};

/// The receiver of a line: primitives out, descrambled, CRC checked.
class LineReceiver {
public:
    /// True: the frame is good (R_OK), dwords() holds FIS and payload. False: R_ERR.
    bool receive(const std::vector<LineDword>& line);
    const std::vector<u32>& dwords() const { return dwords_; }

private:
    std::vector<u32> dwords_;
};

/// Dword `index` of FIS and payload. Where no bytes travel, the payload is the frame's tags.
u32 frame_dword(const Frame& frame, u32 index);
/// The reverse, at the receiver: tags need none.
void set_frame_dword(Frame& frame, u32 index, u32 value);

} // namespace tlmssd::sata
