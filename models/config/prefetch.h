// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the launch-recognising prefetcher (docs/explanation/prefetch.md).
#pragma once

#include "models/common/types.h"

namespace tlmssd::config {

enum class PrefetchMode : u8 { None, Baseline, TwoPhase, Fast }; // = fw_prefetch_mode

struct Prefetch {
    PrefetchMode mode = PrefetchMode::None;
    u32 pages = 4096;    ///< of a sequence
    u32 lead = 64;       ///< fast: pages
    double share = 0.5;  ///< of the buffer's pages
};

} // namespace tlmssd::config
