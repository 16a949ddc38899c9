// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: priorities by address, as text and back.
#include "models/config/keys/priority_ranges.h"

#include <charconv>

#include "models/config/text/fio_units.h"
#include "models/config/text/origin.h"

namespace tlmssd::config {
namespace {

/// A whole number up to `most`; false where `text` is none.
bool parse_whole(const std::string& text, u64 most, u64& out)
{
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, out);
    return !text.empty() && error == std::errc() && stop == end && out <= most;
}

bool parse_range(const std::string& text, PriorityRange& range)
{
    constexpr u64 kMostMib = u64{1} << 32;
    const std::vector<std::string> halves = split_text(text, ':');
    if (halves.size() != 2) {
        return false;
    }
    const std::vector<std::string> bounds = split_text(halves[0], '-');
    u64 priority = 0;
    if (bounds.size() != 2 || !parse_whole(trimmed(bounds[0]), kMostMib, range.first_mib) ||
        !parse_whole(trimmed(bounds[1]), kMostMib, range.end_mib) ||
        !parse_whole(trimmed(halves[1]), 3, priority)) {
        return false;
    }
    range.priority = static_cast<u32>(priority);
    return range.first_mib < range.end_mib && priority >= 1;
}

} // namespace

std::string parse_priority_ranges(const std::string& text, std::vector<PriorityRange>& out)
{
    out.clear();
    if (trimmed(text).empty()) {
        return "";
    }
    for (const std::string& part : split_text(text, ',')) {
        PriorityRange range;
        if (!parse_range(part, range)) {
            return "'" + shown(trimmed(part)) +
                   "' is not FIRST-END:PRIORITY in whole MiB with FIRST below END and a priority of 1 "
                   "to 3, like 0-64:3";
        }
        out.push_back(range);
    }
    if (out.size() > kMaxPriorityRanges) {
        return std::to_string(out.size()) + " ranges; there are at most " +
               std::to_string(kMaxPriorityRanges);
    }
    return "";
}

std::string priority_ranges_text(const std::vector<PriorityRange>& ranges)
{
    std::string text;
    for (const PriorityRange& r : ranges) {
        text += (text.empty() ? "" : ", ") + std::to_string(r.first_mib) + "-" +
                std::to_string(r.end_mib) + ":" + std::to_string(r.priority);
    }
    return text;
}

} // namespace tlmssd::config
