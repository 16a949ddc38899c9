// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: building and running one simulation.
#include "models/run/simulation.h"
#include "models/ssd/capacitor_budget.h"

#include <iostream>

#include "models/common/error.h"
#include "models/common/interrupt.h"
#include "models/flash/rtl/rtl_controller.h"
#include "models/nand/store/store_file.h"
#include "models/observe/output/format.h"
#include "models/ssd/firmware_image.h"
#include "models/ssd/host_side.h"
#include "models/workload/detect/detect.h"

namespace tlmssd::run {

namespace {

constexpr u64 kCheckEvery = 1024; ///< requests between looks at the progress display
constexpr std::size_t kFailuresShown = 20;

} // namespace

Simulation::Simulation(const config::Config& config, const RunOptions& options)
    : config_(config), notes_(config.notes), progress_wanted_(options.progress), snapshot_(options.snapshot),
      nbd_client_(options.nbd_client), device_file_(options.device), warnings_(options.warnings)
{
    if (!snapshot_.empty() && !options.steps.empty()) {
        throw InputError("--steps conflicts with --snapshot: a recording has no table pages that are read");
    }
    if (!options.steps.empty() && config.ftl.mapping == config::Mapping::Dftl) {
        throw InputError("--steps: not with ftl.mapping: dftl: a recording has no translation pages that are read");
    }
    if (!snapshot_.empty()) {
        require_recovery("--snapshot");
    } else if (device_file_ != nullptr) {
        require_recovery("--device");
    } else if (options.timed_mount) {
        throw InputError("--timed-mount requires --snapshot: a new device has nothing to mount");
    }
    const u64 sectors = config_.logical_sectors();
    if (nbd_client_ != nullptr) {
        flush_at_the_end_ = true;
        jobs_.push_back(nbd_client_->job(config_.host.queue_depth));
    } else {
        make_jobs(sectors);
    }
    if (const std::string text = ssd::hold_up_warning(config_); !text.empty() && warnings_ != nullptr) {
        *warnings_ << "warning: " << text << '\n';
    }
    if (options.gdb_port) {
        if (config_.cpu.model != config::CpuModel::Iss) {
            throw InputError("--gdb requires the firmware on the ISS: use --set cpu.model=iss");
        }
        gdb_ = std::make_unique<cpu::GdbSession>(*options.gdb_port, std::cerr, request_interrupt);
    }
    if (!options.ops.empty()) {
        if (config_.ftl.gc.copyback) {
            throw InputError("--ops: a recording has no copybacks: --set ftl.gc.copyback=false");
        }
        ops_ = std::make_unique<probes::OpRecorder>(options.ops);
    }
    SsdTaps taps;
    taps.ops = ops_.get();
    taps.gdb = gdb_.get();
    SsdOptions built;
    built.stages = Measurement::follows_stages(config_, options.log);
    built.file = device_file_;
    built.cache = options.cache;
    assembly_ = std::make_unique<ssd::Assembly>(config_, options.recordings, taps, built);
    event_queue_ = &assembly_->event_queue();
    ssd_ = &assembly_->ssd();
    timeline_tap_ = assembly_->timeline_tap();
    host_side_ = ssd::connect_host(*event_queue_, config_, *ssd_);
    host::DeviceLinkIf* device = host_side_.device;
    if (timeline_tap_) {
        host_side_.observe(*timeline_tap_);
    }
    if (probes::WaveRecorder* const waves = assembly_->waves()) {
        device = &waves->tap_host(*device, *event_queue_);
    }
    device_ = device;
    versions_ = ssd::expected_versions(config_);
    initiator_ = std::make_unique<host::Initiator>("host", *event_queue_, host::InitiatorOptions::of(config_), *device,
                                                   *versions_);
    initiator_->observe(this);
    measurement_ = std::make_unique<Measurement>(config_, *event_queue_, *ssd_, host_side_,
                                                 *initiator_, options.log);
    if (options.timed_mount) {
        mount_ = std::make_unique<TimedMount>(*event_queue_, *ssd_, [this] { on_mounted(); });
    }
    if (!options.steps.empty()) {
        recorder_ = std::make_unique<cpu::StepRecorder>(options.steps, ssd_->firmware().cfg);
    }
    assembly_->open_timeline();
    if (progress_wanted_) {
        progress_ = std::make_unique<observe::Progress>();
    }
    if (nbd_client_ != nullptr) { // last: what fails above has not attached it
        nbd_client_->attach(*event_queue_, *initiator_);
    }
}

void Simulation::make_jobs(u64 sectors)
{
    std::vector<config::Workload> workloads = config_.workloads();
    for (const std::string& note : workload::name_formats(workloads)) {
        if (warnings_ != nullptr) {
            *warnings_ << "note: " << observe::printable(note) << '\n';
        }
        notes_.push_back(note);
    }
    jobs_ = workload::make_jobs(workloads, config_.seed, sectors, warnings_);
}

Simulation::~Simulation()
{
    if (nbd_client_ != nullptr) {
        nbd_client_->detach();
    }
}

/// A snapshot is mounted, so the firmware has to keep what a mount needs.
void Simulation::require_recovery(const char* what) const
{
    if (config_.ftl.recovery == config::Recovery::None) {
        throw InputError(std::string(what) + " requires ftl.recovery: scan or journal; the configuration has none");
    }
}

RunStatus Simulation::save_snapshot(const std::string& path, bool after_workload)
{
    require_recovery("snapshot save");
    if (after_workload) {
        flush_at_the_end_ = true;
        const RunStatus status = run_to_the_end();
        if (status != RunStatus::Done) {
            return status;
        }
    } else {
        precondition_ = ssd_->precondition(*versions_);
    }
    ssd_->save(path, *versions_);
    return RunStatus::Done;
}

RunStatus Simulation::run()
{
    const RunStatus status = run_to_the_end();
    if (gdb_) {
        gdb_->exited(static_cast<u32>(exit_status(status)));
    }
    return status;
}

RunStatus Simulation::run_to_the_end()
{
    if (recorder_) {
        ssd_->set_recorder(*recorder_);
    }
    if (device_file_ != nullptr && !device_file_->fresh()) {
        precondition_ = ssd_->adopt(*versions_);
    } else {
        precondition_ = snapshot_.empty() ? ssd_->precondition(*versions_)
                                          : ssd_->mount(snapshot_, *versions_, mount_ != nullptr);
    }
    assembly_->elaborate();
    began_ = std::chrono::steady_clock::now();
    if (mount_) {
        mount_->start();
    } else {
        start_workload();
    }
    assembly_->run();
    note_wall_time();
    ended_at_ = event_queue_->last();
    if (const std::exception_ptr error = event_queue_->failure()) {
        note_failure(error);
    }
    if (progress_) {
        progress_->finish();
    }
    assembly_->close(ended_at_);
    if (recorder_) {
        recorder_->close();
    }
    if (ops_) {
        ops_->close();
    }
    if (const std::exception_ptr error = initiator_->source_error()) {
        std::rethrow_exception(error);
    }
    measurement_->finish(ended_at_);
    flash::RtlController* const rtl = ssd_->rtl_controller();
    if (rtl != nullptr && rtl->has_counters() && failures_.empty()) { // else it may not answer
        rtl_counters_ = rtl->finish_counters(ended_at_);
    }
    if (const std::string text = measurement_->warning(); !text.empty() && warnings_ != nullptr) {
        *warnings_ << "warning: " << text << '\n';
    }
    if (mount_ && !mount_->ended() && !interrupted_ && failures_.empty()) {
        failures_.push_back("the mount does not end: the device stopped with nothing left to do");
        observe::append_lines(ssd_->stall_report() + ssd::firmware_stall_report(ssd_->firmware()), failures_);
    }
    if (initiator_->outstanding() != 0 && !interrupted_ && failures_.empty()) {
        failures_.push_back("the device stopped with " +
                            std::to_string(initiator_->outstanding()) +
                            " commands open and nothing left to do");
        observe::append_lines(ssd_->stall_report() + ssd::firmware_stall_report(ssd_->firmware()), failures_);
    }
    if (flush_at_the_end_ && !interrupted_ && failures_.empty()) {
        if (!flush_.ended() && config_.buffer.power == config::BufferPower::Volatile) {
            failures_.push_back("the FLUSH behind the workload has failed");
        } else if (!ssd_->at_rest()) {
            failures_.push_back("the device does not come to rest behind the last FLUSH");
        }
    }
    if (!failures().empty()) {
        return RunStatus::Failed;
    }
    return interrupted_ ? RunStatus::Interrupted : RunStatus::Done;
}

void Simulation::start_workload()
{
    measurement_->start();
    initiator_->start(jobs_, *this);
    if (nbd_client_ != nullptr) {
        nbd_client_->learn(*versions_);
        nbd_client_->start();
    }
}

void Simulation::note_wall_time()
{
    wall_seconds_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

observe::Json Simulation::results_now()
{
    note_wall_time();
    measurement_->finish(event_queue_->now());
    return results(RunStatus::Running);
}

void Simulation::on_mounted()
{
    if (flash::RtlController* const rtl = ssd_->rtl_controller()) {
        rtl->clear_counters();
    }
    start_workload();
}

void Simulation::note_failure(const std::exception_ptr& error)
{
    try {
        std::rethrow_exception(error);
    } catch (const Interrupted&) {
        interrupted_ = true;
    } catch (const ModelError& e) {
        observe::append_lines(e.what(), failures_); // a report of the firmware has many
    }
}

void Simulation::on_workload_done()
{
    if (flush_at_the_end_ && failures_.empty() && !interrupted_) {
        if (config_.buffer.power == config::BufferPower::Capacitors) {
            ssd_->fail_power(); // a FLUSH leaves pages in the buffer; this does not
        } else {
            flush_.send(*device_);
        } // then the run ends when nothing is left to do
    } else {
        event_queue_->stop();
    }
}

void Simulation::on_failure(const host::Failure& failure)
{
    failures_.push_back("integrity: " + failure.text);
    event_queue_->stop();
}

void Simulation::on_source_error() { event_queue_->stop(); }

void Simulation::on_issued(const host::RequestRecord& request)
{
    if (timeline_tap_) {
        timeline_tap_->on_issued(request);
    }
    if (nbd_client_ != nullptr) {
        nbd_client_->on_issued(request);
    }
    measurement_->on_issued(request);
}

void Simulation::on_request(const host::RequestRecord& request)
{
    if (timeline_tap_) {
        timeline_tap_->on_request(request);
    }
    if (nbd_client_ != nullptr) {
        nbd_client_->on_request(request);
    }
    measurement_->on_request(request);
    if (++requests_done_ % kCheckEvery == 0 && progress_) {
        progress_->update(requests_done_, workload::total_expected(jobs_),
                          workload::total_progress(jobs_));
    }
}

std::vector<std::string> Simulation::failures() const
{
    std::vector<std::string> all = failures_;
    for (const std::string& text : ssd_->violation_texts()) {
        if (all.size() >= kFailuresShown) {
            break;
        }
        all.push_back(text);
    }
    return all;
}

} // namespace tlmssd::run
