// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: makes the source of requests that a configuration asks for.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/interfaces/request.h"

namespace tlmssd::workload {

/// A trace reader when `workload.trace` names a file, launches where `workload.launches` is not 0,
/// locality where `workload.locality_footprint` is not 0, else the generator.
/// `device_sectors`: size of the device in 512-byte sectors; no request reaches beyond it.
/// `warnings` (may be null): gets a line for each of the first ten rows that are left out.
/// Throws InputError: a wrong key; a file that cannot be read, is of no or of several formats.
std::unique_ptr<RequestSource> make_source(const config::Workload& workload, u64 device_sectors,
                                           u64 seed, std::ostream* warnings);

/// The names that workload.format takes.
std::vector<std::string> format_names();

} // namespace tlmssd::workload
