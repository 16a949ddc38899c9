// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a device's cells in a file, which outlives the run.
#pragma once

#include <memory>
#include <string>

#include "models/config/config.h"
#include "models/nand/store/store_file.h"

namespace tlmssd::ssd {

/// The file for the cells of a device of `config`: made where it is missing. InputError: it belongs to another device,
/// or the configuration cannot mount it. `option`: what the user calls it.
std::unique_ptr<nand::StoreFile> open_device_file(const std::string& path, const config::Config& config,
                                                  const std::string& option);

} // namespace tlmssd::ssd
