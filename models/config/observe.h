// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of what is measured, and from when on.
#pragma once

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::config {

enum class WarmupKind : u8 { None, Requests, Time, UntilSteady };

/// The part of the run that does not count.
struct Warmup {
    WarmupKind kind = WarmupKind::None;
    u64 requests = 0;              ///< WarmupKind::Requests
    Picoseconds time;              ///< WarmupKind::Time
    Picoseconds window;            ///< WarmupKind::UntilSteady: length of a window
    double steady_tolerance = 0.2; ///< range of five windows, as a fraction of their mean
};

struct Observe {
    bool stages = true; ///< stage breakdown and the slowest requests
    bool packages = false; ///< transactions, parallelism and time of flash packages
    Picoseconds series; ///< interval; zero: by the length of the run
};

const char* to_string(WarmupKind);

} // namespace tlmssd::config
