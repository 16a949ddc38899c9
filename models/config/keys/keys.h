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

// A key in words, for the reference and for `tlmssd explain`.
std::string type_text(const Key& key);    ///< "choice", "integer", "path", ...
std::string default_text(const Key& key); ///< as in YAML, in backquotes; what it follows from; or "empty"
/// "us", "MB/s", "bytes": what the end of its name or its type says; "": none.
std::string unit_text(const Key& key);

/// Names of keys, sections and, at the top, `include`, that may stand in section `path`.
std::vector<std::string> names_in(const std::string& path);

} // namespace tlmssd::config
