// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: recovery while the device runs: old pages held until their successors are in flash, trims
// and retired blocks in table pages.
//
// A trimmed page stays mapped, and valid for collection, until a table page in flash says that it is
// trimmed: so no older copy of it can come back. Table pages are written at FLUSH only, when no write
// of the host is under way, as ordinary pages of LPNs behind the host's.
#include "firmware/core/sched_traits.h"
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/gc/gc.h"
#include "firmware/ftl/map/map.h"
#include "firmware/ftl/recovery/recovery.h"

static u32 all_blocks(const struct fw_config *cfg)
{
    u32 blocks = 1;
    while (blocks < cfg->blocks) {
        blocks *= 2;
    }
    return cfg->channels * cfg->ways * cfg->dies * cfg->planes * blocks;
}

static u32 trim_pages(const struct fw_config *cfg)
{
    return (cfg->logical_pages + cfg->recovery_span - 1) / cfg->recovery_span;
}

static u32 table_pages(const struct fw_config *cfg)
{
    const u32 bits = cfg->page_bytes * 8;
    return cfg->recovery_span == 0 ? 0 : trim_pages(cfg) + (all_blocks(cfg) + bits - 1) / bits;
}

/* Buffers of journal pages. */
static u32 journal_pages(const struct fw_config *cfg)
{
    return cfg->journal == 0 ? 0 : cfg->channels * cfg->ways * cfg->dies * cfg->planes * FTL_JOURNALS;
}

u32 ftl_recovery_pages(const struct fw_config *cfg) { return table_pages(cfg) + journal_pages(cfg); }

u32 ftl_map_entries(const struct fw_config *cfg) { return cfg->logical_pages + table_pages(cfg); }

u64 ftl_recovery_bytes(const struct fw_config *cfg, u32 ops)
{
    if (cfg->recovery_span == 0) {
        return 0;
    }
    const u32 planes = cfg->channels * cfg->ways * cfg->dies * cfg->planes;
    return sizeof(struct ftl_recovery) + (cfg->logical_pages / 64 + 1) * (u64)8 +
           (all_blocks(cfg) / 64 + 1) * (u64)8 + (u64)(table_pages(cfg) + journal_pages(cfg)) * cfg->page_bytes + table_pages(cfg) +
           (cfg->journal == 0 ? 0 : (all_blocks(cfg) / 64 + 1) * (u64)16 + journal_pages(cfg) * sizeof(struct ftl_journal)) +
           (u64)ops * 4 + (ops / 64 + 1) * (u64)8 +
           (u64)ftl_map_entries(cfg) * 8 + (u64)planes * cfg->pages * 8 + 512;
}

FW_COLD static bool journal_boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    struct ftl_recovery *r = fw->ftl->recovery;
    r->claims = fw_table(fw, all_blocks(cfg) / 64 + 1, 8);
    r->doubt = fw_table(fw, all_blocks(cfg) / 64 + 1, 8);
    r->journals = fw_table(fw, journal_pages(cfg), sizeof(struct ftl_journal));
    if (!r->claims || !r->doubt || !r->journals) {
        return false;
    }
    for (u32 i = 0; i < journal_pages(cfg); ++i) {
        r->journals[i].block = FW_NONE;
    }
    return ftl_journal_sectors(cfg) <= cfg->page_bytes / 512;
}

FW_COLD bool ftl_recovery_boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    fw->ftl->recovery_ops = cfg->recovery_span == 0 ? &recovery_none
                            : cfg->journal == 0     ? &recovery_scan
                                                    : &recovery_journal;
    if (cfg->recovery_span == 0) {
        return true;
    }
    struct ftl_recovery *r = fw->ftl->recovery = fw_table(fw, 1, sizeof *r);
    if (!r) {
        return false;
    }
    r->span = cfg->recovery_span;
    r->trim_pages = trim_pages(cfg);
    r->table_pages = table_pages(cfg);
    fw->ftl->trimmed = fw_table(fw, cfg->logical_pages / 64 + 1, 8);
    r->retired = fw_table(fw, all_blocks(cfg) / 64 + 1, 8);
    r->pages = fw_table(fw, r->table_pages + journal_pages(cfg), cfg->page_bytes);
    r->dirty = fw_table(fw, r->table_pages, 1);
    r->held = fw_table(fw, fw->op_count, 4);
    r->untrims = fw_table(fw, fw->op_count / 64 + 1, 8);
    r->version = fw_table(fw, fw->ftl->map_entries, 8);
    r->tie_version = fw_table(fw, (u64)fw->ftl->plane_count * cfg->pages, 8);
    if (!fw->ftl->trimmed || !r->retired || !r->pages || !r->dirty || !r->held || !r->untrims || !r->version ||
        !r->tie_version) {
        return false;
    }
    for (u32 i = 0; i < fw->op_count; ++i) {
        r->held[i] = FW_NONE;
    }
    if (cfg->journal != 0 && !journal_boot(fw)) {
        return false;
    }
    return r->span % 64 == 0 && r->span <= cfg->page_bytes * 8 && !cfg->gc_mixed;
}

