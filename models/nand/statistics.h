// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: wear of the cells and energy of the dies, and their parts of results.json.
#pragma once

#include "models/nand/device.h"
#include "models/nand/energy.h"
#include "models/observe/statistics.h"

namespace tlmssd::nand {

/// Erases of all blocks as the cells have felt them, those before the run included.
struct Wear {
    u32 least = ~0u;
    u32 most = 0;
    double mean = 0;
    double deviation = 0; ///< of the population
    u64 factory_bad = 0;  ///< blocks
};
Wear wear_of(const Device& device, const Geometry& geometry);

/// `nand.wear`.
const observe::Table<Wear>& wear_statistics();
/// `energy_mj`.
const observe::Table<Energy>& energy_statistics();

} // namespace tlmssd::nand
