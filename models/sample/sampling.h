// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a sampled run: passes with more and longer windows, until the estimates are as certain as was asked for.
#pragma once

#include <ostream>
#include <string>

#include "models/config/config.h"
#include "models/sample/analysis.h"
#include "models/sample/windows.h"

namespace tlmssd::sample {

struct SampleOptions {
    double error = 0.02;      ///< largest half-width of the intervals of IOPS and mean latency, as a share of the value
    double tail_error = 0.05; ///< of the 99 % latency
    double confidence = 0.95;
    u64 draw = 1;             ///< another number draws other windows
    std::string cache;        ///< folder of aged devices; empty: none
    std::ostream* warnings = nullptr; ///< left-out rows of a trace, formats that were found
    bool progress = false;
};

/// The outcome of a sampled run.
struct SampleResult {
    Census census;
    Plan plan; ///< of the last pass
    u64 passes = 0;
    u64 runs = 1; ///< of the whole workload by the TLM controller that the estimates are from; the passes are one
    bool met = false; ///< the intervals are as narrow as was asked for, and no trend is left
    Analysis analysis;
    Exact exact;
    double wall_seconds = 0; ///< of all, start-up included
};

/// The windows that the next pass should have.
struct Next {
    Plan plan;
    bool more = false; ///< false: there is nothing to be gained, or the workload is too short for it
};

/// The first pass over a workload of this length. InputError: too few requests.
Plan first_plan(u64 requests, u32 depth, u64 draw);
/// Adds sections, of which another run shows whether two runs of a workload in open loop are alike: an eighth of it in all,
/// where that is long enough. None: the workload is too short, and the other run is a whole one.
void plan_sections(Plan& plan, u64 requests, u32 depth);
/// Runs of the workload differ, and the intervals of three of them are `excess` times as wide as was asked for: whether
/// those of five would be narrow enough.
bool more_runs_are_enough(double excess);
/// Runs of the workload alone differ by more than was asked for, in IOPS or mean latency: no windows make up for it.
bool runs_differ_more(const Analysis& analysis, const SampleOptions& options, bool open_loop);
/// After a pass. Longer windows while a trend is left in them, then more of them by the square of `excess`.
Next next_plan(const Plan& plan, const Analysis& analysis, double excess, u64 requests, u32 depth);
/// The largest half-width as a multiple of what was asked for; 1 or less: the estimates are certain enough.
double excess(const Analysis& analysis, const SampleOptions& options, bool open_loop);

/// Whether a configuration can be sampled. InputError names the key that is in the way.
void require_sampling(const config::Config& config);

/// Each pass is a process of its own, made by fork() behind preconditioning. InputError, ModelError, Interrupted.
SampleResult sampled_run(const config::Config& config, const SampleOptions& options);

} // namespace tlmssd::sample
