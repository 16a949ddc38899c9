// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the one table of configuration keys. Validation, defaults, schema, key reference,
// `describe` and the configuration hash are all made from it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/config/config.h"

namespace tlmssd::config {

enum class Type : u8 {
    Choice,  ///< one of `choices`
    Integer, ///< least..most
    Size,    ///< bytes, an integer that may end in k, m or g (powers of 1024)
    Real,    ///< real_least..real_most
    Bool,
    Text,
    File ///< a path, relative to the file that names it
};

/// A value of any type: `number` for Choice (index), Integer, Size, Bool.
struct Value {
    u64 number = 0;
    double real = 0;
    std::string text;
};

/// What must hold for a key to have an effect. A key that is given where it has none is an error.
enum class Use : u8 {
    Always,
    Iss,            ///< cpu.model is iss
    WarmupRequests, ///< workload.warmup is requests, time, until_steady
    WarmupTime,
    WarmupSteady,
    MiddlePages, ///< the part has pages of this type
    UpperPages,
    TopPages,
    Vaq,       ///< the scheduler is vaq
    Clumping,  ///< the scheduler is paq1 or paq2
    Sost,      ///< the scheduler is sost
    SostClasses, ///< and its priority handler works
    SostHot,   ///< and its hit manager too
    SostCache, ///< its hit manager works beside a write-back cache
    Hybrid,      ///< the scheduler is hybrid
    HybridHits,  ///< and its hit manager works
    HybridCache, ///< beside a write-back cache
    HybridGc,    ///< it defers collection
    DChoices,    ///< ftl.gc.policy is d_choices
    WindowedGreedy, ///< or windowed_greedy
    Copyback,    ///< ftl.gc.copyback
    StaticWear,  ///< ftl.wear.policy is static or both
    Dftl,        ///< ftl.mapping is dftl
    MappingUnits, ///< ftl.mapping_unit is 4KiB
    Trace,     ///< the workload is a trace
    OpenLoop,  ///< and arrives at its own times, not at a rate
    ClosedLoop, ///< trace or not
    MayLeave,   ///< requests may lie beyond the device: a trace, or moved by lba_offset
    Thinking,   ///< there is a think time
    Generator, ///< the workload is generated, by fio's words
    NoTrace,   ///< by these or as launches
    Launch,    ///< as launches
    LaunchPrefetcher, ///< with a prefetcher on the host
    Mixed,     ///< of reads and writes
    Share,     ///< and no quota says how many of each
    OneSize,   ///< all requests are of size bs
    RandomAccess,
    Uniform,   ///< and random_distribution is random
    Rated,     ///< there is a rate_iops
    Writes,    ///< some requests write
    MayTrim,   ///< and some of them may be trims instead
    OutOfOrder,   ///< controller.mode is ooo, by itself or by the scheduler
    HostScheduler, ///< the scheduler is host
    Suspending,    ///< controller.suspend is not none, in a mode that has it
    Direct,        ///< the host port is direct
    Nvme,          ///< it is nvme
    NvmeQueues,    ///< with several queue pairs
    NvmeWeighted,  ///< and weighted arbitration
    Sata,          ///< it is SATA
    SataErrors,    ///< and bits on the line may be wrong
    CleanFirst, ///< buffer.policy is cflru
    Cache,      ///< it is not none
    Prefetch,   ///< and prefetch.mode is not none
    PrefetchDeep, ///< two_phase or fast
    PrefetchFast,
    Capacitors, ///< buffer.power: capacitors
    Blocks,     ///< it knows blocks: ref, fab, bplru, clc
    RefPolicy,
    BplruPolicy,
    ClcPolicy,
    WriteBack,  ///< a cache that keeps dirty pages
    Caching,    ///< buffer.policy keeps pages
    EvictAhead, ///< and evicts ahead
    Cave,       ///< it is cave
    CawrBlock,  ///< it is cawr_block
    Cawr,       ///< it is cawr
    DramBus,   ///< dram.model is bus
    DramBanks,
    DramTurns,    ///< dram.arbitration is not fcfs
    DramPriority, ///< it is priority
    Steady         ///< precondition.steady
};

struct Key {
    std::string path; ///< "section.name", "section.sub.name" or "name"
    Type type = Type::Text;
    std::string fallback; ///< default as written in YAML
    std::string derived;  ///< not empty: the default follows from other keys, in words
    u64 least = 0, most = 0;
    double real_least = 0, real_most = 0;
    bool above_least = false; ///< real_least itself is outside
    std::vector<std::string> choices;
    /// Of a text with a grammar: what is wrong with it, or "". Such a text may look like a number.
    std::function<std::string(const std::string&)> check;
    bool numeric_choices = false; ///< the choices are numbers (1.5, 3, 6)
    /// Not empty: the choices depend on the build; schema and reference say these words instead.
    std::string built_choices;
    std::string help;
    bool affects_results = true; ///< part of the configuration hash
    bool of_run = false; ///< a key of `workload` that no single job can have
    Use use = Use::Always;
    std::function<void(Config&, const Value&)> set;
    std::function<Value(const Config&)> get;

    /// "section.sub" of the path, "" at the top.
    std::string section() const;
    /// Last word of the path.
    std::string name() const;
};

/// A map of keys. `reference`: instead of the map a scalar may name a file that holds it.
struct Section {
    /// JobList: a list of jobs instead; FioFile: the path of a fio job file instead.
    enum class Reference : u8 { None, Path, Preset, JobList, FioFile };
    std::string path;
    std::string help;
    Reference reference = Reference::None;
};

const std::vector<Key>& keys();
/// The part of it that describes the NAND part (keys_nand.cpp); `keys()` contains it.
std::vector<Key> nand_keys();
/// The part that describes the workload (keys_workload.cpp).
std::vector<Key> workload_keys();
/// The part of the device's DRAM (keys_dram.cpp).
std::vector<Key> dram_keys();
/// The part of the scheduler sost (keys_sost.cpp).
std::vector<Key> sost_keys();
/// The part of the scheduler hybrid (keys_hybrid.cpp).
std::vector<Key> hybrid_keys();
/// The part of single buffer policies (keys_buffer.cpp).
std::vector<Key> buffer_keys();
/// The part of prefetching for application launches (keys_prefetch.cpp).
std::vector<Key> prefetch_keys();
/// The part of NVMe and its PCI Express link (keys_nvme.cpp).
std::vector<Key> nvme_keys();
/// The part of eviction: when pages leave the buffer, and policies that evict in sets (keys_eviction.cpp).
std::vector<Key> eviction_keys();
/// The part of garbage collection (keys_gc.cpp).
std::vector<Key> gc_keys();
/// What is measured, and from when on (keys_observe.cpp).
std::vector<Key> observe_keys();
const std::vector<Section>& sections();

/// May the key stand in an entry of workload.jobs? All of `workload` but those of the whole run.
bool is_job_key(const Key& key);

/// Null where there is none.
const Key* find_key(const std::string& path);
const Section* find_section(const std::string& path);

/// Names of keys, sections and, at the top, `include`, that may stand in section `path`.
std::vector<std::string> names_in(const std::string& path);

/// True where the key has an effect on `config`.
bool in_use(Use use, const Config& config);

/// The key that decides about `use` in `config` (workload.trace, .mode, .rw, ...).
const char* decider(Use use, const Config& config);

} // namespace tlmssd::config
