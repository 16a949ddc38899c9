// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the log-block map: which log block a write goes to, and when it has to wait.
//
// BAST: a log block holds the writes of one logical block. FAST: one log block of the plane holds those of one
// logical block that has been written from its first page on, all others those of any. A write waits while its
// logical block is merged, and where a log block has to be merged first; one that waits names one at a time.
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/map/log.h"

static u64 bit(u32 at) { return (u64)1 << at; }

/* The last free block is left for the target of a merge. FW_NONE: there is no log block, or no block. */
static u32 open_log(struct fw *fw, u32 plane, u8 kind, u32 owner)
{
    struct log_plane *p = log_plane_of(fw, plane);
    if (p->used == fw->ftl->log->count || fw->ftl->planes[plane].free_count <= 1) {
        return FW_NONE;
    }
    u32 at = 0;
    while (log_block_at(fw, plane, at)->kind != LOG_UNUSED) {
        ++at;
    }
    const u32 block = ftl_take_block(fw, plane, false);
    gc_block(fw->ftl, plane, block)->state = BLOCK_LOG;
    *log_block_at(fw, plane, at) =
        (struct log_block){.block = block, .owner = owner, .stamp = ++p->stamp, .kind = kind, .in_order = 1};
    for (u32 page = 0; page < fw->cfg.pages; ++page) {
        *log_page_at(fw, plane, at * fw->cfg.pages + page) = (struct log_page){.lpn = FW_NONE};
    }
    ++p->used;
    p->randoms += kind == LOG_RANDOM;
    return at;
}

void log_free(struct fw *fw, u32 plane, u32 at)
{
    struct log_plane *p = log_plane_of(fw, plane);
    struct log_block *b = log_block_at(fw, plane, at);
    p->due &= ~bit(at);
    --p->used;
    p->randoms -= b->kind == LOG_RANDOM;
    p->sequential = p->sequential == at ? FW_NONE : p->sequential;
    p->open = p->open == at ? FW_NONE : p->open;
    b->kind = LOG_UNUSED;
}

static bool has_page(const struct fw *fw, u32 plane, u32 at)
{
    return log_block_at(fw, plane, at)->used < fw->cfg.pages && !(log_plane_of(fw, plane)->due & bit(at));
}

/* The log block whose turn it is: the one that has been written longest ago; FAST: the first of the shared ones. */
static void name_victim(struct fw *fw, u32 plane)
{
    struct log_plane *p = log_plane_of(fw, plane);
    u32 best = FW_NONE;
    if (p->state != LOG_IDLE || p->due != 0 || p->garbage_count != 0) {
        return; /* the write is assigned again when that is done */
    }
    fw_charge(fw, FW_COST_GC_SCAN, p->used);
    for (u32 at = 0; at < fw->ftl->log->count; ++at) {
        const struct log_block *b = log_block_at(fw, plane, at);
        if (b->kind == LOG_UNUSED || (b->kind == LOG_SEQUENTIAL && p->randoms != 0)) {
            continue;
        }
        if (best == FW_NONE || b->stamp < log_block_at(fw, plane, best)->stamp) {
            best = at;
        }
    }
    p->due |= best == FW_NONE ? 0 : bit(best);
    fw->ftl->damaged |= best == FW_NONE; /* good blocks are too few for a log block */
}

static u32 own_log(struct fw *fw, u32 plane, u32 logical)
{
    struct log_plane *p = log_plane_of(fw, plane);
    fw_charge(fw, FW_COST_GC_SCAN, 1);
    for (u32 at = 0; at < fw->ftl->log->count; ++at) {
        const struct log_block *b = log_block_at(fw, plane, at);
        if (b->kind == LOG_UNUSED || b->owner != logical) {
            continue;
        }
        if (has_page(fw, plane, at)) {
            return at;
        }
        p->due |= bit(at);
        return FW_NONE;
    }
    const u32 at = open_log(fw, plane, LOG_OWN, logical);
    if (at == FW_NONE) {
        name_victim(fw, plane);
    }
    return at;
}

