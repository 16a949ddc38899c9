// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of what is measured: warm-up, stages, intervals (observe.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(WarmupKind, "none", "requests", "time", "until_steady")
TO_STRING(WarmupKind)

using namespace rows;

std::vector<Key> observe_keys()
{
    return {
        choice("workload.warmup", AT(warmup.kind), WarmupKind::None,
               "what does not count in the results: requests, a time, or all until the device is "
               "in a steady state (docs/reference/results.md)")
            .for_run(),
        integer("workload.warmup_requests", AT(warmup.requests), 1000, 1, 1000000000000000u,
                "requests of the warm-up, of all jobs")
            .when(kWarmupRequests)
            .for_run(),
        time("workload.warmup_ms", AT(warmup.time), kMs, 100, 1e-6, 1e9, "length of the warm-up")
            .when(kWarmupTime)
            .for_run(),
        time("workload.steady_window_ms", AT(warmup.window), kMs, 10, 1e-6, 1e9,
             "window of simulated time; five in a row must agree")
            .when(kWarmupSteady)
            .for_run(),
        real_above("workload.steady_tolerance", AT(warmup.steady_tolerance), 0.2, 0, 2,
                   "largest range of throughput and mean latency over five windows, as a fraction "
                   "of their mean; a trend may be half as large")
            .when(kWarmupSteady)
            .for_run(),
        flag("observe.stages", AT(observe.stages), true,
             "split each request's latency into stages, keep the slowest requests and their causes")
            .cosmetic(),
        flag("observe.packages", AT(observe.packages), false,
             "count flash operations by package, their parallelism, what packages and channels do with "
             "their time (docs/reference/results.md)")
            .cosmetic(),
        time("observe.series_ms", AT(observe.series), kMs, 0, 0, 1e9,
             "interval of the series; auto: 0.1 ms. Doubled whenever there would be more than 256")
            .zero("auto")
            .cosmetic(),
    };
}

} // namespace tlmssd::config
