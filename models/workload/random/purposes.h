// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the generator's random words are for; each purpose has draws of its own.
#pragma once

#include "models/common/types.h"

namespace tlmssd::workload::purpose {

inline constexpr u64 kRoom = 0x776f726b6c6f6164; ///< "workload": apart from other rooms' draws
inline constexpr u64 kOffset = kRoom ^ 1;
inline constexpr u64 kDirection = kRoom ^ 2;
inline constexpr u64 kTrim = kRoom ^ 3;
inline constexpr u64 kScatter = kRoom ^ 4;
inline constexpr u64 kZone = kRoom ^ 5;
inline constexpr u64 kMixQuota = kRoom ^ 6;
inline constexpr u64 kArrival = kRoom ^ 7;
inline constexpr u64 kPass = kRoom ^ 8;
inline constexpr u64 kNormal = kRoom ^ 9;
inline constexpr u64 kTiling = kRoom ^ 10;
inline constexpr u64 kPercentageRandom = kRoom ^ 11;
inline constexpr u64 kRandseed = kRoom ^ 12;
inline constexpr u64 kLaunch = kRoom ^ 13;
inline constexpr u64 kSize = kRoom ^ 16;    ///< + direction
inline constexpr u64 kFollows = kRoom ^ 24; ///< + direction

} // namespace tlmssd::workload::purpose
