// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one run: a host with a workload, a link, an SSD; what came out of it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/cpu/iss/gdb_session.h"
#include "models/cpu/steps/steps.h"
#include "models/flash/rtl/rtl_registers.h"
#include "models/host/initiator.h"
#include "models/observe/bound.h"
#include "models/observe/output/progress.h"
#include "models/observe/results.h"
#include "models/probes/ops/op_stream.h"
#include "models/run/nbd_client_if.h"
#include "models/run/measurement.h"
#include "models/run/shutdown_flush.h"
#include "models/run/status.h"
#include "models/run/timed_mount.h"
#include "models/ssd/assembly.h"
#include "models/workload/jobs.h"

namespace tlmssd::run {

struct RunOptions {
    ssd::Recordings recordings;
    std::string log;                 ///< one row per request; empty: none
    std::string ops;                 ///< recording of the flash operations; empty: none
    std::string steps;               ///< recording of the firmware's steps; empty: none
    std::string snapshot;            ///< to begin with instead of preconditioning; empty: none
    bool timed_mount = false;        ///< mount it in simulated time; the workload begins afterwards
    std::string cache;               ///< folder of aged devices; empty: none
    std::optional<u32> gdb_port;     ///< debug the firmware: cpu.model iss only
    NbdClientIf* nbd_client = nullptr;       ///< an NBD client instead of the configuration's workload
    nand::StoreFile* device = nullptr; ///< of the cells; null: they stand in memory
    std::ostream* warnings = nullptr; ///< left-out rows of a trace, formats that were found
    bool progress = false;
};

/// Build, precondition, run to the end of the workload, report. One simulation a process: the
/// SystemC kernel elaborates once.
class Simulation final : public host::RunListenerIf, public host::RequestObserverIf {
public:
    /// `config` outlives the simulation. InputError for anything wrong with it, the trace or an output file.
    Simulation(const config::Config& config, const RunOptions& options);
    Simulation(config::Config&& config, const RunOptions& options) = delete;
    ~Simulation() override;

    /// InputError: the trace is broken. ModelError: the device or the model is.
    RunStatus run();

    /// Instead of run(): precondition, and write the device to a snapshot; `after_workload`: run, FLUSH and
    /// wait until the device rests before that. Nothing is written where run() would not be Done. InputError.
    RunStatus save_snapshot(const std::string& path, bool after_workload);

    observe::Json results(RunStatus status) const;
    /// Of a run that goes on, from inside a callback; `nbd_client` only.
    observe::Json results_now();
    /// One line each: wrong data, broken protocol, firmware stops.
    std::vector<std::string> failures() const;

    const Ssd& ssd() const { return *ssd_; }
    const Measurement& measurement() const { return *measurement_; }
    const host::InitiatorStats& host_stats() const { return initiator_->stats(); }
    const time::EventQueue& event_queue() const { return *event_queue_; }

    void on_workload_done() override;
    void on_failure(const host::Failure& failure) override;
    void on_source_error() override;
    void on_issued(const host::RequestRecord& request) override;
    void on_request(const host::RequestRecord& request) override;

private:
    RunStatus run_to_the_end();
    void start_workload();
    void note_wall_time();
    void on_mounted();
    void require_recovery(const char* what) const;
    void note_failure(const std::exception_ptr& error);
    observe::Bound bound(Picoseconds makespan) const;
    void make_jobs(u64 sectors);

    const config::Config& config_;
    std::vector<std::string> notes_; ///< the configuration's, and the formats of traces that were found
    bool progress_wanted_;
    std::string snapshot_; ///< to begin with
    bool flush_at_the_end_ = false;
    ShutdownFlush flush_;
    host::DeviceLinkIf* device_ = nullptr;
    std::unique_ptr<probes::OpRecorder> ops_;
    std::unique_ptr<cpu::StepRecorder> recorder_;
    std::unique_ptr<cpu::GdbSession> gdb_; ///< outlives the core that it debugs
    std::unique_ptr<ssd::Assembly> assembly_;
    time::EventQueue* event_queue_ = nullptr;            ///< the assembly's
    Ssd* ssd_ = nullptr;                           ///< the assembly's
    probes::TimelineTap* timeline_tap_ = nullptr;  ///< the assembly's; null without timeline
    ssd::HostSide host_side_;
    std::unique_ptr<host::ExpectedVersions> versions_;
    std::unique_ptr<host::Initiator> initiator_;
    std::vector<workload::Job> jobs_;
    NbdClientIf* nbd_client_;
    nand::StoreFile* device_file_;
    std::chrono::steady_clock::time_point began_;
    std::unique_ptr<Measurement> measurement_;
    std::unique_ptr<TimedMount> mount_; ///< null where no time passes
    std::ostream* warnings_;
    std::unique_ptr<observe::Progress> progress_;
    u64 requests_done_ = 0;
    double wall_seconds_ = 0;
    aging::PreconditionReport precondition_;
    Picoseconds ended_at_;
    std::optional<flash::RtlCounters> rtl_counters_; ///< of a run without failures, where the RTL has them
    std::vector<std::string> failures_;
    bool interrupted_ = false;
};

} // namespace tlmssd::run
