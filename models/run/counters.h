// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: everything that a device counts, read at one moment, and what came between two readings.
#pragma once

#include <array>
#include <vector>

#include "models/nand/lun/lun.h"
#include "models/probes/stages/chip_tracker.h"
#include "models/ssd/host_side.h"
#include "models/ssd/include/tlmssd/ssd.h"

namespace tlmssd::run {

/// Busy times are exact at the moment of the reading: what is under way counts with the part that has
/// passed. So what came between two readings is never longer than the time between them.
struct DeviceCounters {
    struct Channel {
        Picoseconds busy;
        Picoseconds bursts; ///< of segments that have ended
        u64 reads = 0, programs = 0, erases = 0, resets = 0;
        u64 polls = 0, suspends = 0, resumes = 0;
    };
    struct Core {
        Picoseconds busy;
    };

    fw_stats firmware{};
    std::vector<Channel> channels;
    std::vector<flash::SegmentPort::DieStatistics> dies;
    std::vector<Core> cores;
    nand::Lun::Statistics arrays; ///< over all LUNs; of operations that have started
    flash::DataPath::EccStatistics ecc;
    flash::OrderStatistics order;
    probes::ChipCounters chips; ///< observe.chips; else empty
    Picoseconds dram_busy;
    dram::Banks::Statistics banks; ///< with dram.model: banks
    std::array<dram::MasterStatistics, kDramMasters> masters; ///< of DRAM
    Picoseconds to_host, to_device; ///< link time
    nvme::PortStats nvme;           ///< with host.kind: nvme
    nvme::PcieStats pcie;           ///< as `nvme`

    static DeviceCounters of(const Ssd& ssd, const ssd::HostSide& host, Picoseconds now);
    /// What came since `before`. factory_bad is a state and stays.
    DeviceCounters since(const DeviceCounters& before) const;
};

} // namespace tlmssd::run
