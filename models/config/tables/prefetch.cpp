// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the launch-recognising prefetcher (prefetch.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(PrefetchMode, "none", "baseline", "two_phase", "fast")

using namespace rows;

std::vector<Key> prefetch_keys()
{
    return {
        choice("prefetch.mode", AT(prefetch.mode), PrefetchMode::None,
               "how the pages of a recognised sequence of reads are brought: baseline, in order one by one; two_phase, "
               "the pages read soon, then metadata, then the rest; fast, in order beside the host, at most `lead` before it")
            .when(kCache),
        integer("prefetch.match", AT(firmware.prefetch_match), 8, 1, 64, "commands in a row by which a sequence is known again")
            .when(kPrefetch),
        integer("prefetch.anchors", AT(firmware.prefetch_anchors), 16, 1, 256,
                "places at a sequence's beginning where it can be known; 1: the first reads only")
            .when(kPrefetch),
        integer("prefetch.sequences", AT(firmware.prefetch_sequences), 8, 1, 64, "sequences that are remembered")
            .when(kPrefetch),
        integer("prefetch.sequence_pages", AT(prefetch.pages), 4096, 16, 65536, "pages of a sequence that are remembered")
            .when(kPrefetch),
        integer("prefetch.gap_us", AT(firmware.prefetch_gap_us), 5000, 1, 1000000000,
                "a pause without reads longer than that ends a launch")
            .when(kPrefetch),
        integer("prefetch.misses", AT(firmware.prefetch_misses), 8, 1, 1000,
                "reads in a row out of order after which the prediction is given up")
            .when(kPrefetch),
        integer("prefetch.depth", AT(firmware.prefetch_depth), 0, 0, 1024, "pages on their way; auto: as many as dies are idle")
            .zero("auto")
            .when(kPrefetchDeep),
        integer("prefetch.lead", AT(prefetch.lead), 64, 1, 65536, "pages before the host")
            .when(kPrefetchFast),
        real_above("prefetch.share", AT(prefetch.share), 0.5, 0, 1,
                   "largest share of the buffer's pages with prefetched data that was not used yet")
            .when(kPrefetch),
        flag("prefetch.displace", AT(firmware.prefetch_clean_victims), true,
             "a clean page of the cache may leave for one that is brought; false: free page buffers only")
            .when(kPrefetch),
        flag("prefetch.yield", AT(firmware.prefetch_yield), true,
             "nothing is begun while a read of the host waits for the flash")
            .when(kPrefetch),
        integer("prefetch.priority", AT(firmware.prefetch_priority), 0, 0, 3,
                "reads of commands of this priority or a higher one are watched")
            .when(kPrefetch),
    };
}

} // namespace tlmssd::config
