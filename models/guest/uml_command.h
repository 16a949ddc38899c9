// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: how User-Mode Linux is started.
#pragma once

#include "models/guest/guest_process.h"

namespace tlmssd::guest {

/// Its root is the host's, read-only.
struct UmlOptions {
    std::string kernel; ///< the program
    std::string init;   ///< what it runs first, a path of the host
    std::string memory = "256M";
    std::string calendar, device;    ///< paths of the sockets
    std::string folder;              ///< where it runs and keeps its own files
    std::string console;             ///< file that gets its console; empty: standard output
    std::vector<std::string> append; ///< more of the command line; KEY=value is in the environment of `init`
};

ProcessOptions uml_command(const UmlOptions& options);

} // namespace tlmssd::guest
