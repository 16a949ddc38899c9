// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a pass in simulated time by the TLM controller; windows of it again by the RTL.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "models/sample/child_process.h"
#include "models/sample/part_counter.h"
#include "models/sample/pass.h"

namespace tlmssd::sample {

/// The workload runs through by the TLM controller. Where a window begins, the process is copied. In the copy operations
/// of the TLM controller end, and the RTL gets those that come behind them; when the window has ended, so does the copy.
/// So both controllers serve each window from one state, and the RTL leaves no trace in the run.
/// Where a section begins, the process is copied, too: the copy goes on with longer ECC, as another run.
class StandByPass final : public Pass {
public:
    StandByPass(const config::Config& config, const std::string& cache);

    void on_request(const host::RequestRecord& record) override;

private:
    /// The part that this process plays.
    enum class Role { Pass, Window, Section };
    /// A window that another process measures, and its number.
    struct Copy {
        ChildProcess process;
        u64 window;
    };

    std::unique_ptr<workload::RequestSource> prepare(std::unique_ptr<workload::RequestSource> source,
                                                     const config::LoopMode& mode) override;
    bool complete() const override { return ended_ == requests_; }
    void simulated() override;
    void on_request_of_pass(const Ended& request);
    void on_request_of_window(const Ended& request);
    void on_request_of_section(const Ended& request);
    void begin_copy_of_window();
    void begin_section();
    void collect();
    void collect_section();

    Role role_ = Role::Pass;
    u64 ended_ = 0;          ///< requests
    u64 begins_ = 0;         ///< requests before the next window
    u64 section_begins_ = 0; ///< requests before the next section
    u64 sections_begun_ = 0;
    PartCounter whole_parts_;
    PartCounter section_parts_;
    std::unique_ptr<ChildProcess> parent_; ///< in a copy: the way back
    std::deque<Copy> copies_;              ///< that have not been collected, the oldest first
    std::optional<ChildProcess> section_;  ///< the copy of the section that began last, until it is collected
};

} // namespace tlmssd::sample
