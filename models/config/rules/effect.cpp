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
    for (const char* key : {"workload.name", "workload.requests", "workload.mode"}) {
        if (dropped.count(settings.rank(key)) != 0) {
            settings.erase(key);
        }
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
