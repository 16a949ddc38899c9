// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the configuration of a replay of flash operations: its controller's mode may be another than the
// scheduler's.
#pragma once

#include <optional>
#include <string>

#include "models/config/config.h"

namespace tlmssd::config {

/// As load(). `mode`: that of the controller, as strong as --set; it need not fit the scheduler and decides
/// which keys have an effect. Messages call it --mode.
Config load_for_replay(const std::string& path, const Overrides& overrides,
                       std::optional<ControllerMode> mode);

/// As load_text().
Config load_text_for_replay(const std::string& text, const std::string& name, const Overrides& overrides,
                            std::optional<ControllerMode> mode);

} // namespace tlmssd::config
