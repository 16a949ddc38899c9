// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: blocks of a plane: free ones, write points, full ones as a GC policy knows them, bad ones, wear.
#pragma once

#include "firmware/ftl/core/state.h"

/* The contract of a policy. One const instance per policy, `gc_<name>` in gc/gc_<name>.c, one line in
   hal/gc_policies.def. A full block of a tree never gains a valid page; it leaves before and enters again
   (recovery's revert). Blocks with an operation on them may not be chosen, nor those whose pages are all
   valid; where any other is full, one must be. Ties go by a fixed rule. */
struct gc_policy {
    void (*enter)(struct fw *fw, u32 plane, u32 block); /* has become FULL; its `valid` is right */
    void (*leave)(struct fw *fw, u32 plane, u32 block); /* is FULL no more; its state says so */
    void (*less)(struct fw *fw, u32 plane, u32 block);  /* has one valid page fewer; may be null */
    u32 (*choose)(struct fw *fw, u32 plane);            /* a block, or FW_NONE */
    bool tree, pool, list; /* which tables it keeps (gc/victim.h) */
};

static inline struct block *gc_block(struct fw_ftl *f, u32 plane, u32 block)
{
    return &f->blocks[plane << f->block_bits | block];
}
/* More live data than its good blocks can serve. A page that was promised to it when it had a free
   unit is no reason. */
static inline bool ftl_too_full(const struct fw_ftl *f, const struct plane *p)
{
    return p->valid > p->limit + ftl_units(f) - 1;
}
/* Whether emptying a block with `valid` valid pages (units) gains a page. */
static inline bool ftl_gains(const struct fw *fw, u32 valid)
{
    return valid <= (fw->ftl->data_pages - 1) * ftl_units(fw->ftl);
}
/* The only way to change a plane's free_count. */
static inline void gc_free_blocks(struct fw_ftl *f, u32 plane, i32 by)
{
    f->planes[plane].free_count += (u32)by;
    f->channels[f->planes[plane].channel].free += (u32)by;
}
/* The place of GC's copies: after the host's pages, or in a block of their own; cold data always in
   one of their own, so that they stay together in a block that is worn. */
static inline struct write_point *ftl_gc_point(const struct fw *fw, struct plane *p)
{
    return p->levelling ? &p->level : fw->cfg.gc_mixed ? &p->host : &p->gc;
}
/* Whether the host can have a page at once. Where it shares the open block with GC, it leaves
   that alone while GC has opened a block that the host would have to leave. */
static inline bool ftl_host_has_page(const struct fw *fw, const struct plane *p)
{
    const u32 reserve = fw->ftl->reserve;
    return p->free_count > reserve ||
           (p->host.block != FW_NONE && (!fw->cfg.gc_mixed || p->free_count >= reserve));
}

/* blocks.c */
/* The only way into BLOCK_FULL and out of it. */
void gc_block_state(struct fw *fw, u32 plane, u32 block, enum block_state state);
bool ftl_write_point_take(struct fw *fw, u32 plane, bool gc, u32 *ppn); /* false: no free block */
u32 ftl_take_block(struct fw *fw, u32 plane, bool worn); /* the plane has a free one; `worn`: the most worn */
/* The page that was taken is in the map now, or dead on arrival: a block without further ones is FULL. */
void ftl_page_assigned(struct fw *fw, u32 plane, u32 ppn);
void ftl_block_freed(struct fw *fw, u32 plane, u32 block);

/* A page for an op: one of GC that is placed in another plane leaves the blocks alone that the plane's
   own GC may need. */
static inline bool ftl_page_take(struct fw *fw, const struct fw_op *o, u32 plane, u32 *ppn)
{
    const struct fw_ftl *f = fw->ftl;
    if ((o->flags & FW_OP_AWAY) && f->planes[plane].free_count <= f->reserve) {
        return false;
    }
    return ftl_write_point_take(fw, plane, (o->flags & FW_OP_GC) != 0, ppn);
}

/* bad_blocks.c */
void ftl_mark_bad(struct fw *fw, u32 die, u32 plane, u32 block); /* from the factory */
void ftl_wait_in(struct fw *fw, struct fw_fifo *fifo, u32 op); /* of the FTL, for a block or a plane */
void ftl_set_limit(struct fw *fw, u32 plane); /* from its good blocks */
void ftl_block_failed(struct fw *fw, u32 ppn); /* a program failed there */
void ftl_lost_block(struct fw *fw, u32 plane); /* it has a good block fewer */
void ftl_retire(struct fw *fw, u32 plane, u32 block);
u32 ftl_failed_victim(struct fw *fw, u32 plane); /* a FAILED block that may be emptied, or FW_NONE */

/* wear.c */
u32 ftl_wear_before(struct fw *fw, u32 plane, bool most); /* of the free list: the block in front of the least
                                                             or most worn one, FW_NONE: that is the first */
void ftl_wear_erased(struct fw *fw, u32 plane, u32 block);
u32 ftl_wear_victim(struct fw *fw, u32 plane); /* a full block that is to be erased, or FW_NONE */
