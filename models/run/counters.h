// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: everything that a device counts, read at one moment, and what came between two readings.
#pragma once

#include <optional>
#include <vector>

#include "models/dram/statistics.h"
#include "models/flash/statistics.h"
#include "models/host/statistics.h"
#include "models/nand/lun/lun.h"
#include "models/nvme/statistics.h"
#include "models/probes/stages/package_tracker.h"
#include "models/ssd/host_side.h"
#include "models/ssd/include/tlmssd/ssd.h"

namespace tlmssd::run {

/// Busy times are exact at the moment of the reading: a running part counts with the time that has
/// passed. So what came between two readings is never longer than the time between them.
struct DeviceCounters {
    fw_stats firmware{};
    u64 free_blocks = 0;        ///< erased blocks of the device now: a state
    u64 free_blocks_before = 0; ///< of since(): those at the first reading
    flash::SegmentStatistics segments;
    std::vector<Picoseconds> cores; ///< time in steps
    nand::Lun::Statistics arrays;   ///< over all LUNs; of operations that have started
    Picoseconds bursts;             ///< over all channels; of segments that have ended
    flash::DataPath::EccStatistics ecc;
    flash::OrderStatistics order;
    std::optional<probes::PackageCounters> packages; ///< with observe.packages
    dram::Statistics dram;
    host::LinkTimes link;
    nvme::Statistics nvme; ///< with host.kind: nvme

    static DeviceCounters of(const Ssd& ssd, const ssd::HostSide& host, Picoseconds now);
    /// The counts since `before`, each owner's as its since() says. A `before` that was never read is the start.
    DeviceCounters since(const DeviceCounters& before) const;
};

} // namespace tlmssd::run
