// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the devices to which the latencies of TlmLatency are fitted.
#pragma once

#include <optional>
#include <string>

#include "models/config/config.h"

namespace tlmssd::flash {

/// The feature of the device to which the latencies are not fitted, with its key and the nearest choice; nothing: they
/// are fitted to the device (docs/explanation/rtl-twin.md).
std::optional<std::string> latency_misfit(const config::Config& config);

} // namespace tlmssd::flash
