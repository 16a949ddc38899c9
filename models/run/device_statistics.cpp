// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tables of what a device counts.
#include "models/run/device_statistics.h"

#include "models/common/crc32.h"
#include "models/cpu/cpu.h"
#include "models/cpu/iss/iss_statistics.h"
#include "models/cpu/statistics.h"
#include "models/nand/lun/lun_statistics.h"
#include "models/observe/output/process.h"
#include "models/probes/stages/stage_statistics.h"

namespace tlmssd::run {

using observe::Only;
using observe::Table;
using observe::Unit;
using R = DeviceReading;

namespace {

/// An element of `flash.channels`.
struct ChannelReading {
    flash::SegmentStatistics::Channel segments;
    std::optional<Picoseconds> occupied;
};

const Table<ChannelReading>& channel_statistics()
{
    using C = ChannelReading;
    static const Table<C> table(
        {{"", "", flash::channel_statistics,
          [](const C& c) -> const flash::SegmentStatistics::Channel& { return c.segments; }},
         {"", "", probes::occupied_statistics, [](const C& c) -> const std::optional<Picoseconds>& { return c.occupied; }}});
    return table;
}

std::vector<ChannelReading> channels_of(const R& r)
{
    std::vector<ChannelReading> channels;
    for (const auto& channel : r.counters.segments.channels) {
        std::optional<Picoseconds> occupied;
        if (r.counters.packages && channels.size() < r.counters.packages->occupied.size()) {
            occupied = r.counters.packages->occupied[channels.size()];
        }
        channels.push_back({channel, occupied});
    }
    return channels;
}

const Table<R>& flash_statistics()
{
    static const Table<R> table(
        {{"ops", "operations on the dies", flash::operation_statistics,
          [](const R& r) { return r.counters.segments.total(); }},
         {"", "", ssd::operation_statistics, [](const R& r) -> const ssd::FirmwareReading& { return r.firmware; }},
         observe::Statistic<R>{"channels", "each channel", channel_statistics, &channels_of}.never_empty(),
         {"", "", flash::die_statistics,
          [](const R& r) {
              return flash::DieReading{r.counters.segments.dies, r.makespan};
          }},
         {"", "", probes::package_statistics,
          [](const R& r) -> const std::optional<probes::PackageCounters>& { return r.counters.packages; }}});
    return table;
}

cpu::IssReading iss_of(const R& r)
{
    std::vector<u64> cycles;
    for (u32 core = 0; core < r.ssd.cpu().cores(); ++core) {
        cycles.push_back(r.ssd.cpu().statistics(core).cycles);
    }
    return {*r.ssd.iss(), cycles};
}

const Table<R>& cpu_statistics()
{
    static constexpr Only<R> kIss{"with `cpu.model: iss`", [](const R& r) { return r.ssd.iss() != nullptr; }};
    static const Table<R> table(
        {{"", "", cpu::statistics,
          [](const R& r) {
              return cpu::CpuReading{to_string(r.config.cpu.model), r.config.cpu.mhz, r.counters.cores, r.seconds()};
          }},
         {"", "", ssd::cycle_statistics, [](const R& r) -> const ssd::FirmwareReading& { return r.firmware; }},
         {"iss", "the instruction-set simulator, over the whole run, warm-up included", cpu::iss_statistics, &iss_of,
          &kIss}});
    return table;
}

nand::Energy energy_of(const R& r)
{
    nand::EnergyInput input;
    input.reading = r.counters.arrays.reading;
    input.programming = r.counters.arrays.programming;
    input.erasing = r.counters.arrays.erasing;
    input.bursts = r.counters.bursts;
    input.elapsed = r.makespan;
    input.dies = r.config.geometry.total_dies();
    return nand::energy(r.config.nand.power, input);
}

flash::ControllerReading controller_of(const R& r)
{
    return {to_string(r.config.controller.mode), r.counters.order, r.registers, r.counters.segments.total(),
            r.config.controller.cache_ops != config::CacheOps::None};
}

const R& itself(const R& r) { return r; }

} // namespace

const Table<R>& identity_statistics()
{
    using Row = observe::Statistic<R>;
    static const Table<R> table(
        {Row{"config_hash", Unit::None,
             "16 hex digits over all keys that can change results. Keys that cannot (clock gating, checker, timer "
             "back-end, outputs) are left out",
             [](const R& r) { return r.config.hash_text; }}
             .matching("^[0-9a-f]{16}$"),
         {"seed", Unit::None, "seed of all random draws", [](const R& r) { return u64{r.config.seed}; }},
         {"calibrated", Unit::None,
          "`true`: cycles of the CPU are those of executed code, counted (`iss`) or fitted to them (`native`); `false`: "
          "some cost point is an estimate ([cpu.md](../explanation/cpu.md), \"Calibration\")",
          [](const R& r) { return r.config.cpu.model == config::CpuModel::Iss || fw_costs_are_fitted(); }}});
    return table;
}

const Table<ProcessReading>& process_statistics()
{
    static const Table<ProcessReading> table(
        {{"peak_rss_mib", Unit::Mebibytes, "largest resident memory of the process",
          [](const ProcessReading&) -> double { return observe::peak_rss_mib(); }},
         {"git", Unit::None, "version of the sources (`git describe --always --dirty`), or `unknown`",
          [](const ProcessReading&) -> std::string { return observe::git_describe(); }},
         {"crc32", Unit::None, "CRC-32 of results.json, calculated with `00000000` as its value",
          [](const ProcessReading&) -> std::string { return hex_of(0); }}});
    return table;
}

const Table<R>& device_statistics()
{
    static const Table<R> table(
        {{"", "", ssd::firmware_statistics, [](const R& r) -> const ssd::FirmwareReading& { return r.firmware; }},
         {"controller", "the flash controller", flash::controller_statistics, &controller_of},
         {"flash", "channels and dies", flash_statistics, &itself},
         {"cpu", "the cores", cpu_statistics, &itself},
         {"dram", "the device's DRAM", dram::statistics,
          [](const R& r) -> const dram::Statistics& { return r.counters.dram; }},
         {"nand.wear", "erases of the cells", nand::wear_statistics, [](const R& r) -> const nand::Wear& { return r.wear; }},
         {"nand.errors", "errors of the dies", nand::error_statistics,
          [](const R& r) {
              return nand::ErrorReading{r.counters.arrays, r.wear.factory_bad};
          }},
         {"ecc", "error correction", flash::ecc_statistics,
          [](const R& r) -> const flash::DataPath::EccStatistics& { return r.counters.ecc; }},
         {"energy_mj", "energy of the dies", nand::energy_statistics, &energy_of},
         {"checker.violations", Unit::Count, "ONFI protocol violations; 0 also where the checker is off",
          [](const R& r) { return r.ssd.violations(); }}});
    return table;
}

} // namespace tlmssd::run
