// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rules of the FTL: spare blocks, what is mapped, what survives, where writes go.
#include <algorithm>
#include <cmath>

#include "models/config/rules/rules.h"
#include "models/config/rules/spare.h"

namespace tlmssd::config {
namespace {

constexpr u32 kMinBlocks = 8;       // beside the collection threshold
constexpr u32 kRecoveryReserve = 2; // free blocks a plane that the host leaves (docs/explanation/power-loss.md)

class FtlRules : public Rules {
public:
    using Rules::Rules;
    void all() const
    {
        spare_blocks();
        placement();
        sost();
    }

private:
    void spare_blocks() const
    {
        require(c_.ftl.gc.hard_blocks < c_.ftl.gc_threshold_blocks, "ftl.gc.hard_blocks",
                str(c_.ftl.gc.hard_blocks) + " is not below ftl.gc.threshold_blocks, " +
                    str(c_.ftl.gc_threshold_blocks) + "; at most " + str(c_.ftl.gc_threshold_blocks - 1));
        require(c_.ftl.gc.separate || !can(c_.scheduler, SCHED_LETS_GC_PASS), "ftl.gc.separate",
                std::string("false conflicts with scheduler ") + to_string(c_.scheduler) +
                    ", which lets garbage collection pass the host's programs: pages of a block are programmed in "
                    "order; use true");
        recovery();
        copyback();
        cached_map();
        mapping();
        log_blocks();
        if (c_.ftl.collects()) {
            blocks_to_collect();
        }
        const Spare spare = spare_of(c_);
        const double ratio =
            static_cast<double>(g_.pages) * g_.blocks / static_cast<double>(std::max<u64>(spare.usable, 1)) - 1;
        require(spare.fits(), "ftl.over_provisioning",
                format_real(c_.ftl.over_provisioning) + " leaves " + str(spare.logical) +
                    " logical pages per plane, but only " + str(spare.usable) + " fit beside " +
                    str(spare.reserve) + " reserved blocks of " + str(g_.blocks) + "; needs at least " +
                    format_real(std::ceil(ratio * 1000) / 1000) + " or more blocks");
    }

    void blocks_to_collect() const
    {
        const u32 least = c_.ftl.gc_threshold_blocks + kMinBlocks + c_.map_blocks();
        require(g_.blocks >= least, given("geometry.blocks", "nand.blocks"),
                str(g_.blocks) + " blocks per plane; garbage collection needs at least " +
                    str(least) + " (" + str(kMinBlocks) + " + ftl.gc.threshold_blocks" +
                    (c_.map_blocks() != 0 ? " + " + str(c_.map_blocks()) + " of translation pages)" : ")"));
    }

    /// A logical block has its plane, and its pages their places in a data block.
    void log_blocks() const
    {
        if (c_.ftl.mapping != Mapping::LogBlock) {
            return;
        }
        const char* const key = "ftl.mapping";
        require(!can(c_.scheduler, SCHED_PLACES_WRITES) && !can(c_.scheduler, SCHED_TRANSLATES_LATE), key,
                std::string("log_block conflicts with scheduler ") + to_string(c_.scheduler) +
                    ", which chooses when or where a write gets its page; use page, or scheduler serial, barrier, "
                    "inorder, host, paq0, paq1 or paq2");
        require(c_.ftl.recovery == Recovery::None, key,
                std::string("log_block conflicts with ftl.recovery: ") + to_string(c_.ftl.recovery) +
                    ": a mount rebuilds a map of pages; use page, or ftl.recovery: none");
        require(c_.ftl.mapping_unit == MappingUnit::Page, key,
                "log_block conflicts with ftl.mapping_unit: 4KiB: a data block holds whole pages at their places; use "
                "page, or ftl.mapping_unit: page");
        require(!c_.ftl.levels_cold_data(), key,
                "log_block conflicts with ftl.wear.policy: static or both: merges choose what moves; use page, or "
                "ftl.wear.policy: dynamic");
        require(!c_.buffer.evicts_sets() || c_.buffer.policy == BufferPolicy::CAWR_BLOCK, key,
                "log_block conflicts with buffer.policy: " + std::string(to_string(c_.buffer.policy)) +
                    ", which says to which channel a page goes; use page, or buffer.policy: cawr_block");
    }

