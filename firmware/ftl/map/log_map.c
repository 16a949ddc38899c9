// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the log-block map: where a logical page is, its tables at boot, and the table of hooks.
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/planes.h"
#include "firmware/ftl/map/log.h"

/* ---- tables ---- */

static u32 plane_count(const struct fw_config *cfg) { return cfg->channels * cfg->ways * cfg->dies * cfg->planes; }

static u32 data_blocks(const struct fw_config *cfg)
{
    const u32 logical = (cfg->logical_pages + cfg->pages - 1) / cfg->pages;
    return (logical + plane_count(cfg) - 1) / plane_count(cfg);
}

/* About one a log page, so that chains are short. */
static u32 hash_size(const struct fw_config *cfg)
{
    u32 size = 1;
    while (size < cfg->log_blocks * cfg->pages) {
        size *= 2;
    }
    return size;
}

u64 ftl_log_bytes(const struct fw_config *cfg)
{
    if (cfg->log_blocks == 0) {
        return 0;
    }
    const u64 planes = plane_count(cfg);
    return sizeof(struct ftl_log) +
           planes * (sizeof(struct log_plane) + cfg->log_blocks * sizeof(struct log_block) +
                     (u64)cfg->log_blocks * cfg->pages * sizeof(struct log_page) + hash_size(cfg) * (u64)4 +
                     data_blocks(cfg) * (u64)4) +
           (cfg->logical_pages / 64 + 1) * (u64)8 + 512;
}

FW_COLD bool ftl_log_boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    struct fw_ftl *f = fw->ftl;
    if (cfg->log_blocks == 0) {
        return true;
    }
    struct ftl_log *l = f->log = fw_table(fw, 1, sizeof *l);
    if (!l || cfg->recovery_span != 0 || cfg->map_entries != 0 || cfg->unit_bits != 0 ||
        cfg->log_blocks > LOG_MOST || cfg->log_blocks < (cfg->log_fast ? 2u : 1u)) {
        return false;
    }
    l->count = cfg->log_blocks;
    l->data_blocks = data_blocks(cfg);
    l->hash_mask = hash_size(cfg) - 1;
    l->planes = fw_table(fw, f->plane_count, sizeof *l->planes);
    l->blocks = fw_table(fw, (u64)f->plane_count * l->count, sizeof *l->blocks);
    l->pages = fw_table(fw, (u64)f->plane_count * l->count * cfg->pages, sizeof *l->pages);
    l->hash = fw_table(fw, (u64)f->plane_count * (l->hash_mask + 1), 4);
    l->data = fw_table(fw, (u64)f->plane_count * l->data_blocks, 4);
    l->lost = fw_table(fw, cfg->logical_pages / 64 + 1, 8);
    if (!l->planes || !l->blocks || !l->pages || !l->hash || !l->data || !l->lost) {
        return false;
    }
    for (u32 i = 0; i < f->plane_count; ++i) {
        struct log_plane *p = &l->planes[f->order[i]];
        p->position = i;
        p->sequential = p->open = p->victim = p->owner = FW_NONE;
    }
    return true;
}

/* ---- places ---- */

struct log_home log_home_of(const struct fw *fw, u32 lpn)
{
    const struct fw_ftl *f = fw->ftl;
    const u32 block = lpn / fw->cfg.pages;
    const struct log_home home = {.plane = f->order[block % f->plane_count],
                                  .logical = block / f->plane_count,
                                  .offset = lpn % fw->cfg.pages};
    return home;
}

u32 log_lpn(const struct fw *fw, u32 plane, u32 logical, u32 offset)
{
    return (logical * fw->ftl->plane_count + log_plane_of(fw, plane)->position) * fw->cfg.pages + offset;
}

static u32 *chain_of(const struct fw *fw, u32 plane, u32 lpn)
{
    const struct ftl_log *l = fw->ftl->log;
    return &l->hash[(u64)plane * (l->hash_mask + 1) + (lpn & l->hash_mask)];
}

