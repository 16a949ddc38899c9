// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ranks with a Zipf distribution, after Gray et al. 1994.
#pragma once

#include "models/common/types.h"

namespace tlmssd::workload {

/// Generalised harmonic number: sum over k = 1..n of k^-theta. The first 4,096 terms are added; the
/// rest comes from the Euler-Maclaurin formula, with a relative error below 10^-13.
double zeta(u64 n, double theta);

/// Draws rank r (from 0) with a probability near (r + 1)^-theta / zeta(n, theta): exact for ranks 0
/// and 1, by a continuous inverse beyond. "Quickly Generating Billion-Record Synthetic Databases",
/// SIGMOD 1994, figure 6; the generator of YCSB and fio. theta = 1 uses the formula's limit.
class Zipf {
public:
    /// n >= 1, 0 < theta <= 10.
    Zipf(u64 n, double theta);
    /// `unit` in [0, 1); the result is in [0, n) and grows with `unit`.
    u64 rank(double unit) const;

private:
    u64 n_;
    double zeta_n_;
    double second_; ///< 1 + 2^-theta: where rank 1 ends, times zeta(n)
    double alpha_;  ///< 1 / (1 - theta); unused when `unity_`
    double eta_;    ///< of the paper; ln(n/2) / (1 - zeta(2)/zeta(n)) when `unity_`
    bool unity_;    ///< theta is 1
};

} // namespace tlmssd::workload
