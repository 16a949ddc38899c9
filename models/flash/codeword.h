// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the bytes of a codeword: 512 data bytes and what stands for their parity.
#pragma once

#include "models/common/types.h"

namespace tlmssd::flash {

/// CRC-32 (IEEE 802.3: reflected polynomial EDB88320h, start and final inversion) of `n` bytes.
u32 crc32(const u8* bytes, u32 n);

/// Write 512 bytes of `data` and `parity` further bytes to `codeword`. Correction is modelled by
/// bit-error counts, so no ECC is computed: the first four parity bytes are the data's CRC-32, lowest
/// byte first, the others FFh; with less than four all are FFh.
void encode_sector(const u8* data, u32 parity, u8* codeword);

/// Do the bytes fit their parity? True without a CRC, and of a codeword that is erased (FFh all
/// over): nobody has encoded it.
bool intact(const u8* codeword, u32 parity);

/// Invert `count` different bits of the 512 bytes, chosen by `random`; at most half of all, more would
/// bring the data nearer to their inverse.
void flip_bits(u8* data, u32 count, u64 random);

} // namespace tlmssd::flash
