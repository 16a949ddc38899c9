// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: results of each job.
#include "models/run/report_jobs.h"

#include "models/workload/launch_source.h"

namespace tlmssd::run {

namespace {

void put_wait(observe::Results& r, const char* path, const host::MeanTime& wait)
{
    r.put_ratio(path, wait.mean_ps() * 1e-6 * static_cast<double>(wait.count),
                static_cast<double>(wait.count));
}

double milliseconds(Picoseconds t) { return static_cast<double>(t.value()) / 1e9; }

observe::Json launch_json(const workload::LaunchRecord& l)
{
    observe::Results r;
    r.put("app", l.app);
    r.put("number", l.number);
    r.put("detour", l.detour);
    r.put_seconds("start_s", l.start);
    r.put("time_ms", milliseconds(l.time));
    r.put("prefetch_ms", milliseconds(l.prefetch));
    r.put("reads", l.reads);
    r.put("waited", l.waited);
    r.put("prefetched", l.prefetched);
    r.put("useless", l.useless);
    r.put_ratio("mean_depth", l.outstanding.seconds(), l.time.seconds());
    observe::Json json = r.json();
    json.erase("schema");
    return json;
}

/// Of all launches that have ended, warm-up included.
void put_launches(observe::Results& r, const workload::LaunchSource& source)
{
    const std::vector<workload::LaunchRecord>& records = source.records();
    double sum = 0;
    observe::Json list = observe::Json::array();
    for (const workload::LaunchRecord& l : records) {
        sum += milliseconds(l.time);
        list.push_back(launch_json(l));
    }
    r.put("launches.count", records.size());
    r.put("launches.cpu_ms", milliseconds(source.cpu()));
    r.put_ratio("launches.mean_ms", sum, static_cast<double>(records.size()));
    r.put("launches.list", list);
}

observe::Json job_json(const workload::Job& job, const host::RequestStats& s, double seconds)
{
    observe::Results r;
    r.put("name", job.rules.name);
    r.put("workload", job.workload);
    r.put("mode", config::to_string(job.rules.mode));
    r.put("priority", job.rules.priority);
    r.put("requests", s.requests());
    r.put_seconds("start_s", job.rules.start);
    observe::Histogram latency = s.reads.latency;
    latency.merge(s.writes.latency);
    observe::Histogram response = s.reads.response;
    response.merge(s.writes.response);
    r.put_requests("all", s.reads.bytes + s.writes.bytes, seconds, latency, response);
    r.put_requests("reads", s.reads.bytes, seconds, s.reads.latency, s.reads.response);
    r.put_requests("writes", s.writes.bytes, seconds, s.writes.latency, s.writes.response);
    r.put("flushes", s.flushes);
    r.put("trims", s.trims);
    r.put("errors", s.device_errors.all());
    put_wait(r, "queue_wait_us.mean", s.queue_wait);
    put_wait(r, "queue_wait_us.mean_when_full", s.queue_wait_when_full);
    if (const auto* launches = dynamic_cast<const workload::LaunchSource*>(job.source.get())) {
        put_launches(r, *launches);
    }
    observe::Json json = r.json();
    json.erase("schema"); // of a whole document only
    return json;
}

} // namespace

void put_jobs(observe::Results& r, const host::Initiator& initiator,
              const std::vector<workload::Job>& jobs, double seconds)
{
    observe::Json list = observe::Json::array();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        list.push_back(job_json(jobs[i], initiator.job_stats(static_cast<u32>(i)), seconds));
    }
    r.put("host.jobs", list);
}

} // namespace tlmssd::run
