// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: quantiles of the binomial distribution by summing its terms.
#include "models/nand/errors/binomial.h"

#include <algorithm>
#include <cmath>

namespace tlmssd::nand {

namespace {

constexpr double kLongFromZero = 64; ///< mean above which the sum starts at the mode instead
constexpr double kNoMore = 0x1p-70;  ///< terms relative to the total that are left out

/// P(k + 1) / P(k)
double up(u32 n, double odds, u32 k) { return static_cast<double>(n - k) / (k + 1) * odds; }

u32 from_zero(u32 n, double p, double odds, double u)
{
    const double mean = n * p;
    double term = std::exp(n * std::log1p(-p));
    double sum = term;
    u32 k = 0;
    while (sum <= u && k < n && (k < mean || term > kNoMore)) {
        term *= up(n, odds, k);
        ++k;
        sum += term;
    }
    return k;
}

/// Terms relative to that of the mode; their total makes probabilities of them.
u32 from_mode(u32 n, double p, double odds, double u)
{
    const u32 mode = static_cast<u32>((n + 1.0) * p);
    u32 lowest = mode;
    double lowest_term = 1;
    double total = 1;
    while (lowest > 0 && lowest_term > kNoMore) {
        lowest_term /= up(n, odds, lowest - 1);
        --lowest;
        total += lowest_term;
    }
    double term = 1;
    for (u32 k = mode; k < n && term > kNoMore; ++k) {
        term *= up(n, odds, k);
        total += term;
    }
    const double wanted = u * total;
    term = lowest_term;
    double sum = term;
    u32 k = lowest;
    while (sum <= wanted && k < n && (k < mode || term > kNoMore)) {
        term *= up(n, odds, k);
        ++k;
        sum += term;
    }
    return k;
}

} // namespace

u32 binomial_quantile(u32 n, double p, double u)
{
    if (n == 0 || p <= 0) {
        return 0;
    }
    p = std::min(p, 0.5);
    const double odds = p / (1 - p);
    return n * p > kLongFromZero ? from_mode(n, p, odds, u) : from_zero(n, p, odds, u);
}

} // namespace tlmssd::nand
