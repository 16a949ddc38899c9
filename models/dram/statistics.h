// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: all that the DRAM has counted, and its part of results.json.
#pragma once

#include <array>
#include <optional>

#include "models/dram/dram.h"
#include "models/observe/statistics.h"

namespace tlmssd::dram {

struct Statistics {
    Picoseconds busy; ///< moving data or opening rows
    std::array<MasterStatistics, kDramMasters> masters;
    std::optional<Banks::Statistics> banks; ///< with dram.model: banks

    /// Counts since `before`.
    Statistics since(const Statistics& before) const;
};

/// Up to `now`; a transfer that has not ended counts with the part that has passed.
Statistics statistics_of(const Dram& dram, Picoseconds now);

/// `dram` of results.json.
const observe::Table<Statistics>& statistics();

} // namespace tlmssd::dram
