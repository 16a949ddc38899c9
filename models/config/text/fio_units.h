// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: fio's numbers: sizes with prefixes, times with units.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::config {

/// "4k", "1m", "0x200", "16KiB" in bytes; prefixes k m g t p, each with an optional `i` and `b`.
/// kb_base 1024 (fio's default): k is 1024 and ki is 1000; 1000: the other way round.
/// Nothing where `text` is no such number or does not fit 64 bits.
std::optional<u64> parse_fio_size(const std::string& text, u32 kb_base = 1024);

/// "30", "10m", "5ms", "100usec" in microseconds; `unit_us`: of a number without a unit.
std::optional<u64> parse_fio_time(const std::string& text, u64 unit_us);

/// A number with decimals, without a sign or exponent.
std::optional<double> parse_decimal(const std::string& text);

/// "12.34" in hundredths; at most two decimals, at most `most` hundredths.
std::optional<u32> parse_hundredths(const std::string& text, u32 most);

/// The parts between `separator`, also empty ones; one part where there is none.
std::vector<std::string> split_text(const std::string& text, char separator);

/// Without blanks at both ends.
std::string trimmed(const std::string& text);

} // namespace tlmssd::config
