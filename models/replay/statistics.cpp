// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of replay.json.
#include "models/replay/statistics.h"

#include "models/observe/output/process.h"
#include "models/observe/own_statistics.h"
#include "models/replay/replay.h"
#include "models/run/config_json.h"

namespace tlmssd::replay {

using observe::Table;
using observe::Unit;
using R = ReplayReading;

namespace {

const Table<observe::Histogram>& kind_statistics()
{
    using H = observe::Histogram;
    static const Table<H> table(
        "kind", observe::Show::Rows,
        {{"count", Unit::Count, "completed operations", [](const H& h) { return h.count(); }},
         {"latency_us", "from arrival (closed loop: hand-over) to completion", observe::latency_statistics,
          [](const H& h) -> const H& { return h; }}});
    return table;
}

template <u32 opcode>
const observe::Histogram& latency_of(const OperationReading& o)
{
    return o.by_opcode[opcode];
}

template <u32 status>
u64 count_of(const OperationReading& o)
{
    return o.statuses[status];
}

const Table<OperationReading>& operation_statistics()
{
    using O = OperationReading;
    static const Table<O> table(
        {{"recorded", Unit::Count, "operations in the stream", &O::recorded},
         {"completed", Unit::Count, "operations completed by the controller", &O::completed},
         {"delayed", Unit::Count, "operations handed over after their time", &O::delayed},
         {"retagged", Unit::Count, "operations handed over under another tag", &O::retagged},
         {"status.ok", Unit::Count, "completions with status OK", &count_of<FLASH_STATUS_OK>},
         {"status.fail", Unit::Count, "completions of operations that failed", &count_of<FLASH_STATUS_FAIL>},
         {"status.illegal", Unit::Count, "completions of operations that were refused", &count_of<FLASH_STATUS_ILLEGAL>},
         {"status.uncorrectable", Unit::Count, "completions of reads that ECC could not correct",
          &count_of<FLASH_STATUS_UNCORRECTABLE>},
         {"status.timeout", Unit::Count, "completions of operations that the die did not end",
          &count_of<FLASH_STATUS_TIMEOUT>},
         {"all", "all operations", kind_statistics, [](const O& o) -> const observe::Histogram& { return o.all; }},
         {"read", "reads", kind_statistics, &latency_of<FLASH_OP_READ>},
         {"program", "programs", kind_statistics, &latency_of<FLASH_OP_PROGRAM>},
         {"erase", "erases", kind_statistics, &latency_of<FLASH_OP_ERASE>},
         {"reset", "RESETs", kind_statistics, &latency_of<FLASH_OP_RESET>},
         {"start_wait_us", "from arrival to the first segment", observe::latency_statistics,
          [](const O& o) -> const observe::Histogram& { return o.start_wait; }}});
    return table;
}

const Table<DieOrder>& die_statistics()
{
    using D = DieOrder;
    static const Table<D> table(
        {{"operations", Unit::Count, "operations that have started on the die", &D::operations},
         {"passed", Unit::Count, "operations that started after a younger one", &D::passed},
         observe::Statistic<D>{"order", Unit::None,
                               "hash of the order in which they started: equal where two replays of one stream agree",
                               &D::order}
             .matching("^[0-9a-f]{16}$")});
    return table;
}

} // namespace

OperationReading::OperationReading(const OpReplay& replay)
    : recorded(replay.record().ops.size()), completed(replay.completed()), delayed(replay.delayed()),
      retagged(replay.retagged())
{
    const ReplayRecord& record = replay.record();
    for (std::size_t n = 0; n < record.ops.size(); ++n) {
        const ReplayedOp& op = record.ops[n];
        if (op.completed == kTimeNever) {
            continue;
        }
        all.record(op.completed - op.arrival);
        by_opcode[record.stream[n].op.opcode].record(op.completed - op.arrival);
        if (op.started != kTimeNever) {
            start_wait.record(op.started - op.arrival);
        }
        ++statuses[op.status];
    }
}

const Table<R>& replay_statistics()
{
    using Row = observe::Statistic<R>;
    static const Table<R> table(
        {Row{"schema", Unit::None, "`tlmssd-replay-1`; changes when a key changes its meaning or goes",
             [](const R&) { return std::string(kReplaySchema); }}
             .one_of({kReplaySchema}),
         Row{"config_hash", Unit::None, "as in results.json, with the mode of `--mode`",
             [](const R& r) { return r.config.hash_text; }}
             .matching("^[0-9a-f]{16}$"),
         {"seed", Unit::None, "seed of all random draws", [](const R& r) { return u64{r.config.seed}; }},
         Row{"status", Unit::None, "how the replay ended", &R::status}.one_of({"done", "interrupted", "failed"}),
         {"wall.seconds", Unit::Seconds, "real time of the replay without start-up", &R::wall_seconds},
         {"wall.operations_per_s", Unit::PerSecond, "completed operations per second of real time",
          [](const R& r) { return observe::ratio(static_cast<double>(r.operations.completed), r.wall_seconds); }},
         {"wall.timer_callbacks", Unit::Count, "timer callbacks of the model", &R::timer_callbacks},
         {"wall.peak_rss_mib", Unit::Mebibytes, "largest resident memory of the process",
          [](const R&) -> double { return observe::peak_rss_mib(); }},
         {"wall.git", Unit::None, "version of the sources, or `unknown`",
          [](const R&) -> std::string { return observe::git_describe(); }},
         {"config", Unit::None,
          "the resolved configuration with the mode of `--mode`; its keys are those of configs/schema.json",
          [](const R& r) { return run::config_json(r.config); }},
         Row{"loop", Unit::None, "when operations are handed over: at their times, or as soon as a tag is free",
             [](const R& r) { return std::string(r.closed ? "closed" : "open"); }}
             .one_of({"open", "closed"}),
         Row{"controller.kind", Unit::None, "kind of the controller",
             [](const R& r) -> std::string { return to_string(r.config.controller.kind); }}
             .one_of({"tlm", "rtl"}),
         {"controller.rtl", Unit::None, "its RTL; `null` for `tlm`",
          [](const R& r) {
              return config::is_rtl(r.config.controller.kind) ? std::optional<std::string>(r.config.controller.rtl)
                                                              : std::nullopt;
          }},
         Row{"controller.effective_mode", Unit::None, "its mode",
             [](const R& r) -> std::string { return to_string(r.config.controller.mode); }}
             .one_of({"serial", "inorder", "ooo"}),
         {"controller.rtl_latencies", Unit::None, "whether `--rtl-latencies` was given", &R::rtl_latencies},
         {"sim.time_s", Unit::Seconds, "from the first arrival to the last completion", &R::time},
         {"operations", "the operations of the stream", operation_statistics,
          [](const R& r) -> const OperationReading& { return r.operations; }},
         Row{"channels", "each channel", flash::channel_statistics, [](const R& r) { return r.segments.channels; }}
             .never_empty(),
         Row{"dies", "each die", die_statistics, [](const R& r) { return r.dies; }}.never_empty(),
         {"checker.violations", Unit::Count, "ONFI protocol violations; 0 also where the checker is off",
          &R::violations}});
    return table;
}

observe::Document replay_document()
{
    return {kReplaySchema,
            "tlmssd replay.json",
            "The results of one tlmssd replay-ops. A mean or a percentile is null where nothing was counted. Generated by "
            "tlmssd-results; do not edit.",
            "docs/reference/replay.schema.json",
            "docs/guides/replay-ops.md",
            replay_statistics().info()};
}

} // namespace tlmssd::replay