    void copyback() const
    {
        if (!c_.ftl.gc.copyback) {
            return;
        }
        const char* const key = "ftl.gc.copyback";
        require(can(c_.scheduler, SCHED_COPIES_BACK), key,
                std::string("true conflicts with scheduler ") + to_string(c_.scheduler) +
                    ", which knows reads, programs and erases only; use serial, barrier, inorder or host");
        require(!is_rtl(c_.controller.kind), key,
                std::string("true conflicts with controller.kind: ") + to_string(c_.controller.kind) +
                    ": the RTL controllers have no copyback; use tlm");
        require(c_.ftl.mapping != Mapping::Dftl, key,
                "true conflicts with ftl.mapping: dftl: the map entry of a copy is not at hand when it has "
                "ended; use page");
        require(c_.ftl.gc.separate, key,
                "true needs ftl.gc.separate: true: a copy takes its page before the host's programs that are "
                "in front of it have been sent");
    }

    void mapping() const
    {
        if (c_.ftl.mapping_unit == MappingUnit::Page) {
            return;
        }
        const char* const key = "ftl.mapping_unit";
        const std::string factor = format_real(c_.ftl.write_size_factor);
        require(g_.units_per_page() > 1, key,
                "4KiB: pages of " + str(c_.nand.page_bytes) + " bytes (nand.page_bytes) hold no two units" +
                    (c_.ftl.write_size_factor < 1 ? " of " + factor + " times their size (ftl.write_size_factor)"
                                                  : "") +
                    "; use page");
        require(c_.ftl.recovery == Recovery::None, key,
                std::string("4KiB conflicts with ftl.recovery: ") + to_string(c_.ftl.recovery) +
                    ": the record beside a page names one logical page; "
                    "use page, or ftl.recovery: none");
        require(!can(c_.scheduler, SCHED_TAKES_BACK), key,
                "4KiB conflicts with scheduler " + std::string(to_string(c_.scheduler)) +
                    ", whose hit manager takes back single writes; use page, or another scheduler");
        require(c_.ftl.placement != Placement::Static, key,
                "4KiB conflicts with ftl.placement: static: units of a page have different places in the "
                "order; use page, or ftl.placement: order");
        require(c_.ftl.mapping != Mapping::Dftl, key,
                "4KiB conflicts with ftl.mapping: dftl: translation pages map whole pages; use page, or "
                "ftl.mapping: page");
        require(!c_.ftl.gc.copyback, key,
                "4KiB conflicts with ftl.gc.copyback: true: a page to copy may hold dead units; use page, or "
                "ftl.gc.copyback: false");
        require(!c_.buffer.evicts_sets(), key,
                "4KiB conflicts with buffer.policy: " + std::string(to_string(c_.buffer.policy)) +
                    ", which says to which channel a page goes; use page, or buffer.policy: ccf_lru");
        if (c_.ftl.write_size_factor < 1) {
            compression(factor);
        }
    }

    void compression(const std::string& factor) const
    {
        const char* const key = "ftl.write_size_factor";
        const double least = static_cast<double>(c_.nand.page_bytes / kUnitBytes) / (kMostPageUnits + 1);
        require(g_.units_per_page() <= kMostPageUnits, key,
                factor + " puts more than " + str(kMostPageUnits) + " units of 4 KiB into a page of " +
                    str(c_.nand.page_bytes) + " bytes (nand.page_bytes); use more than " + format_real(least));
        require(c_.data == DataKind::Tags, key,
                factor + " conflicts with data: full: no contents are compressed; use data: tags, or 1");
        require(!c_.nand.errors.enabled, key,
                factor + " conflicts with nand.errors.enabled: true: the error model has codewords of 512 "
                         "bytes of the host's; use false, or 1");
    }

