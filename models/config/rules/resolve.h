// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: step 2 of the configuration: settings and defaults to a resolved, checked Config.
#pragma once

#include "models/config/config.h"
#include "models/config/rules/settings.h"

namespace tlmssd::config {

/// Apply defaults, drop what a stronger source made meaningless, derive, check, hash.
/// InputError: a setting without effect (effect.h), a broken rule (rules.h).
Config resolve(Settings settings);

/// FNV-1a over all keys that can change results. The trace counts by file name and size.
u64 hash_of(const Config& config);

} // namespace tlmssd::config
