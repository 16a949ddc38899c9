// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tables of workloads and launches.
#include "models/workload/statistics.h"

namespace tlmssd::workload {

using observe::Table;
using observe::Unit;

namespace {

const Table<LaunchRecord>& launch_record_statistics()
{
    using L = LaunchRecord;
    static const Table<L> table(
        {{"app", Unit::None, "number of the application", &L::app},
         {"number", Unit::None, "ordinal of the launch among those of its application, from 0", &L::number},
         {"detour", Unit::None, "whether it took a detour", &L::detour},
         {"start_s", Unit::Seconds, "start, from the job's start", &L::start},
         {"time_ms", Unit::Milliseconds, "time to the end of its last burst", &L::time},
         {"prefetch_ms", Unit::Milliseconds,
          "from its start to the end of the host prefetcher's last read; 0: it read nothing", &L::prefetch},
         {"reads", Unit::Count, "reads that the application issued itself", &L::reads},
         {"waited", Unit::Count, "reads for which it waited while they were prefetched", &L::waited},
         {"prefetched", Unit::Count, "reads prefetched by the host", &L::prefetched},
         {"useless", Unit::Count, "prefetched reads that were not wanted", &L::useless},
         {"mean_depth", Unit::Ratio, "mean number of its commands that were open or waited for a tag",
          [](const L& l) { return observe::ratio(l.outstanding.seconds(), l.time.seconds()); }}});
    return table;
}

std::optional<double> mean_ms(const LaunchSource& source)
{
    double sum = 0;
    for (const LaunchRecord& l : source.records()) {
        sum += static_cast<double>(l.time.value()) / 1e9;
    }
    return observe::ratio(sum, static_cast<double>(source.records().size()));
}

} // namespace

const Table<WorkloadReading>& source_statistics()
{
    using W = WorkloadReading;
    static const Table<W> table(
        {{"name", Unit::None, "name of the preset, or `trace`", &W::name},
         {"source_requests", Unit::Count, "requests handed to the host", [](const W& w) { return w.counts.requests; }},
         {"folded", Unit::Count, "requests beyond the device that were wrapped into it (`workload.beyond: fold`)",
          [](const W& w) { return w.counts.folded; }},
         {"dropped", Unit::Count, "requests beyond the device that were left out (`workload.beyond: drop`)",
          [](const W& w) { return w.counts.dropped; }},
         {"skipped", Unit::Count,
          "rows of a trace's file that ask for nothing, and broken lines that were left out (`--lenient`)",
          [](const W& w) { return w.counts.skipped; }},
         {"deduplicated", Unit::Count,
          "rows of a trace's file that repeat an earlier one and were left out (`workload.dedup_us`)",
          [](const W& w) { return w.counts.deduplicated; }}});
    return table;
}

const Table<LaunchSource>& launch_statistics()
{
    using S = LaunchSource;
    static const Table<S> table(
        {{"count", Unit::Count, "launches that have ended, warm-up included ([launches.md](../guides/launches.md))",
          [](const S& s) { return u64{s.records().size()}; }},
         {"cpu_ms", Unit::Milliseconds, "CPU time of one launch", [](const S& s) { return s.cpu(); }},
         {"mean_ms", Unit::Milliseconds, "mean time of a launch", &mean_ms},
         {"list", "each launch", launch_record_statistics, [](const S& s) { return s.records(); }}});
    return table;
}

} // namespace tlmssd::workload
