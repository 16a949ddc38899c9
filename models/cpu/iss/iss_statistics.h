// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the ISS has counted, in results.json.
#pragma once

#include <vector>

#include "models/cpu/iss/iss_executor.h"
#include "models/observe/statistics.h"

namespace tlmssd::cpu {

/// `cpu.iss`: of the whole run, warm-up included.
struct IssReading {
    const IssExecutor& iss;
    std::vector<u64> core_cycles;
};
const observe::Table<IssReading>& iss_statistics();

} // namespace tlmssd::cpu
