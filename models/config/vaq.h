// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the scheduler `vaq`.
#pragma once

#include "models/common/types.h"

namespace tlmssd::config {

enum class VaqConflict : u8 { Die, Package, Channel };

struct Vaq {
    VaqConflict conflict = VaqConflict::Die;
};

} // namespace tlmssd::config
