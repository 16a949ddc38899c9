// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tables of the host's statistics.
#include "models/host/statistics.h"

#include "models/workload/statistics.h"

namespace tlmssd::host {

using observe::Only;
using observe::Table;
using observe::Traffic;
using observe::Unit;

namespace {

std::optional<double> mean_us(const MeanTime& t)
{
    return observe::ratio(t.mean_ps() * 1e-6 * static_cast<double>(t.count), static_cast<double>(t.count));
}

const Table<TrafficReading>& direction_statistics()
{
    using T = TrafficReading;
    static const Table<T> table(
        {{"all", "reads and writes", observe::traffic_statistics, [](const T& t) { return t.all(); }},
         {"reads", "reads", observe::traffic_statistics, [](const T& t) { return t.reads(); }},
         {"writes", "writes", observe::traffic_statistics, [](const T& t) { return t.writes(); }}});
    return table;
}

const workload::LaunchSource* launches_of(const JobReading& j)
{
    return dynamic_cast<const workload::LaunchSource*>(j.job.source.get());
}

} // namespace

TrafficReading::TrafficReading(const RequestStats& r, double run_seconds)
    : requests(r), seconds(run_seconds), bytes(r.reads.bytes + r.writes.bytes), latency(r.reads.latency),
      response(r.reads.response)
{
    latency.merge(r.writes.latency);
    response.merge(r.writes.response);
}

const Table<TrafficReading>& traffic_statistics()
{
    using T = TrafficReading;
    static const Table<T> table(
        {{"", "", direction_statistics, [](const T& t) -> const T& { return t; }},
         {"flushes.count", Unit::Count, "completed FLUSH commands; they are in no other host figure",
          [](const T& t) { return t.requests.flushes; }},
         {"trims.count", Unit::Count, "completed TRIM commands; they are in no other host figure",
          [](const T& t) { return t.requests.trims; }},
         {"errors.reads", Unit::Count,
          "reads that the device ended with an error (an uncorrectable page); they are in no other host figure. "
          "Where the configuration gives the flash neither errors nor a fault script, any error makes the run fail "
          "with status 3",
          [](const T& t) { return t.requests.device_errors.reads; }},
         {"errors.writes", Unit::Count, "writes that the device ended with an error (no space left)",
          [](const T& t) { return t.requests.device_errors.writes; }},
         {"errors.others", Unit::Count, "FLUSH and TRIM commands that the device ended with an error",
          [](const T& t) { return t.requests.device_errors.others; }}});
    return table;
}

const Table<RequestStats>& queue_wait_statistics()
{
    using R = RequestStats;
    static const Table<R> table(
        "queue_wait_us", observe::Show::Rows,
        {{"mean", Unit::Microseconds, "mean time from arrival to tag, over all requests",
          [](const R& r) { return mean_us(r.queue_wait); }},
         {"mean_when_full", Unit::Microseconds,
          "mean time from arrival to tag, over the requests that arrived when all tags were in use; `null` if there "
          "were none",
          [](const R& r) { return mean_us(r.queue_wait_when_full); }}});
    return table;
}

const Table<JobReading>& job_statistics()
{
    using J = JobReading;
    static constexpr Only<J> kLaunches{"of a job of launches", [](const J& j) { return launches_of(j) != nullptr; }};
    static const Table<J> table(
        {{"name", Unit::None, "name of the job. A run without `workload.jobs` has one job",
          [](const J& j) { return j.job.rules.name; }},
         {"workload", Unit::None, "what it runs: preset, trace or generator", [](const J& j) { return j.job.workload; }},
         observe::Statistic<J>{"mode", Unit::None, "open or closed loop",
                               [](const J& j) { return std::string(config::to_string(j.job.rules.mode)); }}
             .one_of({"open", "closed"}),
         observe::Statistic<J>{"priority", Unit::None, "priority, 0 (lowest) to 3",
                               [](const J& j) { return u64{j.job.rules.priority}; }}
             .at_most(3),
         {"requests", Unit::Count, "commands of the job that have ended well, FLUSH and TRIM too",
          [](const J& j) { return j.requests.requests(); }},
         {"start_s", Unit::Seconds, "start on the simulated clock", [](const J& j) { return j.job.rules.start; }},
         {"", "", direction_statistics, [](const J& j) { return TrafficReading(j.requests, j.seconds); }},
         {"flushes", Unit::Count, "FLUSH commands among them", [](const J& j) { return j.requests.flushes; }},
         {"trims", Unit::Count, "TRIM commands among them", [](const J& j) { return j.requests.trims; }},
         {"errors", Unit::Count, "commands of the job that ended with an error",
          [](const J& j) { return j.requests.device_errors.all(); }},
         {"queue_wait_us", "wait for a tag", queue_wait_statistics,
          [](const J& j) -> const RequestStats& { return j.requests; }},
         {"launches", "launches of applications ([launches.md](../guides/launches.md))", workload::launch_statistics,
          [](const J& j) -> const workload::LaunchSource& { return *launches_of(j); }, &kLaunches}});
    return table;
}

const Table<InitiatorStats>& integrity_statistics()
{
    using I = InitiatorStats;
    static const Table<I> table(
        {{"pages_checked", Unit::Count,
          "units of 4 KiB (or a page, where pages are smaller) that host reads returned and that were compared with "
          "what was last written",
          &I::units_checked},
         {"bytes_checked", Unit::Bytes,
          "bytes that host reads returned and that were compared, each, with what was last written; 0 with "
          "`data: tags` ([data.md](../explanation/data.md))",
          &I::bytes_checked},
         {"mismatches", Unit::Count,
          "units that were wrong, by their tag or by their bytes. Any makes the run fail with status 3",
          &I::mismatches}});
    return table;
}

const Table<LinkTimes>& link_statistics()
{
    using L = LinkTimes;
    static const Table<L> table(
        {{"busy_to_host_s", Unit::Seconds,
          "time for which the host link sent to the host; 0 on `host.kind: direct` without `host.direct_mb_per_s`",
          &L::to_host},
         {"busy_to_device_s", Unit::Seconds,
          "time for which the host link sent to the device; 0 on `host.kind: direct` without "
          "`host.direct_mb_per_s`",
          &L::to_device}});
    return table;
}

} // namespace tlmssd::host