    void recovery() const
    {
        if (c_.ftl.recovery == Recovery::None) {
            return;
        }
        const std::string mode = std::string("ftl.recovery: ") + to_string(c_.ftl.recovery);
        require(c_.ftl.gc.separate, "ftl.gc.separate",
                "false conflicts with " + mode + ": after power loss a block of copies has to hold "
                "nothing else; use true");
        require(c_.ftl.recovery != Recovery::Journal || g_.pages > 1, "ftl.recovery",
                "journal takes the last page of each block, but blocks have one page; use scan");
        require(c_.ftl.recovery != Recovery::Journal || c_.journal_bytes() <= g_.page_bytes, "ftl.recovery",
                "journal needs " + str(c_.journal_bytes()) + " bytes for a block of " + str(g_.pages) +
                    " pages, more than a page of " + str(g_.page_bytes) + " has; use scan");
        require(c_.ftl.gc_threshold_blocks > kRecoveryReserve, "ftl.gc.threshold_blocks",
                str(c_.ftl.gc_threshold_blocks) + " conflicts with " + mode + ": the host leaves " +
                    str(kRecoveryReserve) + " free blocks per plane, and garbage collection has to start above; use " +
                    str(kRecoveryReserve + 1) + " or more");
    }

    /// Each plane may collect a page with an entry pinned and another to go on, and some are left for the host.
    void cached_map() const
    {
        if (c_.ftl.mapping != Mapping::Dftl) {
            return;
        }
        require(c_.ftl.recovery == Recovery::None, "ftl.mapping",
                std::string("dftl conflicts with ftl.recovery: ") + to_string(c_.ftl.recovery) +
                    ": a mount rebuilds the whole map in DRAM; use page");
        const u32 planes = g_.total_planes();
        const u32 least = 4 * planes + 64;
        const u32 per_kib = 1024 / Config::kMapEntryBytes;
        require(c_.map_entries() >= least, "ftl.map.cache_kib",
                str(c_.ftl.map.cache_kib) + " hold " + str(c_.map_entries()) + " entries; " + str(planes) +
                    " planes need " + str(least) + " (4 each and 64): use " + str((least + per_kib - 1) / per_kib) +
                    " or more");
        require(c_.ftl.map.planes <= planes, "ftl.map.planes",
                str(c_.ftl.map.planes) + " planes hold translation pages, but the device has " + str(planes));
    }

    void placement() const
    {
        const Ftl& f = c_.ftl;
        const bool places = can(c_.scheduler, SCHED_PLACES_WRITES);
        require(f.placement != Placement::Static || !places, "ftl.placement",
                "static: scheduler " + std::string(to_string(c_.scheduler)) +
                    " chooses the dies of writes itself; use order, or scheduler vaq");
        require(!f.lockstep || f.placement == Placement::Order, "ftl.lockstep",
                std::string("the LPN or the work of dies chooses planes (ftl.placement is ") +
                    (f.placement == Placement::Static ? "static" : "queue_aware") +
                    "); lockstep needs order");
        require(!f.lockstep || !places, "ftl.lockstep",
                "scheduler " + std::string(to_string(c_.scheduler)) +
                    " chooses the planes of writes itself; use false");
        if (f.write_points == WritePoints::Plane) {
            return;
        }
        require(f.placement == Placement::Order && !f.lockstep, "ftl.write_points",
                "channel: one block of a channel is filled at a time; needs ftl.placement: order and no "
                "ftl.lockstep");
        require(!places, "ftl.write_points",
                "channel: scheduler " + std::string(to_string(c_.scheduler)) +
                    " chooses the dies of writes itself; use plane");
    }

    void sost() const
    {
        const u64 bytes = c_.logical_pages() * g_.page_bytes;
        for (const PriorityRange& r : c_.sost.ranges) {
            require(r.first_mib << 20 < bytes, "sost.ranges_mib",
                    str(r.first_mib) + " MiB lie beyond the device's " + str(bytes >> 20));
        }
    }
};

} // namespace

void check_ftl(const Config& config, const Settings& settings) { FtlRules(config, settings).all(); }

} // namespace tlmssd::config
