// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one replay: the device without host and firmware, and a recorded stream (docs/guides/replay-ops.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/observe/results.h"
#include "models/replay/op_replay.h"
#include "models/run/status.h"
#include "models/ssd/assembly.h"

namespace tlmssd::replay {

struct ReplayOptions {
    bool closed = false; ///< as fast as the controller takes operations
    bool rtl_latencies = false; ///< the TLM controller takes as long to decide as the RTL
    ssd::Recordings recordings;
};

inline constexpr const char* kReplaySchema = "tlmssd-replay-1";

/// Build, precondition as the recorded run did, check that the stream fits, replay. One a process.
class Replay {
public:
    /// `config` outlives the replay. InputError for anything wrong with it or the stream. A `config` of
    /// config/replay.h may have another mode than its scheduler's.
    Replay(const config::Config& config, const std::string& ops, const ReplayOptions& options);
    Replay(config::Config&& config, const std::string& ops, const ReplayOptions& options) = delete;
    ~Replay();

    run::RunStatus run();
    /// replay.json.
    observe::Json results(run::RunStatus status) const;
    /// One line each: broken protocol, operations that never ended.
    std::vector<std::string> failures() const;

    const ReplayRecord& record() const { return replay_->record(); }
    const config::Config& config() const { return config_; }
    const Ssd& ssd() const { return assembly_->ssd(); }

private:
    const config::Config& config_;
    const config::Config built_; ///< a copy, because the device that is built differs: it has no host
    ReplayOptions options_;
    std::unique_ptr<ssd::Assembly> assembly_;
    std::unique_ptr<OpReplay> replay_;
    std::string path_;
    double wall_seconds_ = 0;
    Picoseconds ended_at_;
    std::vector<std::string> failures_;
};

/// From the first arrival to the last completion.
Picoseconds total_time(const ReplayRecord& record);
/// Mean of completion - arrival, in picoseconds.
double mean_latency_ps(const ReplayRecord& record);

/// A person's view of replay.json.
std::string replay_table(const observe::Json& results);

} // namespace tlmssd::replay
