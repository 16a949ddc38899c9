// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of the flash translation layer's statistics.
#include "models/ssd/firmware_statistics.h"

namespace tlmssd::ssd {

using observe::Only;
using observe::Table;
using observe::Unit;
using F = FirmwareReading;

namespace {

std::optional<double> write_amplification(const F& f)
{
    if (f.maps_units()) {
        return observe::ratio(
            static_cast<double>(f.flash_pages_written * (f.config.geometry.part_bytes() / kUnitBytes)),
            static_cast<double>(f.packed_units));
    }
    return observe::ratio(static_cast<double>(f.flash_pages_written), static_cast<double>(f.host_pages_written));
}

const Table<F>& page_statistics()
{
    static constexpr Only<F> kJournal{"with `ftl.recovery: journal`", [](const F& f) { return f.keeps_journals(); }};
    static const Table<F> table(
        {{"host_pages_written", Unit::Count,
          "pages written on behalf of the host. A page written in part counts once", &F::host_pages_written},
         {"flash_pages_written", Unit::Count,
          "pages programmed: host pages, those that garbage collection moved, table pages and translation pages",
          &F::flash_pages_written},
         {"waf", Unit::Ratio,
          "write amplification, `flash_pages_written / host_pages_written`; with mapping units `flash_pages_written` x "
          "units of a page / `ftl.units.written`",
          &write_amplification},
         {"table_pages_written", Unit::Count,
          "pages programmed for the firmware itself: trims and retired blocks (`ftl.recovery`)",
          &F::table_pages_written},
         {"journal_pages_written", Unit::Count, "journal pages programmed", &F::journal_pages_written, &kJournal}});
    return table;
}

const Table<F>& recovery_statistics()
{
    static constexpr Only<F> kMount{"with `--timed-mount`", [](const F& f) { return f.mount.has_value(); }};
    static constexpr Only<F> kJournals{"with `--timed-mount` and `ftl.recovery: journal`",
                                       [](const F& f) { return f.mount.has_value() && f.keeps_journals(); }};
    static const Table<F> table(
        {{"recovery.mount_us", Unit::Microseconds,
          "time from the order to mount until the first command may come",
          [](const F& f) { return f.mount->took.microseconds(); }, &kMount},
         {"recovery.pages_read", Unit::Count, "pages read for the mount", [](const F& f) { return f.mount->reads; },
          &kMount},
         {"recovery.journals", Unit::Count, "blocks whose journal page was read",
          [](const F& f) { return f.mount->journals; }, &kJournals},
         {"recovery.doubtful_blocks", Unit::Count,
          "blocks with a journal page whose other pages were read as well, because the same version was found elsewhere",
          [](const F& f) { return f.mount->doubts; }, &kJournals},
         {"recovery.full_scans", Unit::Count, "1 where all pages had to be read",
          [](const F& f) { return f.mount->scans; }, &kJournals}});
    return table;
}

const Table<F>& map_statistics()
{
    static constexpr Only<F> kDftl{"with `ftl.mapping: dftl`",
                                   [](const F& f) { return f.config.ftl.mapping == config::Mapping::Dftl; }};
    static const Table<F> table(
        {{"map.hits", Unit::Count, "page reads and writes that found their map entry in DRAM ([dftl.md](../explanation/dftl.md))",
          &F::map_hits, &kDftl},
         {"map.misses", Unit::Count, "page reads and writes that waited for a translation page", &F::map_misses,
          &kDftl},
         {"map.evictions", Unit::Count, "entries that left the cached mapping table for others", &F::map_evictions,
          &kDftl},
         {"map.pages_read", Unit::Count, "translation pages read", &F::map_reads, &kDftl},
         {"map.pages_written", Unit::Count,
          "translation pages programmed; they count in `ftl.flash_pages_written`, too", &F::map_writes, &kDftl},
         {"map.entries_merged", Unit::Count, "changed entries that were written with them", &F::map_merged, &kDftl},
         {"map.pages_moved", Unit::Count,
          "translation pages that were programmed because their block was collected", &F::map_moved, &kDftl},
         {"map.blocks_erased", Unit::Count, "blocks of translation pages erased", &F::map_erases, &kDftl}});
    return table;
}

const Table<F>& log_statistics()
{
    static constexpr Only<F> kLog{"with `ftl.mapping: log_block`",
                                  [](const F& f) { return f.config.ftl.mapping == config::Mapping::LogBlock; }};
    static const Table<F> table(
        {{"log.switch_merges", Unit::Count,
          "log blocks that became data blocks as they were ([log-block.md](../explanation/log-block.md))",
          &F::log_switch_merges, &kLog},
         {"log.partial_merges", Unit::Count, "log blocks that became data blocks after the missing pages were copied",
          &F::log_partial_merges, &kLog},
         {"log.full_merges", Unit::Count, "logical blocks that were copied to a new data block", &F::log_full_merges,
          &kLog},
         {"log.pages_copied", Unit::Count, "pages copied by merges; they count in `ftl.flash_pages_written`, too",
          &F::log_pages_copied, &kLog},
         {"log.fillers", Unit::Count,
          "pages that merges programmed without data, in front of live ones; they count there, too", &F::log_fillers,
          &kLog},
         {"log.dropped", Unit::Count, "log blocks that were erased without a merge, because nothing in them was live",
          &F::log_drops, &kLog}});
    return table;
}

const Table<F>& gc_statistics()
{
    static constexpr Only<F> kUnits{"with `ftl.mapping_unit: 4KiB`", [](const F& f) { return f.maps_units(); }};
    static const Table<F> table(
        {{"gc.runs", Unit::Count, "victim blocks chosen", &F::gc_runs},
         {"gc.pages_moved", Unit::Count, "valid pages copied out of victims", &F::gc_pages_moved},
         {"units.pages_programmed", Unit::Count,
          "flash pages programmed for the host ([mapping-units.md](../explanation/mapping-units.md))",
          &F::packed_pages, &kUnits},
         {"units.written", Unit::Count, "units in these pages", &F::packed_units, &kUnits},
         {"units.padding", Unit::Count, "places for units in these pages that stayed empty",
          [](const F& f) { return f.packed_pages * f.config.mapping_units() - f.packed_units; }, &kUnits},
         {"units.moved", Unit::Count,
          "units that garbage collection has moved; `ftl.gc.pages_moved` counts the pages they were programmed in",
          &F::gc_units_moved, &kUnits},
         {"gc.blocks_erased", Unit::Count, "blocks erased", &F::gc_blocks_erased},
         {"gc.copybacks", Unit::Count,
          "pages of `ftl.gc.pages_moved` that did not leave their die (`ftl.gc.copyback`)", &F::gc_copybacks},
         {"gc.held", Unit::Count, "times that garbage collection waited for its share of a die (`ftl.gc.share`)",
          &F::gc_held},
         {"gc.held_us", Unit::Microseconds, "sum of the waits", &F::gc_held_us}});
    return table;
}

const Table<F>& block_statistics()
{
    static constexpr Only<F> kReadOnly{"where `ftl.read_only` is true",
                                       [](const F& f) { return f.firmware.stats.read_only != 0; }};
    static const Table<F> table(
        {{"bad_blocks.factory", Unit::Count, "blocks marked bad by the manufacturer", &F::factory_bad},
         {"bad_blocks.retired", Unit::Count, "blocks that the firmware has taken out of use since the start",
          &F::blocks_retired},
         {"free_blocks.start", Unit::Ratio, "mean number of erased blocks of a plane as the measured part begins",
          [](const F& f) { return f.per_plane(f.free_blocks.start); }},
         {"free_blocks.end", Unit::Ratio, "and as it ends; a run that used up more than it collected ends with fewer",
          [](const F& f) { return f.per_plane(f.free_blocks.end); }},
         {"program_fails", Unit::Count, "page programs that failed; each was done again elsewhere", &F::program_fails},
         {"erase_fails", Unit::Count, "block erases that failed", &F::erase_fails},
         {"read_errors", Unit::Count, "page reads that came back unreadable after all retries", &F::read_errors},
         {"pages_lost", Unit::Count,
          "logical pages whose only copy became unreadable; host reads of them end with an error until they are "
          "written again",
          &F::pages_lost},
         {"read_only", Unit::None,
          "true: so few good blocks are left that nothing can be written any more. Writes and trims end with an error",
          [](const F& f) { return f.firmware.stats.read_only != 0; }},
         {"read_only_us", Unit::Microseconds, "simulated time at which it became so",
          [](const F& f) { return f.firmware.stats.read_only_us; }, &kReadOnly},
         {"wear.runs", Unit::Count, "blocks that static wear levelling emptied; they count in `ftl.gc` too",
          &F::wear_runs},
         {"wear.pages_moved", Unit::Count, "pages that static wear levelling moved; they count in `ftl.gc` too",
          &F::wear_pages_moved},
         {"wear.min", Unit::Count, "fewest erases of a block, over all blocks of the device", &F::least_erases},
         {"wear.max", Unit::Count, "most erases of a block", &F::most_erases},
         {"wear.mean", Unit::Ratio, "mean erases of a block", &F::mean_erases},
         {"wear.stddev", Unit::Ratio, "standard deviation of the population", &F::erases_deviation}});
    return table;
}

const F& itself(const F& f) { return f; }

} // namespace

const Table<F>& ftl_statistics()
{
    static const Table<F> table({{"", "", page_statistics, &itself},
                                 {"", "", recovery_statistics, &itself},
                                 {"", "", map_statistics, &itself},
                                 {"", "", log_statistics, &itself},
                                 {"", "", gc_statistics, &itself},
                                 {"", "", block_statistics, &itself}});
    return table;
}

} // namespace tlmssd::ssd
