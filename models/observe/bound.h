// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: how fast the same work could have been done at best, from operation counts and timings.
#pragma once

#include <optional>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::observe {

/// The bound of the makespan. Equal bounds are named in this order.
enum class Limiter : u8 { Link, Channel, Die, Cpu, Depth, Arrival };

/// "link", "channel", "die", "cpu", "depth" or "arrival"
const char* to_string(Limiter limiter);

/// The work of a run. Times come from counts and data-sheet timings, not from what was simulated:
/// no waiting is in them. Only work that ended by the last host completion counts.
struct BoundInput {
    std::vector<Picoseconds> channel_busy; ///< a channel: bus time of all its segments
    std::vector<Picoseconds> die_busy;     ///< a die: array time of its operations
    std::vector<Picoseconds> core_busy;    ///< a core: time of all its steps
    Picoseconds link_to_host;              ///< link time towards the host
    Picoseconds link_to_device;            ///< link time towards the device
    u32 depth = 0;                         ///< most requests in the device at once; 0: no limit
    Picoseconds unloaded_latency;          ///< sum over all requests, each alone in an idle device
    Picoseconds last_arrival;              ///< arrival of the last request
    Picoseconds last_latency;              ///< unloaded latency of that request
};

struct Bound {
    Picoseconds makespan; ///< no schedule can be shorter
    Limiter limiter = Limiter::Link;
};

/// The largest of six lower bounds (equations in docs/explanation/bound.md). Pure.
Bound bound(const BoundInput& input);

/// bound.makespan / measured, in (0, 1] for a sound model; nothing if `measured` is 0.
std::optional<double> fraction_of_bound(const Bound& bound, Picoseconds measured);

} // namespace tlmssd::observe
