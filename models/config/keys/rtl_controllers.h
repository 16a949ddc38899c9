// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the RTL controllers of this build, as tlmssd_add_rtl_controller() has described them.
#pragma once

#include <string>
#include <vector>

#include "models/config/config.h"

namespace tlmssd::config {

/// One line of the table that CMake makes (cmake/TlmssdRtl.cmake).
struct RtlController {
    const char* name; ///< of `controller.rtl`
    bool serial, inorder, ooo; ///< modes that it has
    bool registers; ///< those of o3: polls, time limits, suspend, age limit, stations, counters
    bool no_grants; ///< port no_grant_i
    bool clump;     ///< controller.issue_policy: clump
    const char* words; ///< what it is, or ""

    bool has(ControllerMode mode) const;
    /// "serial, inorder"
    std::string modes() const;
};

/// In the order of adding, o3 first; empty when built with TLMSSD_RTL=OFF.
const std::vector<RtlController>& rtl_controllers();
/// nullptr: not in this build.
const RtlController* find_rtl_controller(const std::string& name);
/// Choices of `controller.rtl`, the default first; without RTL the default alone, which is not used then.
std::vector<std::string> rtl_controller_choices();

} // namespace tlmssd::config
