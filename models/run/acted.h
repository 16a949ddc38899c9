// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what acted in a run: each mechanism that the configuration switches on, its chances, how often it acted,
// what it saved; and why, where it did nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/observe/statistics.h"
#include "models/run/counters.h"

namespace tlmssd::run {

/// The source of the rows. It outlives them.
struct ActedInput {
    const config::Config& config;
    const DeviceCounters& counters; ///< of the measured part
    u64 jobs;                       ///< of the workload
};

/// A mechanism in a run.
struct Acted {
    std::string mechanism;
    std::string key; ///< of the configuration, that switches it on
    std::optional<u64> chances; ///< absent: they are not counted
    std::string chance;         ///< what a chance is, in the plural
    u64 times;
    std::optional<u64> saved; ///< absent: nothing that is counted in pieces
    std::string saves;        ///< what was saved, in the plural; "" without `saved`
    std::string why;          ///< that it did nothing; "" where it acted
};

/// The mechanisms that the configuration switches on, in the order of the path of a request.
std::vector<Acted> acted(const ActedInput& in);

/// An element of `acted`.
const observe::Table<Acted>& acted_statistics();

} // namespace tlmssd::run
