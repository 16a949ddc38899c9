// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the six lower bounds of a run's makespan.
#include "models/observe/bound.h"

namespace tlmssd::observe {

namespace {

Picoseconds busiest(const std::vector<Picoseconds>& times)
{
    Picoseconds most;
    for (const Picoseconds t : times) {
        most = max(most, t);
    }
    return most;
}

} // namespace

const char* to_string(Limiter limiter)
{
    switch (limiter) {
    case Limiter::Link:
        return "link";
    case Limiter::Channel:
        return "channel";
    case Limiter::Die:
        return "die";
    case Limiter::Cpu:
        return "cpu";
    case Limiter::Depth:
        return "depth";
    case Limiter::Arrival:
        return "arrival";
    }
    return "";
}

Bound bound(const BoundInput& input)
{
    Bound result;
    const auto consider = [&result](Picoseconds makespan, Limiter limiter) {
        if (result.makespan < makespan) {
            result = Bound{makespan, limiter};
        }
    };
    consider(max(input.link_to_host, input.link_to_device), Limiter::Link);
    consider(busiest(input.channel_busy), Limiter::Channel);
    consider(busiest(input.die_busy), Limiter::Die);
    consider(busiest(input.core_busy), Limiter::Cpu);
    if (input.depth > 0) {
        // Rounded down, so that it stays a lower bound.
        consider(Picoseconds(input.unloaded_latency.value() / input.depth), Limiter::Depth);
    }
    consider(input.last_arrival + input.last_latency, Limiter::Arrival);
    return result;
}

std::optional<double> fraction_of_bound(const Bound& bound, Picoseconds measured)
{
    if (measured == Picoseconds(0)) {
        return std::nullopt;
    }
    return static_cast<double>(bound.makespan.value()) / static_cast<double>(measured.value());
}

} // namespace tlmssd::observe
