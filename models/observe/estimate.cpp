// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: means and quantiles of samples, Student's t.
#include "models/observe/estimate.h"

#include <algorithm>
#include <cmath>

#include "models/observe/histogram.h"

namespace tlmssd::observe {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kRounding = 1e-9; ///< of shares and ranks

/// P(|T| <= t) for a whole number of degrees: Abramowitz and Stegun, 26.7.3 and 26.7.4.
double within(double t, u32 degrees)
{
    const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
    const double cosine = std::cos(angle);
    const double square = cosine * cosine;
    double term = degrees % 2 == 0 ? 1.0 : cosine;
    double sum = degrees == 1 ? 0.0 : term;
    for (u32 k = degrees % 2 == 0 ? 2 : 3; k + 1 < degrees; k += 2) {
        term *= square * static_cast<double>(k - 1) / static_cast<double>(k);
        sum += term;
    }
    return degrees % 2 == 0 ? std::sin(angle) * sum : 2 / kPi * (angle + std::sin(angle) * sum);
}

double sum_of(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum;
}

Cluster total(const std::vector<Cluster>& clusters)
{
    Cluster all;
    for (const Cluster& cluster : clusters) {
        all.sum += cluster.sum;
        all.count += cluster.count;
    }
    return all;
}

/// Of a sum of n independent residuals with these squares, whose sum is 0.
double half_width(double squares, std::size_t n, double confidence)
{
    const double error = std::sqrt(squares * static_cast<double>(n) / static_cast<double>(n - 1));
    return student_t(confidence, static_cast<u32>(n - 1)) * error;
}

} // namespace

double Estimate::relative() const
{
    return value == 0 ? 0 : std::max(high - value, value - low) / std::abs(value);
}

double student_t(double confidence, u32 degrees)
{
    double low = 0;
    double high = 1;
    while (within(high, degrees) < confidence) {
        low = high;
        high *= 2;
    }
    for (u32 i = 0; i < 200 && low < high; ++i) {
        const double middle = (low + high) / 2;
        (within(middle, degrees) < confidence ? low : high) = middle;
    }
    return high;
}

Estimate ratio_estimate(const std::vector<double>& y, const std::vector<double>& x, double confidence)
{
    const double all = sum_of(x);
    const double ratio = sum_of(y) / all;
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double residual = y[i] - ratio * x[i];
        squares += residual * residual;
    }
    const double half = half_width(squares, x.size(), confidence) / all;
    return {ratio, ratio - half, ratio + half};
}

Estimate quantile_estimate(const std::vector<std::vector<u64>>& clusters, double q, double confidence)
{
    std::vector<u64> all;
    for (const std::vector<u64>& cluster : clusters) {
        all.insert(all.end(), cluster.begin(), cluster.end());
    }
    std::sort(all.begin(), all.end());
    const double count = static_cast<double>(all.size());
    const auto at = [&](double share) {
        const double rank = std::ceil(std::clamp(share, 0.0, 1.0) * count - kRounding); // 0.07 * 100 is 7
        return all[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
    };
    const u64 value = at(q);
    std::vector<double> below;
    std::vector<double> sizes;
    for (const std::vector<u64>& cluster : clusters) {
        below.push_back(static_cast<double>(std::count_if(cluster.begin(), cluster.end(),
                                                          [&](u64 latency) { return latency <= value; })));
        sizes.push_back(static_cast<double>(cluster.size()));
    }
    const Estimate share = ratio_estimate(below, sizes, confidence);
    const double half = (share.high - share.low) / 2;
    return {static_cast<double>(value), static_cast<double>(at(q - half)), static_cast<double>(at(q + half))};
}

Estimate controlled_mean(double known, const std::vector<Cluster>& wanted, const std::vector<Cluster>& control,
                         double confidence)
{
    const Cluster y = total(wanted);
    const Cluster x = total(control);
    const double value = known * (y.sum / y.count) / (x.sum / x.count);
    double squares = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double of_wanted = wanted[i].sum / y.sum - wanted[i].count / y.count;
        const double of_control = control[i].sum / x.sum - control[i].count / x.count;
        squares += (of_wanted - of_control) * (of_wanted - of_control);
    }
    const double half = value * half_width(squares, wanted.size(), confidence);
    return {value, value - half, value + half};
}

