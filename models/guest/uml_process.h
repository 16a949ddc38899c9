// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the process of a User-Mode Linux kernel.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::guest {

struct UmlOptions {
    std::string kernel; ///< the program
    std::string init;   ///< what it runs first, a path of the host
    std::string memory = "256M";
    std::string calendar, device;    ///< paths of the sockets
    std::string folder;              ///< where it runs and keeps its own files
    std::string console;             ///< file that gets its console; empty: standard output
    std::vector<std::string> append; ///< more of the command line; KEY=value is in the environment of `init`
};

/// Killed where it still runs at the end. Its root is the host's, read-only.
class UmlProcess {
public:
    /// InputError: the kernel cannot be run.
    explicit UmlProcess(const UmlOptions& options);
    UmlProcess(const UmlProcess&) = delete;
    UmlProcess& operator=(const UmlProcess&) = delete;
    ~UmlProcess();

    /// The exit status, or 128 + the signal; nothing while it runs.
    std::optional<int> ended();
    /// Waits for its end, then kills it.
    int wait_for(u32 seconds);

private:
    pid_t pid_ = -1;
    std::optional<int> status_;
};

} // namespace tlmssd::guest
