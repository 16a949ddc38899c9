// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the texts of workload keys that have a grammar of their own, after fio's HOWTO.
#include "models/config/keys/workload_words.h"

#include <algorithm>
#include <limits>

#include "models/common/geometry.h"
#include "models/config/keys/value.h"
#include "models/config/text/fio_units.h"
#include "models/config/text/origin.h"

namespace tlmssd::config {
namespace {

constexpr std::size_t kMaxSizes = 64;
constexpr std::size_t kMaxZones = 256;
constexpr u32 kMaxSectors = 65536; // of a request
constexpr u32 kNoShare = std::numeric_limits<u32>::max();

std::string quoted(const std::string& text) { return "'" + shown(text) + "'"; }

std::string percent_text(u32 hundredths) { return format_real(hundredths / 100.0) + " %"; }

/// Calls `list(text, out)` for each of up to three lists; a missing list is a copy of the last.
template <class List>
std::string directions(const std::string& text, std::array<List, kDirections>& out,
                       std::string (*list)(const std::string&, List&))
{
    const std::vector<std::string> parts = split_text(text, ',');
    if (parts.size() > kDirections) {
        return std::to_string(parts.size()) + " lists; there are at most three, for reads, writes "
                                              "and trims";
    }
    for (std::size_t i = 0; i < kDirections; ++i) {
        if (i >= parts.size()) {
            out[i] = out[i - 1];
            continue;
        }
        out[i] = List();
        const std::string wrong = list(trimmed(parts[i]), out[i]);
        if (!wrong.empty()) {
            return wrong;
        }
    }
    return "";
}

/// Shares that were left out get equal parts of what the others leave; all must add up to 100 %.
/// The first of them take the hundredths of a per cent that do not divide.
template <class List, class Share>
std::string complete(List& list, Share share_of)
{
    u64 sum = 0;
    u32 missing = 0;
    for (auto& entry : list) {
        const u32 share = entry.*share_of;
        missing += share == kNoShare ? 1 : 0;
        sum += share == kNoShare ? 0 : share;
    }
    if (sum > kWhole || (sum < kWhole && missing == 0)) {
        return "the percentages add up to " + format_real(static_cast<double>(sum) / 100) +
               ", not 100";
    }
    const u32 rest = kWhole - static_cast<u32>(sum);
    u32 given = 0;
    for (auto& entry : list) {
        if (entry.*share_of == kNoShare) {
            entry.*share_of = rest / missing + (given < rest % missing ? 1 : 0);
            ++given;
        }
    }
    return "";
}

std::string parse_sizes(const std::string& text, std::vector<SizeShare>& out)
{
    for (const std::string& part : split_text(text, ':')) {
        const std::string entry = trimmed(part);
        const std::size_t slash = entry.find('/');
        const std::string size = trimmed(entry.substr(0, slash));
        const std::optional<u64> bytes = parse_fio_size(size);
        if (!bytes || *bytes == 0 || *bytes % kSectorBytes != 0 ||
            *bytes / kSectorBytes > kMaxSectors) {
            return quoted(size) + " in " + quoted(entry) +
                   " is not a size of whole sectors, 512 to 33554432 bytes (as in 4k/60:64k/40)";
        }
        u32 share = kNoShare;
        const std::string percent =
            slash == std::string::npos ? "" : trimmed(entry.substr(slash + 1));
        if (!percent.empty()) {
            const std::optional<u32> given = parse_hundredths(percent, kWhole);
            if (!given || *given == 0) {
                return quoted(percent) + " in " + quoted(entry) +
                       " is not a percentage above 0, up to 100, with at most two decimals";
            }
            share = *given;
        }
        out.push_back({static_cast<u32>(*bytes / kSectorBytes), share});
    }
    if (out.size() > kMaxSizes) {
        return std::to_string(out.size()) + " sizes; at most " + std::to_string(kMaxSizes);
    }
    return complete(out, &SizeShare::share);
}

std::string parse_zones(const std::string& text, std::vector<Zone>& out)
{
    for (const std::string& part : split_text(text, ':')) {
        const std::string entry = trimmed(part);
        const std::size_t slash = entry.find('/');
        Zone zone{kNoShare, kNoShare};
        const auto percent = [&](const std::string& word, u32& share) -> std::string {
            const std::optional<u32> given = parse_hundredths(word, kWhole);
            if (!given) {
                return quoted(word) + " in " + quoted(entry) +
                       " is not a percentage from 0 to 100 with at most two decimals (as in "
                       "zoned:60/10:40/90)";
            }
            share = *given;
            return "";
        };
        if (slash == std::string::npos) {
            return quoted(entry) + " is not ACCESS/REGION, two percentages (as in 60/10)";
        }
        const std::string access = trimmed(entry.substr(0, slash));
        const std::string region = trimmed(entry.substr(slash + 1));
        for (const auto& [word, share] : {std::pair(access, &zone.access),
                                          std::pair(region, &zone.region)}) {
            const std::string wrong = word.empty() ? "" : percent(word, *share);
            if (!wrong.empty()) {
                return wrong;
            }
        }
        out.push_back(zone);
    }
    if (out.size() > kMaxZones) {
        return std::to_string(out.size()) + " zones; at most " + std::to_string(kMaxZones);
    }
    const std::string wrong = complete(out, &Zone::access);
    if (!wrong.empty()) {
        return "accesses: " + wrong;
    }
    const std::string of_regions = complete(out, &Zone::region);
    if (!of_regions.empty()) {
        return "regions: " + of_regions;
    }
    for (const Zone& zone : out) {
        if (zone.access > 0 && zone.region == 0) {
            return percent_text(zone.access) + " of the accesses fall into a zone of 0 %";
        }
    }
    return "";
}

std::string parse_parameter(const std::string& name, const std::string& rest, double least,
                            bool above, double most, AddressRule& out)
{
    const std::vector<std::string> words = split_text(rest, ':');
    const std::optional<double> parameter = parse_decimal(trimmed(words[0]));
    if (!parameter || *parameter > most || *parameter < least ||
        (above && (*parameter == least || (name == "pareto" && *parameter == most)))) {
        const std::string range =
            name == "zipf" ? "theta above 0, at most 10 (as in zipf:1.1)"
            : name == "pareto" ? "power above 0 and below 1 (as in pareto:0.2)"
                               : "deviation from 0 to 100 % (as in normal:25)";
        return quoted(words[0]) + " is no " + name + " " + range;
    }
    out.parameter = *parameter;
    if (words.size() > 2) {
        return quoted(words[2]) + " behind the center is too much (" + name + ":VALUE:CENTER)";
    }
    if (words.size() == 2) {
        const std::optional<double> center = parse_decimal(trimmed(words[1]));
        if (!center || *center > 1) {
            return quoted(words[1]) + " is no center, a fraction from 0 to 1";
        }
        out.center = *center;
    }
    return "";
}

} // namespace

std::string parse_bssplit(const std::string& text, SizeSplit& out)
{
    out = SizeSplit();
    out.text = text;
    return text.empty() ? "" : directions(text, out.of, parse_sizes);
}

std::string parse_distribution(const std::string& text, AddressRule& out)
{
    out = AddressRule();
    out.text = text;
    const std::size_t colon = text.find(':');
    const std::string name = trimmed(text.substr(0, colon));
    std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (colon == std::string::npos) { // fio's defaults
        rest = name == "zipf" ? "1.1" : name == "pareto" ? "0.2" : "";
    }
    if (name == "zipf" || name == "pareto" || name == "normal") {
        const bool normal = name == "normal";
        out.kind = name == "zipf" ? Distribution::Zipf
                   : normal       ? Distribution::Normal
                                  : Distribution::Pareto;
        return parse_parameter(name, rest, 0, !normal, name == "zipf" ? 10 : normal ? 100 : 1,
                               out);
    }
    if (name == "zoned") {
        out.kind = Distribution::Zoned;
        return directions(rest, out.zones, parse_zones);
    }
    if (name != "random") {
        return quoted(name) + " is not random, zipf, pareto, normal or zoned" +
               did_you_mean(name, {"random", "zipf", "pareto", "normal", "zoned"});
    }
    return colon == std::string::npos ? "" : "random has no parameter";
}

std::string parse_overwrite_pattern(const std::string& text, OverwritePattern& out)
{
    out = OverwritePattern();
    if (trimmed(text) == "sequential") {
        out.sequential = true;
        return "";
    }
    if (text.find(',') != std::string::npos) {
        return "preconditioning only writes: one distribution, without commas";
    }
    const std::string name = trimmed(text.substr(0, text.find(':')));
    const std::vector<std::string> known{"sequential", "random", "zipf", "pareto", "normal", "zoned"};
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        return quoted(name) + " is not sequential, random, zipf, pareto, normal or zoned" +
               did_you_mean(name, known);
    }
    return parse_distribution(text, out.rule);
}

