// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: defaults, precedence between trace and generator, derived values.
#include "models/config/rules/resolve.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "models/config/keys/value.h"
#include "models/config/rules/workload_check.h"
#include "models/config/text/names.h"

namespace tlmssd::config {
namespace {

constexpr u64 kGeneratorRequests = 100000;
constexpr u64 kMaxJobs = 256;

/// Rates go with the generator, though a trace may have one too.
bool of_generator(const Key& key)
{
    return (key.use >= Use::Generator && key.use <= Use::MayTrim) ||
           key.path == "workload.rate_iops";
}

/// A generator workload that a trace from a stronger source replaces goes as a whole.
void drop_replaced_generator(Settings& settings)
{
    const Setting* trace = settings.find("workload.trace");
    if (trace == nullptr || trace->value.text.empty()) {
        return;
    }
    std::set<int> dropped;
    for (const Key& key : keys()) {
        const int rank = settings.rank(key.path);
        if (of_generator(key) && settings.find(key.path) != nullptr && rank < trace->rank) {
            dropped.insert(rank);
            settings.erase(key.path);
        }
    }
    for (const char* key : {"workload.name", "workload.requests", "workload.mode"}) {
        if (dropped.count(settings.rank(key)) != 0) {
            settings.erase(key);
        }
    }
}

Config apply(const Settings& settings)
{
    Config config;
    for (const Key& key : keys()) {
        if (const Setting* setting = settings.find(key.path)) {
            key.set(config, setting->value);
        } else if (key.derived.empty()) {
            key.set(config, parse_value(key, key.fallback, false, Origin{"default", 0, 0, ""}));
        }
    }
    // What other keys need the modes for is decided before derive().
    const Setting* mode = settings.find("controller.mode");
    if (mode == nullptr || mode->value.number == 0) {
        config.controller.mode = mode_of(config.scheduler);
    }
    Workload& w = config.workload;
    if (settings.find("workload.mode") == nullptr) {
        w.mode = w.trace.empty() ? LoopMode::Closed : LoopMode::Open;
    }
    return config;
}

/// Keys without effect: dropped where a stronger source made them so, else an error.
bool drop_unused(Settings& settings, const Config& config)
{
    std::vector<std::string> unused;
    for (const auto& [path, setting] : settings.all()) {
        const Use use = find_key(path)->use;
        if (in_use(use, config)) {
            continue;
        }
        std::string cause = decider(use, config);
        if (settings.mode_forced() && (use == Use::OutOfOrder || use == Use::Suspending) &&
            cause == "scheduler") {
            cause = "controller.mode"; // another scheduler would change nothing
        }
        if (!settings.for_all_jobs(path) && settings.rank(cause) <= setting.rank) {
            const Key& key = *find_key(cause);
            const bool trace = cause == "workload.trace";
            const bool has_trace = !config.workload.trace.empty();
            const std::string state =
                trace ? (has_trace ? "is given" : "is not given")
                      : "is " + format_value(key, key.get(config));
            fail(setting.origin, settings.shown_key(path),
                 "has no effect because " + settings.shown_key(cause) + " " + state);
        }
        unused.push_back(path);
    }
    for (const std::string& path : unused) {
        settings.erase(path);
    }
    return !unused.empty();
}

void derive(Config& config, const Settings& settings)
{
    Geometry& g = config.geometry;
    g.page_bytes = config.nand.page_bytes;
    if (config.ftl.write_size_factor < 1 && in_use(Use::MappingUnits, config) && g.page_bytes >= kUnitBytes) {
        g.compress(config.ftl.write_size_factor, kMostPageUnits + 1); // one more than check() allows
    }
    const auto missing = [&](const char* key) { return settings.find(key) == nullptr; };
    if (missing("geometry.planes")) {
        g.planes = config.nand.planes;
    }
    if (missing("geometry.blocks")) {
        g.blocks = config.nand.blocks;
    }
    if (missing("geometry.pages")) {
        g.pages = config.nand.pages;
    }
    if (missing("buffer.block_pages")) {
        config.buffer.block_pages = g.pages;
    }
    const char* const types[] = {"lower", "middle", "upper", "top"};
    for (std::size_t i = 0; i < config.nand.types.size(); ++i) {
        const std::string section = std::string("nand.") + types[i];
        if (missing((section + ".t_read_us").c_str())) {
            config.nand.types[i].t_read = config.nand.t_read;
        }
        if (missing((section + ".t_program_us").c_str())) {
            config.nand.types[i].t_program = config.nand.t_program;
        }
    }
    if (missing("buffer.free_pages")) {
        const u64 eighth = config.buffer.bytes / config.mapped_bytes() / 8;
        config.buffer.free_pages = static_cast<u32>(std::clamp<u64>(eighth, 1, 64));
    }
    Workload& w = config.workload;
    if (missing("workload.requests")) {
        const bool ends = !w.trace.empty() || w.launch.launches != 0 || has_own_end(w);
        w.requests = ends ? 0 : w.reads + w.writes > 0 ? w.reads + w.writes : kGeneratorRequests;
    }
    if (missing("workload.iodepth")) {
        w.iodepth = config.host.queue_depth;
    }
    w.preset = settings.preset();
    if (w.name.empty()) {
        w.name = !w.trace.empty() ? "trace" : w.launch.launches != 0 ? "launches" : "generator";
    }
}

Config resolve_one(Settings& settings)
{
    drop_replaced_generator(settings);
    Config config = apply(settings);
    if (drop_unused(settings, config)) {
        config = apply(settings);
    }
    derive(config, settings);
    check(config, settings);
    return config;
}

/// A trace for the whole run, from a stronger source than the list, replaces the list.
void drop_replaced_jobs(Settings& settings)
{
    const Setting* trace = settings.find("workload.trace");
    if (trace != nullptr && !trace->value.text.empty() && trace->rank > settings.jobs_rank()) {
        settings.drop_jobs();
    }
}

/// What a job is called where its map does not say.
std::string job_name(const Workload& w)
{
    if (w.trace.empty()) {
        return !w.preset.empty() ? w.preset : w.launch.launches != 0 ? "launches" : "generator";
    }
    const std::string file = std::filesystem::path(w.trace).filename().string();
    return file.substr(0, file.find('.'));
}

Config resolve_jobs(Settings& settings)
{
    Settings run = settings.of_run();
    Config config = resolve_one(run);
    std::set<std::string> used; // of the keys that all jobs share
    u64 jobs = 0;
    for (std::size_t i = 0; i < settings.jobs().size(); ++i) {
        Settings job = settings.of_job(i);
        Workload w = resolve_one(job).workload;
        if (job.find("workload.name") == nullptr) {
            w.name = job_name(w);
        }
        for (const auto& [path, setting] : job.all()) {
            if (job.for_all_jobs(path)) {
                used.insert(path);
            }
        }
        jobs += w.numjobs;
        if (jobs > kMaxJobs) {
            fail(settings.jobs()[i].origin, "workload.jobs",
                 "more than " + std::to_string(kMaxJobs) + " jobs, clones counted");
        }
        config.jobs.push_back(std::move(w));
    }
    for (const auto& [path, setting] : settings.all()) {
        if (is_job_key(*find_key(path)) && path != "workload.name" && used.count(path) == 0 &&
            setting.rank >= settings.jobs_rank()) {
            fail(setting.origin, path, "has no effect on any of workload.jobs");
        }
    }
    if (settings.rank("workload.name") < settings.jobs_rank()) {
        config.workload.name.clear();
        for (const Workload& w : config.jobs) {
            config.workload.name += (config.workload.name.empty() ? "" : " + ") + w.name;
        }
    }
    return config;
}

/// The key that the controller's mode comes from.
const char* mode_decider(const Config& config)
{
    return config.controller.mode == mode_of(config.scheduler) ? "scheduler" : "controller.mode";
}

} // namespace

/// Writes are acknowledged from the buffer.
bool is_cached(const Config& config)
{
    return config.buffer.policy != BufferPolicy::NONE && config.buffer.write == BufferWrite::Back;
}

const char* cache_decider(const Config& config)
{
    return config.buffer.policy == BufferPolicy::NONE ? "buffer.policy" : "buffer.write";
}

bool in_use(Use use, const Config& config)
{
    const Workload& w = config.workload;
    const bool launches = w.trace.empty() && w.launch.launches != 0;
    const bool generator = w.trace.empty() && !launches;
    const Nand& n = config.nand;
    const u32 bits = n.pairing == Pairing::Uniform ? 1 : n.bits_per_cell;
    switch (use) {
    case Use::Always:
        return true;
    case Use::Iss:
        return config.cpu.model == CpuModel::Iss;
    case Use::MiddlePages:
        return bits >= 3;
    case Use::UpperPages:
        return bits >= 2;
    case Use::TopPages:
        return bits == 4;
    case Use::Sost:
        return config.scheduler == Scheduler::SOST;
    case Use::SostClasses:
        return config.scheduler == Scheduler::SOST && config.sost.priorities;
    case Use::SostHot:
        return config.scheduler == Scheduler::SOST && config.sost.priorities &&
               config.sost.hit_manager;
    case Use::SostCache:
        return config.scheduler == Scheduler::SOST && config.sost.hit_manager && is_cached(config);
    case Use::Hybrid:
        return config.scheduler == Scheduler::HYBRID;
    case Use::HybridHits:
        return config.scheduler == Scheduler::HYBRID && config.hybrid.hit_manager;
    case Use::HybridCache:
        return config.scheduler == Scheduler::HYBRID && config.hybrid.hit_manager && is_cached(config);
    case Use::HybridGc:
        return config.scheduler == Scheduler::HYBRID && config.hybrid.defer_gc;
    case Use::DChoices:
        return config.ftl.gc.policy == GcPolicy::D_CHOICES;
    case Use::WindowedGreedy:
        return config.ftl.gc.policy == GcPolicy::WINDOWED_GREEDY;
    case Use::Copyback:
        return config.ftl.gc.copyback;
    case Use::StaticWear:
        return config.ftl.levels_cold_data();
    case Use::Dftl:
        return config.ftl.mapping == Mapping::Dftl;
    case Use::MappingUnits:
        return config.ftl.mapping_unit != MappingUnit::Page;
    case Use::WarmupRequests:
        return config.warmup.kind == WarmupKind::Requests;
    case Use::WarmupTime:
        return config.warmup.kind == WarmupKind::Time;
    case Use::WarmupSteady:
        return config.warmup.kind == WarmupKind::UntilSteady;
    case Use::Vaq:
        return config.scheduler == Scheduler::VAQ;
    case Use::Clumping:
        return config.scheduler == Scheduler::PAQ1 || config.scheduler == Scheduler::PAQ2;
    case Use::Trace:
        return !w.trace.empty();
    case Use::NoTrace:
        return w.trace.empty();
    case Use::Launch:
        return launches;
    case Use::LaunchPrefetcher:
        return launches && w.launch.prefetch != LaunchPrefetch::None;
    case Use::OpenLoop:
        return !w.trace.empty() && w.mode == LoopMode::Open && w.rate_iops == 0;
    case Use::Generator:
        return generator;
    case Use::Mixed:
        return generator && is_mixed(w.rw);
    case Use::RandomAccess:
        return generator && is_random(w.rw);
    case Use::Uniform:
        return generator && is_random(w.rw) && w.random_distribution.kind == Distribution::Random;
    case Use::Writes:
        return generator && has_writes(w.rw);
    case Use::MayTrim:
        return generator && has_writes(w.rw) && !is_trim_write(w.rw);
    case Use::ClosedLoop:
        return w.mode == LoopMode::Closed && !launches;
    case Use::MayLeave:
        return !w.trace.empty() || (w.lba_offset != 0 && !launches);
    case Use::Thinking:
        return !launches && w.mode == LoopMode::Closed && w.thinktime != Picoseconds();
    case Use::Share:
        return generator && is_mixed(w.rw) && w.reads == 0 && w.writes == 0;
    case Use::OneSize:
        return generator && w.bssplit.text.empty();
    case Use::Rated:
        return w.rate_iops > 0;
    case Use::OutOfOrder:
        return config.controller.mode == ControllerMode::Ooo;
    case Use::HostScheduler:
        return config.scheduler == Scheduler::HOST;
    case Use::Suspending:
        return config.controller.mode == ControllerMode::Ooo &&
               config.controller.suspend != Suspend::None;
    case Use::Direct:
        return config.host.kind == HostKind::Direct;
    case Use::Nvme:
        return config.host.kind == HostKind::Nvme;
    case Use::NvmeQueues:
        return config.host.kind == HostKind::Nvme && config.nvme.queues > 1;
    case Use::NvmeWeighted:
        return config.host.kind == HostKind::Nvme && config.nvme.queues > 1 &&
               config.nvme.arbitration == NvmeArbitration::Weighted;
    case Use::Sata:
        return config.host.kind == HostKind::Sata;
    case Use::SataErrors:
        return config.host.kind == HostKind::Sata && config.sata.bit_error_rate > 0;
    case Use::CleanFirst:
        return config.buffer.chooser() == BufferPolicy::CFLRU;
    case Use::Cache:
        return config.buffer.policy != BufferPolicy::NONE;
    case Use::Prefetch:
        return config.buffer.policy != BufferPolicy::NONE && config.prefetch.mode != PrefetchMode::None;
    case Use::PrefetchDeep:
        return config.buffer.policy != BufferPolicy::NONE &&
               (config.prefetch.mode == PrefetchMode::TwoPhase || config.prefetch.mode == PrefetchMode::Fast);
    case Use::PrefetchFast:
        return config.buffer.policy != BufferPolicy::NONE && config.prefetch.mode == PrefetchMode::Fast;
    case Use::Capacitors:
        return config.buffer.policy != BufferPolicy::NONE && config.buffer.power == BufferPower::Capacitors;
    case Use::Blocks:
        return config.buffer.chooser() == BufferPolicy::REF || config.buffer.chooser() == BufferPolicy::FAB ||
               config.buffer.chooser() == BufferPolicy::BPLRU || config.buffer.chooser() == BufferPolicy::CLC;
    case Use::RefPolicy:
        return config.buffer.chooser() == BufferPolicy::REF;
    case Use::BplruPolicy: // pads, so that its blocks leave whole: not under cave or cawr_block
        return config.buffer.policy == BufferPolicy::BPLRU;
    case Use::ClcPolicy:
        return config.buffer.chooser() == BufferPolicy::CLC;
    case Use::WriteBack:
        return config.buffer.policy != BufferPolicy::NONE && config.buffer.write == BufferWrite::Back;
    case Use::Caching:
        return config.buffer.policy != BufferPolicy::NONE && config.buffer.policy != BufferPolicy::GATING;
    case Use::EvictAhead:
        return in_use(Use::Caching, config) && config.buffer.evict == Evict::Ahead;
    case Use::Cave:
        return config.buffer.policy == BufferPolicy::CAVE;
    case Use::CawrBlock:
        return config.buffer.policy == BufferPolicy::CAWR_BLOCK;
    case Use::Cawr:
        return config.buffer.policy == BufferPolicy::CAWR;
    case Use::DramBus:
        return config.dram.model == DramModel::Bus;
    case Use::DramBanks:
        return config.dram.model == DramModel::Banks;
    case Use::DramTurns:
        return config.dram.arbitration != DramArbitration::Fcfs;
    case Use::DramPriority:
        return config.dram.arbitration == DramArbitration::Priority;
    case Use::Steady:
        return config.precondition.steady;
    }
    return true;
}

const char* decider(Use use, const Config& config)
{
    const Workload& w = config.workload;
    const bool generator = w.trace.empty();
    if (generator && w.launch.launches != 0 &&
        ((use >= Use::Generator && use <= Use::MayTrim && use != Use::NoTrace && use != Use::LaunchPrefetcher) ||
         use == Use::ClosedLoop || use == Use::MayLeave || use == Use::Thinking)) {
        return "workload.launches";
    }
    switch (use) {
    case Use::Launch:
        return generator ? "workload.launches" : "workload.trace";
    case Use::LaunchPrefetcher:
        return !generator ? "workload.trace" : w.launch.launches == 0 ? "workload.launches" : "workload.launch_prefetch";
    case Use::NoTrace:
        return "workload.trace";
    case Use::Iss:
        return "cpu.model";
    case Use::MiddlePages:
    case Use::UpperPages:
    case Use::TopPages:
        return config.nand.pairing == Pairing::Uniform ? "nand.pairing" : "nand.bits_per_cell";
    case Use::Sost:
        return "scheduler";
    case Use::SostClasses:
        return config.scheduler != Scheduler::SOST ? "scheduler" : "sost.priorities";
    case Use::SostHot:
        return config.scheduler != Scheduler::SOST ? "scheduler"
               : !config.sost.priorities           ? "sost.priorities"
                                                   : "sost.hit_manager";
    case Use::SostCache:
        return config.scheduler != Scheduler::SOST ? "scheduler"
               : !config.sost.hit_manager          ? "sost.hit_manager"
                                                   : cache_decider(config);
    case Use::Hybrid:
        return "scheduler";
    case Use::HybridHits:
        return config.scheduler != Scheduler::HYBRID ? "scheduler" : "hybrid.hit_manager";
    case Use::HybridCache:
        return config.scheduler != Scheduler::HYBRID ? "scheduler"
               : !config.hybrid.hit_manager          ? "hybrid.hit_manager"
                                                     : cache_decider(config);
    case Use::HybridGc:
        return config.scheduler != Scheduler::HYBRID ? "scheduler" : "hybrid.defer_gc";
    case Use::DChoices:
    case Use::WindowedGreedy:
        return "ftl.gc.policy";
    case Use::Copyback:
        return "ftl.gc.copyback";
    case Use::StaticWear:
        return "ftl.wear.policy";
    case Use::Dftl:
        return "ftl.mapping";
    case Use::MappingUnits:
        return "ftl.mapping_unit";
    case Use::WarmupRequests:
    case Use::WarmupTime:
    case Use::WarmupSteady:
        return "workload.warmup";
    case Use::Vaq:
    case Use::Clumping:
        return "scheduler";
    case Use::Always:
    case Use::Trace:
    case Use::Generator:
        return "workload.trace";
    case Use::OpenLoop:
        return generator                    ? "workload.trace"
               : w.mode == LoopMode::Open ? "workload.rate_iops"
                                          : "workload.mode";
    case Use::Mixed:
    case Use::RandomAccess:
    case Use::Writes:
    case Use::MayTrim:
        return generator ? "workload.rw" : "workload.trace";
    case Use::Uniform:
        return !generator ? "workload.trace"
                          : is_random(w.rw) ? "workload.random_distribution" : "workload.rw";
    case Use::ClosedLoop:
        return "workload.mode";
    case Use::MayLeave:
        return generator ? "workload.lba_offset" : "workload.trace";
    case Use::Thinking:
        return w.mode == LoopMode::Closed ? "workload.thinktime_us" : "workload.mode";
    case Use::Share:
        return !generator         ? "workload.trace"
               : !is_mixed(w.rw)  ? "workload.rw"
               : w.reads > 0      ? "workload.reads"
                                  : "workload.writes";
    case Use::OneSize:
        return generator ? "workload.bssplit" : "workload.trace";
    case Use::Rated:
        return "workload.rate_iops";
    case Use::OutOfOrder:
        return mode_decider(config);
    case Use::HostScheduler:
        return "scheduler";
    case Use::Suspending:
        return config.controller.mode == ControllerMode::Ooo ? "controller.suspend"
                                                             : mode_decider(config);
    case Use::Steady:
        return "precondition.steady";
    case Use::NvmeWeighted:
        if (config.host.kind == HostKind::Nvme && config.nvme.queues > 1) {
            return "nvme.arbitration";
        }
        [[fallthrough]];
    case Use::NvmeQueues:
        return config.host.kind == HostKind::Nvme ? "nvme.queues" : "host.kind";
    case Use::Nvme:
    case Use::Direct:
    case Use::Sata:
        return "host.kind";
    case Use::Prefetch:
    case Use::PrefetchDeep:
    case Use::PrefetchFast:
        return config.buffer.policy != BufferPolicy::NONE ? "prefetch.mode" : "buffer.policy";
    case Use::Capacitors:
        return config.buffer.policy != BufferPolicy::NONE ? "buffer.power" : "buffer.policy";
    case Use::SataErrors:
        return config.host.kind == HostKind::Sata ? "sata.bit_error_rate" : "host.kind";
    case Use::CleanFirst:
    case Use::Cache:
    case Use::Blocks:
    case Use::RefPolicy:
    case Use::BplruPolicy:
    case Use::ClcPolicy:
    case Use::Caching:
    case Use::Cave:
    case Use::CawrBlock:
    case Use::Cawr:
        return "buffer.policy";
    case Use::EvictAhead:
        return in_use(Use::Caching, config) ? "buffer.evict" : "buffer.policy";
    case Use::WriteBack:
        return config.buffer.policy == BufferPolicy::NONE ? "buffer.policy" : "buffer.write";
    case Use::DramBus:
    case Use::DramBanks:
        return "dram.model";
    case Use::DramTurns:
    case Use::DramPriority:
        return "dram.arbitration";
    }
    return "";
}

Config resolve(Settings settings)
{
    drop_replaced_jobs(settings);
    Config config = settings.jobs().empty() ? resolve_one(settings) : resolve_jobs(settings);
    config.hash = hash_of(config);
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(config.hash));
    config.hash_text = text;
    return config;
}

} // namespace tlmssd::config
