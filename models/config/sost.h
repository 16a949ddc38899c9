// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the scheduler `sost`.
#pragma once

#include <string>
#include <vector>

#include "models/common/types.h"
#include "models/config/scheduler.h"

namespace tlmssd::config {

inline constexpr std::size_t kMaxPriorityRanges = 8;

struct PriorityRange {
    u64 first_mib = 0, end_mib = 0; ///< of the logical address space
    u32 priority = 0;               ///< 1 to 3, the highest
};

struct Sost : HitManager {
    Sost() { return_reads = 1; }
    std::vector<PriorityRange> ranges;
    u32 queue_pages = 16; ///< per die, flash pages; 0: buffer.free_pages alone counts
};

} // namespace tlmssd::config
