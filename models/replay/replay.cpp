// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: building and running a replay.
#include "models/replay/replay.h"

#include <chrono>
#include <optional>
#include <utility>

#include "models/common/error.h"
#include "models/common/interrupt.h"
#include "models/flash/tlm/latency_fit.h"
#include "models/observe/output/format.h"
#include "models/replay/op_check.h"

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

void check_latencies(const config::Config& c)
{
    if (config::is_rtl(c.controller.kind)) {
        throw InputError("--rtl-latencies: is for controller.kind: tlm; the RTL has its own");
    }
    if (const std::optional<std::string> misfit = flash::latency_misfit(c)) {
        throw InputError("--rtl-latencies: is not fitted to " + *misfit);
    }
}

} // namespace

Replay::Replay(const config::Config& config, const std::string& ops, const ReplayOptions& options)
    : config_(config), built_(without_host(config)), options_(options), path_(ops)
{
    if (options.rtl_latencies) {
        check_latencies(config_);
    }
    std::vector<probes::RecordedOp> stream = probes::read_ops(ops, config_.geometry);
    SsdOptions built_with;
    built_with.rtl_latencies = options.rtl_latencies;
    assembly_ = std::make_unique<ssd::Assembly>(built_, options.recordings, SsdTaps(), built_with);
    Ssd& ssd = assembly_->ssd();
    ssd.precondition(*ssd::expected_versions(built_));
    check_ops(stream, ops, ssd);
    replay_ = std::make_unique<OpReplay>(assembly_->event_queue(), ssd.controller(), config_.geometry,
                                         ssd.firmware().cfg.oob_base, std::move(stream),
                                         options.closed);
    ssd.observe_segments(*replay_);
    assembly_->open_timeline();
}

Replay::~Replay() = default;

run::RunStatus Replay::run()
{
    assembly_->elaborate();
    const auto begin = std::chrono::steady_clock::now();
    replay_->start();
    assembly_->run();
    wall_seconds_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    ended_at_ = assembly_->event_queue().last();
    replay_->finish();
    assembly_->close(ended_at_);
    bool interrupted = false;
    if (const std::exception_ptr error = assembly_->event_queue().failure()) {
        try {
            std::rethrow_exception(error);
        } catch (const Interrupted&) {
            interrupted = true;
        } catch (const ModelError& e) {
            observe::append_lines(e.what(), failures_);
        }
    }
    const u64 open = record().ops.size() - replay_->completed();
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
        observe::append_lines(assembly_->ssd().stall_report(), failures_);
    }
    if (!failures().empty()) {
        return run::RunStatus::Failed;
    }
    return interrupted ? run::RunStatus::Interrupted : run::RunStatus::Done;
}

std::vector<std::string> Replay::failures() const
{
    std::vector<std::string> all = failures_;
    for (const std::string& text : assembly_->ssd().violation_texts()) {
        all.push_back(text);
    }
    return all;
}

} // namespace tlmssd::replay
