// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the device's DRAM (dram.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(DramModel, "bus", "banks")
NAMES(DramArbitration, "fcfs", "round_robin", "priority")
NAMES(DramPriority, "link_flash_cpu", "link_cpu_flash", "flash_link_cpu", "flash_cpu_link", "cpu_link_flash",
      "cpu_flash_link")
TO_STRING(DramModel)
TO_STRING(DramArbitration)

using namespace rows;

namespace {

Row part_time(const char* path, Picoseconds DramTiming::* member, double ns, const char* help)
{
    return time(path, [member](auto& c) -> auto& { return c.dram.timing.*member; }, kNs, ns, 0, 1e6,
                help)
        .when(kDramBanks);
}

} // namespace

std::vector<Key> dram_keys()
{
    return {
        choice("dram.model", AT(dram.model), DramModel::Bus,
               "a bus of one rate, or banks with rows, refresh and turnarounds (docs/explanation/dram.md)"),
        integer("dram.mb_per_s", AT(dram.mb_per_s), 3200, 1, 1000000,
                "sustained bandwidth, 10^6 B/s")
            .when(kDramBus),
        time("dram.access_ns", AT(dram.access_time), kNs, 100, 0, 1e6,
             "before the first byte of a transfer (at most 8 KiB)")
            .when(kDramBus),
        choice("dram.arbitration", AT(dram.arbitration), DramArbitration::Fcfs,
               "among link, flash DMA and the firmware's copies: whole transfers as they come, or by turns or by "
               "rank, chunk by chunk"),
        choice("dram.priority", AT(dram.priority), DramPriority::LinkFlashCpu, "order in which links, flash and CPU are served")
            .when(kDramPriority),
        integer("dram.passed_over", AT(dram.passed_over), 16, 1, 65536,
                "grants to masters of higher rank while one waits, at most; then it has one")
            .when(kDramPriority),
        integer("dram.grant_bytes", AT(dram.grant_bytes), 2048, 256, 8192,
                "of one grant at most; then another master may come")
            .when(kDramTurns),
        text("dram.timing.name", AT(dram.timing.name), "DDR3-1600", "of the part").cosmetic().when(
            kDramBanks),
        time("dram.timing.clock_ns", AT(dram.timing.clock), kNs, 1.25, 0.1, 1000, "tCK")
            .when(kDramBanks),
        integer("dram.timing.beats_per_clock", AT(dram.timing.beats_per_clock), 2, 1, 2,
                "1 SDR, 2 DDR")
            .when(kDramBanks),
        integer("dram.timing.burst", AT(dram.timing.burst), 8, 1, 16, "beats of a column command")
            .when(kDramBanks),
        integer("dram.timing.bus_bits", AT(dram.timing.bus_bits), 32, 8, 128,
                "data lines, over the parts side by side")
            .when(kDramBanks),
        integer("dram.timing.banks", AT(dram.timing.banks), 8, 1, 64, "banks").when(kDramBanks),
        integer("dram.timing.row_bytes", AT(dram.timing.row_bytes), 4096, 64, 65536,
                "of an open row, over the parts side by side")
            .when(kDramBanks),
        integer("dram.timing.read_latency", AT(dram.timing.read_latency), 11, 0, 64,
                "clocks from a read command to its data: AL + CL")
            .when(kDramBanks),
        integer("dram.timing.write_latency", AT(dram.timing.write_latency), 8, 0, 64,
                "clocks from a write command to its data: AL + CWL")
            .when(kDramBanks),
        integer("dram.timing.turnaround", AT(dram.timing.turnaround), 2, 0, 64,
                "clocks of idle data bus from a read to a write")
            .when(kDramBanks),
        part_time("dram.timing.t_rcd_ns", &DramTiming::t_rcd, 13.75, "tRCD, activate to column"),
        part_time("dram.timing.t_rp_ns", &DramTiming::t_rp, 13.75, "tRP, precharge to activate"),
        part_time("dram.timing.t_ras_ns", &DramTiming::t_ras, 35, "tRAS, activate to precharge"),
        part_time("dram.timing.t_wr_ns", &DramTiming::t_wr, 15, "tWR, last write data to precharge"),
        part_time("dram.timing.t_wtr_ns", &DramTiming::t_wtr, 7.5,
                  "tWTR, last write data to read command"),
        part_time("dram.timing.t_rtp_ns", &DramTiming::t_rtp, 7.5, "tRTP, read to precharge"),
        part_time("dram.timing.t_rrd_ns", &DramTiming::t_rrd, 7.5, "tRRD, activate to activate"),
        part_time("dram.timing.t_faw_ns", &DramTiming::t_faw, 40,
                  "tFAW, in which at most four rows are activated; 0: no such rule"),
        part_time("dram.timing.t_rfc_ns", &DramTiming::t_rfc, 160, "tRFC, a refresh"),
        time("dram.timing.t_refi_us", AT(dram.timing.t_refi), kUs, 7.8, 0, 1e6,
             "tREFI, between refreshes")
            .zero("never")
            .when(kDramBanks),
    };
}

} // namespace tlmssd::config
