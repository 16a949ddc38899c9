// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: messages with file, line, column and key.
#include "models/config/text/origin.h"

#include <algorithm>

#include "models/common/error.h"

namespace tlmssd::config {

std::string shown(const std::string& text, std::size_t limit)
{
    std::string out;
    for (const char c : text) {
        if (out.size() >= limit && (static_cast<unsigned char>(c) & 0xc0) != 0x80) {
            return out + "...";
        }
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
    return out;
}

std::string shown_path(const std::string& path)
{
    return "'" + shown(path, 200) + "'";
}

std::string Origin::text() const
{
    if (!set.empty()) {
        return (set.compare(0, 2, "--") == 0 ? "" : "--set ") + shown(set);
    }
    if (line == 0) {
        return shown(file, 200);
    }
    return shown(file, 200) + ":" + std::to_string(line) + ":" + std::to_string(column);
}

void fail(const Origin& origin, const std::string& key, const std::string& message)
{
    throw InputError(origin.text() + ": " + (key.empty() ? "" : key + ": ") + message);
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& choices)
{
    if (choices.empty() || word.empty() || word.size() > 200) {
        return "";
    }
    const std::string* nearest = nullptr;
    std::size_t least = 0;
    for (const std::string& choice : choices) {
        std::size_t distance = edit_distance(word, choice);
        if (const std::size_t dash = choice.find('-'); dash != std::string::npos) { // "fin1" is meant as "uniform-fin1"
            distance = std::min(distance, edit_distance(word, choice.substr(dash + 1)));
        }
        if (nearest == nullptr || distance < least) {
            nearest = &choice;
            least = distance;
        }
    }
    return "; did you mean '" + *nearest + "'?";
}

} // namespace tlmssd::config
