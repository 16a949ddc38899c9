// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the device's DRAM.
#pragma once

#include <string>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::config {

enum class DramModel : u8 { Bus, Banks };
enum class DramArbitration : u8 { Fcfs, RoundRobin, Priority };
enum class DramPriority : u8 { LinkFlashCpu, LinkCpuFlash, FlashLinkCpu, FlashCpuLink, CpuLinkFlash, CpuFlashLink };

/// A DRAM part, or several side by side.
struct DramTiming {
    std::string name;
    Picoseconds clock;
    u32 beats_per_clock = 2, burst = 8; ///< beats of a column command
    u32 bus_bits = 32, banks = 8, row_bytes = 4096;
    u32 read_latency = 11, write_latency = 8, turnaround = 2; ///< clocks
    Picoseconds t_rcd, t_rp, t_ras, t_wr, t_wtr, t_rtp, t_rrd, t_faw, t_rfc;
    Picoseconds t_refi; ///< 0: no refresh

    u32 burst_bytes() const { return burst * bus_bits / 8; }
    double mb_per_s() const ///< of the data bus, 10^6 B/s
    {
        return bus_bits / 8 * beats_per_clock / (static_cast<double>(clock.value()) * 1e-6);
    }
};

struct Dram {
    DramModel model = DramModel::Bus;
    u32 mb_per_s = 3200;      ///< bus: sustained bandwidth, 10^6 B/s
    Picoseconds access_time;  ///< bus: of one transfer of at most 8 KiB, before its first byte
    DramTiming timing;        ///< banks
    DramArbitration arbitration = DramArbitration::Fcfs;
    DramPriority priority = DramPriority::LinkFlashCpu;
    u32 grant_bytes = 2048; ///< of one grant at most
    u32 passed_over = 16;   ///< priority: grants in a row to others, while a master waits

    double peak_mb_per_s() const { return model == DramModel::Bus ? mb_per_s : timing.mb_per_s(); }
    /// Lower bound of the time of a transfer of `bytes`.
    Picoseconds least_time(u64 bytes) const
    {
        return model == DramModel::Bus
                   ? Picoseconds(bytes * 1000000 / mb_per_s)
                   : bytes / (timing.bus_bits / 8 * timing.beats_per_clock) * timing.clock;
    }
};

const char* to_string(DramModel);
const char* to_string(DramArbitration);

} // namespace tlmssd::config
