// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the commands `snapshot info` and `snapshot load`.
#pragma once

#include <string>

#include "models/config/config.h"

namespace tlmssd::powercut {

/// Check the whole file and say what is in it, a line a fact. InputError.
std::string snapshot_info(const std::string& path);

/// Does the device of `config` come up from the file? Mount in simulated time, read every page that was
/// written, print the time that it took. The exit status. InputError.
int snapshot_load(const std::string& path, const config::Config& config);

} // namespace tlmssd::powercut
