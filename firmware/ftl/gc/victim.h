// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what is known of a plane's full blocks, so that a victim is found; a policy's contract.
#pragma once

#include "firmware/ftl/state.h"

/* One const instance a policy, `gc_<name>` in gc_<name>.c, one line in hal/gc_policies.def. A full
   block of a tree never gains a valid page; it leaves before and enters again (ftl_revert()). Blocks with an operation on them may not be chosen, nor those whose
   pages are all valid; where any other is full, one must be. Ties go by a fixed rule. */
struct gc_policy {
    void (*enter)(struct fw *fw, u32 plane, u32 block); /* has become FULL; its `valid` is right */
    void (*leave)(struct fw *fw, u32 plane, u32 block); /* is FULL no more; its state says so */
    void (*less)(struct fw *fw, u32 plane, u32 block);  /* has one valid page fewer; may be null */
    u32 (*choose)(struct fw *fw, u32 plane);            /* a block, or FW_NONE */
    bool tree, pool, list; /* which of the tables below it keeps */
};

/* The only way into BLOCK_FULL and out of it. */
void gc_block_state(struct fw *fw, u32 plane, u32 block, enum block_state state);

static inline struct block *gc_block(struct fw_ftl *f, u32 plane, u32 block)
{
    return &f->blocks[plane << f->block_bits | block];
}
static inline bool gc_may_go(const struct fw *fw, const struct block *b)
{
    return b->pending == 0 && ftl_gains(fw, b->valid);
}

/* Tree: a tournament over the plane's blocks, the fewest valid pages win, the lowest number among
   equals. A block that loses a page climbs only as far as it wins. */
void gc_tree_climb(struct fw *fw, u32 plane, u32 block); /* it is FULL, or has lost a page */
void gc_tree_leave(struct fw *fw, u32 plane, u32 block);
u32 gc_tree_best(struct fw *fw, u32 plane); /* of those that may go */

/* Pool: full blocks in no order, for drawing. */
void gc_pool_enter(struct fw *fw, u32 plane, u32 block);
void gc_pool_leave(struct fw *fw, u32 plane, u32 block);
u32 gc_pool_draw(struct fw *fw, u32 plane); /* any block of a pool that is not empty */
u32 gc_pool_any(struct fw *fw, u32 plane);  /* drawn, one that may go */

/* List: full blocks in order of becoming full. */
void gc_list_enter(struct fw *fw, u32 plane, u32 block);
void gc_list_leave(struct fw *fw, u32 plane, u32 block);
/* The fewest valid pages among the `window` oldest with an invalid page, the oldest among equals; the
   next that may go where none of these may. Older ones whose pages are all valid go to the end, as if
   they had been collected. */
u32 gc_list_best(struct fw *fw, u32 plane, u32 window);
