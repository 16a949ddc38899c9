// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of mechanisms: when each is on, what it counts, and why it may have done nothing.
#include "models/run/acted.h"

#include <algorithm>

#include "models/observe/output/format.h"

namespace tlmssd::run {

namespace {

using observe::grouped;
using observe::Unit;
using In = ActedInput;
using config::Config;

/// A row of the table. `why` is asked only where `times` is 0.
struct Mechanism {
    const char* name;
    const char* key; ///< ".x": x of the scheduler's own section
    bool (*on)(const Config&);
    const char* chance;
    u64 (*chances)(const In&); ///< null: not counted
    u64 (*times)(const In&);
    const char* saves;       ///< "": nothing that is counted in pieces
    u64 (*saved)(const In&); ///< null with ""
    std::string (*why)(const In&);
};

// ---- what several rows ask ----

const fw_stats& fw(const In& in) { return in.counters.firmware; }
u64 page_reads(const In& in) { return fw(in).read_hits + fw(in).read_misses; }
u64 page_writes(const In& in) { return fw(in).write_hits + fw(in).write_misses; }
u64 die_operations(const In& in) { return fw(in).flash_operations; }
u64 programs(const In& in) { return fw(in).flash_pages_written; }
u64 host_programs(const In& in) { return fw(in).host_pages_written; }
u64 flash_reads(const In& in) { return in.counters.segments.total().page_reads; }

bool buffers(const Config& c) { return c.buffer.policy != config::BufferPolicy::NONE; }
bool writes_back(const Config& c) { return buffers(c) && c.buffer.write == config::BufferWrite::Back; }
bool counts_age(config::Scheduler s) { return s == config::Scheduler::PAQ1 || s == config::Scheduler::PAQ2; }
bool takes_back(const Config& c) { return can(c.scheduler, SCHED_TAKES_BACK) && c.hit_manager().hit_manager; }

std::string bytes_text(u64 bytes)
{
    constexpr u64 kKib = 1024, kMib = 1024 * 1024;
    return bytes % kMib == 0 ? grouped(bytes / kMib) + " MiB" : grouped((bytes + kKib / 2) / kKib) + " KiB";
}

/// "the 32 MiB write buffer absorbed all 4,000 page writes"; where that is so.
std::string absorbed(const In& in)
{
    return "the " + bytes_text(in.config.buffer.bytes) + " write buffer absorbed all " + grouped(page_writes(in)) +
           " page writes";
}

/// Why nothing was programmed for the host.
std::string no_programs(const In& in)
{
    return page_writes(in) == 0 ? "the host wrote nothing" : absorbed(in);
}

/// Why nothing was given to a die.
std::string no_operations(const In& in)
{
    if (page_reads(in) + page_writes(in) == 0) {
        return "the host read and wrote nothing";
    }
    if (page_reads(in) == 0) {
        return no_programs(in);
    }
    return "the buffer answered all " + grouped(page_reads(in)) + " page reads" +
           (page_writes(in) == 0 ? "" : " and absorbed all " + grouped(page_writes(in)) + " page writes");
}

std::string no_collection(const In& in)
{
    if (programs(in) == 0) {
        return no_programs(in);
    }
    return "free blocks never fell to ftl.gc.threshold_blocks (" + grouped(in.config.ftl.gc_threshold_blocks) +
           "); precondition.steady: true starts with a used device";
}

std::string no_queued_write(const In& in)
{
    return host_programs(in) + fw(in).cancelled_writes + fw(in).returned_pages == 0
               ? no_programs(in)
               : "";
}

u64 queued_writes(const In& in) { return host_programs(in) + fw(in).cancelled_writes + fw(in).returned_pages; }

/// `none`, unless nothing was queued for flash.
std::string of_queued_writes(const In& in, const char* none)
{
    const std::string nothing = no_queued_write(in);
    return nothing.empty() ? "of " + grouped(queued_writes(in)) + " queued page writes " + none : nothing;
}

u64 queue_pairs_used(const In& in)
{
    const u64 pairs = in.config.nvme.queues;
    return in.config.nvme.steer == config::NvmeSteer::RoundRobin ? pairs : std::min(pairs, in.jobs);
}

u64 shared_pages(const In& in)
{
    return fw(in).packed_units > fw(in).packed_pages ? fw(in).packed_units - fw(in).packed_pages : 0;
}

u64 merges(const In& in)
{
    return fw(in).log_switch_merges + fw(in).log_partial_merges + fw(in).log_full_merges;
}

// ---- the rows ----

const Mechanism kHost[] = {
    {"queue pairs beside the first", "nvme.queues",
     [](const Config& c) { return c.host.kind == config::HostKind::Nvme && c.nvme.queues > 1; },
     "queue pairs beside the first", [](const In& in) -> u64 { return in.config.nvme.queues - 1; },
     [](const In& in) { return queue_pairs_used(in) - 1; }, "", nullptr,
     [](const In&) -> std::string { return "each job has one queue pair, and there is one job"; }},
};

const Mechanism kBuffer[] = {
    {"read hits", "buffer.reads", buffers, "page reads of the host", page_reads,
     [](const In& in) { return fw(in).read_hits; }, "waits of reads for flash",
     [](const In& in) { return fw(in).read_hits; },
     [](const In& in) -> std::string {
         return page_reads(in) == 0 ? "the host read nothing"
                                    : "none of " + grouped(page_reads(in)) + " page reads met its page in the buffer";
     }},
    {"write hits", "buffer.write", writes_back, "page writes of the host", page_writes,
     [](const In& in) { return fw(in).write_hits; }, "", nullptr,
     [](const In& in) -> std::string {
         return page_writes(in) == 0 ? "the host wrote nothing"
                                     : "none of " + grouped(page_writes(in)) + " page writes met its page in the buffer";
     }},
    {"programs of the host's pages", "buffer.size_mib", writes_back, "page writes of the host", page_writes,
     host_programs, "", nullptr, no_programs},
    {"padding of blocks", "buffer.page_padding", [](const Config& c) { return c.buffer.page_padding; },
     "page programs for the host", host_programs, [](const In& in) { return fw(in).padded_pages; }, "", nullptr,
     [](const In& in) -> std::string {
         return host_programs(in) == 0 ? no_programs(in) : "no block left the buffer in part";
     }},
    {"sets of a page a channel", "buffer.policy", [](const Config& c) { return c.buffer.evicts_sets(); },
     "sets of dirty pages that left", [](const In& in) { return fw(in).evicted_sets + fw(in).partial_sets; },
     [](const In& in) { return fw(in).evicted_sets; }, "", nullptr,
     [](const In& in) -> std::string {
         return fw(in).partial_sets == 0 ? no_programs(in) : "no set had a page for each channel";
     }},
    {"read-ahead", "buffer.read_ahead", [](const Config& c) { return c.buffer.read_ahead != 0; },
     "page reads of the host", page_reads, [](const In& in) { return fw(in).read_ahead_pages; },
     "waits of reads for flash", [](const In& in) { return fw(in).read_ahead_hits; },
     [](const In& in) -> std::string {
         return page_reads(in) == 0 ? "the host read nothing" : "no stream of sequential reads was found";
     }},
    {"prefetching of launches", "prefetch.mode",
     [](const Config& c) { return c.prefetch.mode != config::PrefetchMode::None; }, "page reads of the host",
     page_reads, [](const In& in) { return fw(in).prefetch_pages; }, "waits of reads for flash",
     [](const In& in) { return fw(in).prefetch_hits; },
     [](const In& in) -> std::string {
         const u64 known = fw(in).prefetch_recorded;
         return page_reads(in) == 0             ? "the host read nothing"
                : fw(in).prefetch_present > 0    ? "the buffer held all " + grouped(fw(in).prefetch_present) +
                                                       " pages that it would have brought"
                : fw(in).prefetch_recognised > 0 ? "launches that it recognised went elsewhere"
                : known > 0 ? "none of " + grouped(known) + " launches that it recorded came again"
                            : "no launch was recorded, so none could be recognised";
     }},
};

const Mechanism kScheduler[] = {
    {"reordering by the scheduler", "scheduler",
     [](const Config& c) { return can(c.scheduler, SCHED_REORDERS); },
     "operations of dies", die_operations, [](const In& in) { return fw(in).reordered; }, "", nullptr,
     [](const In& in) -> std::string {
         return die_operations(in) == 0 ? no_operations(in) : "the oldest operation could always go first";
     }},
    {"joining of planes", "geometry.planes",
     [](const Config& c) { return c.geometry.planes > 1 && can(c.scheduler, SCHED_JOINS_PLANES); },
     "operations of dies", die_operations, [](const In& in) { return fw(in).multi_plane_ops; }, "", nullptr,
     [](const In& in) -> std::string {
         return die_operations(in) == 0
                    ? no_operations(in)
                    : "no two operations waited for the same page of a die's planes at once";
     }},
    {"age limit of reads", "paq.age_limit_us",
     [](const Config& c) { return counts_age(c.scheduler) && c.firmware.paq_age_limit_us != 0; }, "pages read",
     flash_reads, [](const In& in) { return fw(in).aged_reads; }, "", nullptr,
     [](const In& in) -> std::string {
         return flash_reads(in) == 0 ? "no page was read from flash" : "no request's reads waited so long";
     }},
    {"leveler", "scheduler", [](const Config& c) { return can(c.scheduler, SCHED_REALLOCATES); },
     "queued page writes that it wanted on another die", [](const In& in) { return fw(in).moves_asked; },
     [](const In& in) { return fw(in).reallocated; }, "", nullptr,
     [](const In& in) {
         return of_queued_writes(in, fw(in).moves_asked == 0 ? "none was worth a move to another die"
                                                             : "none found a page on another die");
     }},
    {"reads of queued writes", ".hit_manager", takes_back, "page reads of the host", page_reads,
     [](const In& in) { return fw(in).hit_manager_reads; }, "page reads of flash",
     [](const In& in) { return fw(in).hit_manager_reads; },
     [](const In& in) { return of_queued_writes(in, "none was read while it waited"); }},
    {"withdrawal of overwritten writes", ".hit_manager", takes_back,
     "overwrites of queued page writes", [](const In& in) { return fw(in).queued_overwrites; },
     [](const In& in) { return fw(in).cancelled_writes; }, "page programs",
     [](const In& in) { return fw(in).cancelled_writes; },
     [](const In& in) {
         return of_queued_writes(in, fw(in).queued_overwrites == 0 ? "none was overwritten or trimmed while it waited"
                                                                   : "none that was overwritten had not begun");
     }},
    {"return of hot pages", ".return_reads",
     [](const Config& c) { return takes_back(c) && c.hit_manager().return_reads > 0; },
     "queued page writes that were read often enough", [](const In& in) { return fw(in).return_chances; },
     [](const In& in) { return fw(in).returned_pages; },
     "page programs, put off", [](const In& in) { return fw(in).returned_pages; },
     [](const In& in) {
         return of_queued_writes(in, "none was read often enough while it waited");
     }},
    {"joining of writes of one page", "scheduler",
     [](const Config& c) { return can(c.scheduler, SCHED_JOINS_WRITES); }, "queued page writes", queued_writes,
     [](const In& in) { return fw(in).joined_writes; }, "page programs",
     [](const In& in) { return fw(in).joined_writes; },
     [](const In& in) { return of_queued_writes(in, "none met a younger write of its page"); }},
};

const Mechanism kFtl[] = {
    {"cached mapping table", "ftl.mapping", [](const Config& c) { return c.ftl.mapping == config::Mapping::Dftl; },
     "page reads and writes that asked for their map entry",
     [](const In& in) { return fw(in).map_hits + fw(in).map_misses; }, [](const In& in) { return fw(in).map_hits; },
     "reads of translation pages", [](const In& in) { return fw(in).map_hits; },
     [](const In& in) -> std::string {
         return fw(in).map_misses == 0 ? no_operations(in) : "no entry was used again before it was evicted";
     }},
    {"packing of units", "ftl.mapping_unit",
     [](const Config& c) { return c.mapping_units() > 1; }, "units programmed",
     [](const In& in) { return fw(in).packed_units; }, &shared_pages, "page programs", &shared_pages,
     [](const In& in) -> std::string {
         return fw(in).packed_pages == 0 ? no_programs(in) : "no two units waited for one page";
     }},
    {"merges without a new block", "ftl.mapping",
     [](const Config& c) { return c.ftl.mapping == config::Mapping::LogBlock; }, "merges of log blocks", merges,
     [](const In& in) { return merges(in) - fw(in).log_full_merges; }, "", nullptr,
     [](const In& in) -> std::string {
         return programs(in) == 0   ? no_programs(in)
                : merges(in) == 0 ? "no log block had to be merged"
                                  : "all " + grouped(merges(in)) + " merges were full ones";
     }},
    {"garbage collection", "ftl.gc.policy", [](const Config& c) { return c.ftl.collects(); }, "pages programmed", programs,
     [](const In& in) { return fw(in).gc_runs; }, "", nullptr, no_collection},
    {"copyback", "ftl.gc.copyback", [](const Config& c) { return c.ftl.gc.copyback; }, "pages moved",
     [](const In& in) { return fw(in).gc_pages_moved; }, [](const In& in) { return fw(in).gc_copybacks; },
     "transfers of a page on a channel", [](const In& in) { return 2 * fw(in).gc_copybacks; },
     [](const In& in) -> std::string {
         return fw(in).gc_runs == 0 ? no_collection(in)
                : fw(in).gc_pages_moved == 0
                    ? "no victim block had a valid page"
                    : "no page of " + grouped(fw(in).gc_pages_moved) + " could stay in its plane";
     }},
    {"placement by what dies have queued", "ftl.placement",
     [](const Config& c) { return c.ftl.placement == config::Placement::QueueAware; },
     "pages programmed for the host", host_programs, [](const In& in) { return fw(in).turns_passed; }, "", nullptr,
     [](const In& in) -> std::string {
         return host_programs(in) == 0 ? no_programs(in) : "the die whose turn it was never had more than others";
     }},
    {"share of garbage collection", "ftl.gc.share", [](const Config& c) { return c.ftl.gc.share < 1; },
     "rounds of garbage collection", [](const In& in) { return fw(in).gc_runs; },
     [](const In& in) { return fw(in).gc_held; }, "", nullptr,
     [](const In& in) -> std::string {
         return fw(in).gc_runs == 0 ? no_collection(in) : "no round asked for more than its share of a die";
     }},
    {"static wear levelling", "ftl.wear.policy", [](const Config& c) { return c.ftl.levels_cold_data(); },
     "blocks erased", [](const In& in) { return fw(in).gc_blocks_erased; },
     [](const In& in) { return fw(in).wear_runs; }, "", nullptr,
     [](const In& in) -> std::string {
         return fw(in).gc_blocks_erased == 0
                    ? "no block was erased"
                    : "erases of blocks never differed by ftl.wear.threshold (" +
                          grouped(in.config.ftl.wear.threshold) + ")";
     }},
};

const Mechanism kController[] = {
    {"reordering by the controller", "controller.mode",
     [](const Config& c) { return c.controller.mode == config::ControllerMode::Ooo; }, "operations of dies",
     die_operations, [](const In& in) { return in.counters.order.reordered; }, "", nullptr,
     [](const In& in) -> std::string {
         return die_operations(in) == 0 ? no_operations(in) : "the oldest operation could always go first";
     }},
    {"suspension", "controller.suspend",
     [](const Config& c) { return c.controller.suspend != config::Suspend::None; }, "pages read", flash_reads,
     [](const In& in) { return in.counters.segments.total().suspends; }, "", nullptr,
     [](const In& in) -> std::string {
         const auto counts = in.counters.segments.total();
         const bool programs_too = in.config.controller.suspend == config::Suspend::ProgramAndErase;
         return flash_reads(in) == 0 ? "no page was read from flash"
                : counts.block_erases + (programs_too ? counts.page_programs : 0) == 0
                    ? (programs_too ? "nothing was programmed or erased" : "nothing was erased")
                    : "no read came to a die while it worked on what may be suspended";
     }},
    {"cache reads", "controller.cache_ops",
     [](const Config& c) { return config::caches_reads(c.controller.cache_ops); }, "pages read", flash_reads,
     [](const In& in) { return in.counters.segments.total().cache_reads; }, "array times beside a page on the bus",
     [](const In& in) { return in.counters.segments.total().cache_reads; },
     [](const In& in) -> std::string {
         return flash_reads(in) == 0 ? "no page was read from flash"
                                     : "a die was never ready with a page while its next operation was a read";
     }},
    {"cache programs", "controller.cache_ops",
     [](const Config& c) { return config::caches_programs(c.controller.cache_ops); }, "pages programmed", programs,
     [](const In& in) { return in.counters.segments.total().cache_programs; }, "transfers of a page beside a program",
     [](const In& in) { return in.counters.segments.total().cache_programs; },
     [](const In& in) -> std::string {
         return programs(in) == 0 ? no_programs(in)
                                  : "the next operation of a die was never a program of the block's next page";
     }},
    {"read retry", "controller.read_retries",
     [](const Config& c) { return c.nand.errors.enabled && c.controller.read_retries > 0; }, "codewords decoded",
     [](const In& in) { return in.counters.ecc.codewords; }, [](const In& in) { return in.counters.ecc.retries; }, "",
     nullptr,
     [](const In& in) -> std::string {
         return in.counters.ecc.codewords == 0 ? "no page was read from flash" : "ECC corrected all codewords at once";
     }},
};

std::string key_of(const Mechanism& row, const Config& c)
{
    return row.key[0] == '.' ? to_string(c.scheduler) + std::string(row.key) : row.key;
}

template <std::size_t n>
void append(std::vector<Acted>& all, const Mechanism (&rows)[n], const In& in)
{
    for (const Mechanism& row : rows) {
        if (!row.on(in.config)) {
            continue;
        }
        Acted one{row.name, key_of(row, in.config), row.chances(in), row.chance, row.times(in), {}, row.saves, ""};
        if (row.saved != nullptr) {
            one.saved = row.saved(in);
        }
        if (one.times == 0) {
            one.why = row.why(in);
        }
        all.push_back(std::move(one));
    }
}

} // namespace

std::vector<Acted> acted(const ActedInput& in)
{
    std::vector<Acted> all;
    append(all, kHost, in);
    append(all, kBuffer, in);
    append(all, kFtl, in);
    append(all, kScheduler, in);
    append(all, kController, in);
    return all;
}

const observe::Table<Acted>& acted_statistics()
{
    static const observe::Table<Acted> table(
        {{"mechanism", Unit::None, "its name", &Acted::mechanism},
         {"key", Unit::None, "key of the configuration that switches it on", &Acted::key},
         {"chances", Unit::Count, "how often it could have acted; `null` where that is not counted",
          [](const Acted& a) { return a.chances; }},
         {"chance", Unit::None, "what a chance is", &Acted::chance},
         {"acted", Unit::Count, "how often it acted", &Acted::times},
         {"saved", Unit::Count, "what it saved; `null` where that is nothing to count",
          [](const Acted& a) { return a.saved; }},
         {"saves", Unit::None, "what was saved", &Acted::saves},
         {"why", Unit::None, "why it did nothing; `null` where it acted",
          [](const Acted& a) { return a.why.empty() ? std::nullopt : std::optional<std::string>(a.why); }}});
    return table;
}

} // namespace tlmssd::run
