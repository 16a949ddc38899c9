// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the tables say about a key of the configuration or of results.json.
#pragma once

#include <string>
#include <vector>

#include "models/observe/results.h"

namespace tlmssd::cli {

/// {configuration, results}: what the key is in each, null where it is none. A group has `keys`, a list of name and
/// sentence. InputError: neither has it, with the nearest name.
observe::Json explanation(const std::string& key);
/// The same for people.
std::string text_of_explanation(const observe::Json& explanation);

/// All keys and groups: of the configuration, of results.json.
std::vector<std::string> configuration_names();
std::vector<std::string> result_names();

} // namespace tlmssd::cli
