// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the scheduler `vaq`.
#pragma once

#include "models/common/types.h"

namespace tlmssd::config {

enum class VaqBlock : u8 { Die, Request };
enum class VaqConflict : u8 { Die, Package, Channel };

struct Vaq {
    VaqBlock block = VaqBlock::Die;
    bool join_adjacent = true;
    u32 join_window = 1; ///< transactions that are committed together at most; 1: off
    VaqConflict conflict = VaqConflict::Die;
};

} // namespace tlmssd::config
