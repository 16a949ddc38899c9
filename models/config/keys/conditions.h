// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of conditions: one row for each condition under which a key has an effect.
#pragma once

#include "models/config/config.h"

namespace tlmssd::config {

/// One thing that must hold, and the key to blame where it does not.
struct Clause {
    bool (*holds)(const Config&) = nullptr;
    const char* key = nullptr;
    /// The key to blame in a replay with --mode, which no scheduler changes; null: `key`.
    const char* key_with_forced_mode = nullptr;
};

/// The condition under which a key has an effect. A key that is given where it has none is an error.
struct Condition {
    constexpr Condition(const char* in_words, Clause a = {}, Clause b = {}, Clause c = {}, Clause d = {}, Clause e = {})
        : words(in_words), clauses{a, b, c, d, e}
    {
    }

    /// The first clause that does not hold, or null where all do.
    const Clause* failing(const Config& config) const
    {
        for (const Clause& clause : clauses) {
            if (clause.holds != nullptr && !clause.holds(config)) {
                return &clause;
            }
        }
        return nullptr;
    }
    bool holds(const Config& config) const { return failing(config) == nullptr; }

    const char* words; ///< in the key reference, in brackets behind the key's sentence; empty: none
    Clause clauses[5]; ///< all must hold; the first that does not is the reason
    bool of_generator = false; ///< a trace from a stronger source replaces keys of this condition
};

/// A condition whose keys a trace replaces together with the rest of the generator.
constexpr Condition of_generator(const char* words, Clause a = {}, Clause b = {}, Clause c = {}, Clause d = {},
                                 Clause e = {})
{
    Condition condition{words, a, b, c, d, e};
    condition.of_generator = true;
    return condition;
}

/// A clause: where the expression, of the configuration `c`, is false, the key is to blame.
#define NEEDS(key, ...) Clause{[](const Config& c) -> bool { return __VA_ARGS__; }, key}

// Clauses that several conditions share.
namespace clause {

inline constexpr Clause kCache = NEEDS("buffer.policy", c.buffer.policy != BufferPolicy::NONE);
inline constexpr Clause kKeepsPages = NEEDS("buffer.policy", c.buffer.policy != BufferPolicy::NONE &&
                                                                 c.buffer.policy != BufferPolicy::GATING);
inline constexpr Clause kWriteBack = NEEDS("buffer.write", c.buffer.write == BufferWrite::Back);
inline constexpr Clause kPaired = NEEDS("nand.pairing", c.nand.pairing != Pairing::Uniform);
inline constexpr Clause kCollecting = NEEDS("ftl.mapping", c.ftl.collects());
inline constexpr Clause kSost = NEEDS("scheduler", c.scheduler == Scheduler::SOST);
inline constexpr Clause kHybrid = NEEDS("scheduler", c.scheduler == Scheduler::HYBRID);
inline constexpr Clause kNoTrace = NEEDS("workload.trace", c.workload.trace.empty());
inline constexpr Clause kLaunches = NEEDS("workload.launches", c.workload.launch.launches != 0);
inline constexpr Clause kNoLaunches = NEEDS("workload.launches", !is_of_launches(c.workload));
inline constexpr Clause kNoLocality = NEEDS("workload.locality_footprint", c.workload.locality.footprint == 0);
inline constexpr Clause kMixed = NEEDS("workload.rw", is_mixed(c.workload.rw));
inline constexpr Clause kRandom = NEEDS("workload.rw", is_random(c.workload.rw));
inline constexpr Clause kClosed = NEEDS("workload.mode", c.workload.mode == LoopMode::Closed);
inline constexpr Clause kOoo = NEEDS("controller.mode", c.controller.mode == ControllerMode::Ooo);
/// As kOoo, but it is the scheduler that has chosen the mode.
inline constexpr Clause kSchedulerOoo{
    [](const Config& c) { return kOoo.holds(c) || c.controller.mode != mode_of(c.scheduler); }, "scheduler",
    "controller.mode"};
inline constexpr Clause kNvme = NEEDS("host.kind", c.host.kind == HostKind::Nvme);
inline constexpr Clause kNvmeQueues = NEEDS("nvme.queues", c.nvme.queues > 1);
inline constexpr Clause kSata = NEEDS("host.kind", c.host.kind == HostKind::Sata);

} // namespace clause

// The table. Adding a condition means adding a row here and nothing else; keys name it with `.when()`.
inline constexpr Condition kAlways{""};

// The CPU, and what is measured.
inline constexpr Condition kIss{"model iss only", NEEDS("cpu.model", c.cpu.model == CpuModel::Iss)};
inline constexpr Condition kWarmupRequests{"warmup requests only",
    NEEDS("workload.warmup", c.warmup.kind == WarmupKind::Requests)};
inline constexpr Condition kWarmupTime{"warmup time only",
    NEEDS("workload.warmup", c.warmup.kind == WarmupKind::Time)};
inline constexpr Condition kWarmupSteady{"warmup until_steady only",
    NEEDS("workload.warmup", c.warmup.kind == WarmupKind::UntilSteady)};

// The NAND part: pages of one type.
inline constexpr Condition kMiddlePages{"with three or more bits a cell and a pairing",
    clause::kPaired, NEEDS("nand.bits_per_cell", c.nand.bits_per_cell >= 3)};
inline constexpr Condition kUpperPages{"with two or more bits a cell and a pairing",
    clause::kPaired, NEEDS("nand.bits_per_cell", c.nand.bits_per_cell >= 2)};
inline constexpr Condition kTopPages{"with four bits a cell and a pairing",
    clause::kPaired, NEEDS("nand.bits_per_cell", c.nand.bits_per_cell == 4)};

// Schedulers.
inline constexpr Condition kVaq{"scheduler vaq only", NEEDS("scheduler", c.scheduler == Scheduler::VAQ)};
inline constexpr Condition kClumping{"schedulers paq1 and paq2 only",
    NEEDS("scheduler", c.scheduler == Scheduler::PAQ1 || c.scheduler == Scheduler::PAQ2)};
inline constexpr Condition kSost{"scheduler sost only", clause::kSost};
inline constexpr Condition kSostClasses{"scheduler sost with priorities only",
    clause::kSost, NEEDS("sost.priorities", c.firmware.sost_priorities)};
inline constexpr Condition kSostHot{"scheduler sost with priorities and its hit manager only",
    clause::kSost, NEEDS("sost.priorities", c.firmware.sost_priorities), NEEDS("sost.hit_manager", c.sost.hit_manager)};
inline constexpr Condition kSostQueue{"scheduler sost with a write-back cache that evicts ahead only",
    clause::kSost, clause::kKeepsPages, clause::kWriteBack,
    NEEDS("buffer.policy", !c.buffer.evicts_sets()), NEEDS("buffer.evict", c.buffer.evict == Evict::Ahead)};
inline constexpr Condition kSostCache{"scheduler sost with its hit manager and a cache only",
    clause::kSost, NEEDS("sost.hit_manager", c.sost.hit_manager), clause::kCache, clause::kWriteBack};
inline constexpr Condition kHybrid{"scheduler hybrid only", clause::kHybrid};
inline constexpr Condition kHybridHits{"scheduler hybrid with its hit manager only",
    clause::kHybrid, NEEDS("hybrid.hit_manager", c.hybrid.hit_manager)};
inline constexpr Condition kHybridCache{"scheduler hybrid with its hit manager and a cache only",
    clause::kHybrid, NEEDS("hybrid.hit_manager", c.hybrid.hit_manager), clause::kCache, clause::kWriteBack};
inline constexpr Condition kHybridGc{"scheduler hybrid with deferred garbage collection only",
    clause::kHybrid, NEEDS("hybrid.defer_gc", c.firmware.hybrid_defer_gc)};
inline constexpr Condition kHostScheduler{"scheduler host only",
    NEEDS("scheduler", c.scheduler == Scheduler::HOST)};

// The flash translation layer.
inline constexpr Condition kDChoices{"policy d_choices only", clause::kCollecting,
    NEEDS("ftl.gc.policy", c.ftl.gc.policy == GcPolicy::D_CHOICES)};
inline constexpr Condition kWindowedGreedy{"policy windowed_greedy only", clause::kCollecting,
    NEEDS("ftl.gc.policy", c.ftl.gc.policy == GcPolicy::WINDOWED_GREEDY)};
inline constexpr Condition kCopyback{"copyback only", clause::kCollecting,
    NEEDS("ftl.gc.copyback", c.ftl.gc.copyback)};
inline constexpr Condition kStaticWear{"static wear levelling only",
    NEEDS("ftl.wear.policy", c.ftl.levels_cold_data())};
inline constexpr Condition kDftl{"mapping dftl only", NEEDS("ftl.mapping", c.ftl.mapping == Mapping::Dftl)};
inline constexpr Condition kLogBlock{"mapping log_block only",
    NEEDS("ftl.mapping", c.ftl.mapping == Mapping::LogBlock)};
inline constexpr Condition kCollects{"mapping page or dftl only", clause::kCollecting};
inline constexpr Condition kMappingUnits{"mapping_unit 4KiB only",
    NEEDS("ftl.mapping_unit", c.ftl.mapping_unit != MappingUnit::Page)};

// Workloads from a trace, and of any kind.
inline constexpr Condition kTrace{"traces only", NEEDS("workload.trace", !c.workload.trace.empty())};
inline constexpr Condition kOpenLoop{"traces in open loop without rate_iops only",
    NEEDS("workload.trace", !c.workload.trace.empty()),
    NEEDS("workload.mode", c.workload.mode == LoopMode::Open),
    NEEDS("workload.rate_iops", c.workload.rate_iops == 0)};
inline constexpr Condition kClosedLoop{"closed loop only", clause::kNoLaunches, clause::kClosed};
/// Not of the generator alone: a trace of a stronger source replaces it only with keys of the generator beside it.
inline constexpr Condition kLoops{"traces, and generator without locality_footprint",
    clause::kNoLaunches, NEEDS("workload.locality_footprint", !is_of_locality(c.workload))};
inline constexpr Condition kMayLeave{"traces, or with lba_offset",
    clause::kNoLaunches, NEEDS("workload.lba_offset", !c.workload.trace.empty() || c.workload.lba_offset != 0)};
inline constexpr Condition kThinking{"with thinktime_us only",
    clause::kNoLaunches, clause::kClosed,
    NEEDS("workload.thinktime_us", c.workload.thinktime != Picoseconds())};
/// A trace may have a rate, too; but the rate belongs to the generator that a trace replaces.
inline constexpr Condition kAnyRate = of_generator("");
inline constexpr Condition kRated = of_generator("with rate_iops only",
    NEEDS("workload.launches", c.workload.rate_iops > 0 || !is_of_launches(c.workload)),
    NEEDS("workload.rate_iops", c.workload.rate_iops > 0));
inline constexpr Condition kBursts = of_generator("rate_process bursts only",
    NEEDS("workload.rate_process", c.workload.rate_process == RateProcess::Bursts));

// Generated workloads, by fio's words or as launches.
inline constexpr Condition kGenerator = of_generator("generator only", clause::kNoTrace, clause::kNoLaunches);
inline constexpr Condition kWords = of_generator("generator without locality_footprint only",
    clause::kNoTrace, clause::kNoLaunches, clause::kNoLocality);
inline constexpr Condition kLocality = of_generator("with locality_footprint only", clause::kNoTrace, clause::kNoLaunches,
    NEEDS("workload.locality_footprint", c.workload.locality.footprint != 0));
inline constexpr Condition kNoTrace = of_generator("without a trace only", clause::kNoTrace);
inline constexpr Condition kLaunch = of_generator("with launches only", clause::kNoTrace, clause::kLaunches);
inline constexpr Condition kLaunchPrefetcher = of_generator("with launch_prefetch only",
    clause::kNoTrace, clause::kLaunches,
    NEEDS("workload.launch_prefetch", c.workload.launch.prefetch != LaunchPrefetch::None));
inline constexpr Condition kMixed = of_generator("rw readwrite and randrw only",
    clause::kNoTrace, clause::kNoLaunches, clause::kMixed);
inline constexpr Condition kShare = of_generator("rw readwrite and randrw without quotas only",
    clause::kNoTrace, clause::kNoLaunches, clause::kMixed, NEEDS("workload.reads", c.workload.reads == 0),
    NEEDS("workload.writes", c.workload.writes == 0));
inline constexpr Condition kOneSize = of_generator("generator without bssplit only",
    clause::kNoTrace, clause::kNoLaunches, clause::kNoLocality, NEEDS("workload.bssplit", c.workload.bssplit.text.empty()));
inline constexpr Condition kRandomAccess = of_generator("random rw only",
    clause::kNoTrace, clause::kNoLaunches, clause::kNoLocality, clause::kRandom);
inline constexpr Condition kUniform = of_generator("random_distribution random only",
    clause::kNoTrace, clause::kNoLaunches, clause::kNoLocality, clause::kRandom,
    NEEDS("workload.random_distribution", c.workload.random_distribution.kind == Distribution::Random));
inline constexpr Condition kHasWrites = of_generator("rw with writes only",
    clause::kNoTrace, clause::kNoLaunches, clause::kNoLocality, NEEDS("workload.rw", has_writes(c.workload.rw)));
inline constexpr Condition kMayTrim = of_generator("rw with writes, not trimwrite, only",
    clause::kNoTrace, clause::kNoLaunches, clause::kNoLocality,
    NEEDS("workload.rw", has_writes(c.workload.rw) && !is_trim_write(c.workload.rw)));

// The flash controller.
inline constexpr Condition kOutOfOrder{"schedulers of mode ooo only", clause::kSchedulerOoo, clause::kOoo};
inline constexpr Condition kSuspending{"with controller.suspend only",
    clause::kSchedulerOoo, clause::kOoo, NEEDS("controller.suspend", c.controller.suspend != Suspend::None)};
/// Schedulers that give a die one operation at a time leave nothing to overlap.
inline constexpr Condition kCacheOps{"kind tlm, schedulers barrier, inorder and host only",
    NEEDS("controller.kind", c.controller.kind == ControllerKind::Tlm),
    NEEDS("scheduler", !can(c.scheduler, SCHED_ONE_A_DIE) && c.scheduler != Scheduler::SERIAL),
    NEEDS("controller.mode", c.controller.mode != ControllerMode::Serial)};

// The host and its link.
inline constexpr Condition kDirect{"kind direct only", NEEDS("host.kind", c.host.kind == HostKind::Direct)};
inline constexpr Condition kNvme{"with `host.kind: nvme`", clause::kNvme};
inline constexpr Condition kNvmeQueues{"with `host.kind: nvme` and several queues",
    clause::kNvme, clause::kNvmeQueues};
inline constexpr Condition kNvmeWeighted{"with `nvme.arbitration: weighted`",
    clause::kNvme, clause::kNvmeQueues,
    NEEDS("nvme.arbitration", c.nvme.arbitration == NvmeArbitration::Weighted)};
inline constexpr Condition kSata{"kind sata only", clause::kSata};
inline constexpr Condition kSataErrors{"bit_error_rate above 0 only",
    clause::kSata, NEEDS("sata.bit_error_rate", c.sata.bit_error_rate > 0)};

// The buffer, and reading ahead of the host.
inline constexpr Condition kCache{"all policies but none", clause::kCache};
inline constexpr Condition kWriteBack{"write-back only, not with policy none",
    clause::kCache, clause::kWriteBack};
inline constexpr Condition kCapacitors{"with `buffer.power: capacitors`",
    clause::kCache, NEEDS("buffer.power", c.buffer.power == BufferPower::Capacitors)};
inline constexpr Condition kCaching{"not with policies none and gating", clause::kKeepsPages};
inline constexpr Condition kEvictAhead{"evict ahead only",
    clause::kKeepsPages, NEEDS("buffer.evict", c.buffer.evict == Evict::Ahead)};
inline constexpr Condition kCleanFirst{"policy cflru only, or cave over it",
    NEEDS("buffer.policy", c.buffer.chooser() == BufferPolicy::CFLRU)};
inline constexpr Condition kBlocks{"policies ref, fab, bplru and clc only, or cave or cawr_block over one of them",
    NEEDS("buffer.policy", knows_blocks(c.buffer.chooser()))};
inline constexpr Condition kRefPolicy{"policy ref only, or cave over it",
    NEEDS("buffer.policy", c.buffer.chooser() == BufferPolicy::REF)};
/// It pads, so that its blocks leave whole: neither under cave nor under cawr_block.
inline constexpr Condition kBplruPolicy{"policy bplru only",
    NEEDS("buffer.policy", c.buffer.policy == BufferPolicy::BPLRU)};
inline constexpr Condition kClcPolicy{"policy clc only, or cave or cawr_block over it",
    NEEDS("buffer.policy", c.buffer.chooser() == BufferPolicy::CLC)};
inline constexpr Condition kCave{"policy cave only",
    NEEDS("buffer.policy", c.buffer.policy == BufferPolicy::CAVE)};
inline constexpr Condition kCawrBlock{"policy cawr_block only",
    NEEDS("buffer.policy", c.buffer.policy == BufferPolicy::CAWR_BLOCK)};
inline constexpr Condition kCawr{"policy cawr only",
    NEEDS("buffer.policy", c.buffer.policy == BufferPolicy::CAWR)};
inline constexpr Condition kPrefetch{"with `prefetch.mode`",
    clause::kCache, NEEDS("prefetch.mode", c.prefetch.mode != PrefetchMode::None)};
inline constexpr Condition kPrefetchDeep{"modes two_phase and fast only",
    clause::kCache,
    NEEDS("prefetch.mode", c.prefetch.mode == PrefetchMode::TwoPhase || c.prefetch.mode == PrefetchMode::Fast)};
inline constexpr Condition kPrefetchFast{"mode fast only",
    clause::kCache, NEEDS("prefetch.mode", c.prefetch.mode == PrefetchMode::Fast)};

// DRAM and preconditioning.
inline constexpr Condition kDramBus{"model bus only", NEEDS("dram.model", c.dram.model == DramModel::Bus)};
inline constexpr Condition kDramBanks{"model banks only",
    NEEDS("dram.model", c.dram.model == DramModel::Banks)};
inline constexpr Condition kDramTurns{"arbitration round_robin and priority only",
    NEEDS("dram.arbitration", c.dram.arbitration != DramArbitration::Fcfs)};
inline constexpr Condition kDramPriority{"arbitration priority only",
    NEEDS("dram.arbitration", c.dram.arbitration == DramArbitration::Priority)};
inline constexpr Condition kSteady{"with steady only", NEEDS("precondition.steady", c.precondition.steady)};

#undef NEEDS

} // namespace tlmssd::config
