// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the texts of the keys of a workload with locality.
#include "models/config/keys/locality_words.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "models/common/geometry.h"
#include "models/config/text/fio_units.h"
#include "models/config/text/origin.h"

namespace tlmssd::config {
namespace {

constexpr std::size_t kMaxEntries = 256;
constexpr std::size_t kMaxClasses = 17;
constexpr u32 kMaxSectors = 65536; // of a run
constexpr u64 kMaxWeight = 1000000000;
constexpr u64 kMaxBlocks = u64{1} << 32;

std::string quoted(const std::string& text) { return "'" + shown(text) + "'"; }

std::string without_blanks(const std::string& text)
{
    std::string out;
    std::copy_if(text.begin(), text.end(), std::back_inserter(out),
                 [](char c) { return std::isspace(static_cast<unsigned char>(c)) == 0; });
    return out;
}

std::optional<u64> whole(const std::string& text, u64 most)
{
    if (text.empty() || text.size() > 12 || text.find_first_not_of("0123456789") != std::string::npos) {
        return std::nullopt;
    }
    const u64 number = std::stoull(text);
    return number <= most ? std::optional<u64>(number) : std::nullopt;
}

/// "" where there is no separator.
std::string after(const std::string& text, std::size_t separator)
{
    return separator == std::string::npos ? "" : text.substr(separator + 1);
}

std::string no_weight(const std::string& entry, const char* example)
{
    return quoted(entry) + " has no weight, a whole number up to 10^9 after a slash (as in " + example + ")";
}

std::string parse_run_size(const std::string& text, const std::string& entry, u32& sectors)
{
    const std::optional<u64> bytes = parse_fio_size(text);
    if (!bytes || *bytes == 0 || *bytes % kSectorBytes != 0 || *bytes / kSectorBytes > kMaxSectors) {
        return quoted(text) + " in " + quoted(entry) +
               " is not a size of whole sectors, 512 to 33554432 bytes (as in 4k/60:64kx4k/40)";
    }
    sectors = static_cast<u32>(*bytes / kSectorBytes);
    return "";
}

std::string parse_run(const std::string& entry, RunType& type)
{
    const std::size_t slash = entry.find('/');
    const std::optional<u64> weight = whole(after(entry, slash), kMaxWeight);
    if (!weight) {
        return no_weight(entry, "4k/60:64kx4k/40");
    }
    type.weight = static_cast<u32>(*weight);
    std::string size = entry.substr(0, slash);
    type.more = !size.empty() && size.back() == '+';
    size.resize(size.size() - (type.more ? 1 : 0));
    const std::size_t times = size.find('x');
    if (const std::string wrong = parse_run_size(size.substr(0, times), entry, type.sectors); !wrong.empty()) {
        return wrong;
    }
    type.request = type.sectors;
    if (times == std::string::npos) {
        return "";
    }
    if (const std::string wrong = parse_run_size(size.substr(times + 1), entry, type.request); !wrong.empty()) {
        return wrong;
    }
    return type.request <= type.sectors ? ""
                                        : "the requests in " + quoted(entry) + " are larger than the run";
}

/// "W" of the state `alone`, or "R+M+W".
std::optional<std::array<u32, kBlockStates>> parse_weights(const std::string& text, BlockState alone)
{
    const std::vector<std::string> parts = split_text(text, '+');
    std::array<u32, kBlockStates> weights{};
    if (parts.size() != 1 && parts.size() != kBlockStates) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::optional<u64> weight = whole(parts[i], kMaxWeight);
        if (!weight) {
            return std::nullopt;
        }
        weights[parts.size() == 1 ? static_cast<std::size_t>(alone) : i] = static_cast<u32>(*weight);
    }
    return weights;
}

std::string parse_step(const std::string& entry, BlockState alone, ReuseClass& of_class)
{
    const std::size_t slash = entry.find('/');
    const std::string limit = entry.substr(0, slash);
    if (limit == "new") {
        const std::optional<u64> weight = whole(after(entry, slash), kMaxWeight);
        of_class.fresh = static_cast<u32>(weight.value_or(0));
        return weight ? "" : no_weight(entry, "1=new/10:64/90");
    }
    const std::optional<u64> blocks = whole(limit, kMaxBlocks);
    if (!blocks || *blocks == 0) {
        return quoted(limit) + " in " + quoted(entry) + " is neither new nor a distance of 1 to 2^32 blocks" +
               did_you_mean(limit, {"new"});
    }
    const auto weights = parse_weights(after(entry, slash), alone);
    if (!weights) {
        return quoted(entry) + " has neither one weight nor three, whole numbers up to 10^9 after a slash (as in "
                               "1=new/10:64/90 or 1=new/10:64/60+0+30)";
    }
    if (!of_class.steps.empty() && of_class.steps.back().limit >= *blocks) {
        return "distances must grow: " + quoted(limit) + " comes after " +
               std::to_string(of_class.steps.back().limit);
    }
    of_class.steps.push_back({*blocks, *weights});
    return "";
}

std::string parse_class(const std::string& text, BlockState alone, std::vector<ReuseClass>& classes)
{
    const std::size_t equals = text.find('=');
    const std::optional<u64> blocks =
        equals == std::string::npos ? std::nullopt : whole(text.substr(0, equals), kMaxBlocks);
    if (!blocks || *blocks == 0) {
        return quoted(text.substr(0, equals)) +
               " is not the longest run of a class in blocks, before an equals sign (as in 1=new/10:64/90)";
    }
    if (!classes.empty() && classes.back().blocks >= *blocks) {
        return "classes must grow: " + std::to_string(*blocks) + " comes after " +
               std::to_string(classes.back().blocks);
    }
    ReuseClass made{*blocks, 0, {}};
    const std::vector<std::string> entries = split_text(text.substr(equals + 1), ':');
    if (entries.size() > kMaxEntries) {
        return std::to_string(entries.size()) + " steps in class " + std::to_string(*blocks) + "; at most " +
               std::to_string(kMaxEntries);
    }
    u64 sum = 0;
    for (const std::string& entry : entries) {
        if (const std::string wrong = parse_step(entry, alone, made); !wrong.empty()) {
            return wrong;
        }
    }
    for (const ReuseStep& step : made.steps) {
        sum += std::accumulate(step.weights.begin(), step.weights.end(), u64{0});
    }
    if (sum + made.fresh == 0) {
        return "all weights of class " + std::to_string(*blocks) + " are 0";
    }
    classes.push_back(std::move(made));
    return "";
}

std::string parse_reuse(const std::string& text, BlockState alone, Reuse& out)
{
    out = {text, {}};
    const std::string bare = without_blanks(text);
    if (bare.empty()) {
        return "";
    }
    const std::vector<std::string> classes = split_text(bare, ',');
    if (classes.size() > kMaxClasses) {
        return std::to_string(classes.size()) + " classes; at most " + std::to_string(kMaxClasses);
    }
    for (const std::string& of_class : classes) {
        if (const std::string wrong = parse_class(of_class, alone, out.classes); !wrong.empty()) {
            return wrong;
        }
    }
    return "";
}

} // namespace

std::string parse_runs(const std::string& text, RunTypes& out)
{
    out = {text, {}};
    const std::string bare = without_blanks(text);
    if (bare.empty()) {
        return "";
    }
    const std::vector<std::string> entries = split_text(bare, ':');
    if (entries.size() > kMaxEntries) {
        return std::to_string(entries.size()) + " kinds of runs; at most " + std::to_string(kMaxEntries);
    }
    u64 sum = 0;
    for (const std::string& entry : entries) {
        RunType type{};
        if (const std::string wrong = parse_run(entry, type); !wrong.empty()) {
            return wrong;
        }
        sum += type.weight;
        out.types.push_back(type);
    }
    return sum == 0 ? "all weights are 0" : "";
}

std::string parse_read_reuse(const std::string& text, Reuse& out)
{
    return parse_reuse(text, BlockState::OnlyRead, out);
}

std::string parse_write_reuse(const std::string& text, Reuse& out)
{
    return parse_reuse(text, BlockState::WrittenLast, out);
}

} // namespace tlmssd::config
