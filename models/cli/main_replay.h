// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the command `replay-ops`.
#pragma once

#include <optional>
#include <string>

#include "models/config/config.h"
#include "models/observe/timeline.h"
#include "models/probes/waves/wave_options.h"

namespace tlmssd::cli {

struct ReplayArguments {
    std::string ops;
    bool closed = false;
    bool rtl_latencies = false;
    std::string out;
    std::string against;
    std::optional<std::string> tolerance;
    probes::WaveArguments waves;
    std::string timeline;
    std::string timeline_from;
    std::string timeline_to;
    bool quiet = false;
};

/// What --timeline-from and --timeline-to say; all of the run where neither is given. InputError.
observe::Timeline::Window timeline_window(const std::string& timeline, const std::string& from,
                                          const std::string& to);

/// What --mode says. InputError.
config::ControllerMode replay_mode(const std::string& word);

/// The exit status. InputError, ModelError.
int replay_ops(const ReplayArguments& arguments, const config::Config& config);

} // namespace tlmssd::cli
