// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of results.json.
#include "models/run/statistics.h"

#include "models/common/crc32.h"
#include "models/cpu/iss/iss_statistics.h"
#include "models/cpu/statistics.h"
#include "models/nand/lun/lun_statistics.h"
#include "models/observe/output/process.h"
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
         {"peak_rss_mib", Unit::Mebibytes, "largest resident memory of the process",
          [](const W&) -> double { return observe::peak_rss_mib(); }},
         {"git", Unit::None, "version of the sources (`git describe --always --dirty`), or `unknown`",
          [](const W&) -> std::string { return observe::git_describe(); }},
         {"crc32", Unit::None, "CRC-32 of results.json, calculated with `00000000` as its value",
          [](const W&) -> std::string { return hex_of(0); }}});
    return table;
}

const Table<R>& head_statistics()
{
    using Row = observe::Statistic<R>;
    static const Table<R> table(
        {Row{"schema", Unit::None, "`tlmssd-results-1`; changes when a key changes its meaning or goes",
             [](const R&) { return std::string(observe::kResultsSchema); }}
             .one_of({observe::kResultsSchema}),
         Row{"config_hash", Unit::None,
             "16 hex digits over all keys that can change results. Keys that cannot (clock gating, checker, timer "
             "back-end, outputs) are left out",
             [](const R& r) { return r.config.hash_text; }}
             .matching("^[0-9a-f]{16}$"),
         {"seed", Unit::None, "seed of all random draws", [](const R& r) { return u64{r.config.seed}; }},
         {"calibrated", Unit::None,
          "`true`: cycles of the CPU are those of executed code, counted (`iss`) or fitted to them (`native`); `false`: "
          "some cost point is an estimate ([cpu.md](../explanation/cpu.md), \"Calibration\")",
          [](const R& r) { return r.config.cpu.model == config::CpuModel::Iss || fw_costs_are_fitted(); }},
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

/// An element of `flash.channels`.
struct ChannelReading {
    flash::SegmentStatistics::Channel segments;
    std::optional<Picoseconds> occupied;
};

const Table<ChannelReading>& channel_statistics()
{
    using C = ChannelReading;
    static const Table<C> table(
        {{"", "", flash::channel_statistics,
          [](const C& c) -> const flash::SegmentStatistics::Channel& { return c.segments; }},
         {"", "", probes::occupied_statistics, [](const C& c) -> const std::optional<Picoseconds>& { return c.occupied; }}});
    return table;
}

std::vector<ChannelReading> channels_of(const R& r)
{
    std::vector<ChannelReading> channels;
    for (const auto& channel : r.counters.segments.channels) {
        std::optional<Picoseconds> occupied;
        if (r.counters.packages && channels.size() < r.counters.packages->occupied.size()) {
            occupied = r.counters.packages->occupied[channels.size()];
        }
        channels.push_back({channel, occupied});
    }
    return channels;
}

const Table<R>& flash_statistics()
{
    static const Table<R> table(
        {{"ops", "operations on the dies", flash::operation_statistics,
          [](const R& r) { return r.counters.segments.total(); }},
         {"", "", ssd::operation_statistics, [](const R& r) -> const ssd::FirmwareReading& { return r.firmware; }},
         observe::Statistic<R>{"channels", "each channel", channel_statistics, &channels_of}.never_empty(),
         {"", "", flash::die_statistics,
          [](const R& r) {
              return flash::DieReading{r.counters.segments.dies, r.makespan};
          }},
         {"", "", probes::package_statistics,
          [](const R& r) -> const std::optional<probes::PackageCounters>& { return r.counters.packages; }}});
    return table;
}

cpu::IssReading iss_of(const R& r)
{
    std::vector<u64> cycles;
    for (u32 core = 0; core < r.ssd.cpu().cores(); ++core) {
        cycles.push_back(r.ssd.cpu().statistics(core).cycles);
    }
    return {*r.ssd.iss(), cycles};
}

const Table<R>& cpu_statistics()
{
    static constexpr Only<R> kIss{"with `cpu.model: iss`", [](const R& r) { return r.ssd.iss() != nullptr; }};
    static const Table<R> table(
        {{"", "", cpu::statistics,
          [](const R& r) {
              return cpu::CpuReading{to_string(r.config.cpu.model), r.config.cpu.mhz, r.counters.cores, r.seconds()};
          }},
         {"", "", ssd::cycle_statistics, [](const R& r) -> const ssd::FirmwareReading& { return r.firmware; }},
         {"iss", "the instruction-set simulator, over the whole run, warm-up included", cpu::iss_statistics, &iss_of,
          &kIss}});
    return table;
}

nand::Energy energy_of(const R& r)
{
    nand::EnergyInput input;
    input.reading = r.counters.arrays.reading;
    input.programming = r.counters.arrays.programming;
    input.erasing = r.counters.arrays.erasing;
    input.bursts = r.counters.bursts;
    input.elapsed = r.makespan;
    input.dies = r.config.geometry.total_dies();
    return nand::energy(r.config.nand.power, input);
}

flash::ControllerReading controller_of(const R& r)
{
    return {to_string(r.config.controller.mode), r.counters.order, r.registers, r.counters.segments.total(),
            r.config.controller.cache_ops != config::CacheOps::None};
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
         {"", "", ssd::firmware_statistics, [](const R& r) -> const ssd::FirmwareReading& { return r.firmware; }},
         {"controller", "the flash controller", flash::controller_statistics, &controller_of},
         {"flash", "channels and dies", flash_statistics, &itself},
         {"cpu", "the cores", cpu_statistics, &itself},
         {"dram", "the device's DRAM", dram::statistics,
          [](const R& r) -> const dram::Statistics& { return r.counters.dram; }},
         {"link", "the host link", host::link_statistics, &link_times},
         {"nvme", "the NVMe port and its link", nvme::statistics,
          [](const R& r) -> const nvme::Statistics& { return r.counters.nvme; }, &kNvme},
         {"nand.wear", "erases of the cells", nand::wear_statistics, [](const R& r) -> const nand::Wear& { return r.wear; }},
         {"nand.errors", "errors of the dies", nand::error_statistics,
          [](const R& r) {
              return nand::ErrorReading{r.counters.arrays, r.wear.factory_bad};
          }},
         {"ecc", "error correction", flash::ecc_statistics,
          [](const R& r) -> const flash::DataPath::EccStatistics& { return r.counters.ecc; }},
         {"energy_mj", "energy of the dies", nand::energy_statistics, &energy_of},
         {"integrity", "data that the host has read and compared", host::integrity_statistics,
          [](const R& r) -> const host::InitiatorStats& { return r.host.stats(); }},
         {"checker.violations", Unit::Count, "ONFI protocol violations; 0 also where the checker is off",
          [](const R& r) { return r.ssd.violations(); }},
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
