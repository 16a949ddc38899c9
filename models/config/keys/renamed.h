// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: keys that have changed their name.
#pragma once

#include <string>
#include <vector>

namespace tlmssd::config {

struct Renamed {
    std::string from, to; ///< "section.name"
};

/// One row for each key that has changed its name. Nothing else may have a name of column `from`.
const std::vector<Renamed>& renamed_keys();

/// The message for a key that does not exist: "was renamed to 'x.y'", or "" where it never did.
std::string renamed_hint(const std::string& path);

} // namespace tlmssd::config
