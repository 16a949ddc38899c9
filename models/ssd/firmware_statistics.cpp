// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reading the firmware's counters; the tables of buffer, prefetcher and scheduler.
#include "models/ssd/firmware_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "firmware/boot/firmware.h"
#include "models/ssd/include/tlmssd/ssd.h"

namespace tlmssd::ssd {

using observe::Only;
using observe::Table;
using observe::Unit;
using F = FirmwareReading;

namespace {

u64 prefetch_table_bytes(const F& f) { return fw_prefetch_table_bytes(&f.firmware.cfg); }

std::optional<double> hit_ratio(const F& f)
{
    const u64 hits = f.read_hits + f.write_hits;
    return observe::ratio(static_cast<double>(hits), static_cast<double>(hits + f.read_misses + f.write_misses));
}

std::optional<double> queue_found(const F& f)
{
    return observe::ratio(static_cast<double>(f.queued_before), static_cast<double>(f.queued_writes));
}

const F& itself(const F& f) { return f; }

} // namespace

/// All counters of the firmware are u64, one after the other.
fw_stats since(const fw_stats& now, const fw_stats& before)
{
    constexpr std::size_t kCount = sizeof(fw_stats) / sizeof(u64);
    static_assert(sizeof(fw_stats) == kCount * sizeof(u64));
    u64 a[kCount], b[kCount];
    std::memcpy(a, &now, sizeof a);
    std::memcpy(b, &before, sizeof b);
    for (std::size_t i = 0; i < kCount; ++i) {
        a[i] -= b[i];
    }
    fw_stats result{};
    std::memcpy(&result, a, sizeof a);
    result.factory_bad = now.factory_bad;
    return result;
}

FirmwareReading::FirmwareReading(const fw_stats& counted, const Ssd& ssd, FreeBlocks blocks_free,
                                 const std::optional<MountReading>& mounted)
    : fw_stats(counted), config(ssd.config()), firmware(ssd.firmware()), free_blocks(blocks_free), mount(mounted)
{
    u64 sum = 0, squares = 0;
    ssd.refresh_wear();
    fw_wear(&firmware, &least_erases, &most_erases, &sum, &squares);
    const double blocks = static_cast<double>(u64{config.geometry.total_planes()} * config.geometry.blocks);
    mean_erases = static_cast<double>(sum) / blocks;
    erases_deviation = std::sqrt(std::max(0.0, static_cast<double>(squares) / blocks - mean_erases * mean_erases));
}

const Table<F>& firmware_statistics()
{
    static constexpr Only<F> kPrefetch{
        "with `prefetch.mode`", [](const F& f) { return f.config.prefetch.mode != config::PrefetchMode::None; }};
    static const Table<F> table(
        {{"ftl", "the flash translation layer", ftl_statistics, &itself},
         {"buffer", "the write buffer and read cache", buffer_statistics, &itself},
         {"prefetch", "the launch-recognising prefetcher ([prefetch.md](../explanation/prefetch.md))", prefetch_statistics, &itself,
          &kPrefetch},
         {"sched", "the scheduler", sched_statistics, &itself}});
    return table;
}

const Table<F>& buffer_statistics()
{
    static constexpr Only<F> kPadding{"with `buffer.page_padding`", [](const F& f) { return f.config.buffer.page_padding; }};
    static constexpr Only<F> kReadAhead{"with `buffer.read_ahead`",
                                        [](const F& f) { return f.config.buffer.read_ahead != 0; }};
    static constexpr Only<F> kSets{"with `buffer.policy: gating`, `cave`, `cawr` or `cawr_block`",
                                   [](const F& f) { return f.config.buffer.evicts_sets(); }};
    static const Table<F> table(
        {{"pages", Unit::Count,
          "page buffers for the host's pages; with mapping units one for each unit, and all counts of `buffer` are of "
          "units",
          [](const F& f) { return u64{f.firmware.cfg.lines}; }},
         {"table_bytes", Unit::Bytes, "what the firmware keeps about them: tags, hash, the policy's lists",
          [](const F& f) -> u64 { return fw_line_table_bytes(&f.firmware.cfg); }},
         {"read_hits", Unit::Count, "page reads that the DRAM buffer answered", &F::read_hits},
         {"read_misses", Unit::Count, "page reads that went to flash", &F::read_misses},
         {"write_hits", Unit::Count, "page writes that met their page in the buffer", &F::write_hits},
         {"write_misses", Unit::Count, "page writes that did not meet it there", &F::write_misses},
         {"hit_ratio", Unit::Fraction, "all hits / (all hits + all misses)", &hit_ratio},
         {"padded_pages", Unit::Count, "pages that were read and programmed to complete a block that left",
          &F::padded_pages, &kPadding},
         {"read_ahead.pages", Unit::Count, "pages brought ahead of a stream", &F::read_ahead_pages, &kReadAhead},
         {"read_ahead.hits", Unit::Count, "pages brought ahead that a read has used", &F::read_ahead_hits,
          &kReadAhead},
         {"read_ahead.unused", Unit::Count, "pages brought ahead that left without a use", &F::read_ahead_unused,
          &kReadAhead},
         {"evicted_sets", Unit::Count, "sets of dirty pages that left, one page for each channel", &F::evicted_sets,
          &kSets},
         {"partial_sets", Unit::Count, "sets of dirty pages that left for some of the channels", &F::partial_sets,
          &kSets},
         {"directed_elsewhere", Unit::Count,
          "pages that went to another channel than the policy wanted because that one was full",
          &F::directed_elsewhere, &kSets}});
    return table;
}

const Table<F>& prefetch_statistics()
{
    static const Table<F> table(
        {{"sequences.recorded", Unit::Count, "sequences that were kept", &F::prefetch_recorded},
         {"sequences.recognised", Unit::Count, "launches that were known again", &F::prefetch_recognised},
         {"sequences.finished", Unit::Count, "recognised launches that were followed to the end",
          &F::prefetch_finished},
         {"sequences.aborted", Unit::Count, "recognised launches given up because the host went elsewhere",
          &F::prefetch_aborted},
         {"pages", Unit::Count, "pages that it brought", &F::prefetch_pages},
         {"present", Unit::Count, "pages that it would have brought, and the buffer had already", &F::prefetch_present},
         {"hits", Unit::Count, "pages that it brought and a read used", &F::prefetch_hits},
         {"late", Unit::Count, "used pages that were still on their way when the host asked", &F::prefetch_late},
         {"unused", Unit::Count, "pages that left without a use", &F::prefetch_unused},
         {"table_bytes", Unit::Bytes, "memory of its tables", &prefetch_table_bytes}});
    return table;
}

const Table<F>& sched_statistics()
{
    static constexpr Only<F> kReallocates{"with scheduler `sost`", [](const F& f) {
                                              return can(f.config.scheduler, SCHED_REALLOCATES);
                                          }};
    static constexpr Only<F> kJoins{"with scheduler `hybrid`", [](const F& f) {
                                        return can(f.config.scheduler, SCHED_JOINS_WRITES);
                                    }};
    static constexpr Only<F> kTakesBack{"with scheduler `sost` or `hybrid`", [](const F& f) {
                                            return can(f.config.scheduler, SCHED_TAKES_BACK);
                                        }};
    static constexpr Only<F> kAges{"with `paq.age_limit_us`", [](const F& f) {
                                       return (f.config.scheduler == config::Scheduler::PAQ1 ||
                                               f.config.scheduler == config::Scheduler::PAQ2) &&
                                              f.config.firmware.paq_age_limit_us != 0;
                                   }};
    static const Table<F> table(
        {{"name", Unit::None, "name of the scheduler",
          [](const F& f) { return std::string(to_string(f.config.scheduler)); }},
         {"reordered", Unit::Count, "operations issued before an older one of the same queue", &F::reordered},
         {"aged_reads", Unit::Count, "read operations that went before all else of their die by age", &F::aged_reads,
          &kAges},
         {"multi_plane_ops", Unit::Count, "operations that joined pages of two or more planes", &F::multi_plane_ops},
         {"reallocated", Unit::Count, "queued writes that the leveler moved to another die", &F::reallocated, &kReallocates},
         {"hit_manager_reads", Unit::Count,
          "page reads answered from the data of a write that was queued or running", &F::hit_manager_reads, &kTakesBack},
         {"cancelled_writes", Unit::Count,
          "queued writes that never went to flash because the host overwrote or trimmed the page",
          &F::cancelled_writes, &kTakesBack},
         {"joined_writes", Unit::Count,
          "page writes that went to flash in the program of a younger one of the same page", &F::joined_writes,
          &kJoins},
         {"returned_pages", Unit::Count, "queued writes that went back into the cache because they were read often",
          &F::returned_pages, &kTakesBack},
         {"queued_overwrites", Unit::Count,
          "overwrites and trims that met a queued or running write of their page, the first of each write: the chances "
          "of cancelled_writes", &F::queued_overwrites, &kTakesBack},
         {"return_chances", Unit::Count,
          "writes that were read return_reads times while they were queued or ran: the chances of returned_pages",
          &F::return_chances, &kTakesBack},
         {"queued_writes", Unit::Count, "page writes of the host that came into the queue of a die", &F::queued_writes,
          &kReallocates},
         {"queue_found", Unit::Ratio,
          "mean number of operations, queued or running, that such a write found at its die", &queue_found,
          &kReallocates},
         {"ran_empty", Unit::Count, "times that a die had nothing left to do while others had: the chances of the leveler",
          &F::ran_empty, &kReallocates},
         {"moves_asked", Unit::Count,
          "queued writes that the leveler offered to another die; those beyond reallocated found no page there",
          &F::moves_asked, &kReallocates},
         {"class_choices", Unit::Count,
          "choices between classes at a free die: the chances of reordered", &F::class_choices, &kReallocates},
         {"aged", Unit::Count, "choices between classes that sost.age_limit_us decided instead of the class", &F::aged, &kReallocates},
         {"hot_writes", Unit::Count, "writes of the host that came into the class of hot writes (sost.hot_hits)",
          &F::hot_writes, &kReallocates}});
    return table;
}

const Table<F>& operation_statistics()
{
    static const Table<F> table(
        {{"die_operations", Unit::Count, "operations given to a die; pages joined in one operation count once",
          &F::flash_operations}});
    return table;
}

const Table<F>& cycle_statistics()
{
    static const Table<F> table(
        {{"cycles.hil", Unit::Cycles,
          "cycles of the firmware's host interface, over all cores: charged (`native`) or executed (`iss`)",
          [](const F& f) { return f.cycles[FW_MODULE_HIL]; }},
         {"cycles.buffer", Unit::Cycles, "cycles of the buffer", [](const F& f) { return f.cycles[FW_MODULE_BUFFER]; }},
         {"cycles.ftl", Unit::Cycles, "cycles of the flash translation layer",
          [](const F& f) { return f.cycles[FW_MODULE_FTL]; }},
         {"cycles.sched", Unit::Cycles, "cycles of the scheduler",
          [](const F& f) { return f.cycles[FW_MODULE_SCHED]; }}});
    return table;
}

const std::vector<CounterWithoutRow>& counters_without_row()
{
    static const std::vector<CounterWithoutRow> counters{
        {&fw_stats::read_only, "a state: ftl.read_only shows that of the whole run"},
        {&fw_stats::read_only_us, "a state: ftl.read_only_us shows that of the whole run"},
        {&fw_stats::merges, "for tests"},
        {&fw_stats::queued_before, "in sched.queue_found"},
        {&fw_stats::pages_trimmed, "for tests"},
        {&fw_stats::turns_passed, "in acted: placement by what dies have queued"},
        {&fw_stats::reads_from_flash, "in bound.makespan_s"},
        {&fw_stats::mount_journals, "of a mount: ftl.recovery.journals shows it when the mount has ended"},
        {&fw_stats::mount_doubts, "of a mount: ftl.recovery.doubtful_blocks"},
        {&fw_stats::mount_scans, "of a mount: ftl.recovery.full_scans"},
        {&fw_stats::mount_reads, "of a mount: ftl.recovery.pages_read"},
        {&fw_stats::mounts, "says that a mount has ended"},
        {&fw_stats::power_fails, "says that the supply has gone"},
        {&fw_stats::power_saves, "says that all acknowledged data are in flash"},
    };
    return counters;
}

} // namespace tlmssd::ssd
