// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the scheduler `hybrid`.
#pragma once

#include "models/common/types.h"
#include "models/config/scheduler.h"

namespace tlmssd::config {

struct Hybrid : HitManager {
    bool join_writes = true;
    bool place_late = true;
    bool pack = true;
    u32 window = 0; ///< reads in flight a channel; 0: what keeps the bus busy
    bool defer_gc = true;
    u32 gc_window = 0; ///< operations of collection in flight a channel; 0: the same
    bool priorities = true;
    u32 age_limit_us = 10000;
};

} // namespace tlmssd::config
