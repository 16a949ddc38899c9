// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of preconditioning.
#pragma once

#include "models/common/types.h"
#include "models/config/workload.h"

namespace tlmssd::config {

enum class Pattern : u8 { Sequential, Random };

struct Precondition {
    double fill = 0;      ///< fraction of the logical pages written once, ascending or shuffled
    bool arithmetic = true; ///< a sequential fill by formula, where that gives the same device
    bool stand_in = true; ///< cpu.model: iss: firmware for this machine does it, where that gives the same device
    double overwrite = 0; ///< then page overwrites, as a fraction of the logical pages
    Pattern pattern = Pattern::Sequential;
    double range = 1.0;   ///< overwrites fall into this leading fraction of the logical pages
    OverwritePattern overwrite_pattern;
    bool steady = false; ///< overwrite on until write amplification is steady
    double steady_window = 0.1;  ///< fraction of the logical pages
    u32 steady_windows = 5;
    double steady_change = 0.02; ///< (largest - smallest) / mean of the windows
    double steady_limit = 20;    ///< overwrites in all, as a fraction of the logical pages
};

} // namespace tlmssd::config