static u32 sequential_log(struct fw *fw, u32 plane, u32 logical)
{
    struct log_plane *p = log_plane_of(fw, plane);
    if (p->sequential != FW_NONE) {
        p->due |= bit(p->sequential);
        return FW_NONE;
    }
    p->sequential = open_log(fw, plane, LOG_SEQUENTIAL, logical);
    if (p->sequential == FW_NONE) {
        name_victim(fw, plane);
    }
    return p->sequential;
}

static u32 shared_log(struct fw *fw, u32 plane, const struct log_home *home)
{
    struct log_plane *p = log_plane_of(fw, plane);
    const struct log_block *s = p->sequential == FW_NONE ? 0 : log_block_at(fw, plane, p->sequential);
    if (home->offset == 0) {
        return sequential_log(fw, plane, home->logical);
    }
    if (s && s->owner == home->logical && s->used == home->offset && has_page(fw, plane, p->sequential)) {
        return p->sequential;
    }
    if (p->open != FW_NONE && has_page(fw, plane, p->open)) {
        return p->open;
    }
    p->open = p->randoms + 1 < fw->ftl->log->count ? open_log(fw, plane, LOG_RANDOM, FW_NONE) : FW_NONE;
    if (p->open == FW_NONE) {
        name_victim(fw, plane);
    }
    return p->open;
}

bool ftl_log_take(struct fw *fw, u32 op, u32 *ppn)
{
    struct fw_ftl *f = fw->ftl;
    const struct log_home home = log_home_of(fw, fw->ops[op].lpn);
    struct log_plane *p = log_plane_of(fw, home.plane);
    fw_charge(fw, FW_COST_FTL_WRITE_POINT, 1);
    const u32 at = p->owner == home.logical ? FW_NONE
                   : fw->cfg.log_fast       ? shared_log(fw, home.plane, &home)
                                            : own_log(fw, home.plane, home.logical);
    if (at == FW_NONE) {
        ftl_wait_in(fw, &f->planes[home.plane].waiting, op);
        ++f->waiting;
        log_run(fw, home.plane);
        return false;
    }
    struct log_block *b = log_block_at(fw, home.plane, at);
    *ppn = ftl_ppn(f, home.plane, b->block, b->used);
    log_page_at(fw, home.plane, at * fw->cfg.pages + b->used)->busy = 1;
    b->in_order = b->in_order && b->used == home.offset;
    b->stamp = b->kind == LOG_RANDOM ? b->stamp : ++p->stamp;
    ++b->used;
    ++b->programs;
    return true;
}

void log_serve(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct fw_fifo *waiting = &f->planes[plane].waiting;
    while (!fw_fifo_empty(waiting)) {
        const struct fw_message m = {.kind = FW_MSG_OP_ASSIGN, .a = fw_op_unpark(fw, waiting)};
        fw_charge(fw, FW_COST_FTL_PARKED, 1);
        --f->waiting;
        fw_send(fw, FW_MODULE_FTL, &m);
    }
}

void log_programmed(struct fw *fw, const struct fw_op *o, bool good)
{
    const struct fw_ftl *f = fw->ftl;
    const u32 plane = ftl_plane_index(f, o->ppn);
    const u32 block = ftl_block_index(f, o->ppn) & ((1u << f->block_bits) - 1);
    struct log_plane *p = log_plane_of(fw, plane);
    u32 at = 0;
    while (log_block_at(fw, plane, at)->kind == LOG_UNUSED || log_block_at(fw, plane, at)->block != block) {
        ++at;
    }
    struct log_block *b = log_block_at(fw, plane, at);
    const u32 page = at * fw->cfg.pages + (o->ppn & ((1u << f->page_bits) - 1));
    --b->programs;
    log_page_at(fw, plane, page)->busy = 0;
    if (!good) { /* the block takes no more pages, and is no data block */
        if (log_page_at(fw, plane, page)->lpn != FW_NONE) {
            log_forget(fw, plane, page);
            ftl_invalidate(fw, o->ppn);
        }
        b->used = fw->cfg.pages;
        b->in_order = 0;
    }
    if (b->in_order && b->used == fw->cfg.pages && b->programs == 0 && b->kind != LOG_RANDOM) {
        p->due |= bit(at); /* a switch merge costs nothing */
    }
    log_run(fw, plane);
}
