// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the part of DRAM where flash DMA and firmware exchange OOB records.
#pragma once

#include <string>

#include "models/common/error.h"
#include "models/common/types.h"

namespace tlmssd::cpu {

/// Real bytes at DRAM byte offsets [base, base + bytes): 64 per flash tag.
struct OobWindow {
    u8* table = nullptr; ///< natively fw->oob
    u32 base = 0;        ///< fw_config::oob_base
    u32 bytes = 0;

    /// `count` bytes at DRAM offset `offset`. Throws ModelError outside the window.
    u8* at(u32 offset, u32 count) const
    {
        if (table == nullptr || offset < base || offset - base > bytes || count > bytes - (offset - base)) {
            throw ModelError("OOB records at DRAM offset " + std::to_string(offset) +
                             " lie outside the window that starts at " + std::to_string(base));
        }
        return table + (offset - base);
    }
};

} // namespace tlmssd::cpu
