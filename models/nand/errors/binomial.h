// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: quantiles of the binomial distribution, for numbers of wrong bits.
#pragma once

#include "models/common/types.h"

namespace tlmssd::nand {

/// The smallest k with P(X <= k) > u, X the number of successes in n trials of probability p.
/// 0 <= u < 1, 0 <= p <= 0.5. Exact but for rounding: P is summed with an absolute error below
/// 1e-12 for n up to 10^5, so k is another one (by 1) only where u lies that near to a step of P.
u32 binomial_quantile(u32 n, double p, double u);

} // namespace tlmssd::nand
