// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the demand-cached map: its tables at boot.
#include "firmware/ftl/map/dftl.h"

static u32 page_count(const struct fw_config *cfg)
{
    const u32 per_page = cfg->page_bytes / 4;
    return (cfg->logical_pages + per_page - 1) / per_page;
}

/* At most one a CMT entry, so that chains are short. */
static u32 hash_size(const struct fw_config *cfg)
{
    u32 size = 1;
    while (size * 2 <= cfg->map_entries) {
        size *= 2;
    }
    return size;
}

u32 ftl_dftl_ops(const struct fw_config *cfg)
{
    return cfg->map_entries == 0 ? 0 : cfg->map_buffers + table_area_count(cfg);
}

u64 ftl_dftl_bytes(const struct fw_config *cfg, u32 ops)
{
    if (cfg->map_entries == 0) {
        return 0;
    }
    const u64 places = (u64)table_area_count(cfg) * table_area_blocks(cfg);
    const u64 planes = (u64)cfg->channels * cfg->ways * cfg->dies * cfg->planes;
    return sizeof(struct ftl_dftl) + (u64)cfg->map_entries * sizeof(struct cmt_entry) + hash_size(cfg) * (u64)4 +
           (u64)ops * 4 + (u64)page_count(cfg) * 19 + (cfg->logical_pages / 64 + 1) * (u64)8 +
           cfg->map_buffers * (sizeof(struct map_job) + (u64)cfg->page_bytes) + planes * sizeof(struct map_gc) +
           table_area_count(cfg) * sizeof(struct table_area) + places * sizeof(struct table_block) +
           places * cfg->pages * 4 + 2048;
}

bool ftl_dftl_boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    struct fw_ftl *f = fw->ftl;
    if (cfg->map_entries == 0) {
        return true;
    }
    struct ftl_dftl *d = f->dftl = fw_table(fw, 1, sizeof *d);
    if (!d || cfg->recovery_span != 0 || cfg->gc_copyback != 0) {
        return false;
    }
    d->per_page = cfg->page_bytes / 4;
    d->pages = page_count(cfg);
    d->count = cfg->map_entries;
    d->hash_mask = hash_size(cfg) - 1;
    d->job_count = cfg->map_buffers;
    d->area_count = table_area_count(cfg);
    d->area_blocks = table_area_blocks(cfg);
    d->most_host_pins = d->count - 2 * f->plane_count;
    d->cmt = fw_table(fw, d->count, sizeof *d->cmt);
    d->hash = fw_table(fw, d->hash_mask + 1, 4);
    d->pin_of = fw_table(fw, fw->op_count, 4);
    d->directory = fw_table(fw, d->pages, 4);
    d->dirty = fw_table(fw, d->pages, 4);
    d->trims = fw_table(fw, d->pages, 4);
    d->queue_next = fw_table(fw, d->pages, 4);
    d->queued = fw_table(fw, d->pages, 1);
    d->job_of = fw_table(fw, d->pages, 2);
    d->trimmed = fw_table(fw, cfg->logical_pages / 64 + 1, 8);
    d->jobs = fw_table(fw, d->job_count, sizeof *d->jobs);
    d->buffers = fw_table(fw, d->job_count, cfg->page_bytes);
    d->gc = fw_table(fw, f->plane_count, sizeof *d->gc);
    d->areas = fw_table(fw, d->area_count, sizeof *d->areas);
    d->blocks = fw_table(fw, (u64)d->area_count * d->area_blocks, sizeof *d->blocks);
    d->owner = fw_table(fw, (u64)d->area_count * d->area_blocks * cfg->pages, 4);
    if (!d->cmt || !d->hash || !d->pin_of || !d->directory || !d->dirty || !d->trims || !d->queue_next ||
        !d->queued || !d->job_of || !d->trimmed || !d->jobs || !d->buffers || !d->gc || !d->areas || !d->blocks ||
        !d->owner) {
        return false;
    }
    cmt_boot(d);
    fw_fifo_init(&d->no_entry);
    fw_fifo_init(&d->no_job);
    d->queue_head = d->queue_tail = d->gc_head = d->gc_tail = d->search_plane = FW_NONE;
    for (u32 i = 0; i < d->area_count; ++i) {
        struct table_area *a = &d->areas[i];
        a->plane = f->order[i];
        a->open = a->victim = FW_NONE;
        fw_fifo_init(&a->unassigned);
    }
    return d->count > 2 * f->plane_count && d->job_count >= 2 && d->area_count != 0 &&
           d->area_count <= f->plane_count;
}
