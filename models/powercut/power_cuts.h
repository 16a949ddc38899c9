// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the command `powercut`: many lives of devices, each ended by a cut at a random instant.
#pragma once

#include <string>
#include <vector>

#include "models/config/config.h"

namespace tlmssd::powercut {

struct PowerCutArguments {
    u64 cuts = 100;
    u64 seed = 1;
    u32 jobs = 1;            ///< processes at a time
    u32 lives = 16;          ///< cuts of one device, then a new one
    std::string within = "100ms"; ///< of simulated time that a life works at most
    bool quiet = false;
    bool json = false; ///< instead of the table
    std::string command;     ///< how it was called, without --cuts, --seed and --jobs
};

/// Prints failures as they come, with the command that repeats them, and a table at the end. The exit
/// status. InputError.
int power_cuts(const PowerCutArguments& arguments, const config::Config& config);

} // namespace tlmssd::powercut
