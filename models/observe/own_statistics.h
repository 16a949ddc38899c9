// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the statistics of what this module counts itself: latencies, traffic, stages, intervals, the bound.
#pragma once

#include "models/observe/bound.h"
#include "models/observe/histogram.h"
#include "models/observe/series.h"
#include "models/observe/stages.h"
#include "models/observe/statistics.h"

namespace tlmssd::observe {

/// {mean,p50,p95,p99,p999,p9999,max} in microseconds; all null where nothing was recorded.
const Table<Histogram>& latency_statistics();

/// Requests of one kind over `seconds` of simulated time; their number is latency.count().
struct Traffic {
    u64 bytes = 0;
    double seconds = 0;
    const Histogram& latency;
    const Histogram& response;
};
const Table<Traffic>& traffic_statistics();

/// Mean time of a request in each stage.
const Table<StageSums>& stage_statistics();
/// The stages of one request.
const Table<StageTimes>& stage_time_statistics();

const Table<SeriesPoint>& series_statistics();

/// The bound of a run that took `measured`.
struct BoundReading {
    Bound bound;
    Picoseconds measured;
};
const Table<BoundReading>& bound_statistics();

} // namespace tlmssd::observe
