// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one scalar against one key: YAML text to value and back.
#pragma once

#include "models/config/keys/key.h"
#include "models/config/text/origin.h"

namespace tlmssd::config {

/// Parse `text` as the key demands. `quoted`: it stood in quotes, so it is no number.
/// InputError: type, range, unknown choice (with the nearest).
Value parse_value(const Key& key, const std::string& text, bool quoted, const Origin& origin);

/// As YAML, such that parse_value gives the same value again.
std::string format_value(const Key& key, const Value& value);

/// Shortest decimal form that reads back as the same double.
std::string format_real(double value);

/// "1 to 32", "a, b or c", ... in words.
std::string range_text(const Key& key);

} // namespace tlmssd::config
