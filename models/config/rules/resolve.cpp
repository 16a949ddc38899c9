// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: settings to a resolved, checked Config: of one job, and of the list workload.jobs.
#include "models/config/rules/resolve.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "models/common/geometry.h"
#include "models/config/keys/keys.h"
#include "models/config/rules/defaults.h"
#include "models/config/rules/effect.h"
#include "models/config/rules/rules.h"
#include "models/config/rules/workload_check.h"

namespace tlmssd::config {
namespace {

constexpr u64 kMaxJobs = 256;

/// A smaller device has the locality of the part that it holds.
void note_cut_footprint(Settings& settings, Config& config)
{
    const Workload& w = config.workload;
    const u64 space = region_of(w, config.logical_sectors()).sectors * kSectorBytes;
    if (is_of_locality(w) && w.locality.footprint > space) {
        config.notes.push_back(settings.shown_key("workload.locality_footprint") + ": " +
                               std::to_string(w.locality.footprint) + " bytes are cut to the " + std::to_string(space) +
                               " bytes of the region; what was used longest ago then counts as new");
    }
}

Config resolve_one(Settings& settings)
{
    std::vector<std::string> notes = settings.notes();
    drop_replaced_generator(settings);
    drop_open_loop(settings, notes);
    Config config = with_defaults(settings);
    if (drop_unused(settings, config)) {
        config = with_defaults(settings);
    }
    config.notes = std::move(notes);
    derive(config, settings);
    check(config, settings);
    note_cut_footprint(settings, config);
    return config;
}

/// Those that are not there yet: all jobs share what concerns the device.
void add_notes(std::vector<std::string>& all, const std::vector<std::string>& notes)
{
    for (const std::string& note : notes) {
        if (std::find(all.begin(), all.end(), note) == all.end()) {
            all.push_back(note);
        }
    }
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
        return !w.preset.empty() ? w.preset : w.launch.launches != 0 ? "launches" : is_of_locality(w) ? "locality" : "generator";
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
        const Config resolved = resolve_one(job);
        add_notes(config.notes, resolved.notes);
        add_notes(config.notes, settings.jobs()[i].notes);
        Workload w = resolved.workload;
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
