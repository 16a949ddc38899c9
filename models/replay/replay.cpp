// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: building and running a replay.
#include "models/replay/replay.h"

#include <chrono>
#include <utility>

#include "models/common/error.h"
#include "models/config/text/names.h"
#include "models/observe/output/format.h"
#include "models/replay/op_check.h"
#include "models/run/interrupt.h"

namespace tlmssd::replay {

namespace {

/// What of the device a replay builds: no link, no ISS, nobody who follows requests. The state that
/// preconditioning leaves does not depend on these.
config::Config without_host(config::Config c)
{
    c.host.kind = config::HostKind::Direct;
    c.host.direct_mb_per_s = 0;
    c.cpu.model = config::CpuModel::Native;
    return c;
}

/// `--rtl-latencies` is fitted to the RTL with ready lines and without suspends (docs/rtl-o3.md).
void check_latencies(const config::Config& c)
{
    if (config::is_rtl(c.controller.kind)) {
        throw InputError("--rtl-latencies: is for controller.kind: tlm; the RTL has its own");
    }
    if (c.controller.suspend != config::Suspend::None) {
        throw InputError(std::string("--rtl-latencies: is not fitted to suspends: controller.suspend is ") +
                         config::names_of<config::Suspend>()[static_cast<std::size_t>(c.controller.suspend)] +
                         "; nearest: none");
    }
    const bool has_lines = c.onfi.ready == config::ReadySense::Lun ||
                           (c.onfi.ready == config::ReadySense::Target && c.geometry.luns_per_ce() == 1);
    if (!has_lines) {
        throw InputError(std::string("--rtl-latencies: is not fitted to polls: onfi.ready is ") +
                         to_string(c.onfi.ready) + "; nearest: lun");
    }
}

} // namespace

Replay::Replay(const config::Config& config, const std::string& ops, const ReplayOptions& options)
    : config_(config), options_(options), path_(ops)
{
    if (options.rtl_latencies) {
        check_latencies(config_);
    }
    std::vector<probes::RecordedOp> stream = probes::read_ops(ops, config_.geometry);
    const config::Config built = without_host(config_);
    if (options.waves.on()) {
        waves_ = std::make_unique<probes::WaveRecorder>(options.waves, built);
    }
    if (!options.timeline.empty()) {
        timeline_ = std::make_unique<observe::Timeline>(options.timeline, options.timeline_window);
        timeline_tap_ = std::make_unique<probes::TimelineTap>(*timeline_, built);
    }
    wheel_ = std::make_unique<time::EventWheel>(
        "wheel", built.timer_backend == config::TimerBackend::Kernel ? time::Backend::Kernel
                                                                     : time::Backend::Wheel);
    ssd_ = std::make_unique<Ssd>("ssd", *wheel_, built, waves_.get(), timeline_tap_.get(), false,
                                 nullptr, nullptr, options.rtl_latencies);
    {
        host::ExpectedVersions versions(built.logical_sectors() / built.geometry.sectors_per_unit());
        if (built.data == config::DataKind::Full) {
            versions.carry_bytes(built.geometry.sectors_per_unit(), built.seed);
        }
        ssd_->precondition(versions);
    }
    check_ops(stream, ops, *ssd_);
    replay_ = std::make_unique<OpReplay>(*wheel_, ssd_->controller(), config_.geometry,
                                         ssd_->firmware().cfg.oob_base, std::move(stream),
                                         options.closed);
    ssd_->observe_segments(*replay_);
    if (timeline_) {
        timeline_->open();
    }
}

Replay::~Replay() = default;

run::RunStatus Replay::run()
{
    replay_->stop_where(run::interrupt_requested);
    wheel_->set_limit(Picoseconds()); // elaborate, but let nobody run ahead
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    wheel_->set_limit(kTimeNever);
    if (waves_) {
        waves_->open();
    }
    const auto begin = std::chrono::steady_clock::now();
    replay_->start();
    sc_core::sc_start();
    wall_seconds_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ended_at_ = wheel_->last();
    replay_->finish();
    if (waves_) {
        waves_->close(ended_at_);
    }
    if (timeline_) {
        timeline_tap_->close(ended_at_);
        timeline_->close();
    }
    if (const std::exception_ptr error = wheel_->failure()) {
        try {
            std::rethrow_exception(error);
        } catch (const ModelError& e) {
            observe::append_lines(e.what(), failures_);
        }
    }
    const u64 open = record().ops.size() - replay_->completed();
    const bool interrupted = run::interrupt_requested() && open != 0;
    if (open != 0 && !interrupted && failures_.empty()) {
        for (u64 n = 0; n < record().ops.size(); ++n) {
            if (record().ops[n].completed == kTimeNever) {
                failures_.push_back(path_ + ":" + std::to_string(probes::line_of_op(n)) + ": operation " +
                                    std::to_string(n) + " (" +
                                    text_of_op(record().stream[n].op, config_.geometry) +
                                    ") never ended" +
                                    (open == 1 ? "" : ", nor did " + std::to_string(open - 1) +
                                                          (open == 2 ? " other" : " others")) +
                                    ", and nothing is left to do");
                break;
            }
        }
        observe::append_lines(ssd_->stall_report(), failures_);
    }
    if (!failures().empty()) {
        return run::RunStatus::Failed;
    }
    return interrupted ? run::RunStatus::Interrupted : run::RunStatus::Done;
}

std::vector<std::string> Replay::failures() const
{
    std::vector<std::string> all = failures_;
    for (const std::string& text : ssd_->violation_texts()) {
        all.push_back(text);
    }
    return all;
}

} // namespace tlmssd::replay
