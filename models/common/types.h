// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: short names of the unsigned integers.
#pragma once

#include <cstdint>

namespace tlmssd {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

} // namespace tlmssd
