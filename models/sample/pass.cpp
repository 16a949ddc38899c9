// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what all passes do: build, run, and say what went wrong.
#include "models/sample/pass.h"

#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/common/interrupt.h"
#include "models/ssd/firmware_image.h"

namespace tlmssd::sample {

Pass::Pass(const config::Config& config, const SsdOptions& options)
    : config_(config), assembly_(config, {}, {}, options), event_queue_(assembly_.event_queue()), ssd_(assembly_.ssd()),
      host_side_(ssd::connect_host(event_queue_, config, ssd_)), versions_(ssd::expected_versions(config)),
      initiator_("host", event_queue_, host::InitiatorOptions::of(config), *host_side_.device, *versions_)
{
    initiator_.observe(this);
    ssd_.precondition(*versions_);
}

void Pass::on_failure(const host::Failure& failure)
{
    failures_.push_back("integrity: " + failure.text);
    event_queue_.stop();
}

u64 Pass::place(u64 n, u64 strata, u64 length, u64 purpose) const
{
    const u64 stratum = requests_ / strata;
    const u64 needed = length + config_.host.queue_depth;
    return n * stratum + draw_below(draw64(config_.seed, purpose + plan_.draw, n), stratum - needed);
}

void Pass::begin_window()
{
    windows_.emplace_back();
    windows_.back().measured.reserve(plan_.length);
}

Ended Pass::ended(const host::RequestRecord& request)
{
    const hal_host_command& command = request.command;
    const bool moves = command.opcode == HAL_HOST_READ || command.opcode == HAL_HOST_WRITE;
    return {request.ended.value(), (request.ended - request.issued).value(), moves ? command.sectors : 0,
            static_cast<workload::Kind>(command.opcode)};
}

PassResult Pass::run(const Plan& plan, const Census& census, workload::Job job, bool progress, ShowOutline show)
{
    if (progress) {
        progress_ = std::make_unique<observe::Progress>();
    }
    plan_ = plan;
    show_outline_ = std::move(show);
    requests_ = census.requests;
    job.source = prepare(std::move(job.source), job.rules.mode);
    jobs_.push_back(std::move(job));
    assembly_.elaborate();
    initiator_.start(jobs_, *this);
    assembly_.run();
    simulated();
    if (progress_) {
        progress_->finish();
    }
    require_success();
    return {std::move(windows_), exact(), std::move(whole_), std::move(parts_), std::move(sections_)};
}

Exact Pass::exact() const
{
    const fw_stats& s = ssd_.firmware().stats;
    if (config_.mapping_bits() == 0) {
        return {s.host_pages_written, s.flash_pages_written};
    }
    return {s.packed_units, s.flash_pages_written * (config_.geometry.part_bytes() / kUnitBytes)}; // as ftl.waf counts
}

void Pass::require_success() const
{
    if (const std::exception_ptr error = event_queue_.failure()) {
        std::rethrow_exception(error);
    }
    if (const std::exception_ptr error = initiator_.source_error()) {
        std::rethrow_exception(error);
    }
    std::vector<std::string> texts = failures_;
    for (const std::string& text : ssd_.violation_texts()) {
        texts.push_back(text);
    }
    if (texts.empty() && !complete()) {
        texts.push_back("the device stopped with " + std::to_string(initiator_.outstanding()) +
                        " commands open and nothing left to do\n" + ssd_.stall_report() +
                        ssd::firmware_stall_report(ssd_.firmware()));
    }
    if (!texts.empty()) {
        std::string all;
        for (const std::string& text : texts) {
            all += (all.empty() ? "" : "\n") + text;
        }
        throw ModelError(all);
    }
}

workload::Job only_job(const config::Config& config, std::ostream* warnings)
{
    return std::move(
        workload::make_jobs(config.workloads(), config.seed, config.logical_sectors(), warnings).front());
}

Census count(const config::Config& config, std::ostream* warnings)
{
    workload::Job job = only_job(config, warnings);
    Census census;
    workload::Request request;
    while (job.source->next(request)) {
        stop_point();
        ++census.requests;
        census.reads += request.kind == workload::Kind::Read;
    }
    return census;
}

} // namespace tlmssd::sample
