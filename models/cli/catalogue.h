// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what can be named on the command line: devices, workloads, schedulers, policies, formats, controllers.
#pragma once

#include <string>
#include <vector>

#include "models/config/keys/key.h"

namespace tlmssd::cli {

struct Entry {
    std::string name;
    std::string sentence;
    std::string key; ///< the configuration key that takes the name; "": it is an argument
};

struct Catalogue {
    const char* name;     ///< "devices"
    const char* sentence; ///< what its entries are, and how they are used
    std::vector<Entry> (*entries)();
};

const std::vector<Catalogue>& catalogues();
/// Null: there is none.
const Catalogue* find_catalogue(const std::string& name);
std::vector<std::string> names_of(const std::vector<Entry>& entries);

/// The sentence of a choice of a key: of the list that it comes from, else from the sentence of the key; "": none.
std::string sentence_of_choice(const config::Key& key, const std::string& choice);

/// Each entry on a line, the names as wide as the longest.
std::string lines_of(const std::vector<Entry>& entries, const std::string& indent);

/// `text` in lines of at most `width` characters, the second and later ones after `indent`.
std::string wrapped(const std::string& text, std::size_t width, const std::string& indent = "");

} // namespace tlmssd::cli
