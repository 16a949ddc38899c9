// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: CRC-32 of bytes as they come.
#include "models/common/crc32.h"

#include <cstdio>

#include <zlib.h>

namespace tlmssd {

void Crc32::add(const void* bytes, std::size_t count)
{
    value_ = static_cast<u32>(crc32_z(value_, static_cast<const Bytef*>(bytes), count));
}

std::string hex_of(u32 crc)
{
    char text[16];
    std::snprintf(text, sizeof text, "%08x", crc);
    return text;
}

} // namespace tlmssd
