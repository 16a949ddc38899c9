// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the words that stand for each enumerator, in the enumerators' order. Nowhere else.
#pragma once

#include <string>
#include <vector>

#include "firmware/hal/sched_traits.h"
#include "models/config/config.h"

namespace tlmssd::config {

/// The words of enumeration E: names_of<E>()[static_cast<int>(e)].
template <class E>
const std::vector<std::string>& names_of();

/// The mode a scheduler needs from the controller (column `mode` of sched.def).
ControllerMode mode_of(Scheduler scheduler);

/// Whether the scheduler's row has one of these traits (enum sched_trait of firmware/hal/sched_traits.h).
bool can(Scheduler scheduler, u32 traits);

/// The 24 allocation orders: the permutations of CWDP.
const std::vector<std::string>& allocation_names();

} // namespace tlmssd::config
