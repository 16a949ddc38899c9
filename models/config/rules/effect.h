// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which settings have an effect; the others are dropped or an error.
#pragma once

#include "models/config/config.h"
#include "models/config/rules/settings.h"

namespace tlmssd::config {

/// Drop the generator, as a whole, where a trace from a stronger source replaces it.
void drop_replaced_generator(Settings& settings);

/// Where workload.mode: closed beats an open loop of a weaker source (mode: open, or Poisson arrivals): drop that
/// source's rate_iops and rate_process, with a line in `notes`. A rate_process as strong as the mode keeps both.
void drop_open_loop(Settings& settings, std::vector<std::string>& notes);

/// Drop the settings without effect where a stronger source made them so; elsewhere throw InputError.
/// True where one was dropped.
bool drop_unused(Settings& settings, const Config& config);

} // namespace tlmssd::config