/* ---- holds ---- */

static struct block *block_of(struct fw *fw, u32 ppn)
{
    return &fw->ftl->blocks[ftl_block_index(fw->ftl, ppn)];
}

void ftl_hold(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    const u32 lpn = fw->ops[op].lpn;
    const u32 old = f->map[lpn];
    if (ftl_is_mapped(old)) {
        f->recovery->held[op] = old - 1;
        ++block_of(fw, old - 1)->pending;
    }
    ftl_bit_clear(f->recovery->untrims, op);
    if (lpn < fw->cfg.logical_pages && ftl_is_trimmed(fw->ftl, lpn)) {
        ftl_bit_clear(f->trimmed, lpn);
        ftl_bit_set(f->recovery->untrims, op);
    }
}

static u32 let_go(struct fw *fw, u32 op)
{
    struct ftl_recovery *r = fw->ftl->recovery;
    const u32 ppn = r->held[op];
    if (ppn != FW_NONE) {
        r->held[op] = FW_NONE;
        --block_of(fw, ppn)->pending;
    }
    return ppn;
}

bool ftl_revert(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    const u32 old = let_go(fw, op);
    if (old == FW_NONE) {
        return false;
    }
    const u32 plane = ftl_plane_index(f, old);
    const u32 block = ftl_block_index(f, old) & ((1u << f->block_bits) - 1);
    /* The tree knows only blocks that lose pages: it takes this one anew. */
    const bool anew = f->gc->tree && block_of(fw, old)->state == BLOCK_FULL;
    if (anew) {
        gc_block_state(fw, plane, block, BLOCK_OPEN);
    }
    ++f->planes[plane].valid;
    f->planes[plane].lpns_known = 0; /* it may be the victim's */
    ftl_map_set(fw, fw->ops[op].lpn, old);
    if (ftl_bit(f->recovery->untrims, op)) { /* it may never be repeated: the device may become read-only */
        ftl_bit_set(f->trimmed, fw->ops[op].lpn);
        f->recovery->dirty[fw->ops[op].lpn / f->recovery->span] = 1;
    }
    if (anew) {
        gc_block_state(fw, plane, block, BLOCK_FULL);
    }
    ftl_gc_check(fw, plane);
    return true;
}

void ftl_hold_instead(struct fw *fw, u32 copy, u32 from)
{
    struct ftl_recovery *r = fw->ftl->recovery;
    fw_charge(fw, FW_COST_GC_SCAN, fw->op_count);
    for (u32 op = 0; op < fw->op_count; ++op) {
        if (r->held[op] == copy) {
            --block_of(fw, copy)->pending;
            ++block_of(fw, from)->pending;
            r->held[op] = from;
        }
    }
}

/* ---- trims ---- */

void ftl_trim_later(struct fw *fw, u32 lpn)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    if (f->map[lpn] == 0 || ftl_is_trimmed(fw->ftl, lpn)) {
        return;
    }
    if (f->map[lpn] == FTL_LOST) {
        f->map[lpn] = 0;
    } else {
        ftl_bit_set(fw->ftl->trimmed, lpn);
    }
    r->dirty[lpn / r->span] = 1;
    ++fw->stats.pages_trimmed;
}

void ftl_lost(struct fw *fw, u32 ppn, u32 lpn)
{
    (void)ppn;
    struct ftl_recovery *r = fw->ftl->recovery;
    if (lpn >= fw->cfg.logical_pages) {
        r->dirty[lpn - fw->cfg.logical_pages] = 1; /* the next FLUSH writes it again */
    } else if (ftl_is_trimmed(fw->ftl, lpn)) {
        ftl_bit_clear(fw->ftl->trimmed, lpn);
        fw->ftl->map[lpn] = 0;
    }
}

void ftl_note_retired(struct fw *fw, u32 block)
{
    struct ftl_recovery *r = fw->ftl->recovery;
    ftl_bit_set(r->retired, block);
    r->dirty[r->trim_pages + block / (fw->cfg.page_bytes * 8)] = 1;
}

/* A table page as it is now. */
static void fill(struct fw *fw, u32 page)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    u8 *to = r->pages + (u64)page * fw->cfg.page_bytes;
    memset(to, 0, fw->cfg.page_bytes);
    if (page >= r->trim_pages) {
        const u32 first = (page - r->trim_pages) * fw->cfg.page_bytes * 8;
        const u32 end = all_blocks(&fw->cfg);
        fw_charge(fw, FW_COST_GC_SCAN, fw->cfg.page_bytes / 8);
        for (u32 i = 0; i < fw->cfg.page_bytes * 8 && first + i < end; ++i) {
            to[i / 8] |= (u8)((u32)ftl_bit(r->retired, first + i) << (i % 8));
        }
        return;
    }
    const u32 first = page * r->span;
    fw_charge(fw, FW_COST_GC_SCAN, r->span);
    for (u32 i = 0; i < r->span && first + i < fw->cfg.logical_pages; ++i) {
        const bool gone = f->map[first + i] == 0 || ftl_is_trimmed(fw->ftl, first + i);
        to[i / 8] |= (u8)((u32)gone << (i % 8));
    }
}

