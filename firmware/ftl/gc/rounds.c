// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a round of garbage collection: one victim per plane at a time, pages moved within the plane.
//
// IDLE -> READING -> WRITING -> READING ... -> WAITING (operations on the victim still run)
//      -> ERASING -> IDLE, and again while the plane has no more than `gc_threshold` free blocks.
// How a page moves: copy_page.c, copy_units.c. The way of one copy through the files: docs/explanation/gc.md.
// A block where a program failed is a victim as soon as there is room for its pages, however many
// blocks are free; it is retired where others are erased, and so is a block that cannot be erased.
#include "firmware/core/panic.h"
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/planes.h"
#include "firmware/ftl/gc/gc.h"
#include "firmware/ftl/map/map.h"

#define GC_POLICY(id, name, text) extern const struct gc_policy gc_##name;
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY

const struct gc_policy *const ftl_gc_policies[FW_GC_POLICY_COUNT] = {
#define GC_POLICY(id, name, text) &gc_##name,
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
};

enum {
    PURPOSE_GC = 15,
    PURPOSE_GC_READ = PURPOSE_GC + FLASH_OP_READ,
    PURPOSE_GC_WRITE = PURPOSE_GC + FLASH_OP_PROGRAM,
    PURPOSE_GC_ERASE = PURPOSE_GC + FLASH_OP_ERASE,
    PURPOSE_GC_COPYBACK = PURPOSE_GC + FLASH_OP_COPYBACK
};

static u8 need_of(const struct fw *fw, const struct plane *p)
{
    return p->free_count > fw->ftl->reserve ? FW_GC_EARLY
           : ftl_host_has_page(fw, p)    ? FW_GC_SOON
                                         : FW_GC_NOW;
}

void gc_submit(struct fw *fw, u32 plane, u32 op, u8 opcode)
{
    struct fw_ftl *f = fw->ftl;
    struct fw_op *o = &fw->ops[op];
    fw_charge(fw, FW_COST_GC_SUBMIT, 1);
    o->opcode = opcode;
    o->purpose = (u8)(PURPOSE_GC + opcode);
    o->home_plane = plane;
    o->flags |= FW_OP_GC;
    o->gc_need = need_of(fw, &f->planes[plane]);
    o->gc_valid =
        (u8)fw_min_u32(f->blocks[plane << f->block_bits | f->planes[plane].victim].valid, 0xff);
    ftl_address_op(fw, o, plane);
    ftl_add_work(fw, o, plane);
    if (opcode == FLASH_OP_COPYBACK) {
        ftl_copyback_address(fw, o);
    }
    if (opcode != FLASH_OP_PROGRAM) {
        ftl_row_op(fw, o);
        ++f->blocks[ftl_block_index(f, o->ppn)].pending;
        ++f->pending;
    }
    const struct fw_message m = {.kind = FW_MSG_OP_PLACED, .a = op};
    fw_send(fw, FW_MODULE_SCHED, &m);
}

void gc_submit_page(struct fw *fw, u32 plane, u32 op, u8 opcode)
{
    struct fw_op *o = &fw->ops[op];
    o->buf = fw->ftl->gc_buffer_base + plane * fw->cfg.page_bytes;
    o->col = 0;
    o->len = (u8)(fw->cfg.page_bytes / 512);
    gc_submit(fw, plane, op, opcode);
}

static void round_over(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    --f->gc_active;
    --f->channels[f->planes[plane].channel].collecting;
    fw_probe(fw, FW_PROBE_GC_ACTIVE, f->gc_active);
    f->planes[plane].gc_state = GC_IDLE;
    f->planes[plane].levelling = 0;
}

/* True: the victim was retired at once. */
static bool erase_when_quiet(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    const struct block *b = &f->blocks[plane << f->block_bits | p->victim];
    if (b->pending != 0) {
        p->gc_state = GC_WAITING;
        return false;
    }
    if (b->failed || p->spoilt) {
        ftl_retire(fw, plane, p->victim);
        round_over(fw, plane);
        return true;
    }
    p->gc_state = GC_ERASING;
    const u32 op = fw_op_alloc(fw);
    fw->ops[op].ppn = ftl_ppn(f, plane, p->victim, 0);
    gc_submit_page(fw, plane, op, FLASH_OP_ERASE);
    return false;
}

/* True: the victim was empty, and was retired at once. */
static bool next_page(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    if (f->dies && !ftl_share_allows(fw, plane)) {
        ftl_share_hold(fw, plane);
        return false;
    }
    fw_charge(fw, FW_COST_GC_NEXT, 1);
    return !f->copy_ops->next(fw, plane) && erase_when_quiet(fw, plane);
}

void gc_go_on(struct fw *fw, u32 plane)
{
    if (next_page(fw, plane)) {
        ftl_gc_check(fw, plane);
    }
}

static void begin_round(struct fw *fw, u32 plane, u32 victim)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    struct block *b = gc_block(f, plane, victim);
    if (b->state == BLOCK_FAILED) {
        b->failed = 1;
        --p->failed;
    }
    gc_block_state(fw, plane, victim, BLOCK_VICTIM);
    p->victim = victim;
    p->victim_page = 0;
    p->lpns_known = 0;
    p->spoilt = 0;
    f->copy_ops->begin(fw, plane);
    ++f->gc_active;
    ++f->channels[p->channel].collecting;
    ++fw->stats.gc_runs;
    fw_probe(fw, FW_PROBE_GC_ACTIVE, f->gc_active);
}

