// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: least array and busy times that the protocol checker holds a LUN to.
#pragma once

#include "models/common/picoseconds.h"
#include "models/config/nand.h"

namespace tlmssd::onfi {

/// Least array and busy times of a part, picoseconds: over its page types, places and wear.
struct ArrayMinima {
    u64 read = 0;
    u64 program = 0;
    u64 erase = 0;
    u64 queue = 0;         ///< tDBSY
    u64 read_cache = 0;    ///< tRCBSY
    u64 program_cache = 0; ///< tCBSY
    u64 feature = 0;       ///< tFEAT
    u64 parameter = 0;     ///< READ PARAMETER PAGE, READ UNIQUE ID
    u64 suspend_program = 0;
    u64 suspend_erase = 0;
};

/// Equations in docs/explanation/checker.md.
ArrayMinima array_minima(const config::Nand& nand);

} // namespace tlmssd::onfi
