// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ranks with a Zipf distribution, after Gray et al. 1994.
#include "models/workload/random/zipf.h"

#include <cmath>

namespace tlmssd::workload {
namespace {

constexpr u64 kExactTerms = 4096;
constexpr double kNearUnity = 1e-6; ///< closer to 1 the formula with 1 / (1 - theta) loses digits

} // namespace

double zeta(u64 n, double theta)
{
    double sum = 0;
    const u64 exact = n < kExactTerms ? n : kExactTerms;
    for (u64 k = exact; k > 0; --k) { // small terms first
        sum += std::pow(static_cast<double>(k), -theta);
    }
    if (n == exact) {
        return sum;
    }
    const double a = static_cast<double>(exact);
    const double b = static_cast<double>(n);
    // Integral of x^-theta from a to b; expm1 keeps its digits near theta = 1.
    const double log_ratio = std::log(b / a);
    const double exponent = (1 - theta) * log_ratio;
    const double integral = std::pow(a, 1 - theta) * log_ratio *
                            (exponent == 0 ? 1 : std::expm1(exponent) / exponent);
    const double ends = (std::pow(b, -theta) - std::pow(a, -theta)) / 2;
    const double slope = theta / 12 * (std::pow(a, -theta - 1) - std::pow(b, -theta - 1));
    return sum + integral + ends + slope;
}

Zipf::Zipf(u64 n, double theta)
    : n_(n), zeta_n_(zeta(n, theta)), second_(1 + std::pow(0.5, theta)), alpha_(1 / (1 - theta)),
      eta_(0), unity_(std::fabs(1 - theta) < kNearUnity)
{
    const double beyond_two = 1 - second_ / zeta_n_;
    const double half = static_cast<double>(n) / 2;
    if (n > 2) {
        eta_ = (unity_ ? std::log(half) : 1 - std::pow(half, theta - 1)) / beyond_two;
    }
}

u64 Zipf::rank(double unit) const
{
    const double scaled = unit * zeta_n_;
    if (scaled < 1 || n_ == 1) {
        return 0;
    }
    if (scaled < second_ || n_ == 2) {
        return 1;
    }
    const double n = static_cast<double>(n_);
    const double rest = eta_ * (unit - 1);
    const double position = n * (unity_ ? std::exp(rest) : std::pow(1 + rest, alpha_));
    const u64 rank = static_cast<u64>(position);
    return rank < n_ ? rank : n_ - 1;
}

} // namespace tlmssd::workload
