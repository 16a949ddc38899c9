// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: where a value was written, and the one form of every message about it.
#pragma once

#include <string>
#include <vector>

namespace tlmssd::config {

/// A place in a file (line and column from 1; 0: the file as a whole) or a `--set` text.
struct Origin {
    std::string file;
    int line = 0;
    int column = 0;
    std::string set; ///< not empty: the text after --set, or another option as a whole (--trace x)

    /// "file:line:column", "file" or "--set a.b=c".
    std::string text() const;
};

/// Throws InputError "origin: key: message"; an empty key is left out.
[[noreturn]] void fail(const Origin& origin, const std::string& key, const std::string& message);

/// "; did you mean 'x'?" with the nearest choice, or "" where there is none. The part of a choice before its first '-'
/// may be left out.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& choices);

/// `text` in one line and cut after `limit` bytes, for messages: control characters become '?'.
std::string shown(const std::string& text, std::size_t limit = 40);
/// A path in quotes for messages.
std::string shown_path(const std::string& path);

} // namespace tlmssd::config
