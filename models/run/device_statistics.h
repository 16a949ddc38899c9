// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a device counts, whoever drives it: the part of results.json that needs no host.
#pragma once

#include "models/config/config.h"
#include "models/flash/rtl/rtl_registers.h"
#include "models/nand/statistics.h"
#include "models/observe/statistics.h"
#include "models/run/counters.h"
#include "models/ssd/firmware_statistics.h"
#include "models/ssd/include/tlmssd/ssd.h"

namespace tlmssd::run {

/// References are to what the run owns.
struct DeviceReading {
    const config::Config& config;
    Picoseconds makespan; ///< the time that the counters cover
    const Ssd& ssd;
    const DeviceCounters& counters;
    ssd::FirmwareReading firmware;
    const flash::RtlCounters* registers; ///< null: the controller counts nothing itself, or it failed
    nand::Wear wear;

    double seconds() const { return makespan.seconds(); }
};

/// This process, as it is when it is asked.
struct ProcessReading {};

/// `config_hash`, `seed`, `calibrated`.
const observe::Table<DeviceReading>& identity_statistics();
/// Of `wall`: memory, version, checksum.
const observe::Table<ProcessReading>& process_statistics();
/// Firmware, controller, flash, cores, DRAM, cells, ECC, energy, checker.
const observe::Table<DeviceReading>& device_statistics();

} // namespace tlmssd::run
