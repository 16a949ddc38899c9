// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the part of results.json that says what each job got (docs/results.md).
#pragma once

#include <vector>

#include "models/host/initiator.h"
#include "models/observe/results.h"
#include "models/workload/jobs.h"

namespace tlmssd::run {

/// Puts `host.jobs`, one entry a job in the order of their numbers. Rates are over `seconds`, the
/// time of the whole run, so that those of the jobs add up.
void put_jobs(observe::Results& r, const host::Initiator& initiator,
              const std::vector<workload::Job>& jobs, double seconds);

} // namespace tlmssd::run
