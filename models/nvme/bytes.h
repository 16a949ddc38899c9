// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: little-endian fields of structures in host memory.
#pragma once

#include <cstring>

#include "models/common/types.h"

namespace tlmssd::nvme {

inline u16 get16(const u8* at) { return static_cast<u16>(at[0] | at[1] << 8); }
inline u32 get32(const u8* at) { return u32{at[0]} | u32{at[1]} << 8 | u32{at[2]} << 16 | u32{at[3]} << 24; }
inline u64 get64(const u8* at) { return u64{get32(at)} | u64{get32(at + 4)} << 32; }

inline void put16(u8* at, u32 value)
{
    at[0] = static_cast<u8>(value);
    at[1] = static_cast<u8>(value >> 8);
}
inline void put32(u8* at, u32 value)
{
    put16(at, value & 0xffff);
    put16(at + 2, value >> 16);
}
inline void put64(u8* at, u64 value)
{
    put32(at, static_cast<u32>(value));
    put32(at + 4, static_cast<u32>(value >> 32));
}

/// ASCII, left-justified, filled with spaces; what does not fit is left out.
inline void put_text(u8* at, const char* text, u32 bytes)
{
    const std::size_t length = std::strlen(text);
    for (u32 i = 0; i < bytes; ++i) {
        at[i] = i < length ? static_cast<u8>(text[i]) : u8{' '};
    }
}

} // namespace tlmssd::nvme
