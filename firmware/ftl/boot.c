// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the FTL's tables at boot, and which map, recovery and GC policy the device has.
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/planes.h"
#include "firmware/ftl/core/recovery_ops.h"
#include "firmware/ftl/ftl.h"
#include "firmware/ftl/gc/gc.h"
#include "firmware/ftl/gc/victim.h"
#include "firmware/ftl/map/dftl.h"
#include "firmware/ftl/map/log.h"
#include "firmware/ftl/map/units.h"
#include "firmware/ftl/recovery/recovery.h"
#include "firmware/ftl/writes.h"

static const struct ftl_waits ftl_waits = {
    .translate = ftl_resume,
    .place = ftl_place_waiting,
    .assign = ftl_serve_waiting,
    .collect = gc_map_answers,
};

static u32 bits_for(u32 n)
{
    u32 bits = 0;
    while (((u64)1 << bits) < n) {
        ++bits;
    }
    return bits;
}

static u32 plane_count(const struct fw_config *cfg)
{
    return cfg->channels * cfg->ways * cfg->dies * cfg->planes;
}

static u64 block_entries(const struct fw_config *cfg)
{
    return (u64)plane_count(cfg) << bits_for(cfg->blocks);
}

u32 fw_ftl_dram_bytes(const struct fw_config *cfg) { return plane_count(cfg) * cfg->page_bytes; }

u32 fw_ftl_table_bytes(const struct fw_config *cfg)
{
    return (cfg->map_entries != 0 ? cfg->map_buffers : ftl_recovery_pages(cfg)) * cfg->page_bytes;
}

u8 **fw_ftl_table_place(const struct fw *fw)
{
    u8 **pages = fw->ftl->recovery_ops->pages(fw);
    return pages ? pages : fw->ftl->map_ops->pages(fw);
}

/* A block, to find victims. */
static u32 gc_index_bytes(const struct fw_config *cfg)
{
    const struct gc_policy *gc = ftl_gc_policies[cfg->gc_policy];
    return (gc->tree ? 4u : (u32)sizeof(struct gc_link)) + (gc->pool ? 4u : 0u);
}

/* Collection's, those that recovery and journal pages need, and translation pages'. */
u32 fw_ftl_ops(const struct fw_config *cfg)
{
    return 2 * plane_count(cfg) + 16 + (cfg->recovery_span != 0) +
           (cfg->journal != 0 ? plane_count(cfg) * FTL_JOURNALS : 0) + ftl_dftl_ops(cfg);
}

static bool has_page_map(const struct fw_config *cfg) { return cfg->map_entries == 0 && cfg->log_blocks == 0; }

u64 fw_ftl_bytes(const struct fw_config *cfg, u32 ops)
{
    return sizeof(struct fw_ftl) + (has_page_map(cfg) ? (u64)ftl_map_entries(cfg) * 4 : 0) + ftl_dftl_bytes(cfg, ops) +
           ftl_log_bytes(cfg) + ftl_recovery_bytes(cfg, ops) +
           ((block_entries(cfg) << (bits_for(cfg->pages) + cfg->unit_bits)) / 8 + 8) + ftl_units_bytes(cfg) +
           block_entries(cfg) * (sizeof(struct block) + gc_index_bytes(cfg)) +
           (u64)plane_count(cfg) * (sizeof(struct plane) + sizeof(struct plane_address) + 4) +
           cfg->channels * sizeof(struct gc_channel) +
           (cfg->gc_share == 0 ? 0 : (u64)plane_count(cfg) * sizeof(struct gc_die)) +
           (u64)plane_count(cfg) * cfg->pages * 4 +
           (cfg->queue_aware ? ftl_queues_bytes(cfg) : 0) + (cfg->gc_copyback != 0 ? block_entries(cfg) : 0) +
           512;
}

