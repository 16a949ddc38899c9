// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: `tlmssd describe`.
#pragma once

#include <string>

#include "models/config/config.h"

namespace tlmssd::cli {

/// The resolved configuration, then capacities and peak rates computed from it.
std::string describe(const config::Config& config);

} // namespace tlmssd::cli
