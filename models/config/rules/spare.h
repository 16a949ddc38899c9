// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the spare pages that garbage collection needs, and the over-provisioning that leaves them.
#pragma once

#include "models/config/config.h"
#include "models/config/rules/settings.h"

namespace tlmssd::config {

/// Of one plane.
struct Spare {
    u32 reserve;  ///< blocks that never hold a logical page: GC's threshold, open ones, translation pages'
    u64 usable;   ///< pages of the others that logical and table pages may take
    u64 logical;  ///< logical and table pages
    bool fits() const { return logical <= usable; }
};

/// `reserve` may be all blocks: then nothing is usable.
Spare spare_of(const Config& config);

/// Where ftl.mapping: dftl or log_block, or ftl.recovery, leaves too little of an ftl.over_provisioning that a weaker source gave, or
/// that nobody gave: the least multiple of 0.001 that leaves as many spare pages as ftl.mapping: page without recovery
/// would have at the value given, at least a 64th of the usable ones (log_block: none), with a line in `config.notes`. Unchanged where
/// even 10 is not enough.
void raise_spare(Config& config, const Settings& settings);

} // namespace tlmssd::config
