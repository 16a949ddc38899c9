// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the firmware has counted, in results.json.
#pragma once

#include <optional>
#include <vector>

#include "firmware/core/fw.h"
#include "models/common/picoseconds.h"
#include "models/config/config.h"
#include "models/observe/statistics.h"

namespace tlmssd {
class Ssd;
}

namespace tlmssd::ssd {

/// The counts between two readings. factory_bad is a state and stays.
fw_stats since(const fw_stats& now, const fw_stats& before);

/// A mount in simulated time.
struct MountReading {
    Picoseconds took;
    u64 reads = 0;    ///< pages
    u64 journals = 0; ///< blocks known from their journal page
    u64 doubts = 0;   ///< blocks that were read though their journal page was known
    u64 scans = 0;    ///< 1: all blocks were read
};

/// Erased blocks of the device as the measured part begins and ends.
struct FreeBlocks {
    u64 start = 0, end = 0;
};

/// The counters of the measured part, and what else the firmware knows. Outlives none of its arguments.
struct FirmwareReading : fw_stats {
    /// `ssd` knows its wear now. `mounted`: absent where no mount took time.
    FirmwareReading(const fw_stats& counted, const Ssd& ssd, FreeBlocks blocks_free,
                    const std::optional<MountReading>& mounted);

    const config::Config& config;
    const fw& firmware;
    FreeBlocks free_blocks;
    std::optional<MountReading> mount;
    u32 least_erases = 0, most_erases = 0; ///< of a block
    double mean_erases = 0, erases_deviation = 0;

    double per_plane(u64 blocks) const { return static_cast<double>(blocks) / config.geometry.total_planes(); }
    bool maps_units() const { return config.mapping_bits() != 0; }
    bool keeps_journals() const { return config.ftl.recovery == config::Recovery::Journal; }
};

/// `ftl`, `buffer`, `prefetch` and `sched`.
const observe::Table<FirmwareReading>& firmware_statistics();
/// `flash.die_operations`.
const observe::Table<FirmwareReading>& operation_statistics();
/// `cpu.cycles`.
const observe::Table<FirmwareReading>& cycle_statistics();

// Parts of firmware_statistics().
const observe::Table<FirmwareReading>& ftl_statistics();
const observe::Table<FirmwareReading>& buffer_statistics();
const observe::Table<FirmwareReading>& prefetch_statistics();
const observe::Table<FirmwareReading>& sched_statistics();

/// Counters of fw_stats that no row of the tables takes as they are, each with the reason.
struct CounterWithoutRow {
    u64 fw_stats::*counter;
    const char* reason;
};
const std::vector<CounterWithoutRow>& counters_without_row();

} // namespace tlmssd::ssd
