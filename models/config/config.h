// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration: checked, immutable, in model units. Made by load().
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firmware/core/config.h"
#include "models/common/geometry.h"
#include "models/common/types.h"
#include "models/config/buffer.h"
#include "models/config/controller.h"
#include "models/config/cpu.h"
#include "models/config/dram.h"
#include "models/config/ftl.h"
#include "models/config/host.h"
#include "models/config/hybrid.h"
#include "models/config/inject.h"
#include "models/config/nand.h"
#include "models/config/nvme.h"
#include "models/config/observe.h"
#include "models/config/onfi.h"
#include "models/config/precondition.h"
#include "models/config/prefetch.h"
#include "models/config/sata.h"
#include "models/config/scheduler.h"
#include "models/config/sost.h"
#include "models/config/vaq.h"
#include "models/config/workload.h"

namespace tlmssd::config {

enum class DataKind : u8 { Tags, Full };
enum class TimerBackend : u8 { Queue, Kernel };

/// Each key's default is in its row (tables/<module>.cpp), and load() sets them all. Initial values of members
/// only serve a Config that is made by hand.
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
    Sost sost;
    Hybrid hybrid;
    Prefetch prefetch;
    Precondition precondition;
    Workload workload;          ///< the only job, where `jobs` is empty; else its name counts only
    std::vector<Workload> jobs; ///< workload.jobs
    Warmup warmup;
    Observe observe;
    Inject inject;
    /// Keys that only the firmware reads, as it reads them. The other fields are zero: firmware_config()
    /// (models/ssd/firmware_image.h) works them out.
    fw_config firmware{};
    u64 seed = 1;
    DataKind data = DataKind::Tags;
    bool checker = true;
    TimerBackend timer_backend = TimerBackend::Queue;
    u64 hash = 0;          ///< over all keys that can change results
    std::string hash_text; ///< 16 hex digits
    /// Decisions beyond the given keys (a computed spare, keys that are left out), one line each: for the screen and
    /// results.json.
    std::vector<std::string> notes;

    /// Pages that the host sees: floor(total_pages / (1 + over_provisioning)) of the part's bytes, so that a
    /// controller that compresses has the rest to spare.
    u64 logical_pages() const;
    /// Bits that number the units of 4 KiB that the FTL maps in a page; 0: it maps pages.
    u32 mapping_bits() const;
    u32 mapping_units() const; ///< of a page; 1: it maps pages
    u32 mapped_bytes() const { return geometry.page_bytes / mapping_units(); } ///< also of a page buffer
    /// Pages a plane of `good` blocks that garbage collection needs beside the reserved blocks, because blocks with
    /// few dead units may give no page back (docs/explanation/mapping-units.md).
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
    /// Of ftl.mapping: log_block: data blocks of a plane; and what it needs beside them: the log blocks, the target of a
    /// merge, and one in place of a block that fails. The latter is 0 with other mappings.
    u32 data_blocks() const;
    u32 log_reserve() const { return ftl.mapping == Mapping::LogBlock ? ftl.log_blocks + 2 : 0; }
    u64 translation_pages() const; ///< of four bytes a logical page
    /// Programs and erases may fail, and commands of the host may end with an error.
    bool operations_fail() const { return nand.errors.enabled || !inject.fault_script.empty(); }
    /// Of all jobs: `jobs`, else `workload` alone.
    std::vector<Workload> workloads() const { return jobs.empty() ? std::vector<Workload>{workload} : jobs; }
    u64 logical_sectors() const { return logical_pages() * geometry.sectors_per_page(); }
};

/// One job from the command line: `--trace FILE --format F`, `--workload NAME`.
struct JobArguments {
    std::string option; ///< for messages: "--trace FILE"
    std::vector<std::pair<std::string, std::string>> keys; ///< "trace", "workload" or another key
};

/// The command line's additions to the file: the jobs, then `--set a.b=c` in order.
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

const char* to_string(TimerBackend);

} // namespace tlmssd::config
