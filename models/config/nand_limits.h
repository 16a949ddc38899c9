// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the times of a part may grow to.
#pragma once

namespace tlmssd::config {

/// Wear (NandWear) changes array times up to this many rated endurances: nothing is known beyond.
inline constexpr double kMostWear = 2.0;

} // namespace tlmssd::config
