// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bad blocks: from the factory, failed by a program or an erase; and what their loss means
// for a plane.
//
// A block where a program failed becomes FAILED: it takes no more pages and counts as lost for the
// plane's limit at once. Collection empties it like a victim and retires it instead of erasing it. A
// plane whose live data are more than its good blocks can serve takes no more writes; those that were
// promised to it, and what collection moves out of it, go to planes that have free pages (elsewhere.c).
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/recovery_ops.h"

#include "firmware/core/panic.h"
#include "firmware/core/sched_traits.h"

/* With the blocks that are collection's (one, or ftl.gc.hard_blocks) and two open ones (one more for
   wear levelling), a plane with this many valid pages still has a full block with an
   invalid page whenever its free blocks have run out (docs/explanation/firmware-blocks.md). */
void ftl_set_limit(struct fw *fw, u32 plane)
{
    struct plane *p = &fw->ftl->planes[plane];
    const u32 kept = 3 + (fw->cfg.gc_hard == 0 ? 1 : fw->cfg.gc_hard) + (fw->cfg.wear_static != 0);
    const u32 units = ftl_units(fw->ftl);
    const u32 most = p->good > kept ? (p->good - kept) * fw->ftl->data_pages * units : 0;
    const u32 ragged = (p->good + 1) * (units - 1); /* docs/explanation/mapping-units.md */
    p->limit = most > ragged ? most - ragged : 0;
}

void ftl_mark_bad(struct fw *fw, u32 die, u32 plane, u32 block)
{
    struct fw_ftl *f = fw->ftl;
    const u32 index = die * fw->cfg.planes + plane;
    if (plane >= fw->cfg.planes || index >= f->plane_count || block >= fw->cfg.blocks) {
        fw_panic(fw, FW_PANIC_BAD_MESSAGE, FW_MSG_MARK_BAD);
        return;
    }
    struct plane *p = &f->planes[index];
    struct block *b = &f->blocks[index << f->block_bits | block];
    if (b->state == BLOCK_BAD) {
        return;
    }
    if (p->fresh != 0) { /* the plane is in use: too late */
        fw_panic(fw, FW_PANIC_MAP, block);
        return;
    }
    b->state = BLOCK_BAD;
    gc_free_blocks(f, index, -1);
    --p->good;
    ftl_set_limit(fw, index);
    ++fw->stats.factory_bad;
}

/* The scheduler hears that this write waits, and whether it may do so for ever. */
static void tell_of_wait(struct fw *fw, u32 op)
{
    const struct fw_message m = {.kind = FW_MSG_OP_LATER, .a = op, .b = fw->ftl->damaged};
    const bool host = !(fw->ops[op].flags & FW_OP_GC);
    if (fw_sched_does(fw, SCHED_HEARS_OF_WAITS) || (host && m.b && fw_sched_does(fw, SCHED_TRANSLATES_LATE))) {
        fw_send(fw, FW_MODULE_SCHED, &m);
    }
}

/* The plane has lost a block. Where it is too full now, the writes that wait for its blocks are assigned
   again, and go elsewhere. */
void ftl_lost_block(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    if (!f->damaged) {
        f->damaged = true;
        for (u32 i = 0; i < f->plane_count; ++i) {
            for (u32 op = f->planes[i].waiting.head; op != FW_NONE; op = fw->ops[op].parked) {
                tell_of_wait(fw, op);
            }
        }
    }
    /* Collection may need a second block when a program of its own fails. */
    f->reserve = f->reserve > 2 ? f->reserve : 2;
    --p->good;
    ftl_set_limit(fw, plane);
    while (ftl_too_full(f, p) && !fw_fifo_empty(&p->waiting)) {
        const struct fw_message m = {.kind = FW_MSG_OP_ASSIGN, .a = fw_op_unpark(fw, &p->waiting)};
        --f->waiting;
        f->gc_parked -= (fw->ops[m.a].flags & FW_OP_GC) != 0;
        fw_send(fw, FW_MODULE_FTL, &m);
    }
}

void ftl_block_failed(struct fw *fw, u32 ppn)
{
    struct fw_ftl *f = fw->ftl;
    const u32 plane = ftl_plane_index(f, ppn);
    struct plane *p = &f->planes[plane];
    struct block *b = &f->blocks[ftl_block_index(f, ppn)];
    const u32 block = ftl_block_index(f, ppn) & ((1u << f->block_bits) - 1);
    if (b->state == BLOCK_FAILED) {
        return; /* by an earlier program */
    }
    if (p->host.block == block) {
        p->host.block = FW_NONE;
    } else if (p->gc.block == block) {
        p->gc.block = FW_NONE;
    } else if (p->level.block == block) {
        p->level.block = FW_NONE;
    }
    f->recovery_ops->block_failed(fw, plane, block);
    gc_block_state(fw, plane, block, BLOCK_FAILED);
    ++p->failed;
    ftl_lost_block(fw, plane);
}

void ftl_retire(struct fw *fw, u32 plane, u32 block)
{
    struct fw_ftl *f = fw->ftl;
    struct block *b = &f->blocks[plane << f->block_bits | block];
    b->state = BLOCK_BAD;
    ++fw->stats.blocks_retired;
    if (!b->failed) { /* else it was counted then */
        ftl_lost_block(fw, plane);
    }
    b->failed = 0;
    f->recovery_ops->block_retired(fw, plane << f->block_bits | block);
}

/* Emptying a FAILED block gives no block back, so it must leave collection one for the next victim. */
u32 ftl_failed_victim(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    const struct block *blocks = &f->blocks[plane << f->block_bits];
    const struct write_point *w = ftl_gc_point(fw, p);
    const u32 left = w->block == FW_NONE ? 0 : f->data_pages - w->page;
    fw_charge(fw, FW_COST_GC_SCAN, p->fresh);
    for (u32 i = 0; i < p->fresh; ++i) {
        const struct block *b = &blocks[i];
        if (b->state == BLOCK_FAILED && b->pending == 0 &&
            (b->valid == 0 || p->free_count >= 2 || (p->free_count == 1 && left * ftl_units(f) >= b->valid) ||
             ftl_too_full(f, p))) {
            return i;
        }
    }
    return FW_NONE;
}

void ftl_wait_in(struct fw *fw, struct fw_fifo *fifo, u32 op)
{
    const bool gc = (fw->ops[op].flags & FW_OP_GC) != 0;
    fw_charge(fw, FW_COST_FTL_PARKED, 1);
    fw_op_park(fw, fifo, op);
    if (!gc) {
        fw_probe(fw, FW_PROBE_LINE_PARKED, fw->ops[op].line);
    }
    fw->ftl->gc_parked += gc;
    tell_of_wait(fw, op);
}
