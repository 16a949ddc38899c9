// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration as JSON, for results.json.
#pragma once

#include "models/config/config.h"
#include "models/observe/results.h"

namespace tlmssd::run {

/// The keys of config::to_yaml() with numbers and booleans as such.
observe::Json config_json(const config::Config& config);

} // namespace tlmssd::run
