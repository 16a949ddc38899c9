// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: results of each job.
#include "models/platform/report_jobs.h"

namespace tlmssd::platform {

namespace {

void put_wait(observe::Results& r, const char* path, const host::MeanTime& wait)
{
    r.put_ratio(path, wait.mean_ps() * 1e-6 * static_cast<double>(wait.count),
                static_cast<double>(wait.count));
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

} // namespace tlmssd::platform
