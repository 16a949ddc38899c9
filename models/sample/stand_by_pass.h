// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a pass in simulated time by the TLM controller; windows of it again by the RTL.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "models/sample/child_process.h"
#include "models/sample/pass.h"

namespace tlmssd::sample {

/// The workload runs through by the TLM controller. Where a window begins, the process is copied. In the copy operations
/// of the TLM controller end, and the RTL gets those that come behind them; when the window has ended, so does the copy.
/// So both controllers serve each window from one state, and the RTL leaves no trace in the run.
class StandByPass final : public Pass {
public:
    StandByPass(const config::Config& config, const std::string& cache);

    void on_request(const host::RequestRecord& request) override;

private:
    /// A window that another process measures, and the number of requests before it.
    struct Copy {
        ChildProcess process;
        u64 window;
    };

    std::unique_ptr<workload::RequestSource> prepare(std::unique_ptr<workload::RequestSource> source,
                                                     const config::LoopMode& mode) override;
    bool complete() const override { return ended_ == requests_; }
    void simulated() override;
    void count(const Ended& request);
    static void add(const Ended& request, Whole& to);
    void begin();
    void collect();

    u64 ended_ = 0;  ///< requests
    u64 begins_ = 0; ///< requests before the next window
    u64 part_began_ps_ = 0; ///< the end of the request before the part
    u64 last_ps_ = 0;       ///< the end of the last request
    std::unique_ptr<ChildProcess> parent_; ///< in a copy: the way back
    std::deque<Copy> copies_;              ///< that have not been collected, the oldest first
};

} // namespace tlmssd::sample