static void write_next(struct fw *fw)
{
    struct ftl_recovery *r = fw->ftl->recovery;
    while (r->cursor < r->table_pages && !r->dirty[r->cursor]) {
        ++r->cursor;
    }
    if (r->cursor == r->table_pages) {
        const struct fw_message m = {.kind = FW_MSG_FTL_FLUSHED};
        fw_send(fw, FW_MODULE_BUFFER, &m);
        return;
    }
    r->dirty[r->cursor] = 0;
    fill(fw, r->cursor);
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    o->opcode = FLASH_OP_PROGRAM;
    o->purpose = FTL_TABLE_WRITE;
    o->flags = FW_OP_REDO; /* no page of the host's */
    o->line = fw->cfg.lines; /* none */
    o->lpn = fw->cfg.logical_pages + r->cursor;
    o->buf = fw_table_base(&fw->cfg) + r->cursor * fw->cfg.page_bytes;
    o->col = 0;
    o->len = (u8)(fw->cfg.page_bytes / 512);
    ++fw->stats.table_pages_written;
    const struct fw_message m = {.kind = FW_MSG_OP_NEW, .a = op};
    fw_send(fw, fw_sched_does(fw, SCHED_TRANSLATES_LATE) ? FW_MODULE_SCHED : FW_MODULE_FTL, &m);
}

FW_COLD void ftl_flush(struct fw *fw)
{
    if (fw->ftl->recovery->mounting) { /* the supply has gone again; nothing has come since */
        const struct fw_message m = {.kind = FW_MSG_FTL_FLUSHED};
        fw_send(fw, FW_MODULE_BUFFER, &m);
        return;
    }
    fw->ftl->recovery->cursor = 0;
    write_next(fw);
}

/* What the table page that has just been written says is true for ever now. */
static void forget_trimmed(struct fw *fw, u32 page)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    const u32 end = fw_min_u32((page + 1) * r->span, fw->cfg.logical_pages);
    fw_charge(fw, FW_COST_GC_SCAN, r->span / 64);
    for (u32 lpn = page * r->span; lpn < end; ++lpn) {
        if (lpn % 64 == 0 && fw->ftl->trimmed[lpn / 64] == 0) {
            lpn += 63;
            continue;
        }
        if (ftl_is_trimmed(fw->ftl, lpn)) {
            fw_charge(fw, FW_COST_FTL_TRIM, 1);
            ftl_bit_clear(fw->ftl->trimmed, lpn);
            ftl_invalidate(fw, f->map[lpn] - 1);
            f->map[lpn] = 0;
        }
    }
    fw->ftl->waits->place(fw);
}

/* The FLUSH fails where a trim would come back; which blocks have been retired shows again. */
void ftl_table_refused(struct fw *fw, u32 op)
{
    struct ftl_recovery *r = fw->ftl->recovery;
    u64 trims = 0;
    for (u32 i = 0; i <= fw->cfg.logical_pages / 64; ++i) {
        trims |= fw->ftl->trimmed[i];
    }
    fw_charge(fw, FW_COST_GC_SCAN, fw->cfg.logical_pages / 64);
    const struct fw_message m = {.kind = FW_MSG_FTL_FLUSHED, .a = trims != 0};
    r->dirty[r->cursor] = 1;
    fw_op_free(fw, op);
    fw_send(fw, FW_MODULE_BUFFER, &m);
}

bool ftl_release(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    const u32 old = let_go(fw, op);
    if (old != FW_NONE) {
        ftl_gc_check(fw, ftl_plane_index(f, old));
    }
    if (fw->ops[op].purpose != FTL_TABLE_WRITE) {
        return false;
    }
    fw_op_free(fw, op);
    if (r->cursor < r->trim_pages) {
        forget_trimmed(fw, r->cursor);
    }
    ++r->cursor;
    write_next(fw);
    return true;
}

u8 **recovery_pages(const struct fw *fw) { return &fw->ftl->recovery->pages; }

const struct recovery_ops recovery_scan = {
    .reserve = 2, /* a cut leaves open blocks behind: docs/explanation/power-loss.md */
    .trim = ftl_trim_later,
    .flush = ftl_flush,
    .mount = ftl_mount,
    .mounted = recovery_is_mounted,
    .idle = recovery_is_idle,
    .replaced = ftl_hold,
    .revert = ftl_revert,
    .op_ended = recovery_no_op,
    .release = ftl_release,
    .copy_failed = ftl_hold_instead,
    .page_lost = ftl_lost,
    .block_opened = recovery_no_block,
    .block_failed = recovery_no_block,
    .block_retired = ftl_note_retired,
    .pages = recovery_pages,
};
