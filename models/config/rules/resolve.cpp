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
        if (key.condition->of_generator && settings.find(key.path) != nullptr && rank < trace->rank) {
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
        const Clause* const failing = find_key(path)->condition->failing(config);
        if (failing == nullptr) {
            continue;
        }
        const bool forced = settings.mode_forced() && failing->key_with_forced_mode != nullptr;
        const std::string cause = forced ? failing->key_with_forced_mode : failing->key;
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
    if (config.ftl.write_size_factor < 1 && kMappingUnits.holds(config) && g.page_bytes >= kUnitBytes) {
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

} // namespace

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
