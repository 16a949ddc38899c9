// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the entry points of the configuration.
#include <cmath>

#include "models/config/config.h"
#include "models/config/resolve.h"
#include "models/config/settings.h"

namespace tlmssd::config {

u64 Config::logical_pages() const
{
    // The small term keeps 1048576 / 1.28 = 819200 from falling to 819199 by rounding of 1.28.
    const double exact = static_cast<double>(geometry.total_pages()) / (1 + ftl.over_provisioning);
    return static_cast<u64>(std::floor(exact + 1e-6));
}

Config load(const std::string& path, const Overrides& overrides)
{
    Settings settings;
    settings.add_file(path);
    if (!overrides.jobs.empty()) {
        settings.add_arguments(overrides.jobs);
    }
    for (const std::string& set : overrides.sets) {
        settings.add_set(set);
    }
    return resolve(std::move(settings));
}

Config load_text(const std::string& text, const std::string& name, const Overrides& overrides)
{
    Settings settings;
    settings.add_text(text, name);
    if (!overrides.jobs.empty()) {
        settings.add_arguments(overrides.jobs);
    }
    for (const std::string& set : overrides.sets) {
        settings.add_set(set);
    }
    return resolve(std::move(settings));
}

} // namespace tlmssd::config
