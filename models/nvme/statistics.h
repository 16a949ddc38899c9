// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: all that the NVMe port and its link have counted, and their part of results.json.
#pragma once

#include "models/nvme/pcie_link.h"
#include "models/nvme/port_stats.h"
#include "models/observe/statistics.h"

namespace tlmssd::nvme {

struct Statistics {
    PortStats port;
    PcieStats link;

    /// Counts since `before`; port.most_waiting stays.
    Statistics since(const Statistics& before) const { return {port.since(before.port), link.since(before.link)}; }
};

/// `nvme`.
const observe::Table<Statistics>& statistics();

} // namespace tlmssd::nvme