/* The order of tables is that of the arena: it decides which of them are in fast memory. */
FW_COLD static bool boot_tables(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    struct fw_ftl *f = fw->ftl;
    f->page_bits = bits_for(cfg->pages);
    f->block_bits = bits_for(cfg->blocks);
    f->plane_bits = bits_for(cfg->planes);
    f->data_pages = cfg->pages - (cfg->journal != 0);
    f->luns_per_ce = cfg->dies / cfg->chip_enables;
    f->plane_count = plane_count(cfg);
    f->map_entries = ftl_map_entries(cfg);
    f->map = has_page_map(cfg) ? fw_table(fw, f->map_entries, 4) : 0;
    f->unit_bits = cfg->unit_bits;
    f->units = fw_page_units(cfg);
    f->valid = fw_table(fw, ((block_entries(cfg) << (f->page_bits + f->unit_bits)) + 63) / 64, 8);
    f->blocks = fw_table(fw, block_entries(cfg), sizeof(struct block));
    f->planes = fw_fast_table(fw, f->plane_count, sizeof(struct plane));
    f->order = fw_fast_table(fw, f->plane_count, 4);
    f->addresses = fw_fast_table(fw, f->plane_count, sizeof(struct plane_address));
    f->victim_lpns = fw_table(fw, (u64)f->plane_count * cfg->pages, 4);
    f->copies = cfg->gc_copyback != 0 ? fw_table(fw, block_entries(cfg), 1) : 0;
    if ((!f->map && has_page_map(cfg)) || !f->valid || !f->blocks || !f->planes || !f->order || !f->addresses ||
        !f->victim_lpns || (cfg->gc_copyback != 0 && !f->copies)) {
        return false;
    }
    return ftl_units_boot(fw);
}

FW_COLD static bool boot_gc(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    struct fw_ftl *f = fw->ftl;
    f->copy_ops = cfg->unit_bits != 0 ? &gc_copies_units : &gc_copies_pages;
    f->gc = ftl_gc_policies[cfg->gc_policy];
    f->channels = fw_fast_table(fw, cfg->channels, sizeof(struct gc_channel));
    f->dies = cfg->gc_share == 0 ? 0 : fw_fast_table(fw, f->plane_count / cfg->planes, sizeof(struct gc_die));
    if (!f->channels || (cfg->gc_share != 0 && !f->dies)) {
        return false;
    }
    f->tree = f->gc->tree ? fw_table(fw, block_entries(cfg), 4) : 0;
    f->pool = f->gc->pool ? fw_table(fw, block_entries(cfg), 4) : 0;
    f->links = f->gc->tree ? 0 : fw_table(fw, block_entries(cfg), sizeof(struct gc_link));
    if (f->gc->tree ? !f->tree : !f->links || (f->gc->pool && !f->pool)) {
        return false;
    }
    f->random = 2463534242u; /* any but 0 */
    f->channel_threshold = cfg->gc_threshold * (f->plane_count / cfg->channels);
    f->gc_buffer_base = fw->gc_base;
    return true;
}

FW_COLD static void boot_planes(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    struct fw_ftl *f = fw->ftl;
    f->reserve = cfg->gc_hard > 1 ? cfg->gc_hard : f->recovery_ops->reserve;
    for (u32 i = 0; i < f->plane_count; ++i) {
        struct plane *p = &f->planes[i];
        p->free_head = p->free_tail = FW_NONE;
        p->channel = i / (f->plane_count / cfg->channels);
        p->good = cfg->blocks;
        gc_free_blocks(f, i, (i32)cfg->blocks);
        p->sweep = cfg->blocks;
        ftl_set_limit(fw, i);
        p->host.block = p->gc.block = p->level.block = FW_NONE;
        fw_fifo_init(&p->waiting);
    }
}

/* The map gives out the planes' blocks: nobody else has a write point or collects. */
FW_COLD static void give_blocks_to_logs(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    f->reserve = fw->cfg.blocks;
    for (u32 i = 0; i < f->plane_count; ++i) {
        f->planes[i].gc_state = GC_NEVER;
    }
}

FW_COLD bool fw_ftl_boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    struct fw_ftl *f = fw->ftl = fw_fast_table(fw, 1, sizeof *f);
    if (!f) {
        return false;
    }
    f->waits = &ftl_waits;
    f->map_ops = cfg->map_entries != 0  ? &map_ops_cached
                 : cfg->log_blocks != 0 ? &map_ops_log
                 : cfg->unit_bits != 0  ? &map_ops_units
                                        : &map_ops_page;
    fw_fifo_init(&f->unplaced);
    if (!boot_tables(fw) || !boot_gc(fw)) {
        return false;
    }
    ftl_fill_order(fw);
    ftl_fill_addresses(fw);
    if (!ftl_queues_boot(fw) || !ftl_recovery_boot(fw) || !ftl_dftl_boot(fw) || !ftl_log_boot(fw)) {
        return false;
    }
    boot_planes(fw);
    if (f->log) {
        give_blocks_to_logs(fw);
    }
    return true;
}
