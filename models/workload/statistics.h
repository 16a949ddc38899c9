// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what sources of requests have counted, in results.json.
#pragma once

#include <string>

#include "models/interfaces/request.h"
#include "models/observe/statistics.h"
#include "models/workload/launch_source.h"

namespace tlmssd::workload {

/// `workload`.
struct WorkloadReading {
    std::string name;
    SourceCounts counts; ///< of all jobs
};
const observe::Table<WorkloadReading>& source_statistics();

/// `host.jobs[].launches`: of all launches that have ended, warm-up included.
const observe::Table<LaunchSource>& launch_statistics();

} // namespace tlmssd::workload
