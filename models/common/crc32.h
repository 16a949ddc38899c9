// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: CRC-32 of bytes as they come.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "models/common/types.h"

namespace tlmssd {

/// IEEE 802.3, as zlib's crc32().
class Crc32 {
public:
    void add(const void* bytes, std::size_t count);
    void add(std::string_view text) { add(text.data(), text.size()); }
    u32 value() const { return value_; }

private:
    u32 value_ = 0;
};

/// Eight lower-case hexadecimal digits.
std::string hex_of(u32 crc);

} // namespace tlmssd
