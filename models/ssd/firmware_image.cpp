// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: configuration and memory of the native firmware.
#include "models/ssd/firmware_image.h"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "firmware/boot/firmware.h"
#include "models/common/error.h"
#include "models/ssd/peak_rates.h"

namespace tlmssd::ssd {

namespace {

/// How many operations a channel's bus serves while the array works on one.
struct BusShare {
    u32 reads;  ///< page reads
    u32 copies; ///< pages that collection reads and programs
};
BusShare bus_share(const config::Config& c)
{
    if (c.onfi.timeless) { // any number: as many as there can be
        return {c.controller.tags, c.controller.tags};
    }
    const PeakRates peak = peak_rates(c);
    const double page = 1e-6 * c.geometry.page_bytes * c.geometry.channels;
    const double out = page / peak.channel_read; // seconds of bus a page
    const double in = page / peak.channel_program;
    const double read = c.nand.t_read.seconds();
    return {static_cast<u32>(std::ceil(read / out)),
            static_cast<u32>(std::ceil((read + c.nand.t_program.seconds()) / (out + in)))};
}

/// What a sector adds to the time of its page on a channel, in ns, command and address cycles shared out.
u32 sector_ns(const config::Config& c)
{
    if (c.onfi.timeless) {
        return 0;
    }
    return static_cast<u32>(std::lround(1e3 * 512 * c.geometry.channels / peak_rates(c).channel_read));
}

/// All of `f` but its slots is known.
u32 page_buffers(fw_config f, const config::Config& c)
{
    const u32 page = fw_unit_bytes(&f);
    const u32 most = static_cast<u32>(c.buffer.bytes / page);
    if (!c.buffer.tables_inside) {
        return most;
    }
    u32 fits = 0;
    for (u32 step = std::max(most, 1u); step != 0; step /= 2) { // the largest number that fits
        while (fits + step <= most) {
            f.lines = fits + step;
            if (u64{f.lines} * page + fw_line_table_bytes(&f) > c.buffer.bytes) {
                break;
            }
            fits = f.lines;
        }
    }
    if (fits < config::kLeastPageBuffers) {
        throw InputError("buffer.size_mib: with their tables inside (buffer.tables_inside) only " +
                         std::to_string(fits) + " pages fit; the firmware needs " +
                         std::to_string(config::kLeastPageBuffers));
    }
    return fits;
}

} // namespace

fw_config firmware_config(const config::Config& c)
{
    const Geometry& g = c.geometry;
    const u32 bits = bits_for(g.total_planes()) + bits_for(g.blocks) + bits_for(g.pages) + c.mapping_bits();
    if (bits > 31) {
        throw InputError("geometry: planes, blocks and pages of the device need " +
                         std::to_string(bits) +
                         " bits of page number; the firmware has 31: lower geometry.blocks");
    }
    if (g.sectors_per_page() > 64) {
        throw InputError("geometry: pages of " + std::to_string(g.page_bytes) +
                         " bytes; the firmware handles at most 32768");
    }
    fw_config f = c.firmware;
    f.channels = g.channels;
    f.ways = g.ways;
    f.chip_enables = g.chip_enables;
    f.dies = g.dies;
    f.planes = g.planes;
    f.blocks = g.blocks;
    f.pages = g.pages;
    f.page_bytes = g.page_bytes;
    f.unit_bits = c.mapping_bits();
    const u32 units = c.mapping_units();
    f.logical_pages = static_cast<u32>(c.logical_pages()) * units;
    for (u32 i = 0; i < 4; ++i) {
        f.allocation[i] = static_cast<u32>(std::string("CWDP").find(c.ftl.allocation[i]));
    }
    f.gc_threshold = c.ftl.gc_threshold_blocks;
    f.gc_policy = static_cast<u32>(c.ftl.gc.policy);
    f.gc_hard = c.ftl.gc.hard_blocks;
    f.gc_share = c.ftl.gc.share == 1 ? 0 : std::max(1u, static_cast<u32>(std::lround(256 * c.ftl.gc.share)));
    f.gc_channel = c.ftl.gc.scope == config::GcScope::Channel;
    f.wear_dynamic = c.ftl.wear.policy == config::WearPolicy::Dynamic ||
                     c.ftl.wear.policy == config::WearPolicy::Both;
    f.wear_static = c.ftl.levels_cold_data() ? c.ftl.wear.threshold : 0;
    f.gc_mixed = !c.ftl.gc.separate;
    f.gc_copyback = c.ftl.gc.copyback ? c.ftl.gc.copyback_limit : 0;
    f.recovery_span = c.recovery_span();
    f.journal = c.ftl.recovery == config::Recovery::Journal;
    f.map_entries = c.map_entries();
    f.map_planes = c.map_planes();
    f.map_buffers = c.map_entries() == 0 ? 0 : c.ftl.map.buffers;
    f.log_blocks = c.ftl.mapping == config::Mapping::LogBlock ? c.ftl.log_blocks : 0;
    f.log_fast = c.ftl.log_policy == config::LogPolicy::Fast;
    f.block_pages = c.buffer.block_pages * units;
    f.hot_blocks = static_cast<u32>(std::lround(1024 * c.buffer.hot_blocks));
    f.page_padding = c.buffer.page_padding;
    f.reads_bypass = c.buffer.reads_bypass();
    f.write_through = c.buffer.write == config::BufferWrite::Through;
    f.capacitors = c.buffer.power == config::BufferPower::Capacitors;
    f.prefetch_mode = static_cast<u32>(c.prefetch.mode);
    f.prefetch_pages = c.prefetch.pages * units;
    f.prefetch_lead = c.prefetch.lead * units;
    f.read_ahead = c.buffer.read_ahead * units;
    f.buffer_policy = static_cast<u32>(c.buffer.policy);
    f.free_lines = c.buffer.free_pages;
    f.evict_on_demand = static_cast<u32>(c.buffer.evict);
    f.cave_over = static_cast<u32>(c.buffer.cave_over);
    f.cawr_over = static_cast<u32>(c.buffer.cawr_over);
    f.flush_after_us = c.buffer.flush_after_ms * 1000;
    f.scheduler = static_cast<u32>(c.scheduler);
    f.vaq_conflict_dies = c.vaq.conflict == config::VaqConflict::Die       ? 1
                          : c.vaq.conflict == config::VaqConflict::Package ? g.dies
                                                                           : g.ways * g.dies;
    if (c.controller.suspend != config::Suspend::None) {
        f.suspendable |= FLASH_FLAG_SUSPENDABLE << FLASH_OP_ERASE;
    }
    if (c.controller.suspend == config::Suspend::ProgramAndErase) {
        f.suspendable |= FLASH_FLAG_SUSPENDABLE << FLASH_OP_PROGRAM;
    }
    f.t_read_ns = static_cast<u32>(c.nand.t_read.value() / 1000);
    f.t_program_ns = static_cast<u32>(c.nand.t_program.value() / 1000);
    f.t_erase_ns = static_cast<u32>(c.nand.t_erase.value() / 1000);
    static_assert(config::kMaxPriorityRanges == FW_MAX_RANGES);
    for (std::size_t i = 0; i < c.sost.ranges.size(); ++i) {
        const config::PriorityRange& r = c.sost.ranges[i];
        const auto page = [&](u64 mib) {
            return static_cast<u32>(std::min<u64>((mib << 20) / g.page_bytes, f.logical_pages));
        };
        f.sost_ranges[i] = {page(r.first_mib), page(r.end_mib), r.priority};
    }
    f.queue_aware = c.ftl.placement == config::Placement::QueueAware;
    f.t_sector_ns = sector_ns(c);
    f.static_placement = c.ftl.placement == config::Placement::Static;
    f.lockstep = c.ftl.lockstep;
    f.channel_points = c.ftl.write_points == config::WritePoints::Channel;
    const config::HitManager hits = c.hit_manager();
    f.hit_manager = hits.hit_manager;
    f.return_reads = hits.return_reads;
    f.queue_pages = c.scheduler == config::Scheduler::SOST ? c.sost.queue_pages * g.total_dies() * units : 0;
    const BusShare share = bus_share(c);
    f.hybrid_window = c.hybrid.window;
    if (c.hybrid.window == 0) { // what keeps the bus busy is bytes: small reads count for less
        f.hybrid_window_sectors = (3 + share.reads) * g.sectors_per_page();
    }
    f.hybrid_gc_window = c.hybrid.gc_window != 0 ? c.hybrid.gc_window : share.copies;
    f.host_tags = c.host.queue_depth;
    f.flash_tags = c.controller.tags;
    f.cores = c.cpu.cores;
    f.core_of[FW_MODULE_HIL] = c.cpu.core_of_hil;
    f.core_of[FW_MODULE_BUFFER] = c.cpu.core_of_buffer;
    f.core_of[FW_MODULE_FTL] = c.cpu.core_of_ftl;
    f.core_of[FW_MODULE_SCHED] = c.cpu.core_of_sched;
    f.lines = page_buffers(f, c);
    f.prefetch_held = static_cast<u32>(c.prefetch.share * f.lines);
    f.clean_window = static_cast<u32>(std::lround(c.buffer.clean_window * f.lines));
    f.victim_window = std::max(1u, static_cast<u32>(std::lround(c.buffer.victim_window * f.lines)));
    f.oob_base = static_cast<u32>(fw_page_buffer_bytes(&f)) + 2 * g.page_bytes; // behind them
    return f;
}

FirmwareImage::FirmwareImage(const config::Config& config)
{
    const fw_config f = firmware_config(config);
    constexpr u64 kHuge = 2 << 20;
    arena_bytes_ = (fw_arena_bytes(&f) + kHuge - 1) / kHuge * kHuge + kHuge;
    buffer_bytes_ = fw_page_buffer_bytes(&f);
    arena_ = mmap(nullptr, arena_bytes_, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena_ == MAP_FAILED) {
        throw ModelError("out of memory: the firmware's tables need " +
                         std::to_string(arena_bytes_ >> 20) + " MiB");
    }
    madvise(arena_, arena_bytes_, MADV_HUGEPAGE);
    const auto address = reinterpret_cast<std::uintptr_t>(arena_);
    const auto aligned = (address + kHuge - 1) / kHuge * kHuge;
    tables_ = reinterpret_cast<void*>(aligned);
    tables_bytes_ = arena_bytes_ - (aligned - address);
    if (!fw_boot(&state_, &f, nullptr, tables_, tables_bytes_)) {
        throw ModelError("firmware: the arena is smaller than its tables");
    }
}

cpu::IssMirror FirmwareImage::mirror()
{
    cpu::IssMirror m;
    m.state = &state_;
    for (u32 id = 0; id < m.shown.size(); ++id) {
        m.shown[id] = fw_shown(&state_, id);
    }
    m.tables = fw_table_place(&state_);
    m.blocks = fw_blocks(&state_, &m.blocks_bytes);
    return m;
}

std::string firmware_stall_report(const fw& firmware)
{
    const auto shown = [&firmware](u32 id) { return std::to_string(*fw_shown(&firmware, id)); };
    const auto name = static_cast<config::Scheduler>(firmware.cfg.scheduler);
    return "firmware: scheduler " + std::string(config::to_string(name)) + ": " +
           shown(MMIO_SHOWN_QUEUED) + " operations not submitted, " + shown(MMIO_SHOWN_IN_FLIGHT) +
           " at the controller, " + shown(MMIO_SHOWN_TAGS_FREE) + " flash tags free\n" +
           "firmware: buffer: " + shown(MMIO_SHOWN_BUFFER_FREE) + " pages free, " +
           shown(MMIO_SHOWN_BUFFER_DIRTY) + " dirty\n" +
           "how to find out why: docs/start/debug-a-stall.md\n";
}

FirmwareImage::~FirmwareImage() { munmap(arena_, arena_bytes_); }

} // namespace tlmssd::ssd
