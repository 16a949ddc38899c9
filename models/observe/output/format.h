// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: numbers and text as people read them, for the terminal.
#pragma once

#include <string>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::observe {

/// 1234567 -> "1,234,567"
std::string grouped(u64 value);

/// Fixed number of decimals, point as separator whatever the locale: (2.345, 1) -> "2.3"
std::string fixed(double value, int decimals);

/// One line that no input can use to write control or direction characters to a terminal.
std::string printable(const std::string& text);

/// Each line of `text`, a report, at the end of `lines`.
void append_lines(const std::string& text, std::vector<std::string>& lines);

} // namespace tlmssd::observe
