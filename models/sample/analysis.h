// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: estimates from the windows of a pass (docs/explanation/sampling.md).
#pragma once

#include <optional>
#include <vector>

#include "models/observe/estimate.h"
#include "models/sample/windows.h"

namespace tlmssd::sample {

/// Of reads, of writes, or of both; microseconds from issue to end.
struct Latency {
    observe::Estimate mean_us;
    observe::Estimate p99_us;
};

struct Analysis {
    bool settled = false;   ///< no trend is left behind the warm-up
    observe::Estimate iops; ///< reads and writes per simulated second
    observe::Estimate mb_s; ///< 10^6 bytes
    double runs_differ = 0; ///< half-width of `iops` for the difference of runs alone, as a share of the value
    double means_differ = 0; ///< the same of `all.mean_us`
    Latency all;
    std::optional<Latency> reads;  ///< absent where the windows have none
    std::optional<Latency> writes;
};

/// How far another run of the workload by the controller that stands by would be from the pass; the intervals hold that,
/// too. Neither: it was not looked at.
struct OtherRuns {
    Twins twins; ///< parts are compared with parts
    /// At least two: wholes are compared, without the twins, and the estimate is from all runs together.
    std::vector<PassResult> wholes;
};

/// At least two windows, as `plan` has them. Where a controller stands by, it is the control of all estimates.
/// `tolerance`: a trend that is smaller is none. `open_loop`: the time between requests is the workload's, so that the
/// latency alone shows a trend.
Analysis analyse(const PassResult& pass, const Plan& plan, bool open_loop, double confidence, double tolerance,
                 const OtherRuns& others = {});

/// Whether two runs of the same requests differ by less than what all intervals allow for.
bool are_alike(const Twins& twins);

} // namespace tlmssd::sample
