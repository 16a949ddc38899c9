// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: messages with file, line, column and key.
#include "models/config/text/origin.h"

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
    const std::string tail = "-" + word; // "fin1" is meant as "uniform-fin1", however many letters that adds
    const std::string* whole = nullptr;
    for (const std::string& choice : choices) {
        if (choice.size() > tail.size() && choice.compare(choice.size() - tail.size(), tail.size(), tail) == 0 &&
            (whole == nullptr || choice.size() < whole->size())) {
            whole = &choice;
        }
    }
    return "; did you mean '" + (whole != nullptr ? *whole : nearest_of(word, choices)) + "'?";
}

} // namespace tlmssd::config
