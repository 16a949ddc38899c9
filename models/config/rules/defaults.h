// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the defaults of keys: those of the table, and those that follow from other keys.
#pragma once

#include "models/config/config.h"
#include "models/config/rules/settings.h"

namespace tlmssd::config {

/// Each key at its setting, else at the default of its row. Not yet filled in: what derive() fills in.
Config with_defaults(const Settings& settings);

/// Fill in the defaults that follow from other keys.
void derive(Config& config, const Settings& settings);

} // namespace tlmssd::config
