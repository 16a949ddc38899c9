// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the rules that join several keys of a generated workload.
#pragma once

#include <optional>
#include <string>

#include "models/config/workload.h"

namespace tlmssd::config {

inline constexpr u32 kLaunchMetadataBytes = 4096;
inline constexpr u32 kLaunchSame = 16; ///< first reads of a launch that a detour does not change

struct Problem {
    const char* key; ///< without "workload.", the one that should change
    std::string message;
};

/// The generator's share of the device, in 512-byte sectors.
struct Region {
    u64 start = 0;
    u64 sectors = 0;
};

/// Smallest and largest request of one direction, in sectors.
u32 smallest_request(const Workload& workload, Direction direction);
u32 largest_request(const Workload& workload, Direction direction);
/// The same over all directions; all starts of random requests are multiples of the first.
u32 smallest_request(const Workload& workload);
u32 largest_request(const Workload& workload);

/// Offset and size, cut at the device's end. A start in % is rounded up to a multiple of the
/// smallest request, as fio does.
Region region_of(const Workload& workload, u64 device_sectors);

/// Something other than a number of requests ends it.
bool has_own_end(const Workload& workload);

/// The direction whose sizes rule where all requests share them.
Direction main_direction(const Workload& workload);

/// Arrivals in bursts that leave no time between them, with or without a trace.
std::optional<Problem> find_burst_problem(const Workload& workload);

/// The first rule that a workload without a trace breaks, or nothing.
std::optional<Problem> find_problem(const Workload& workload, u64 device_sectors);

} // namespace tlmssd::config
