// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of results.json.
#include "models/run/statistics.h"

#include "models/observe/results.h"
#include "models/run/config_json.h"
#include "models/sata/statistics.h"
#include "models/workload/statistics.h"

namespace tlmssd::run {

using observe::Only;
using observe::Table;
using observe::Unit;
using R = RunReading;

namespace {

const Table<WallReading>& wall_statistics()
{
    using W = WallReading;
    static constexpr Only<W> kRtl{"with `controller.kind: rtl` or `rtl_pins`",
                                  [](const W& w) { return w.rtl_edges.has_value(); }};
    static const Table<W> table(
        {{"seconds", Unit::Seconds, "real time of the run without start-up", &W::seconds},
         {"host_ios_per_s", Unit::PerSecond, "completed host requests per second of real time",
          [](const W& w) { return observe::ratio(static_cast<double>(w.requests), w.seconds); }},
         {"precondition_s", Unit::Seconds, "real time of preconditioning, or of taking the device from the cache",
          [](const W& w) { return w.precondition.wall_seconds; }},
         {"precondition_programs_per_s", Unit::PerSecond,
          "`precondition.pages_programmed` by it; `null` where the device comes from the cache",
          [](const W& w) {
              return observe::ratio(static_cast<double>(w.precondition.programs),
                                    w.precondition.cached ? 0 : w.precondition.wall_seconds);
          }},
         {"kernel_events", Unit::Count, "activations of SystemC processes", &W::kernel_events},
         {"timer_callbacks", Unit::Count, "timer callbacks of the model", &W::timer_callbacks},
         {"rtl_edges", Unit::Count, "clock edges of the RTL that were evaluated; fewer where the clock is gated",
          [](const W& w) { return *w.rtl_edges; }, &kRtl},
         {"", "", process_statistics, [](const W&) { return ProcessReading(); }}});
    return table;
}

const Table<R>& head_statistics()
{
    using Row = observe::Statistic<R>;
    static const Table<R> table(
        {Row{"schema", Unit::None, "`tlmssd-results-1`; changes when a key changes its meaning or goes",
             [](const R&) { return std::string(observe::kResultsSchema); }}
             .one_of({observe::kResultsSchema}),
         {"", "", identity_statistics, [](const R& r) -> const DeviceReading& { return r; }},
         Row{"status", Unit::None,
             "how the run ended. `interrupted`: stopped by the user, figures cover what was done; `failed`: the model "
             "found an error (integrity, checker, firmware); `running`: `tlmssd serve` at SIGUSR1",
             [](const R& r) { return r.status; }}
             .one_of({"done", "interrupted", "failed", "running"})});
    return table;
}

const Table<WarmupReading>& warmup_statistics()
{
    using W = WarmupReading;
    static const Table<W> table(
        {observe::Statistic<W>{"kind", Unit::None,
                               "`workload.warmup`: what was left out of everything else in this file", &W::kind}
             .one_of({"none", "requests", "time", "until_steady"}),
         {"requests", Unit::Count,
          "requests that ended before the measured part; 0 where nothing was left out", &W::requests},
         {"time_s", Unit::Seconds, "time that passed before the measured part; 0 where nothing was left out", &W::time},
         {"steady", Unit::None,
          "with `until_steady`: whether a steady state was reached. `false`: the figures cover the whole run. Else "
          "`null`",
          [](const W& w) { return w.steady; }}});
    return table;
}

const Table<SeriesReading>& series_statistics()
{
    using S = SeriesReading;
    static const Table<S> table(
        {{"interval_s", Unit::Seconds,
          "length of an interval: 0.1 ms or `observe.series_ms`, doubled as often as it takes to stay at 256 intervals "
          "or fewer",
          &S::interval},
         {"points", "each interval", observe::series_statistics, [](const S& s) { return s.points; }}});
    return table;
}

// ---- the parts of `host`, `flash` and `cpu` ----

host::LinkTimes link_times(const R& r) { return r.counters.link; }

const Table<R>& host_statistics()
{
    static constexpr Only<R> kSata{"with `sata.bit_error_rate` or `sata.fifo_kib`", [](const R& r) {
                                       return r.host_side.link != nullptr && (r.config.sata.bit_error_rate > 0 ||
                                                                              r.config.sata.fifo_kib != 0);
                                   }};
    static const Table<R> table(
        {{"", "", host::traffic_statistics, [](const R& r) -> const host::TrafficReading& { return r.traffic; }},
         {"sata", "the SATA link", sata::link_statistics,
          [](const R& r) {
              const host::RecoveryStats& recovery = r.host_side.port->stats();
              return sata::LinkReading{r.host_side.link->stats(), recovery.repeated, recovery.given_up,
                                       r.host_side.port->ncq()};
          },
          &kSata},
         {"queue_wait_us", "wait for a tag", host::queue_wait_statistics,
          [](const R& r) -> const host::RequestStats& { return r.host.stats(); }},
         observe::Statistic<R>{"jobs", "each job, in the order of the configuration", host::job_statistics,
                               [](const R& r) {
                                   std::vector<host::JobReading> jobs;
                                   for (std::size_t i = 0; i < r.jobs.size(); ++i) {
                                       jobs.push_back(
                                           {r.jobs[i], r.host.job_stats(static_cast<u32>(i)), r.seconds()});
                                   }
                                   return jobs;
                               }}
             .never_empty()});
    return table;
}

const R& itself(const R& r) { return r; }

} // namespace

const Table<R>& run_statistics()
{
    static constexpr Only<R> kNvme{"with `host.kind: nvme`",
                                   [](const R& r) { return r.config.host.kind == config::HostKind::Nvme; }};
    static constexpr Only<R> kNotes{"where one was made", [](const R& r) { return !r.notes.empty(); }};
    static const Table<R> table(
        {{"", "", head_statistics, &itself},
         {"wall", "real time, memory and version: the one section that differs from run to run", wall_statistics,
          [](const R& r) -> const WallReading& { return r.wall; }},
         {"config", Unit::None, "the resolved configuration; its keys are those of configs/schema.json",
          [](const R& r) { return config_json(r.config); }},
         {"notes", Unit::None,
          "decisions beyond the given keys: a computed spare, a key that was left out, the format of a trace",
          [](const R& r) { return r.notes; }, &kNotes},
         {"sim.time_s", Unit::Seconds,
          "simulated time from the start of the workload to the last completion seen by the host", &R::makespan},
         {"workload", "the source of requests", workload::source_statistics,
          [](const R& r) {
              return workload::WorkloadReading{r.config.workload.name, r.requests};
          }},
         {"precondition", "what was done before the run", aging::precondition_statistics,
          [](const R& r) {
              return aging::PreconditionReading{r.wall.precondition, r.config.geometry};
          }},
         {"host", "what the host saw", host_statistics, &itself},
         {"warmup", "the part of the run that does not count", warmup_statistics,
          [](const R& r) -> const WarmupReading& { return r.warmup; }},
         {"stages", "mean time of reads and writes in each stage; null with `observe.stages: false`", probes::stage_statistics,
          [](const R& r) { return r.stages; }},
         {"", "", device_statistics, [](const R& r) -> const DeviceReading& { return r; }},
         {"link", "the host link", host::link_statistics, &link_times},
         {"nvme", "the NVMe port and its link", nvme::statistics,
          [](const R& r) -> const nvme::Statistics& { return r.counters.nvme; }, &kNvme},
         {"integrity", "data that the host has read and compared", host::integrity_statistics,
          [](const R& r) -> const host::InitiatorStats& { return r.host.stats(); }},
         {"acted", "the mechanisms that the configuration switches on, in the order of a request's path", acted_statistics,
          [](const R& r) { return r.acted; }},
         {"bound", "how fast the same work could have been done", observe::bound_statistics,
          [](const R& r) {
              return observe::BoundReading{r.bound, r.makespan};
          }},
         {"series", "the run interval by interval", series_statistics,
          [](const R& r) -> const SeriesReading& { return r.series; }},
         {"worst", "the slowest requests, slowest first", probes::slowest_statistics,
          [](const R& r) { return r.slowest; }}});
    return table;
}

observe::Document results_document()
{
    return {observe::kResultsSchema,
            "tlmssd results.json",
            "The results of one run of tlmssd. A mean, a ratio or a rate is null where it is undefined (nothing counted, or no "
            "time passed). Generated by tlmssd-results; do not edit.",
            "docs/reference/results.schema.json",
            "docs/reference/results.md",
            run_statistics().info()};
}

} // namespace tlmssd::run
