// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one pass over a workload: windows that are measured, and what lies between them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/host/initiator.h"
#include "models/observe/output/progress.h"
#include "models/sample/outline.h"
#include "models/sample/windows.h"
#include "models/ssd/assembly.h"
#include "models/ssd/host_side.h"
#include "models/workload/jobs.h"

namespace tlmssd::sample {

/// A device with a host, and a workload that passes it. The derived class has the part between windows.
/// One pass a process: the SystemC kernel elaborates once.
class Pass : public host::RunListenerIf, public host::RequestObserverIf {
public:
    ~Pass() override = default;
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    using ShowOutline = std::function<void(const Outline&)>;
    /// Once. `show` gets what has ended so far, where the plan says so. ModelError: the device or the model is broken.
    /// Interrupted.
    PassResult run(const Plan& plan, const Census& census, workload::Job job, bool progress, ShowOutline show = {});

    void on_failure(const host::Failure& failure) override;
    void on_source_error() override { event_queue_.stop(); }
    void on_workload_done() override { event_queue_.stop(); }

protected:
    /// Builds and preconditions the device. `config` outlives it. InputError.
    Pass(const config::Config& config, const SsdOptions& options);

    /// The source that the host gets; the simulation begins behind this.
    virtual std::unique_ptr<workload::RequestSource> prepare(std::unique_ptr<workload::RequestSource> source,
                                                             const config::LoopMode& mode) = 0;
    /// The simulation has come to its end, or has failed.
    virtual void simulated() {}
    /// All windows of the plan, or those that the workload has, are complete.
    virtual bool complete() const = 0;

    /// The number of requests before window `n`.
    u64 place_of_window(u64 n) const { return place(n, plan_.windows, plan_.length, kPlaceOfWindow); }
    /// The same of a section, its warm-up included.
    u64 place_of_section(u64 n) const
    {
        return place(n, plan_.sections, plan_.section_warmup() + plan_.section_length, kPlaceOfSection);
    }
    static Ended ended(const host::RequestRecord& request);
    void begin_window();
    void show_progress(u64 requests)
    {
        if (progress_ && requests % kShowEvery == 0) {
            progress_->update(requests, requests_, -1);
        }
    }

    void hide_progress() { progress_.reset(); }
    /// ModelError, Interrupted, InputError: what has ended the simulation too early.
    void require_success() const;

    static constexpr u64 kShowEvery = 4096; ///< requests between two looks at the progress line

    const config::Config& config_;
    ssd::Assembly assembly_;
    time::EventQueue& event_queue_;
    Ssd& ssd_;
    ssd::HostSide host_side_;
    std::unique_ptr<host::ExpectedVersions> versions_;
    host::Initiator initiator_;
    Plan plan_;
    u64 requests_ = 0; ///< of the workload
    std::vector<Window> windows_;
    Whole whole_; ///< of the controller that stands by
    std::vector<Whole> parts_;
    Twins sections_;
    ShowOutline show_outline_;

private:
    static constexpr u64 kPlaceOfWindow = 0x73616d706c65;    ///< "sample", of draws
    static constexpr u64 kPlaceOfSection = 0x73656374696f6e; ///< "section"

    /// In the n-th of `strata`, drawn, so that `length` requests and those that are open have their ends in it.
    u64 place(u64 n, u64 strata, u64 length, u64 purpose) const;
    Exact exact() const;

    std::vector<workload::Job> jobs_; ///< the only one
    std::unique_ptr<observe::Progress> progress_;
    std::vector<std::string> failures_;
};

/// Reads the workload to its end; `warnings` may be null. InputError.
Census count(const config::Config& config, std::ostream* warnings);

/// The one job of a configuration that can be sampled, from its first request. InputError.
workload::Job only_job(const config::Config& config, std::ostream* warnings);

} // namespace tlmssd::sample
