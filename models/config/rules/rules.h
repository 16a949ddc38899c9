// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the rules that join several keys have at hand; checks*.cpp are made of them.
#pragma once

#include <string>

#include "models/config/config.h"
#include "models/config/keys/value.h"
#include "models/config/rules/settings.h"

namespace tlmssd::config {

class Rules {
public:
    Rules(const Config& config, const Settings& settings) : c_(config), g_(config.geometry), settings_(settings) {}

protected:
    void require(bool good, const char* key, const std::string& message) const
    {
        if (!good) {
            fail(settings_.where(key), settings_.shown_key(key), message);
        }
    }
    /// `key`, or where it was left to its default, the key that the default follows.
    const char* given(const char* key, const char* otherwise) const
    {
        return settings_.find(key) != nullptr ? key : otherwise;
    }
    static std::string str(u64 n) { return std::to_string(n); }

    const Config& c_;
    const Geometry& g_;
    const Settings& settings_;
};

/// The rules that join several keys. Throws InputError at the key that should change.
void check(const Config& config, const Settings& settings);

// Each throws InputError at the first rule that is broken.
void check_flash(const Config& config, const Settings& settings); ///< array, bus, part, controller
void check_ftl(const Config& config, const Settings& settings);   ///< map, garbage collection, placement, recovery

} // namespace tlmssd::config
