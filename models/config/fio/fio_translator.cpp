// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a fio job reads and writes, and where.
#include "models/config/fio/fio_translator.h"

#include <algorithm>
#include <limits>

#include "models/common/geometry.h"
#include "models/config/keys/workload_words.h"
#include "models/config/text/fio_units.h"
#include "models/config/text/names.h"

namespace tlmssd::config {

const FioOption* FioTranslator::find(const char* word) const
{
    const auto found = section_.options.find(word);
    return found == section_.options.end() ? nullptr : &found->second;
}

void FioTranslator::wrong(const char* word, const std::string& expected) const
{
    const FioOption& option = *find(word);
    fail(option.origin, word,
         "expected " + expected + ", found " +
             (option.bare ? "no value" : "'" + shown(option.value) + "'"));
}

void FioTranslator::add(const std::string& key, const std::string& value, Option option)
{
    RawNode word;
    word.kind = RawNode::Kind::Scalar;
    word.origin = option != nullptr ? option->origin : section_.origin;
    word.text = key;
    RawNode scalar = word;
    scalar.text = value;
    map_.entries.emplace_back(std::move(word), std::move(scalar));
}

void FioTranslator::add(const std::string& key, u64 value, Option option)
{
    add(key, std::to_string(value), option);
}

std::optional<u64> FioTranslator::number(const char* word, u64 most) const
{
    const Option option = find(word);
    if (option == nullptr) {
        return std::nullopt;
    }
    const std::optional<u64> value = parse_fio_size(option->value, kb_base_);
    if (!value || *value > most) {
        wrong(word, "an integer from 0 to " + std::to_string(most));
    }
    return value;
}

bool FioTranslator::on(const char* word) const
{
    const Option option = find(word);
    if (option == nullptr || option->value == "0") {
        return false;
    }
    if (!option->bare && option->value != "1") {
        wrong(word, "0 or 1");
    }
    return true;
}

u64 FioTranslator::microseconds(const char* word, u64 unit_us) const
{
    constexpr u64 kMost = 1000000000000;
    const Option option = find(word);
    if (option == nullptr) {
        return 0;
    }
    const std::optional<u64> value = parse_fio_time(option->value, unit_us);
    if (!value || *value > kMost) {
        wrong(word, "a time up to 10^6 s (as in 30s, 500ms, 20us; ranges are not modelled)");
    }
    return *value;
}

void FioTranslator::kb_base()
{
    const std::optional<u64> base = number("kb_base", 1024);
    if (base && *base != 1000 && *base != 1024) {
        wrong("kb_base", "1000 or 1024");
    }
    kb_base_ = static_cast<u32>(base.value_or(1024));
}

std::vector<RawNode> FioTranslator::jobs()
{
    add("name", section_.name, nullptr);
    kb_base();
    pattern();
    syncs();
    sizes();
    addresses();
    amounts();
    depth();
    times();
    priority();
    return clones();
}

void FioTranslator::pattern()
{
    const Option option = find("rw");
    const std::string word = option == nullptr ? "read" : option->value;
    const std::vector<std::string>& names = names_of<Rw>();
    const auto found = std::find(names.begin(), names.end(), word == "rw" ? "readwrite" : word);
    if (found == names.end()) {
        if (word.find(':') != std::string::npos) {
            fail(option->origin, "rw", "'" + shown(word) + "': an offset modifier behind the "
                                                           "pattern is not modelled");
        }
        fail(option->origin, "rw",
             "'" + shown(word) + "' is no pattern" + did_you_mean(word, names));
    }
    rw_ = static_cast<Rw>(found - names.begin());
    add("rw", *found, option);

    const std::optional<u64> reads = number("rwmixread", 100);
    const std::optional<u64> writes = number("rwmixwrite", 100);
    if (is_mixed(rw_) && find("rate_iops") == nullptr) {
        const u64 percent = reads ? *reads : writes ? 100 - *writes : 50;
        if (reads && writes && *reads + *writes != 100) {
            fail(find("rwmixwrite")->origin, "rwmixwrite",
                 "does not add up to 100 with rwmixread; give one of them");
        }
        add("rwmixread", percent, find(reads ? "rwmixread" : "rwmixwrite"));
    }
}

void FioTranslator::syncs()
{
    const std::optional<u64> fsync = number("fsync", std::numeric_limits<u32>::max());
    const std::optional<u64> fdatasync = number("fdatasync", std::numeric_limits<u32>::max());
    if (fsync.value_or(0) != 0 && fdatasync.value_or(0) != 0) {
        fail(find("fdatasync")->origin, "fdatasync", "given beside fsync; give one of them");
    }
    const u64 flush_every = std::max(fsync.value_or(0), fdatasync.value_or(0));
    if (has_writes(rw_) && flush_every != 0) {
        add("flush_every", flush_every, find(fsync.value_or(0) != 0 ? "fsync" : "fdatasync"));
    }
    if (const Option sync = find("sync")) {
        const std::string& value = sync->value;
        const bool off = value == "0" || value == "none";
        if (!off && !sync->bare && value != "1" && value != "sync" && value != "dsync") {
            wrong("sync", "none, sync, dsync, 0 or 1");
        }
        if (!off && has_writes(rw_)) {
            add("fua", "true", sync);
        }
    }
}

std::string FioTranslator::size_in_bytes(const char* word, const std::string& text) const
{
    const std::optional<u64> bytes = parse_fio_size(trimmed(text), kb_base_);
    if (!bytes) {
        fail(find(word)->origin, word, "'" + shown(text) + "' is no size (as in 4k)");
    }
    return std::to_string(*bytes);
}

/// bssplit with each size in bytes, so that kb_base does not matter any more.
std::string FioTranslator::split_in_bytes(const std::string& text) const
{
    std::string out;
    std::string size;
    bool in_size = true;
    for (const char c : text + ",") {
        if (in_size && (c == '/' || c == ':' || c == ',')) {
            out += trimmed(size).empty() ? "" : size_in_bytes("bssplit", size);
            size.clear();
        }
        if (in_size && c != '/' && c != ':' && c != ',') {
            size += c;
        } else {
            out += c;
            in_size = c != '/' && (c == ':' || c == ',');
        }
    }
    out.pop_back();
    return out;
}

void FioTranslator::sizes()
{
    if (const Option split = find("bssplit")) { // as in fio, it beats bs
        add("bssplit", split_in_bytes(split->value), split);
        return;
    }
    const Option option = find("bs");
    std::string list;
    bool same = true;
    std::string first;
    std::string last = "4096"; // of a missing value
    const std::string given = option == nullptr ? "4096" : option->value;
    const std::vector<std::string> parts = split_text(given, ',');
    if (parts.size() > kDirections) {
        wrong("bs", "up to three sizes by comma, for reads, writes and trims");
    }
    for (std::size_t i = 0; i < kDirections; ++i) {
        // fio: "8k,32k" means 32k for trims too, "8k,32k," leaves them at the default.
        if (i < parts.size()) {
            last = trimmed(parts[i]).empty() ? "4096" : size_in_bytes("bs", parts[i]);
        }
        first = i == 0 ? last : first;
        same = same && last == first;
        list += (i == 0 ? "" : ",") + last + "/100";
    }
    add(same ? "bs" : "bssplit", same ? first : list, option);
}

std::optional<Extent> FioTranslator::extent_of(const char* word) const
{
    const Option option = find(word);
    if (option == nullptr) {
        return std::nullopt;
    }
    Extent extent;
    const std::string& text = option->value;
    if (!text.empty() && text.back() == '%') {
        const std::string problem = parse_extent(text, extent);
        if (!problem.empty()) {
            fail(option->origin, word, problem);
        }
        return extent;
    }
    const std::optional<u64> bytes = parse_fio_size(text, kb_base_);
    if (!bytes) {
        wrong(word, "a size in bytes (64k, 1g) or % of the device (50%)");
    }
    extent.bytes = *bytes - *bytes % kSectorBytes;
    return extent;
}

void FioTranslator::extent(const char* word)
{
    if (const std::optional<Extent> value = extent_of(word)) {
        add(word, extent_text(*value), find(word));
    }
}

void FioTranslator::addresses()
{
    extent("offset");
    extent("size");
    const Option distribution = find("random_distribution");
    AddressRule rule;
    if (distribution != nullptr) {
        const std::string problem = parse_distribution(distribution->value, rule);
        if (!problem.empty()) {
            fail(distribution->origin, "random_distribution", problem);
        }
    }
    const Option percentage = find("percentage_random");
    Percentages percentages;
    if (percentage != nullptr) {
        const std::string problem = parse_percentages(percentage->value, percentages);
        if (!problem.empty()) {
            fail(percentage->origin, "percentage_random", problem);
        }
    }
    const bool free = on("norandommap");
    if (!is_random(rw_)) {
        return;
    }
    if (distribution != nullptr) {
        add("random_distribution", rule.text, distribution);
    }
    if (percentage != nullptr) {
        add("percentage_random", percentages.text, percentage);
    }
    if (rule.kind == Distribution::Random) {
        add("norandommap", free ? "true" : "false", find("norandommap"));
    }
    if (const std::optional<u64> seed = number("randseed", std::numeric_limits<u64>::max())) {
        add("randseed", *seed, find("randseed"));
    }
}

} // namespace tlmssd::config
