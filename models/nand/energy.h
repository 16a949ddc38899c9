// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: energy of dies and bus from times and the part's supply currents.
#pragma once

#include "models/common/picoseconds.h"
#include "models/config/config.h"

namespace tlmssd::nand {

/// Times over all dies and channels; docs/explanation/nand-cells.md has the sums.
struct EnergyInput {
    Picoseconds reading;     ///< array reads, sum over dies
    Picoseconds programming;
    Picoseconds erasing;
    Picoseconds bursts;      ///< time in which bytes moved, sum over channels
    Picoseconds elapsed;     ///< simulated time
    u32 dies = 0;
};

struct Energy { ///< millijoules
    double read = 0;
    double program = 0;
    double erase = 0;
    double bus = 0;
    double standby = 0; ///< dies while they neither read, program nor erase
    double array() const { return read + program + erase; }
    double total() const { return array() + bus + standby; }
};

Energy energy(const config::NandPower& power, const EnergyInput& input);

} // namespace tlmssd::nand
