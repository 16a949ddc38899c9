// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: TLM-2.0 transactions on a block of 32-bit registers, dword by dword.
#pragma once

#include <functional>

#include <tlm>

#include "models/common/types.h"

namespace tlmssd::pci {

/// Offsets are those of dwords. Reads have no effect.
struct RegisterBlock {
    u32 bytes = 0; ///< its size, whole dwords
    std::function<u32(u32 offset)> read;
    std::function<void(u32 offset, u32 value, u32 mask)> write; ///< `mask`: the bits of the enabled bytes
};

/// A read or write of any length and byte enables inside the block; bytes of one dword are one access of its register.
/// Sets the response. True: it has been carried out.
bool access(const RegisterBlock& block, tlm::tlm_generic_payload& payload);

/// transport_dbg of the block: bytes read, 0 for a write.
u32 peek(const RegisterBlock& block, tlm::tlm_generic_payload& payload);

} // namespace tlmssd::pci
