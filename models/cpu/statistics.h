// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the cores' statistics in results.json.
#pragma once

#include <string>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/observe/statistics.h"

namespace tlmssd::cpu {

/// The part of `cpu` that both kinds of executors have.
struct CpuReading {
    std::string model;
    u64 mhz;
    const std::vector<Picoseconds>& busy; ///< a core's time in steps
    double seconds;                       ///< of the run
};
const observe::Table<CpuReading>& statistics();

} // namespace tlmssd::cpu
