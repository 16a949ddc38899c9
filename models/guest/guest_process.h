// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the process that a guest runs in.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::guest {

struct ProcessOptions {
    std::vector<std::string> words; ///< the program's path and its arguments
    std::string install;            ///< how a missing program is installed
    std::string folder;             ///< where it runs
    std::string input;              ///< file of its console's input; empty: none
    std::string console;            ///< file that gets its console; empty: standard output
    std::vector<int> inherited;     ///< descriptors that it keeps
    bool fixed_addresses = false;   ///< its memory layout is not at random
};

/// Killed where it still runs at the end, and when this process ends.
class GuestProcess {
public:
    /// InputError: the program cannot be run.
    explicit GuestProcess(const ProcessOptions& options);
    GuestProcess(const GuestProcess&) = delete;
    GuestProcess& operator=(const GuestProcess&) = delete;
    ~GuestProcess();

    /// The exit status, or 128 + the signal; nothing while it runs.
    std::optional<int> ended();
    /// Waits for its end, then kills it.
    int wait_for(u32 seconds);

private:
    pid_t pid_ = -1;
    std::optional<int> status_;
};

} // namespace tlmssd::guest
