// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the texts of workload keys that have a grammar of their own, after fio's HOWTO.
#pragma once

#include <string>

#include "models/config/workload.h"

namespace tlmssd::config {

// Each function returns "" and fills `out`, or returns what is wrong with the text.

/// "SIZE/PERCENT:SIZE/PERCENT:...", up to three such lists by comma for reads, writes and trims; a
/// direction without a list uses the one before it. Entries without a percentage share what is
/// left. Unlike fio's, percentages may have two decimals. At most 64 entries a list.
std::string parse_bssplit(const std::string& text, SizeSplit& out);

/// "random", "zipf:THETA[:CENTER]", "pareto:POWER[:CENTER]", "normal:DEVIATION[:CENTER]" or
/// "zoned:ACCESS/REGION:...", for zones again up to three lists by comma. At most 256 zones a list.
std::string parse_distribution(const std::string& text, AddressRule& out);

/// "sequential", or what parse_distribution() takes, for one direction.
std::string parse_overwrite_pattern(const std::string& text, OverwritePattern& out);

/// "4096", "16k", "1g" or "50%".
std::string parse_extent(const std::string& text, Extent& out);
/// The text that gives `extent`.
std::string extent_text(const Extent& extent);

/// "100" or "50,80,100", each 0 to 100.
std::string parse_percentages(const std::string& text, Percentages& out);

} // namespace tlmssd::config
