// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a table of configurations, each with the words of its error.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tb/config/support.h"

namespace tlmssd::config {

struct Case {
    std::string settings; ///< YAML
    std::string says;     ///< of the error, as says() takes it; empty: the configuration loads
    std::vector<std::string> each{}; ///< not empty: a case for each of these words, in place of `$`
};

/// Does `message` say `words`: the parts between "..." in this order? A text that begins with the file's
/// name or `--set` stands at the beginning and, unless "..." ends it, is the whole message.
inline bool says(const std::string& message, const std::string& words)
{
    if (words.empty()) {
        return message.empty();
    }
    const bool whole = words.compare(0, 7, "t.yaml:") == 0 || words.compare(0, 5, "--set") == 0;
    std::size_t at = 0;
    for (std::size_t from = 0;;) {
        const std::size_t dots = words.find("...", from);
        const std::string part = words.substr(from, dots == std::string::npos ? dots : dots - from);
        const std::size_t found = message.find(part, at);
        if (found == std::string::npos || (whole && from == 0 && found != 0)) {
            return false;
        }
        at = found + part.size();
        if (dots == std::string::npos) {
            return !whole || at == message.size();
        }
        from = dots + 3;
        if (from == words.size()) {
            return true;
        }
    }
}

inline std::string with_word(std::string text, const std::string& word)
{
    for (std::size_t at = 0; (at = text.find('$', at)) != std::string::npos; at += word.size()) {
        text.replace(at, 1, word);
    }
    return text;
}

/// Each case as it is expected; `head` comes before all settings.
inline void expect_all(const std::string& head, const std::vector<Case>& cases)
{
    for (const Case& one : cases) {
        for (const std::string& word : one.each.empty() ? std::vector<std::string>{""} : one.each) {
            const std::string settings = with_word(head + one.settings, word);
            const std::string words = with_word(one.says, word);
            const std::string message = error_of(settings);
            EXPECT_TRUE(says(message, words)) << settings << "\n  says:     " << message << "\n  expected: " << words;
        }
    }
}
inline void expect_all(const std::vector<Case>& cases) { expect_all("", cases); }

} // namespace tlmssd::config
