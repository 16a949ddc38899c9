// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration as YAML, and its hash.
#include <algorithm>
#include <filesystem>

#include "models/common/hash.h"
#include "models/config/keys.h"
#include "models/config/resolve.h"
#include "models/config/value.h"

namespace tlmssd::config {
namespace {

std::vector<std::string> words_of(const std::string& section)
{
    std::vector<std::string> words;
    for (std::size_t at = 0; at < section.size();) {
        const std::size_t dot = std::min(section.find('.', at), section.size());
        words.push_back(section.substr(at, dot - at));
        at = dot + 1;
    }
    return words;
}

} // namespace

std::string to_yaml(const Config& config)
{
    constexpr std::size_t kCommentColumn = 34;
    std::string out;
    std::vector<std::string> open;
    for (const Key& key : keys()) {
        if (!in_use(key.use, config)) {
            continue;
        }
        const std::vector<std::string> words = words_of(key.section());
        std::size_t common = 0;
        while (common < words.size() && common < open.size() && words[common] == open[common]) {
            ++common;
        }
        for (std::size_t i = common; i < words.size(); ++i) {
            out += std::string(2 * i, ' ') + words[i] + ":\n";
        }
        open = words;
        std::string line = std::string(2 * words.size(), ' ') + key.name() + ": " +
                           format_value(key, key.get(config));
        line.append(line.size() < kCommentColumn ? kCommentColumn - line.size() : 1, ' ');
        out += line + "# " + key.help + "\n";
    }
    return out;
}

u64 hash_of(const Config& config)
{
    constexpr u64 kOffset = 0xcbf29ce484222325u, kPrime = 0x100000001b3u; // FNV-1a, 64 bits
    std::string text;
    for (const Key& key : keys()) {
        if (!key.affects_results) {
            continue;
        }
        std::string value = format_value(key, key.get(config));
        if (key.type == Type::File && !key.get(config).text.empty()) {
            std::error_code error;
            const std::filesystem::path path = key.get(config).text;
            value = path.filename().string() + " " +
                    std::to_string(std::filesystem::file_size(path, error));
        }
        text += key.path + "=" + value + "\n";
    }
    u64 hash = kOffset;
    for (const char c : text) {
        hash = (hash ^ static_cast<u8>(c)) * kPrime;
    }
    return mix64(hash);
}

} // namespace tlmssd::config
