// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: errors of the dies in results.json.
#pragma once

#include "models/nand/lun/lun.h"
#include "models/observe/statistics.h"

namespace tlmssd::nand {

/// `nand.errors`.
struct ErrorReading {
    const Lun::Statistics& luns; ///< over all LUNs
    u64 factory_bad;             ///< blocks
};
const observe::Table<ErrorReading>& error_statistics();

} // namespace tlmssd::nand
