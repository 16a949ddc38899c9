// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the commands `snapshot info` and `snapshot load`.
#pragma once

#include <string>

#include "models/config/config.h"
#include "models/observe/results.h"

namespace tlmssd::powercut {

/// Check the whole file; what it holds. InputError.
observe::Json snapshot_info(const std::string& path);
/// The same for people, a line per fact.
std::string table_of_snapshot(const observe::Json& info);

/// Does the device of `config` come up from the file? Mount in simulated time, read every page that was
/// written, print the time that it took. The exit status. InputError.
int snapshot_load(const std::string& path, const config::Config& config);

} // namespace tlmssd::powercut