Estimate controlled_quantile(const std::vector<u64>& whole, const std::vector<std::vector<u64>>& wanted,
                             const std::vector<std::vector<u64>>& control, double q, double confidence,
                             const std::function<double(u32)>& more)
{
    // Shares of each bucket, then of all buckets up to it.
    std::vector<double> share(Histogram::kBuckets);
    const auto add = [&](const std::vector<std::vector<u64>>& clusters, double sign) {
        double count = 0;
        for (const std::vector<u64>& cluster : clusters) {
            count += static_cast<double>(cluster.size());
        }
        for (const std::vector<u64>& cluster : clusters) {
            for (const u64 value : cluster) {
                share[Histogram::bucket_of(value)] += sign / count;
            }
        }
        return count;
    };
    const double in_wanted = add(wanted, 1);
    const double in_control = add(control, -1);
    double in_whole = 0;
    for (const u64 count : whole) {
        in_whole += static_cast<double>(count);
    }
    for (std::size_t b = 0; b < whole.size(); ++b) {
        share[b] += static_cast<double>(whole[b]) / in_whole;
    }
    const auto at = [&](double wished) {
        double sum = 0;
        u32 last = 0;
        for (u32 b = 0; b < Histogram::kBuckets; ++b) {
            sum += share[b];
            last = share[b] > kRounding ? b : last;
            if (sum > kRounding && sum >= wished - kRounding) {
                return b;
            }
        }
        return last;
    };
    const u32 bucket = at(q);
    const auto below = [&](const std::vector<u64>& cluster) {
        return static_cast<double>(std::count_if(cluster.begin(), cluster.end(), [&](u64 value) {
            return Histogram::bucket_of(value) <= bucket;
        }));
    };
    Cluster y;
    Cluster x;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        y.sum += below(wanted[i]);
        x.sum += below(control[i]);
    }
    double squares = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double of_wanted = (below(wanted[i]) - y.sum / in_wanted * static_cast<double>(wanted[i].size())) / in_wanted;
        const double of_control =
            (below(control[i]) - x.sum / in_control * static_cast<double>(control[i].size())) / in_control;
        squares += (of_wanted - of_control) * (of_wanted - of_control);
    }
    const double half = std::hypot(half_width(squares, wanted.size(), confidence), more ? more(bucket) : 0);
    const auto middle = [](u32 b) { return static_cast<double>(Histogram::middle_of(b)); };
    return {middle(bucket), middle(at(q - half)), middle(at(q + half))};
}

double half_width_of_runs(const std::vector<double>& differences, double confidence)
{
    double largest = 0;
    for (std::size_t size = 1; size <= 4; size *= 2) {
        double squares = 0;
        for (std::size_t i = 0; i < differences.size(); i += size) {
            double sum = 0;
            for (std::size_t j = i; j < i + size; ++j) {
                sum += differences[j];
            }
            squares += sum * sum;
        }
        const double t = student_t(confidence, static_cast<u32>(differences.size() / size));
        largest = std::max(largest, t * std::sqrt(squares));
    }
    return largest;
}

double half_width_of_next(const std::vector<double>& values, double confidence)
{
    const double n = static_cast<double>(values.size());
    const double mean = sum_of(values) / n;
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    return student_t(confidence, static_cast<u32>(values.size() - 1)) * std::sqrt(squares / (n - 1) * (1 + 1 / n));
}

Estimate joined(const Estimate& e, double half)
{
    return {e.value, e.value - std::hypot(e.value - e.low, half), e.value + std::hypot(e.high - e.value, half)};
}

bool differs_from_zero(const std::vector<double>& values, double confidence)
{
    const double mean = sum_of(values) / static_cast<double>(values.size());
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    const double n = static_cast<double>(values.size());
    return std::abs(mean) > half_width(squares / (n * n), values.size(), confidence);
}

} // namespace tlmssd::observe