std::string parse_extent(const std::string& text, Extent& out)
{
    out = Extent();
    if (!text.empty() && text.back() == '%') {
        const std::optional<double> percent = parse_decimal(text.substr(0, text.size() - 1));
        if (!percent || *percent > 100) {
            return quoted(text) + " is not a percentage from 0 to 100";
        }
        out.percent = *percent;
        return "";
    }
    const std::optional<u64> bytes = parse_fio_size(text);
    if (!bytes) {
        const std::optional<double> fraction = parse_decimal(text);
        const bool old = fraction && *fraction < 1;
        return quoted(text) + " is neither bytes (4096, 64k, 1g) nor % of the device (50%)" +
               (old ? "; did you mean '" + format_real(*fraction * 100) + "%'?" : "");
    }
    if (*bytes % kSectorBytes != 0) {
        return quoted(text) + " is not a multiple of " + std::to_string(kSectorBytes) + " bytes";
    }
    out.bytes = *bytes;
    return "";
}

std::string extent_text(const Extent& extent)
{
    return extent.percent > 0 ? format_real(extent.percent) + "%" : std::to_string(extent.bytes);
}

std::string parse_percentages(const std::string& text, Percentages& out)
{
    out = Percentages();
    out.text = text;
    const std::vector<std::string> parts = split_text(text, ',');
    for (std::size_t i = 0; i < kDirections; ++i) {
        if (i >= parts.size()) {
            out.of[i] = out.of[i - 1];
            continue;
        }
        const std::optional<u32> hundredths = parse_hundredths(trimmed(parts[i]), kWhole);
        if (!hundredths || *hundredths % 100 != 0) {
            return quoted(parts[i]) + " is not a whole percentage from 0 to 100";
        }
        out.of[i] = *hundredths / 100;
    }
    return parts.size() > kDirections ? "more than three values, for reads, writes and trims" : "";
}

} // namespace tlmssd::config
