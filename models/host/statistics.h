// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the host has measured, in results.json.
#pragma once

#include "models/host/initiator_stats.h"
#include "models/observe/own_statistics.h"
#include "models/workload/jobs.h"

namespace tlmssd::host {

/// Reads and writes over `seconds` of simulated time, together and apart. Outlives what it gives out.
struct TrafficReading {
    TrafficReading(const RequestStats& requests, double seconds);

    observe::Traffic all() const { return {bytes, seconds, latency, response}; }
    observe::Traffic reads() const { return of(requests.reads); }
    observe::Traffic writes() const { return of(requests.writes); }

    const RequestStats& requests;
    double seconds;
    u64 bytes; ///< of both, as the histograms
    observe::Histogram latency, response;

private:
    observe::Traffic of(const DirectionStats& d) const { return {d.bytes, seconds, d.latency, d.response}; }
};

/// The part of `host` that comes before the link's.
const observe::Table<TrafficReading>& traffic_statistics();
/// `host.queue_wait_us`, and that of a job.
const observe::Table<RequestStats>& queue_wait_statistics();

/// An element of `host.jobs`. Rates are over `seconds`, the time of the whole run, so that those of the jobs add up.
struct JobReading {
    const workload::Job& job;
    const RequestStats& requests;
    double seconds;
};
const observe::Table<JobReading>& job_statistics();

/// `integrity`.
const observe::Table<InitiatorStats>& integrity_statistics();

/// `link`: time for which the host link sent in each direction, whatever kind it is of.
struct LinkTimes {
    Picoseconds to_host, to_device;

    LinkTimes since(const LinkTimes& before) const
    {
        return {to_host - before.to_host, to_device - before.to_device};
    }
};
const observe::Table<LinkTimes>& link_statistics();

} // namespace tlmssd::host
