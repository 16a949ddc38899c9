// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the schedulers of the firmware; each with keys of its own has a header of its own.
#pragma once

#include "firmware/hal/sched_traits.h"
#include "models/common/types.h"
#include "models/config/controller.h"

namespace tlmssd::config {

enum class Scheduler : u8 {
#define SCHED(id, ...) id,
#include "firmware/hal/sched.def"
#undef SCHED
};

/// The mode that a scheduler needs from the controller (column `mode` of sched.def).
ControllerMode mode_of(Scheduler scheduler);

/// Whether the scheduler's row has a trait (enum sched_trait of firmware/hal/sched_traits.h).
bool can(Scheduler scheduler, u32 traits);

/// The hit manager of a scheduler that takes queued programs back (SCHED_TAKES_BACK).
struct HitManager {
    bool hit_manager = true;
    u32 return_reads = 3; ///< 0: never
};

const char* to_string(Scheduler);

} // namespace tlmssd::config
