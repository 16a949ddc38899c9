// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: step 1 of the configuration: YAML text to a raw tree with marks. Knows no key.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/config/text/origin.h"

namespace tlmssd::config {

/// One YAML node. Plain data; depth is limited while parsing.
struct RawNode {
    enum class Kind { Null, Scalar, Map, Sequence };

    Kind kind = Kind::Null;
    Origin origin;
    std::string text;    ///< of a scalar
    bool quoted = false; ///< the scalar stood in quotes or in a block
    std::vector<RawNode> items;                        ///< of a sequence
    std::vector<std::pair<RawNode, RawNode>> entries;  ///< of a map: scalar key, value

    /// "a map", "a list", "nothing" or the quoted text, for messages.
    std::string what() const;
};

/// Parse one YAML document; empty text gives Null. `name` stands for the file in messages.
/// InputError: not UTF-8, control characters, YAML syntax, a key twice in one map, a key that is no
/// scalar, anchors, aliases, tags, more than one document, nesting deeper than 8.
RawNode parse_yaml(const std::string& text, const std::string& name);

/// InputError where `text` is not UTF-8 or holds control characters other than tab, LF, CR.
void check_characters(const std::string& text, const std::string& name);

/// InputError at `origin` (who named it) where `path` is no readable file.
void check_readable(const std::string& path, const Origin& origin, const std::string& key);

/// The text of a file of at most 1 MiB. InputError at `origin` (who named it) otherwise.
std::string read_text(const std::string& path, const Origin& origin, const std::string& key);

} // namespace tlmssd::config
