// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: READ PARAMETER PAGE, READ ID and READ UNIQUE ID, made from the part's configuration.
#pragma once

#include <array>
#include <vector>

#include "models/common/geometry.h"
#include "models/config/config.h"

namespace tlmssd::nand {

inline constexpr u32 kParameterPageBytes = 256;
inline constexpr u32 kParameterPageCopies = 3; ///< the least that ONFI asks for
inline constexpr u32 kUniqueIdBytes = 512;     ///< 16 x (16 bytes and their complement)

/// CRC-16 of ONFI: polynomial 8005h, initial value 4F4Eh, most significant bit first.
u16 onfi_crc16(const u8* bytes, std::size_t n);

/// 256 bytes with the CRC in the last two (ONFI 2.3, clause 5.7.1). `geometry` as the device uses
/// it, `width` 8 or 16 DQ lines. Field by field, with what is from memory, in docs/reference/nand-commands.md.
std::array<u8, kParameterPageBytes> parameter_page(const config::Nand& nand,
                                                   const Geometry& geometry, u32 width);

/// What ECh delivers: three copies.
std::vector<u8> parameter_page_copies(const config::Nand& nand, const Geometry& geometry,
                                      u32 width);

/// 90h-00h: the JEDEC id bytes. 90h-20h: "ONFI". Empty for another address.
std::vector<u8> read_id(const config::Nand& nand, u8 address);

/// EDh: 16 copies of 16 bytes and their complement, drawn from (seed, target number).
std::vector<u8> unique_id(u64 seed, u32 target);

} // namespace tlmssd::nand
