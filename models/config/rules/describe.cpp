// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration as YAML, and its hash.
#include <algorithm>
#include <filesystem>

#include "models/common/hash.h"
#include "models/config/keys/keys.h"
#include "models/config/keys/value.h"
#include "models/config/rules/resolve.h"

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

/// All keys, those of one top-level section together.
std::vector<const Key*> by_section()
{
    std::vector<std::string> order;
    std::vector<std::pair<std::size_t, const Key*>> ranked;
    for (const Key& key : keys()) {
        const std::string top = key.section().substr(0, key.section().find('.'));
        const auto at = std::find(order.begin(), order.end(), top);
        ranked.emplace_back(at - order.begin(), &key);
        if (at == order.end()) {
            order.push_back(top);
        }
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<const Key*> sorted;
    for (const auto& [rank, key] : ranked) {
        sorted.push_back(key);
    }
    return sorted;
}

void add_line(std::string& out, const std::string& indent, const Key& key, const Config& config)
{
    constexpr std::size_t kCommentColumn = 34;
    std::string line = indent + key.name() + ": " + format_value(key, key.get(config));
    line.append(line.size() < kCommentColumn ? kCommentColumn - line.size() : 1, ' ');
    out += line + "# " + key.help + "\n";
}

void add_jobs(std::string& out, const Config& config)
{
    out += "  jobs:\n";
    Config one = config;
    for (const Workload& job : config.jobs) {
        one.workload = job;
        const char* indent = "    - ";
        for (const Key& key : keys()) {
            if (is_job_key(key) && key.condition->holds(one)) {
                add_line(out, indent, key, one);
                indent = "      ";
            }
        }
    }
}

/// What the hash sees of a key: a file counts by its name and size, not by its folder.
std::string hashed(const Key& key, const Config& config)
{
    const Value value = key.get(config);
    if (key.type != Type::File || value.text.empty()) {
        return format_value(key, value);
    }
    std::error_code error;
    const std::filesystem::path path = value.text;
    return path.filename().string() + " " +
           std::to_string(std::filesystem::file_size(path, error));
}

} // namespace

std::string to_yaml(const Config& config)
{
    std::string out;
    std::vector<std::string> open;
    for (const Key* key : by_section()) {
        if (!key->condition->holds(config)) {
            continue;
        }
        const std::vector<std::string> words = words_of(key->section());
        const bool job_key = is_job_key(*key) && !config.jobs.empty();
        std::size_t common = 0;
        while (common < words.size() && common < open.size() && words[common] == open[common]) {
            ++common;
        }
        for (std::size_t i = common; i < words.size(); ++i) {
            out += std::string(2 * i, ' ') + words[i] + ":\n";
        }
        if (job_key && common < words.size()) {
            add_jobs(out, config);
        }
        open = words;
        if (!job_key) {
            add_line(out, std::string(2 * words.size(), ' '), *key, config);
        }
    }
    return out;
}

u64 hash_of(const Config& config)
{
    constexpr u64 kOffset = 0xcbf29ce484222325u, kPrime = 0x100000001b3u; // FNV-1a, 64 bits
    std::string text;
    for (const Key& key : keys()) {
        if (key.affects_results && (config.jobs.empty() || !is_job_key(key))) {
            text += key.path + "=" + hashed(key, config) + "\n";
        }
    }
    Config one = config;
    for (std::size_t i = 0; i < config.jobs.size(); ++i) {
        one.workload = config.jobs[i];
        for (const Key& key : keys()) {
            if (key.affects_results && is_job_key(key)) {
                text += "workload.jobs." + std::to_string(i) + "." + key.name() + "=" +
                        hashed(key, one) + "\n";
            }
        }
    }
    u64 hash = kOffset;
    for (const char c : text) {
        hash = (hash ^ static_cast<u8>(c)) * kPrime;
    }
    return mix64(hash);
}

} // namespace tlmssd::config
