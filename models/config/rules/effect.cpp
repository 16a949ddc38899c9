// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which settings have an effect; the others are dropped or an error.
#include "models/config/rules/effect.h"

#include <set>

#include "models/config/keys/keys.h"
#include "models/config/keys/value.h"

namespace tlmssd::config {

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
    for (const char* key : {"workload.name", "workload.requests", "workload.loops", "workload.mode"}) {
        if (dropped.count(settings.rank(key)) != 0) {
            settings.erase(key);
        }
    }
}

void drop_open_loop(Settings& settings, std::vector<std::string>& notes)
{
    const Setting* const mode = settings.find("workload.mode");
    const Setting* const process = settings.find("workload.rate_process");
    const Setting* const before = settings.beaten("workload.mode");
    const auto is = [](const Setting* setting, u64 choice) { return setting != nullptr && setting->value.number == choice; };
    const auto weak = [mode](const Setting* setting) { return setting != nullptr && is_weaker(*setting, *mode); };
    if (!is(mode, static_cast<u64>(LoopMode::Closed))) {
        return;
    }
    const bool random = weak(process) && !is(process, static_cast<u64>(RateProcess::Linear));
    const bool opened = weak(before) && is(before, static_cast<u64>(LoopMode::Open));
    if (!random && !opened) {
        return;
    }
    const bool keeps_rate = process != nullptr && !weak(process); // it says how arrivals at the rate come
    std::string dropped;
    Origin origin;
    for (const char* key :
         {"workload.rate_iops", "workload.rate_process", "workload.burst_requests", "workload.burst_gap_us"}) {
        const Setting* const setting = settings.find(key);
        if (weak(setting) && !keeps_rate) {
            origin = setting->origin;
            dropped += (dropped.empty() ? "" : " and ") + settings.shown_key(key);
            settings.erase(key);
        }
    }
    if (!dropped.empty()) {
        notes.push_back(settings.shown_key("workload.mode") + ": closed (" + mode->origin.text() + ") leaves out " + dropped +
                        " of the open loop in " + Origin{origin.file, 0, 0, origin.set}.text());
    }
}

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

} // namespace tlmssd::config
