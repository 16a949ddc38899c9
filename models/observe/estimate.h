// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what samples say of the whole: means and quantiles with confidence intervals, alone or beside a
// control whose whole is known (docs/explanation/sampling.md has the equations).
#pragma once

#include <functional>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::observe {

/// A value, and the interval that holds the true one with the asked confidence.
struct Estimate {
    double value = 0;
    double low = 0;
    double high = 0;

    /// The farther end of the interval from the value, as a share of the value; 0 for the value 0.
    double relative() const;
};

/// The t of Student's distribution for a two-sided interval: P(|T| <= t) = confidence. 0 < confidence < 1, degrees >= 1;
/// exact to 1e-9.
double student_t(double confidence, u32 degrees);

/// sum(y) / sum(x) over samples (x, y) that were drawn at random, at least two; sum(x) > 0.
/// The variance is that of the residuals y - r x, as for large samples.
Estimate ratio_estimate(const std::vector<double>& y, const std::vector<double>& x, double confidence);

/// The q-quantile of values that came in clusters, at least two of them and one value. The share of values that lie at
/// or below it is a ratio of clusters; the interval are the quantiles at the ends of that ratio's interval (Woodruff).
/// Rank of a quantile: max(1, ceil(q n)), as of Histogram.
Estimate quantile_estimate(const std::vector<std::vector<u64>>& clusters, double q, double confidence);

/// A quantity of a cluster, and the number that it is a mean over.
struct Cluster {
    double sum = 0;
    double count = 0;
};

/// The mean of the whole where a control is known of it: the whole has the mean `known` of the control; each of the
/// clusters, at least two, has `wanted` and `control`, with positive sums and counts in all.
/// known (sum y / sum c) / (sum x / sum d); its relative error is that of both ratios together, so that what both have in
/// common falls out.
Estimate controlled_mean(double known, const std::vector<Cluster>& wanted, const std::vector<Cluster>& control,
                         double confidence);

/// The q-quantile of the whole where a control is known of it. `whole`: its values of the control, by bucket of
/// Histogram. The share of values up to x is that of the control in the whole, plus the difference of `wanted` and
/// `control` in the clusters; the interval as of quantile_estimate(). `more(bucket)`: a half-width of the share of values
/// up to that bucket from another, independent cause; may be empty.
Estimate controlled_quantile(const std::vector<u64>& whole, const std::vector<std::vector<u64>>& wanted,
                             const std::vector<std::vector<u64>>& control, double q, double confidence,
                             const std::function<double(u32)>& more = {});

/// Two runs of one workload were cut into equal parts. `differences`: what each part adds to the difference of a quantity
/// of the whole. The half-width of an interval around 0 that holds this difference for two such runs, were the parts
/// independent and their mean difference 0: t sqrt(sum D^2). As neighbours may depend on each other, it is the largest for
/// all parts, pairs and fours of them. Their number is a multiple of 4.
double half_width_of_runs(const std::vector<double>& differences, double confidence);

/// Values of runs, at least two, as draws of one distribution: the half-width of an interval around their mean that holds
/// the value of one run more. t s sqrt(1 + 1/n).
double half_width_of_next(const std::vector<double>& values, double confidence);

/// Wider by `half` of another, independent cause at both ends: sqrt of the sum of squares.
Estimate joined(const Estimate& e, double half);

/// Whether a mean over clusters differs from 0, at the given confidence: |mean| > t * error. At least two.
bool differs_from_zero(const std::vector<double>& values, double confidence);

} // namespace tlmssd::observe
