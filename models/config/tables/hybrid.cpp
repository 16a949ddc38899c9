// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the scheduler `hybrid` (hybrid.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

using namespace rows;

std::vector<Key> hybrid_keys()
{
    return {
        flag("hybrid.hit_manager", AT(hybrid.hit_manager), true,
             "reads of queued pages are answered from DRAM, queued writes that are overwritten do not "
             "go to flash; false: both wait for the program")
            .when(kHybrid),
        integer("hybrid.return_reads", AT(hybrid.return_reads), 3, 0, 255,
                "number of reads that bring a queued page back into the cache, which evicts another")
            .zero("never")
            .when(kHybridCache),
        flag("hybrid.join_writes", AT(firmware.join_writes), true,
             "writes of one page that wait for each other go to flash in one program")
            .when(kHybridHits),
        flag("hybrid.place_late", AT(firmware.hybrid_place_late), true,
             "a write gets die and page when a die takes it; false: when it comes")
            .when(kHybrid),
        flag("hybrid.pack", AT(firmware.hybrid_pack), true,
             "reads and writes of a die's planes at one page offset share an operation")
            .when(kHybrid),
        integer("hybrid.window", AT(hybrid.window), 0, 0, 256,
                "host reads in flight a channel, the oldest first; auto: until the data of 3 + tR / page burst "
                "pages are in flight, rounded up")
            .zero("auto")
            .when(kHybrid),
        flag("hybrid.defer_gc", AT(firmware.hybrid_defer_gc), true,
             "garbage collection runs when the host's writes need it, or nothing else runs; false: as it comes")
            .when(kHybrid),
        integer("hybrid.gc_window", AT(hybrid.gc_window), 0, 0, 256,
                "garbage-collection operations in flight per channel beside the host's; auto: (tR + tPROG) / two "
                "page bursts, rounded up")
            .zero("auto")
            .when(kHybridGc),
        flag("hybrid.priorities", AT(firmware.hybrid_priorities), true,
             "commands of higher priority go first")
            .when(kHybrid),
        integer("hybrid.age_limit_us", AT(firmware.hybrid_age_limit_us), 10000, 1, 1000000000,
                "an operation that has waited this long precedes every priority; writes and garbage collection before reads")
            .when(kHybrid),
    };
}

} // namespace tlmssd::config
