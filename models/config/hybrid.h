// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the scheduler `hybrid`.
#pragma once

#include "models/common/types.h"
#include "models/config/scheduler.h"

namespace tlmssd::config {

struct Hybrid : HitManager {
    u32 window = 0; ///< reads in flight a channel; 0: what keeps the bus busy
    u32 gc_window = 0; ///< garbage-collection operations in flight per channel; 0: as many as `window`
};

} // namespace tlmssd::config