u32 log_find(const struct fw *fw, u32 plane, u32 lpn)
{
    u32 at = *chain_of(fw, plane, lpn);
    while (at != 0 && log_page_at(fw, plane, at - 1)->lpn != lpn) {
        at = log_page_at(fw, plane, at - 1)->next;
    }
    return at - 1;
}

u32 log_page_ppn(const struct fw *fw, u32 plane, u32 page)
{
    return ftl_ppn(fw->ftl, plane, log_block_at(fw, plane, page / fw->cfg.pages)->block, page % fw->cfg.pages);
}

u32 log_data_ppn(const struct fw *fw, u32 plane, u32 logical, u32 offset)
{
    const u32 block = *log_data_of(fw, plane, logical);
    const u32 ppn = block == 0 ? FW_NONE : ftl_ppn(fw->ftl, plane, block - 1, offset);
    return block != 0 && ftl_is_valid(fw->ftl, ppn) ? ppn : FW_NONE;
}

u32 log_locate(const struct fw *fw, u32 lpn)
{
    const struct log_home home = log_home_of(fw, lpn);
    const u32 page = log_find(fw, home.plane, lpn);
    return page != FW_NONE ? log_page_ppn(fw, home.plane, page)
                           : log_data_ppn(fw, home.plane, home.logical, home.offset);
}

static void enter(struct fw *fw, u32 plane, u32 page, u32 lpn)
{
    u32 *chain = chain_of(fw, plane, lpn);
    struct log_page *entry = log_page_at(fw, plane, page);
    entry->lpn = lpn;
    entry->next = *chain;
    *chain = page + 1;
    ++log_block_at(fw, plane, page / fw->cfg.pages)->live;
}

void log_forget(struct fw *fw, u32 plane, u32 page)
{
    struct log_page *entry = log_page_at(fw, plane, page);
    u32 *link = chain_of(fw, plane, entry->lpn);
    while (*link != page + 1) {
        link = &log_page_at(fw, plane, *link - 1)->next;
    }
    *link = entry->next;
    entry->lpn = FW_NONE;
    --log_block_at(fw, plane, page / fw->cfg.pages)->live;
}

bool log_drop(struct fw *fw, u32 lpn)
{
    const u32 ppn = log_locate(fw, lpn);
    if (ppn == FW_NONE) {
        return false;
    }
    const u32 plane = ftl_plane_index(fw->ftl, ppn);
    const u32 page = log_find(fw, plane, lpn);
    if (page != FW_NONE) {
        log_forget(fw, plane, page);
    }
    ftl_invalidate(fw, ppn);
    return true;
}

static bool is_lost(const struct ftl_log *l, u32 lpn) { return l->lost[lpn / 64] >> (lpn % 64) & 1; }

/* ---- hooks ---- */

static bool lookup(struct fw *fw, u32 op, struct map_found *found)
{
    const u32 lpn = fw->ops[op].lpn;
    found->ppn = log_locate(fw, lpn);
    found->entry = found->ppn != FW_NONE ? found->ppn + 1 : is_lost(fw->ftl->log, lpn) ? FTL_LOST : 0;
    return true;
}

/* The plane is the logical block's: the write goes on from here. */
static bool prepare(struct fw *fw, u32 op)
{
    const struct fw_message m = {.kind = FW_MSG_OP_PLACED, .a = op};
    const struct log_home home = log_home_of(fw, fw->ops[op].lpn);
    const u32 wanted = fw->ops[op].wanted_channel;
    fw->stats.directed_elsewhere += wanted != FW_NONE && wanted != fw->ftl->planes[home.plane].channel;
    ftl_promise(fw, op, home.plane);
    fw_send(fw, FW_MODULE_SCHED, &m);
    fw_op_probe(fw, &fw->ops[op], FW_MODULE_SCHED);
    return false;
}

