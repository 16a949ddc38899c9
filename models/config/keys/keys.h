// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the one table of configuration keys. Validation, defaults, schema, key reference,
// `describe` and the configuration hash are all made from it.
#pragma once

#include <string>
#include <vector>

#include "models/config/keys/key.h"

namespace tlmssd::config {

/// All keys, in the order of the configuration hash, the schema and the key reference.
const std::vector<Key>& keys();
const std::vector<Section>& sections();

/// May the key stand in an entry of workload.jobs? All of `workload` but those of the whole run.
bool is_job_key(const Key& key);

/// Null where there is none.
const Key* find_key(const std::string& path);
const Section* find_section(const std::string& path);

/// Names of keys, sections and, at the top, `include`, that may stand in section `path`.
std::vector<std::string> names_in(const std::string& path);

} // namespace tlmssd::config
