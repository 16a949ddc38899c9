// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the text of `sost.ranges_mib`.
#pragma once

#include <string>
#include <vector>

#include "models/config/config.h"

namespace tlmssd::config {

/// "FIRST-END:PRIORITY", several joined by commas: MiB of the logical address space, END exclusive,
/// priority 1 to 3. At most kMaxPriorityRanges. Returns what is wrong, or "".
std::string parse_priority_ranges(const std::string& text, std::vector<PriorityRange>& out);
std::string priority_ranges_text(const std::vector<PriorityRange>& ranges);

} // namespace tlmssd::config
