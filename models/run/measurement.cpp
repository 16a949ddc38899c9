// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: warm-up, sampling, and what goes to stages, series and log.
#include "models/run/measurement.h"

#include "models/common/error.h"
#include "models/flash/rtl/rtl_controller.h"
#include "models/probes/stages/stage_tracker.h"

namespace tlmssd::run {

Measurement::Measurement(const config::Config& config, time::EventQueue& event_queue, Ssd& ssd,
                         const ssd::HostSide& host, host::Initiator& initiator,
                         const std::string& log)
    : config_(config), event_queue_(event_queue), ssd_(ssd), host_(host), initiator_(initiator),
      // First of their time: what ends at the same moment belongs to what follows.
      sample_timer_(event_queue, time::Priority::Array,
                    time::Timer::call<&Measurement::on_sample, Measurement>, this),
      warmup_timer_(event_queue, time::Priority::Array,
                    time::Timer::call<&Measurement::on_warmup_over, Measurement>, this),
      series_(config.observe.series, {config.geometry.channels, config.geometry.total_dies(),
                                      config.cpu.cores}),
      steady_(config.warmup.steady_tolerance)
{
    if (!log.empty()) {
        log_ = std::make_unique<observe::RequestLog>(log);
    }
}

observe::SeriesCounters Measurement::series_counters(Picoseconds now) const
{
    observe::SeriesCounters c;
    const fw_stats& s = ssd_.firmware().stats;
    if (config_.mapping_bits() == 0) {
        c.host_pages = s.host_pages_written;
        c.flash_pages = s.flash_pages_written;
    } else { // as ftl.waf counts: empty places of a page are not the host's
        c.host_pages = s.packed_units;
        c.flash_pages = s.flash_pages_written * (config_.geometry.part_bytes() / kUnitBytes);
    }
    const flash::SegmentPort& segments = ssd_.segments();
    for (u32 i = 0; i < config_.geometry.channels; ++i) {
        c.channels_busy += segments.channel_busy(i, now);
    }
    for (u32 d = 0; d < config_.geometry.total_dies(); ++d) {
        c.dies_busy += segments.die_statistics(d, now).busy;
    }
    for (u32 i = 0; i < ssd_.cpu().cores(); ++i) {
        c.cores_busy += ssd_.cpu().busy(i, now);
    }
    return c;
}

void Measurement::start()
{
    const Picoseconds now = event_queue_.now();
    origin_ = now;
    warming_ = config_.warmup.kind != config::WarmupKind::None;
    before_ = DeviceCounters::of(ssd_, host_, now);
    series_.start(now, series_counters(now), 0);
    sample_timer_.arm(series_.due());
    if (config_.warmup.kind == config::WarmupKind::Time) {
        warmup_timer_.arm(now + config_.warmup.time);
    } else if (config_.warmup.kind == config::WarmupKind::UntilSteady) {
        warmup_timer_.arm(now + config_.warmup.window);
    }
}

// ---- timers ----

void Measurement::on_sample()
{
    const Picoseconds now = event_queue_.now();
    series_.sample(now, series_counters(now));
    check_progress(now);
    if (event_queue_.others_armed(sample_timer_, warmup_timer_)) { // else the run is over: a timer would keep it alive
        sample_timer_.arm(series_.due());
    }
}

/// A device that is busy without an end: a host's driver would give it up.
void Measurement::check_progress(Picoseconds now) const
{
    const Picoseconds limit = config_.host.timeout;
    if (limit != Picoseconds() && initiator_.outstanding() != 0 && now - initiator_.last_change() > limit) {
        throw ModelError("host: none of " + std::to_string(initiator_.outstanding()) + " open commands has ended for " +
                         std::to_string((now - initiator_.last_change()).value() / 1'000'000'000) +
                         " ms of simulated time (host.timeout_ms)");
    }
}

void Measurement::on_warmup_over()
{
    if (config_.warmup.kind == config::WarmupKind::UntilSteady) {
        on_window();
    } else {
        measure_from_now();
    }
}

void Measurement::on_window()
{
    const double latency =
        window_count_ == 0 ? 0.0
                           : static_cast<double>(window_ps_) / static_cast<double>(window_count_);
    const bool steady = steady_.add(static_cast<double>(window_bytes_), latency);
    window_bytes_ = window_count_ = 0;
    window_ps_ = 0;
    if (steady) {
        measure_from_now();
    } else if (event_queue_.others_armed(warmup_timer_, sample_timer_)) {
        warmup_timer_.arm(event_queue_.now() + config_.warmup.window);
    }
}

void Measurement::measure_from_now()
{
    const Picoseconds now = event_queue_.now();
    warming_ = false;
    warm_ = true;
    warmup_requests_ = ended_;
    warmup_time_ = now - origin_;
    open_ages_ = Picoseconds();
    for (u32 tag = 0; tag < kMaxTags; ++tag) {
        if (open_[tag]) {
            open_ages_ += now - issued_[tag];
        }
    }
    initiator_.restart_statistics();
    if (flash::RtlController* const rtl = ssd_.rtl_controller()) {
        rtl->clear_counters();
    }
    before_ = DeviceCounters::of(ssd_, host_, now);
    series_.start(now, series_counters(now), open_count_);
    sample_timer_.arm(series_.due());
    reads_ = writes_ = observe::StageSums();
    worst_.clear();
    if (probes::StageTracker* const stages = ssd_.stages()) {
        stages->flash().explain_from(Picoseconds());
    }
    fua_writes_ = 0;
}

// ---- requests ----

void Measurement::on_issued(const host::RequestRecord& request)
{
    const u32 tag = request.command.tag;
    issued_[tag] = request.issued;
    open_[tag] = true;
    ++open_count_;
    series_.on_issued(request.issued);
    if (probes::StageTracker* const stages = ssd_.stages()) {
        stages->on_issued(request);
    }
}

void Measurement::on_request(const host::RequestRecord& request)
{
    const hal_host_command& command = request.command;
    const bool read = command.opcode == HAL_HOST_READ;
    const bool counts =
        (read || command.opcode == HAL_HOST_WRITE) && request.status == HAL_HOST_OK;
    const u64 bytes = u64{command.sectors} * kSectorBytes;
    const Picoseconds latency = request.ended - request.issued;
    open_[command.tag] = false;
    --open_count_;
    ++ended_;
    series_.on_ended(request.ended, counts, read, bytes, latency);
    if (probes::StageTracker* const stages = ssd_.stages()) {
        const probes::EndedStages s = stages->finish(request);
        if (counts && config_.observe.stages) {
            (read ? reads_ : writes_).add(s.times);
            if (worst_.consider(request, s)) {
                // Ten stages: what is shorter than a tenth of the least is nobody's largest.
                const u64 tenth = worst_.least().value() / observe::kStages;
                stages->flash().explain_from(Picoseconds(tenth));
            }
        }
        if (log_) {
            log(request, s);
        }
    }
    fua_writes_ += counts && !read && (command.flags & HAL_HOST_FUA) != 0;
    if (warming_) {
        window_count_ += counts;
        window_bytes_ += counts ? bytes : 0;
        window_ps_ += counts ? latency.value() : 0;
        if (config_.warmup.kind == config::WarmupKind::Requests &&
            ended_ == config_.warmup.requests) {
            measure_from_now();
        }
    }
}

void Measurement::log(const host::RequestRecord& request, const probes::EndedStages& stages)
{
    observe::LogRow row;
    row.job = request.job;
    row.kind = probes::kind_of(request.command.opcode);
    row.lba = request.command.lba;
    row.bytes = u64{request.command.sectors} * kSectorBytes;
    row.tag = request.command.tag;
    row.arrival = request.arrival - origin_;
    row.issued = request.issued - origin_;
    row.ended = request.ended - origin_;
    row.hit = stages.hit;
    row.flash_ops = stages.flash_ops;
    row.status = request.status == HAL_HOST_OK ? "ok" : "error";
    log_->add(row);
}

void Measurement::finish(Picoseconds now)
{
    ended_at_ = now;
    counters_ = DeviceCounters::of(ssd_, host_, now).since(before_);
    if (log_) {
        log_->close();
    }
}

std::string Measurement::warning() const
{
    if (!warming_) {
        return "";
    }
    const std::string all = "; the results cover the whole run";
    switch (config_.warmup.kind) {
    case config::WarmupKind::None:
        return "";
    case config::WarmupKind::Requests:
        return "workload.warmup_requests: the run ended after " + std::to_string(ended_) +
               " requests, within the warm-up" + all;
    case config::WarmupKind::Time:
        return "workload.warmup_ms: the run ended within the warm-up" + all;
    case config::WarmupKind::UntilSteady:
        return "workload.warmup: no steady state was reached" + all +
               ". Give more requests, longer windows (workload.steady_window_ms) or a wider "
               "workload.steady_tolerance";
    }
    return "";
}

// ---- results ----

WarmupReading Measurement::warmup() const
{
    const bool until_steady = config_.warmup.kind == config::WarmupKind::UntilSteady;
    return {config::to_string(config_.warmup.kind), warmup_requests_, warmup_time_,
            until_steady ? std::optional<bool>(warm_) : std::nullopt};
}

std::optional<probes::StageReading> Measurement::stages() const
{
    return config_.observe.stages ? std::optional<probes::StageReading>(probes::StageReading(reads_, writes_)) : std::nullopt;
}

SeriesReading Measurement::series() const
{
    return {series_.interval(), series_.points(ended_at_, series_counters(ended_at_))};
}

std::vector<probes::SlowReading> Measurement::slowest() const
{
    std::vector<probes::SlowReading> slowest;
    for (const probes::WorstRequest& request : worst_.sorted()) {
        slowest.push_back({request, probes::CauseDevice::of(config_), origin_});
    }
    return slowest;
}

} // namespace tlmssd::run