static u32 set(struct fw *fw, u32 op, u32 from)
{
    struct fw_op *o = &fw->ops[op];
    struct fw_ftl *f = fw->ftl;
    const u32 plane = ftl_plane_index(f, o->ppn);
    const u32 block = ftl_block_index(f, o->ppn) & ((1u << f->block_bits) - 1);
    u32 at = 0;
    (void)from;
    fw_charge(fw, FW_COST_FTL_UPDATE, 1);
    log_drop(fw, o->lpn);
    f->log->lost[o->lpn / 64] &= ~((u64)1 << (o->lpn % 64));
    while (log_block_at(fw, plane, at)->kind == LOG_UNUSED || log_block_at(fw, plane, at)->block != block) {
        ++at;
    }
    enter(fw, plane, at * fw->cfg.pages + (o->ppn & ((1u << f->page_bits) - 1)), o->lpn);
    f->valid[o->ppn / 64] |= (u64)1 << (o->ppn % 64);
    ++f->blocks[ftl_block_index(f, o->ppn)].valid;
    ftl_stamp(fw, o, 1);
    return 1;
}

static void unset(struct fw *fw, u32 op) { log_programmed(fw, &fw->ops[op], false); }

static void refuse(struct fw *fw, u32 op)
{
    const struct fw_op *o = &fw->ops[op];
    if ((o->flags & FW_OP_REDO) && log_locate(fw, o->lpn) == FW_NONE) { /* it failed when it was the only copy */
        fw->ftl->log->lost[o->lpn / 64] |= (u64)1 << (o->lpn % 64);
    }
}

static void release(struct fw *fw, u32 op)
{
    const struct fw_op *o = &fw->ops[op];
    if (o->opcode == FLASH_OP_PROGRAM && !fw_op_refused(o)) {
        log_programmed(fw, o, true);
    }
}

static void trim(struct fw *fw, u32 lpn)
{
    struct ftl_log *l = fw->ftl->log;
    const bool lost = is_lost(l, lpn);
    l->lost[lpn / 64] &= ~((u64)1 << (lpn % 64));
    fw->stats.pages_trimmed += log_drop(fw, lpn) || lost;
}

static u32 *entry_of(struct fw *fw, u32 lpn, bool changes)
{
    const u32 ppn = log_locate(fw, lpn);
    (void)changes;
    fw->ftl->log->entry = ppn != FW_NONE ? ppn + 1 : is_lost(fw->ftl->log, lpn) ? FTL_LOST : 0;
    return &fw->ftl->log->entry;
}

static enum map_answer no_copy(struct fw *fw, u32 plane, u32 from, const struct fw_op *read, struct map_copy *copy)
{
    (void)fw;
    (void)plane;
    (void)from;
    (void)read;
    (void)copy;
    return MAP_FAULT; /* garbage collection never runs */
}

/* Blocks are to be erased that were still read. */
static void pump(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    fw_charge(fw, FW_COST_GC_SCAN, f->log->looks);
    for (u32 plane = 0; plane < f->plane_count && f->log->looks != 0; ++plane) {
        if (f->log->planes[plane].looks) {
            log_run(fw, plane);
        }
    }
    f->map_work = f->log->looks;
}

static bool is_idle(const struct fw *fw) { return fw->ftl->log->active == 0 && fw->ftl->log->looks == 0; }

static struct map_waits waits(const struct fw *fw)
{
    const struct map_waits w = {.stuck = false, .busy = !is_idle(fw), .copies = 0};
    return w;
}

const struct map_ops map_ops_log = {
    .start = map_dram_start,
    .lookup = lookup,
    .prepare = prepare,
    .set = set,
    .unset = unset,
    .refuse = refuse,
    .release = release,
    .trim = trim,
    .entry = entry_of,
    .note_copy = no_copy,
    .copy_over = map_dram_plane,
    .block_freed = map_dram_plane,
    .pump = pump,
    .idle = is_idle,
    .waits = waits,
    .read_only = map_dram_start,
    .pages = map_dram_pages,
};
