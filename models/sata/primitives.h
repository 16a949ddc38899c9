// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: primitives of the SATA link as dwords, least significant byte first on the line.
#pragma once

#include "models/common/types.h"

namespace tlmssd::sata {

/// First byte K28.3 (7Ch), of ALIGN K28.5 (BCh); the rest are D characters (docs/reference/sata-facts.md, "Link
/// layer").
enum class Primitive : u32 {
    Align = 0x7b4a4abc,
    Cont = 0x9999aa7c,
    Dmat = 0x3636b57c,
    Eof = 0xd5d5b57c,
    Hold = 0xd5d5aa7c,
    HoldA = 0x9595aa7c,
    PmAck = 0x9595957c,
    PmNak = 0xf5f5957c,
    PmReqP = 0x1717b57c,
    PmReqS = 0x7575957c,
    RErr = 0x5656b57c,
    RIp = 0x5555b57c,
    ROk = 0x3535b57c,
    RRdy = 0x4a4a957c,
    Sof = 0x3737b57c,
    Sync = 0xb5b5957c,
    Wtrm = 0x5858b57c,
    XRdy = 0x5757b57c
};

constexpr u32 dword_of(Primitive primitive) { return static_cast<u32>(primitive); }

} // namespace tlmssd::sata
