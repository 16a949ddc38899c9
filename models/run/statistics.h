// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: results.json as one table, made of the tables of all owners.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/aging/statistics.h"
#include "models/host/initiator.h"
#include "models/observe/catalogue.h"
#include "models/probes/stages/stage_statistics.h"
#include "models/run/acted.h"
#include "models/run/device_statistics.h"

namespace tlmssd::run {

struct WallReading {
    double seconds;
    u64 requests; ///< that have ended
    const aging::PreconditionReport& precondition;
    u64 kernel_events, timer_callbacks;
    std::optional<u64> rtl_edges; ///< with controller.kind: rtl
};

struct WarmupReading {
    std::string kind;
    u64 requests;
    Picoseconds time;
    std::optional<bool> steady; ///< with until_steady
};

struct SeriesReading {
    Picoseconds interval;
    std::vector<observe::SeriesPoint> points;
};

/// All that results.json is made from. References are to what the run owns.
/// `makespan`: to the last completion; the counters are of the measured part.
struct RunReading : DeviceReading {
    std::string status;
    WallReading wall;
    workload::SourceCounts requests;
    const std::vector<workload::Job>& jobs;
    const host::Initiator& host;
    host::TrafficReading traffic;
    const ssd::HostSide& host_side;
    WarmupReading warmup;
    std::optional<probes::StageReading> stages; ///< with observe.stages
    const std::vector<std::string>& notes;
    std::vector<Acted> acted;
    observe::Bound bound;
    SeriesReading series;
    std::vector<probes::SlowReading> slowest;
};

/// results.json: key, unit and sentence of all that a run reports, in its order.
const observe::Table<RunReading>& run_statistics();
/// For its schema and its reference.
observe::Document results_document();

} // namespace tlmssd::run
