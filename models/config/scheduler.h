// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the schedulers of the firmware; each with keys of its own has a header of its own.
#pragma once

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

const char* to_string(Scheduler);

} // namespace tlmssd::config
