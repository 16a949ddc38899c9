// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: arrival times of generated requests in open loop.
#pragma once

#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/config/workload.h"

namespace tlmssd::workload {

struct Burst {
    double requests = 1; ///< n, at least 1
    Picoseconds gap;     ///< g, at most 1 / rate
};

/// Linear: request n arrives at n / rate, each time worked out from n, so that no error adds up.
/// Poisson: the gaps, also the one before the first request, are independent and exponential with
/// mean 1 / rate (fio's rate_process). Bursts: so are they, but with one of two means. After each request the burst ends
/// with probability 1 / n, so that it has n requests on average (variance n (n - 1)); the gap to the next burst has the
/// mean n / rate - (n - 1) g, all others g.
class Arrivals {
public:
    /// `rate` in requests per second; 0: all arrive at 0 (closed loop).
    Arrivals(double rate, config::RateProcess process, u64 seed, Burst burst = {});

    /// Of the next request. Throws InputError at 2^63 ps (106 days).
    Picoseconds next() { return gap_ == 0 ? Picoseconds(0) : timed(); }

private:
    Picoseconds timed();
    double mean_gap(u64 index) const;

    double gap_; ///< mean, ps; 0: closed loop
    config::RateProcess process_;
    Burst burst_;
    double between_; ///< mean gap between bursts, ps
    u64 seed_;
    u64 index_ = 0;
    double time_ = 0; ///< ps; exact to the picosecond below 2^53 (two and a half hours)
};

} // namespace tlmssd::workload
