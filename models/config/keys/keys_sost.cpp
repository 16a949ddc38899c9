// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the key table's rows of the scheduler `sost`.
#include "models/config/keys/key_builders.h"
#include "models/config/keys/priority_ranges.h"

namespace tlmssd::config {
namespace {

using namespace rows;

#define AT(member) [](auto& c) -> auto& { return c.member; }

} // namespace

std::vector<Key> sost_keys()
{
    return {
        flag("sost.leveler", AT(sost.leveler), true,
             "a free chip with an empty queue takes a write from the chip with the most work")
            .when(kSost),
        flag("sost.hit_manager", AT(sost.hit_manager), true,
             "reads of queued pages are answered from DRAM, queued writes that are overwritten do not "
             "go to flash; false: both wait for the program")
            .when(kSost),
        integer("sost.return_reads", AT(sost.return_reads), 3, 0, 255,
                "so many reads bring a queued page back into the cache, which evicts another; 0: never")
            .when(kSostCache),
        flag("sost.priorities", AT(sost.priorities), true,
             "queues have classes: by the commands' priority and sost.ranges_mib, reads_first, hot_hits")
            .when(kSost),
        flag("sost.reads_first", AT(sost.reads_first), false,
             "of equal priority, reads go before writes and erases")
            .when(kSostClasses),
        integer("sost.hot_hits", AT(sost.hot_hits), 3, 0, 255,
                "of equal priority, writes with so many read and overwrite hits go last; 0: none")
            .when(kSostHot),
        words("sost.ranges_mib", AT(sost.ranges), "", parse_priority_ranges, priority_ranges_text,
              "priority by logical address, in MiB: FIRST-END:PRIORITY, joined by commas; 3 the highest")
            .when(kSostClasses),
        integer("sost.age_limit_us", AT(sost.age_limit_us), 100000, 1, 1000000000,
                "what has waited so long in a chip's queue goes before any class, oldest first")
            .when(kSostClasses),
    };
}

} // namespace tlmssd::config
