// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the flash translation layer (ftl.h).
#include "models/config/keys/tables.h"

#include <algorithm>

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(Placement, "order", "queue_aware", "static")
NAMES(MappingUnit, "page", "4KiB")
NAMES(WritePoints, "plane", "channel")
NAMES(GcScope, "plane", "channel")
NAMES(WearPolicy, "none", "dynamic", "static", "both")
NAMES(Mapping, "page", "dftl", "log_block")
NAMES(LogPolicy, "bast", "fast")
NAMES(Recovery, "none", "scan", "journal")
TO_STRING(Recovery)

template <>
const std::vector<std::string>& names_of<GcPolicy>()
{
    static const std::vector<std::string> names{
#define GC_POLICY(id, name, ...) #name,
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
    };
    return names;
}

using namespace rows;

namespace {

/// The 24 allocation orders: the permutations of CWDP.
std::vector<std::string> allocation_names()
{
    std::vector<std::string> all{"CWDP"};
    std::string letters = "CDPW";
    do {
        if (letters != all.front()) {
            all.push_back(letters);
        }
    } while (std::next_permutation(letters.begin(), letters.end()));
    return all;
}

} // namespace

std::vector<Key> ftl_keys()
{
    return {
        word("ftl.allocation", AT(ftl.allocation), allocation_names(),
             "order of page allocation: C channel, W way, D die, P plane; first letter fastest"),
        choice("ftl.placement", AT(ftl.placement), Placement::Order,
               "plane of a write: next of the order; the next whose die is idle, else has little work "
               "(docs/explanation/queue-aware.md); or by LPN: its place in the order")
            .when(kCollects),
        choice("ftl.mapping_unit", AT(ftl.mapping_unit), MappingUnit::Page,
               "what the FTL maps: pages, a write of a part reads the rest; or units of 4 KiB, several of "
               "which are programmed together (docs/explanation/mapping-units.md)"),
        real_above("ftl.write_size_factor", AT(ftl.write_size_factor), 1, 0, 1,
                   "flash that a written byte takes, of a controller that compresses: so much more fits "
                   "into a page, and so much less crosses the bus; 1: data are stored as they come")
            .when(kMappingUnits),
        choice("ftl.write_points", AT(ftl.write_points), WritePoints::Plane,
               "blocks that the host's writes fill at a time: one a plane, or one a channel, whose planes "
               "have their turns; channel: placement order only")
            .when(kCollects),
        flag("ftl.lockstep", AT(ftl.lockstep), false,
             "a plane whose write point is ahead of another of its die is passed over, so that both "
             "stay at one page (the plane rule); placement order only")
            .when(kCollects),
        real("ftl.over_provisioning", AT(ftl.over_provisioning), 0.07, 0, 10,
             "spare / logical capacity; computed where ftl.mapping or ftl.recovery comes from a stronger source and needs more "
             "(docs/explanation/dftl.md)"),
    };
}

std::vector<Key> gc_keys()
{
    return {
        choice("ftl.gc.policy", AT(ftl.gc.policy), GcPolicy::GREEDY,
               "victim of garbage collection (docs/explanation/gc-victims.md)")
            .when(kCollects),
        integer("ftl.gc.threshold_blocks", AT(ftl.gc_threshold_blocks), 4, 2, 1024,
                "free blocks per plane at which garbage collection starts")
            .when(kCollects),
        integer("ftl.gc.choices", AT(firmware.gc_choices), 10, 1, 1024,
                "d_choices: blocks that are drawn")
            .when(kDChoices),
        integer("ftl.gc.window_blocks", AT(firmware.gc_window), 32, 1, 65536,
                "windowed_greedy: blocks of a plane that are compared")
            .when(kWindowedGreedy),
        integer("ftl.gc.hard_blocks", AT(ftl.gc.hard_blocks), 1, 1, 1023,
                "free blocks per plane that the host leaves to garbage collection; below threshold_blocks")
            .when(kCollects),
        real_above("ftl.gc.share", AT(ftl.gc.share), 1, 0, 1,
                   "largest share of a die's time for garbage collection, in 1/256, while the host has work there "
                   "and more free blocks than hard_blocks")
            .when(kCollects),
        choice("ftl.gc.scope", AT(ftl.gc.scope), GcScope::Plane,
               "channel: garbage collection starts when a channel has threshold_blocks free blocks per plane on "
               "average, in one plane of it at a time; planes at hard_blocks collect in any case")
            .when(kCollects),
        flag("ftl.gc.separate", AT(ftl.gc.separate), true,
             "pages that are moved get blocks of their own; false: they share the host's")
            .when(kCollects),
        flag("ftl.gc.copyback", AT(ftl.gc.copyback), false,
             "pages move inside their die, without a transfer and without ECC")
            .when(kCollects),
        integer("ftl.gc.copyback_limit", AT(ftl.gc.copyback_limit), 4, 1, 255,
                "copies of a page without ECC, one after the other")
            .when(kCopyback),
        choice("ftl.wear.policy", AT(ftl.wear.policy), WearPolicy::None,
               "wear levelling: dynamic: the least worn free block is the next; static: cold data leave blocks "
               "that are seldom erased"),
        integer("ftl.wear.threshold", AT(ftl.wear.threshold), 100, 1, 60000,
                "erases between a plane's most worn block and a full one, above which the latter is emptied")
            .when(kStaticWear),
        choice("ftl.mapping", AT(ftl.mapping), Mapping::Page,
               "page: the whole map is in DRAM; dftl: in translation pages in flash, entries of it are cached "
               "(docs/explanation/dftl.md); log_block: a map of blocks, and log blocks with a map of pages "
               "(docs/explanation/log-block.md)"),
        choice("ftl.log_policy", AT(ftl.log_policy), LogPolicy::Bast,
               "log_block: a log block takes the writes of one logical block; or one takes those of a logical block "
               "that is written in order, and the others are shared")
            .when(kLogBlock),
        integer("ftl.log_blocks", AT(ftl.log_blocks), 8, 2, 64, "log_block: log blocks of a plane")
            .when(kLogBlock),
        integer("ftl.map.cache_kib", AT(ftl.map.cache_kib), 256, 1, 4 << 20,
                "dftl: KiB of the cached mapping table, 32 bytes per entry")
            .when(kDftl),
        integer("ftl.map.buffers", AT(ftl.map.buffers), 16, 2, 256,
                "dftl: page buffers for translation pages: the most that are read or written at a time")
            .when(kDftl),
        integer("ftl.map.planes", AT(ftl.map.planes), 0, 0, 65536,
                "dftl: planes that have blocks for translation pages, the first of the allocation order")
            .zero("all")
            .when(kDftl),
        choice("ftl.recovery", AT(ftl.recovery), Recovery::None,
               "scan: trims and retired blocks go to table pages at FLUSH, and old pages stay until new ones are in "
               "flash, so that the map can be rebuilt from all OOB records after power loss; journal: the last page "
               "of each block says what the others hold, too, so that a mount is short (docs/explanation/power-loss.md)"),
    };
}

} // namespace tlmssd::config
