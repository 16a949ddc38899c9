// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration: checked, immutable, in model units. Made by load().
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "models/common/geometry.h"
#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/config/firmware.h"
#include "models/config/flash.h"
#include "models/config/host.h"
#include "models/config/observe.h"
#include "models/config/workload.h"

namespace tlmssd::config {

enum class DramModel : u8 { Bus, Banks };
enum class DramArbitration : u8 { Fcfs, RoundRobin, Priority };
enum class DramPriority : u8 { LinkFlashCpu, LinkCpuFlash, FlashLinkCpu, FlashCpuLink, CpuLinkFlash, CpuFlashLink };
enum class CpuModel : u8 { Native, Iss };
enum class DataKind : u8 { Tags, Full };
enum class TimerBackend : u8 { Wheel, Kernel };
enum class Pattern : u8 { Sequential, Random };

struct Cpu {
    CpuModel model = CpuModel::Native;
    u32 mhz = 800;
    u32 cores = 1;       ///< 1..4
    u32 core_of_hil = 0; ///< which core a firmware room runs on
    u32 core_of_buffer = 0;
    u32 core_of_ftl = 0;
    u32 core_of_sched = 0;
    u32 command_cycles = 0;        ///< native: of hil for each host command, besides
    std::string firmware;          ///< iss: path of the RV32 image; empty: that of the build
    u64 watchdog_instructions = 0; ///< iss: most instructions of a step
};

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
    /// No transfer of so many bytes is faster.
    Picoseconds least_time(u64 bytes) const
    {
        return model == DramModel::Bus
                   ? Picoseconds(bytes * 1000000 / mb_per_s)
                   : bytes / (timing.bus_bits / 8 * timing.beats_per_clock) * timing.clock;
    }
};

struct Precondition {
    double fill = 0;      ///< fraction of the logical pages written once, ascending or shuffled
    double overwrite = 0; ///< then page overwrites, as a fraction of the logical pages
    Pattern pattern = Pattern::Sequential;
    double range = 1.0;   ///< overwrites fall into this leading fraction of the logical pages
    OverwritePattern overwrite_pattern;
    bool steady = false; ///< overwrite on until write amplification is steady
    double steady_window = 0.1;  ///< fraction of the logical pages
    u32 steady_windows = 5;
    double steady_change = 0.02; ///< (largest - smallest) / mean of the windows
    double steady_limit = 20;    ///< overwrites in all, as a fraction of the logical pages
};

struct Inject { ///< faults; 0 or empty: off
    u64 swap_page_registers_at = 0; ///< the n-th read burst (from 1) gets another page's tags
    u64 falsify_dma_at = 0;         ///< the n-th flash DMA (from 1) goes to another page buffer
    u32 no_grants = 0;              ///< bit c: the RTL controller never gives channel c's bus away
    std::string fault_script;       ///< file with lines "at 12 ms: die 3/1/0 stops answering"
};

struct Config {
    Geometry geometry;
    Nand nand;
    Onfi onfi;
    Controller controller;
    Cpu cpu;
    Dram dram;
    Host host;
    Sata sata;
    Nvme nvme;
    Pcie pcie;
    Ftl ftl;
    Buffer buffer;
    Scheduler scheduler = Scheduler::INORDER;
    Vaq vaq;
    Paq paq;
    Sost sost;
    Hybrid hybrid;
    Prefetch prefetch;
    Precondition precondition;
    Workload workload;          ///< the only job, where `jobs` is empty; else its name counts only
    std::vector<Workload> jobs; ///< workload.jobs
    Warmup warmup;
    Observe observe;
    Inject inject;
    u64 seed = 1;
    DataKind data = DataKind::Tags;
    bool checker = true;
    TimerBackend timer_backend = TimerBackend::Wheel;
    u64 hash = 0;          ///< over all keys that can change results
    std::string hash_text; ///< 16 hex digits

    /// Pages that the host sees: floor(total_pages / (1 + over_provisioning)) of the part's bytes, so that a
    /// controller that compresses has the rest to spare.
    u64 logical_pages() const;
    /// Bits that number the units of 4 KiB that the FTL maps in a page; 0: it maps pages.
    u32 mapping_bits() const;
    u32 mapping_units() const; ///< of a page; 1: it maps pages
    u32 mapped_bytes() const { return geometry.page_bytes / mapping_units(); } ///< also of a page buffer
    /// Pages a plane of `good` blocks that collection needs beside the reserved blocks, because blocks with
    /// few dead units may give no page back (docs/mapping-units.md).
    u64 ragged_pages(u32 good) const;
    /// Logical pages whose trims one table page holds; 0 without ftl.recovery. The CPU looks at all of
    /// them for each table page: 8192, but more where that would be more than 4096 table pages.
    u32 recovery_span() const;
    /// Table pages that ftl.recovery keeps beside the logical ones: a bit a logical page, recovery_span()
    /// of them each, and a bit a block (of a power of two of them a plane).
    u64 table_pages() const;
    /// ftl.recovery: journal: bytes at the end of a block's last page that say what its others hold; and the
    /// pages of a block that are left for data, all without it.
    u32 journal_bytes() const { return 4 * (54 + 3 * data_pages()); }
    u32 data_pages() const { return geometry.pages - (ftl.recovery == Recovery::Journal ? 1 : 0); }
    /// The scheduler's own; defaults where it has no keys for it.
    HitManager hit_manager() const;
    /// These three are 0 without ftl.mapping: dftl. Entries of the cached mapping table, of kMapEntryBytes.
    u32 map_entries() const;
    u32 map_planes() const; ///< that hold translation pages
    u32 map_blocks() const; ///< of each of them that hold nothing else
    static constexpr u32 kMapEntryBytes = 32;
    u64 translation_pages() const; ///< of four bytes a logical page
    u64 logical_sectors() const { return logical_pages() * geometry.sectors_per_page(); }
};

/// One job from the command line: `--trace FILE --format F`, `--workload NAME`.
struct JobArguments {
    std::string option; ///< for messages: "--trace FILE"
    std::vector<std::pair<std::string, std::string>> keys; ///< "trace", "workload" or another key
};

/// What the command line adds to the file: the jobs, then `--set a.b=c` in order.
struct Overrides {
    std::vector<std::string> sets;
    std::vector<JobArguments> jobs{}; ///< not empty: they replace the workload's jobs
};

/// Read, include, override, check, resolve. Throws InputError with file:line:column, the key and
/// the nearest valid name.
Config load(const std::string& path, const Overrides& overrides);

/// The same for YAML text; `name` stands for the file in messages, relative includes start at ".".
Config load_text(const std::string& text, const std::string& name, const Overrides& overrides);

/// The resolved configuration as YAML, every key with its value and unit (tlmssd describe, results).
std::string to_yaml(const Config& config);

/// JSON Schema of the configuration (configs/schema.json) and the key reference (configs/README.md).
std::string json_schema();
std::string key_reference();

const char* to_string(HostKind);
const char* to_string(LinkDetail);
const char* to_string(Scheduler);
const char* to_string(BufferPolicy);
const char* to_string(ControllerKind);
const char* to_string(DramModel);
const char* to_string(DramArbitration);
const char* to_string(ControllerMode);
const char* to_string(CpuModel);
const char* to_string(BusInterface);
const char* to_string(ReadySense);
const char* to_string(Pairing);
const char* to_string(LoopMode);
const char* to_string(TimerBackend);
const char* to_string(Rw);
const char* to_string(Recovery);

} // namespace tlmssd::config
