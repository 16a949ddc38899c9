// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of sample.json, and its text for the terminal.
#include "models/sample/statistics.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "models/observe/output/format.h"
#include "models/observe/output/process.h"
#include "models/run/config_json.h"

namespace tlmssd::sample {

using observe::Estimate;
using observe::Table;
using observe::Unit;
using R = SampleReading;

namespace {

template <Unit unit>
const Table<Estimate>& estimate_statistics()
{
    static const Table<Estimate> table(
        std::string("estimate_") + (unit == Unit::Microseconds ? "us" : unit == Unit::PerSecond ? "rate" : "mb_s"),
        observe::Show::InOne,
        {{"value", unit, "the estimate", &Estimate::value},
         {"low", unit, "lower end of the interval; at least 0", [](const Estimate& e) { return std::max(0.0, e.low); }},
         {"high", unit, "upper end of the interval", &Estimate::high}});
    return table;
}

const Table<Latency>& latency_statistics()
{
    static const Table<Latency> table(
        "sampled_latency", observe::Show::Rows,
        {{"mean_us", "mean latency, from issue to end", estimate_statistics<Unit::Microseconds>,
          [](const Latency& l) -> const Estimate& { return l.mean_us; }},
         {"p99_us", "99 % latency", estimate_statistics<Unit::Microseconds>,
          [](const Latency& l) -> const Estimate& { return l.p99_us; }}});
    return table;
}

} // namespace

const Table<R>& sample_statistics()
{
    using Row = observe::Statistic<R>;
    static constexpr observe::Only<R> kReads{"where the windows have reads",
                                             [](const R& r) { return r.result.analysis.reads.has_value(); }};
    static constexpr observe::Only<R> kWrites{"where the windows have writes",
                                              [](const R& r) { return r.result.analysis.writes.has_value(); }};
    static const Table<R> table(
        {Row{"schema", Unit::None, "`tlmssd-sample-1`; changes when a key changes its meaning or goes",
             [](const R&) { return std::string(kSampleSchema); }}
             .one_of({kSampleSchema}),
         Row{"config_hash", Unit::None, "as in results.json", [](const R& r) { return r.config.hash_text; }}
             .matching("^[0-9a-f]{16}$"),
         {"seed", Unit::None, "seed of all random draws but those of the windows", [](const R& r) { return u64{r.config.seed}; }},
         {"wall.seconds", Unit::Seconds, "real time of the whole run, with start-up and all passes",
          [](const R& r) { return r.result.wall_seconds; }},
         {"wall.peak_rss_mib", Unit::Mebibytes, "largest resident memory of the process that builds the device",
          [](const R&) -> double { return observe::peak_rss_mib(); }},
         {"wall.git", Unit::None, "version of the sources, or `unknown`",
          [](const R&) -> std::string { return observe::git_describe(); }},
         {"config", Unit::None, "the resolved configuration; its keys are those of configs/schema.json",
          [](const R& r) { return run::config_json(r.config); }},
         {"sample.confidence", Unit::Fraction, "confidence of all intervals", [](const R& r) { return r.options.confidence; }},
         {"sample.error_wanted", Unit::Fraction, "largest half-width that was asked for, as a share of the value",
          [](const R& r) { return r.options.error; }},
         {"sample.tail_error_wanted", Unit::Fraction, "the same of the 99 % latency", [](const R& r) { return r.options.tail_error; }},
         {"sample.met", Unit::None, "whether the intervals are as narrow, and no trend is left behind the warm-up",
          [](const R& r) { return r.result.met; }},
         {"sample.runs_differ", Unit::Fraction,
          "half-width of the interval of host.iops for the difference of runs of the workload alone, as a share of the "
          "value; 0 where reads need no run of the TLM controller",
          [](const R& r) { return r.result.analysis.runs_differ; }},
         {"sample.runs", Unit::Count, "whole runs of the workload by the TLM controller that this is from; 1: parts of another one "
          "show no difference, or reads need no such run", [](const R& r) { return r.result.runs; }},
         {"sample.draw", Unit::None, "number that draws the windows (`--sample-draw`)", [](const R& r) { return r.options.draw; }},
         {"sample.passes", Unit::Count, "passes over the workload, with more or longer windows each", [](const R& r) { return r.result.passes; }},
         {"sample.windows", Unit::Count, "windows of the last pass", [](const R& r) { return r.result.plan.windows; }},
         {"sample.window_requests", Unit::Count, "requests of a window, warm-up included", [](const R& r) { return r.result.plan.length; }},
         {"sample.warmup_requests", Unit::Count, "requests at the start of each window that no estimate counts",
          [](const R& r) { return r.result.plan.warmup(); }},
         {"workload.requests", Unit::Count, "requests of the whole workload", [](const R& r) { return r.result.census.requests; }},
         {"workload.reads", Unit::Count, "of them, reads", [](const R& r) { return r.result.census.reads; }},
         {"host.iops", "reads and writes per second of simulated time", estimate_statistics<Unit::PerSecond>,
          [](const R& r) -> const Estimate& { return r.result.analysis.iops; }},
         {"host.mb_s", "throughput", estimate_statistics<Unit::MegabytesPerSecond>,
          [](const R& r) -> const Estimate& { return r.result.analysis.mb_s; }},
         {"host.all", "reads and writes", latency_statistics, [](const R& r) -> const Latency& { return r.result.analysis.all; }},
         {"host.reads", "reads", latency_statistics, [](const R& r) { return r.result.analysis.reads.value_or(Latency()); },
          &kReads},
         {"host.writes", "writes", latency_statistics,
          [](const R& r) { return r.result.analysis.writes.value_or(Latency()); }, &kWrites},
         {"ftl.host_pages", Unit::Count, "pages (with mapping units: units) programmed for the host in the last pass, exactly",
          [](const R& r) { return r.result.exact.host_pages; }},
         {"ftl.flash_pages", Unit::Count, "pages (with mapping units: units) programmed in all, exactly",
          [](const R& r) { return r.result.exact.flash_pages; }},
         {"ftl.waf", Unit::Ratio, "flash_pages / host_pages; `null` without writes to flash",
          [](const R& r) {
              return observe::ratio(static_cast<double>(r.result.exact.flash_pages),
                                    static_cast<double>(r.result.exact.host_pages));
          }}});
    return table;
}

observe::Document sample_document()
{
    return {kSampleSchema,
            "tlmssd sample.json",
            "The estimates of one tlmssd run --sample. Generated by tlmssd-results; do not edit.",
            "docs/reference/sample.schema.json",
            "docs/guides/sampled-runs.md",
            sample_statistics().info()};
}

std::string table(const observe::Json& document)
{
    std::ostringstream out;
    const auto line = [&](const std::string& name, const observe::Json& e, double scale, int decimals) {
        const double value = e.at("value").get<double>();
        const double half = std::max(e.at("high").get<double>() - value, value - e.at("low").get<double>());
        std::string left = name;
        left.resize(26, ' ');
        out << left << observe::fixed(value / scale, decimals) << "  (" << observe::fixed(e.at("low").get<double>() / scale, decimals)
            << " to " << observe::fixed(e.at("high").get<double>() / scale, decimals) << ", +-"
            << observe::fixed(value == 0 ? 0 : 100 * half / value, 1) << " %)\n";
    };
    const observe::Json& sample = document.at("sample");
    const observe::Json& host = document.at("host");
    out << "sampled: " << observe::grouped(sample.at("windows").get<u64>()) << " windows of "
        << observe::grouped(sample.at("window_requests").get<u64>()) << " requests, "
        << observe::grouped(sample.at("warmup_requests").get<u64>()) << " of each for warm-up; "
        << observe::grouped(document.at("workload").at("requests").get<u64>()) << " requests in all\n";
    line("kIOPS", host.at("iops"), 1000, 2);
    line("MB/s", host.at("mb_s"), 1, 1);
    const bool mixed = host.contains("reads") && host.contains("writes");
    for (const char* const kind : {"all", "reads", "writes"}) {
        if (host.contains(kind) && (mixed || kind != std::string("all"))) {
            line(std::string(kind) + ": mean latency, us", host.at(kind).at("mean_us"), 1, 1);
            line(std::string(kind) + ": 99 % latency, us", host.at(kind).at("p99_us"), 1, 1);
        }
    }
    const observe::Json& waf = document.at("ftl").at("waf");
    out << "write amplification       " << (waf.is_null() ? "-" : observe::fixed(waf.get<double>(), 3)) << "  (exact)\n";
    return out.str();
}

} // namespace tlmssd::sample
