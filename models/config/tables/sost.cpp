// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the scheduler `sost` (sost.h).
#include "models/config/keys/tables.h"

#include <charconv>

#include "models/config/keys/key_builders.h"
#include "models/config/text/fio_units.h"
#include "models/config/text/origin.h"

namespace tlmssd::config {

using namespace rows;

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

/// "FIRST-END:PRIORITY", several joined by commas: MiB of the logical address space, END exclusive,
/// priority 1 to 3. At most kMaxPriorityRanges. Returns what is wrong, or "".
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

} // namespace

std::vector<Key> sost_keys()
{
    return {
        flag("sost.leveler", AT(firmware.sost_leveler), true,
             "a free die with an empty queue takes a write from the die with the most work")
            .when(kSost),
        flag("sost.hit_manager", AT(sost.hit_manager), true,
             "reads of queued pages are answered from DRAM, queued writes that are overwritten do not "
             "go to flash; false: both wait for the program")
            .when(kSost),
        integer("sost.return_reads", AT(sost.return_reads), 1, 0, 255,
                "number of reads that bring a queued page back into the cache, which evicts another")
            .zero("never")
            .when(kSostCache),
        integer("sost.queue_pages", AT(sost.queue_pages), 16, 0, 1024,
                "dirty pages per die that the cache gives to the queues while a request waits for a page buffer; "
                "half of the buffer at most; as_free_pages: only buffer.free_pages counts")
            .zero("as_free_pages")
            .when(kSostQueue),
        flag("sost.priorities", AT(firmware.sost_priorities), true,
             "queues have classes: by the commands' priority and sost.ranges_mib, reads_first, hot_hits")
            .when(kSost),
        flag("sost.reads_first", AT(firmware.sost_reads_first), true,
             "of equal priority, reads go before writes and erases")
            .when(kSostClasses),
        integer("sost.hot_hits", AT(firmware.sost_hot_hits), 3, 0, 255,
                "of equal priority, writes with this number of read and overwrite hits go last; none: no write is hot")
            .zero("none")
            .when(kSostHot),
        words("sost.ranges_mib", AT(sost.ranges), "", parse_priority_ranges, priority_ranges_text,
              "priority by logical address, in MiB: FIRST-END:PRIORITY, joined by commas; 3 the highest")
            .when(kSostClasses),
        integer("sost.age_limit_us", AT(firmware.sost_age_limit_us), 100000, 1, 1000000000,
                "what has waited so long in a die's queue goes before any class, oldest first")
            .when(kSostClasses),
    };
}

} // namespace tlmssd::config