/* After a mount, before any policy is asked: a block without data, or FW_NONE. */
static u32 swept_victim(struct fw *fw, u32 plane)
{
    struct plane *p = &fw->ftl->planes[plane];
    while (p->sweep < fw->cfg.blocks) {
        const u32 block = p->sweep++;
        const struct block *b = gc_block(fw->ftl, plane, block);
        fw_charge(fw, FW_COST_GC_SCAN, 1);
        if (b->state == BLOCK_FULL && b->valid == 0 && b->pending == 0) {
            return block;
        }
    }
    return FW_NONE;
}

static u32 start_round(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    fw_charge(fw, FW_COST_GC_ROUND, 1);
    u32 victim = p->sweep < fw->cfg.blocks ? swept_victim(fw, plane) : FW_NONE;
    if (victim == FW_NONE && p->failed != 0) {
        victim = ftl_failed_victim(fw, plane);
    }
    if (victim == FW_NONE && (p->failed == 0 || p->free_count <= fw->cfg.gc_threshold)) {
        victim = f->gc->choose(fw, plane);
    }
    if (victim == FW_NONE) {
        return FW_NONE; /* asked again when an operation of the plane ends */
    }
    begin_round(fw, plane, victim);
    return victim;
}

void ftl_gc_run(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    if (f->read_only) {
        return;
    }
    if (p->gc_state == GC_WAITING &&
        !(f->blocks[plane << f->block_bits | p->victim].valid != 0 ? next_page(fw, plane)
                                                                  : erase_when_quiet(fw, plane))) {
        return;
    }
    if (p->gc_state == GC_HELD) {
        if (!ftl_share_allows(fw, plane)) {
            return;
        }
        ftl_share_release(fw, plane);
        if (!next_page(fw, plane)) {
            return;
        }
    }
    while (p->gc_state == GC_IDLE && ftl_gc_wanted(fw, p)) { /* each turn retires one */
        if (start_round(fw, plane) == FW_NONE || !next_page(fw, plane)) {
            return;
        }
    }
}

/* From the plane with the fewest free blocks on, the first that has a victim. */
void ftl_gc_run_channel(struct fw *fw, u32 channel)
{
    struct fw_ftl *f = fw->ftl;
    const u32 count = f->plane_count / fw->cfg.channels;
    if (f->read_only) {
        return;
    }
    const u32 first = channel * count;
    u32 at = 0;
    fw_charge(fw, FW_COST_GC_SCAN, count);
    for (u32 i = 1; i < count; ++i) {
        at = f->planes[first + i].free_count < f->planes[first + at].free_count ? i : at;
    }
    for (u32 i = 0; i < count; ++i) {
        const u32 plane = first + at;
        if (f->planes[plane].gc_state == GC_IDLE && start_round(fw, plane) != FW_NONE &&
            !next_page(fw, plane)) {
            return;
        }
        at = at + 1 == count ? 0 : at + 1;
    }
}

/* ---- the end of an operation ---- */

/* The device has become read-only: the victim keeps the pages that have not been moved. */
void gc_give_up(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    struct block *b = gc_block(f, plane, p->victim);
    round_over(fw, plane);
    p->failed = (u16)(p->failed + b->failed);
    gc_block_state(fw, plane, p->victim, b->failed ? BLOCK_FAILED : BLOCK_FULL);
    b->failed = 0;
}

void gc_moved(struct fw *fw, u32 plane, bool good)
{
    fw->ftl->map_ops->copy_over(fw, plane);
    fw->stats.gc_pages_moved += good;
    fw->stats.wear_pages_moved += fw->ftl->planes[plane].levelling;
    gc_go_on(fw, plane);
}

/* After a round that was not for wear levelling; true: now one is. */
static bool level_wear(struct fw *fw, u32 plane)
{
    const u32 victim = ftl_wear_victim(fw, plane);
    if (victim == FW_NONE) {
        return false;
    }
    fw_charge(fw, FW_COST_GC_ROUND, 1);
    begin_round(fw, plane, victim);
    fw->ftl->planes[plane].levelling = 1;
    ++fw->stats.wear_runs;
    gc_go_on(fw, plane);
    return true;
}

static void erased(struct fw *fw, u32 plane, bool good)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    const bool levelled = p->levelling;
    round_over(fw, plane);
    if (!good) {
        ++fw->stats.erase_fails;
        ftl_retire(fw, plane, p->victim);
    } else {
        ++fw->stats.gc_blocks_erased;
        ftl_block_freed(fw, plane, p->victim);
        f->waits->assign(fw, plane);
        f->map_ops->block_freed(fw, plane);
        if (fw->cfg.wear_static != 0 && !levelled && p->gc_state == GC_IDLE && level_wear(fw, plane)) {
            return;
        }
    }
    ftl_gc_check(fw, plane);
}

void ftl_gc_op_done(struct fw *fw, u32 op)
{
    const struct gc_copy_ops *copies = fw->ftl->copy_ops;
    const struct fw_op o = fw->ops[op];
    const u32 plane = o.home_plane;
    fw_charge(fw, FW_COST_GC_DONE, 1);
    fw_op_free(fw, op);
    if (fw_op_refused(&o)) {
        fw->ftl->map_ops->copy_over(fw, plane);
        gc_give_up(fw, plane);
        return;
    }
    if (o.status == FLASH_STATUS_ILLEGAL) {
        fw_panic(fw, FW_PANIC_FLASH_FAILED, o.ppn);
        return;
    }
    switch (o.purpose) {
    case PURPOSE_GC_READ:
        copies->read(fw, plane, &o);
        break;
    case PURPOSE_GC_WRITE:
        copies->written(fw, plane, &o);
        break;
    case PURPOSE_GC_COPYBACK:
        copies->copied_back(fw, plane, &o);
        break;
    default: /* PURPOSE_GC_ERASE */
        erased(fw, plane, o.status == FLASH_STATUS_OK);
    }
}
