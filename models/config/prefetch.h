// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the launch-recognising prefetcher (docs/prefetch.md).
#pragma once

#include "models/common/types.h"

namespace tlmssd::config {

enum class PrefetchMode : u8 { None, Baseline, TwoPhase, Fast }; // = fw_prefetch_mode

struct Prefetch {
    PrefetchMode mode = PrefetchMode::None;
    u32 match = 8;       ///< commands
    u32 anchors = 16;    ///< windows of a sequence
    u32 sequences = 8;
    u32 pages = 4096;    ///< of a sequence
    u32 gap_us = 5000;
    u32 misses = 8;
    u32 depth = 0;       ///< 0: idle dies
    u32 lead = 64;       ///< fast: pages
    double share = 0.5;  ///< of the buffer's pages
    bool displace = true;
    bool yield = true;
    u32 priority = 0;    ///< least that is watched
};

} // namespace tlmssd::config
