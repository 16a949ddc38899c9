// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the generator's random words are for; each purpose has draws of its own.
#pragma once

#include "models/common/types.h"

namespace tlmssd::workload::purpose {

inline constexpr u64 kModule = 0x776f726b6c6f6164; ///< "workload": apart from other modules' draws
inline constexpr u64 kOffset = kModule ^ 1;
inline constexpr u64 kDirection = kModule ^ 2;
inline constexpr u64 kTrim = kModule ^ 3;
inline constexpr u64 kScatter = kModule ^ 4;
inline constexpr u64 kZone = kModule ^ 5;
inline constexpr u64 kMixQuota = kModule ^ 6;
inline constexpr u64 kArrival = kModule ^ 7;
inline constexpr u64 kPass = kModule ^ 8;
inline constexpr u64 kNormal = kModule ^ 9;
inline constexpr u64 kTiling = kModule ^ 10;
inline constexpr u64 kPercentageRandom = kModule ^ 11;
inline constexpr u64 kRandseed = kModule ^ 12;
inline constexpr u64 kLaunch = kModule ^ 13;
inline constexpr u64 kLocality = kModule ^ 14;
inline constexpr u64 kLocalityOffset = kModule ^ 15;
inline constexpr u64 kSize = kModule ^ 16;    ///< + direction
inline constexpr u64 kFollows = kModule ^ 24; ///< + direction
inline constexpr u64 kBurst = kModule ^ 27;
inline constexpr u64 kLocalitySides = kModule ^ 0x1000; ///< + up to 64

} // namespace tlmssd::workload::purpose
