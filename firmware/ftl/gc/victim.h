// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: pool and list of a plane's full blocks, for policies (their contract: core/blocks.h).
#pragma once

#include "firmware/ftl/core/blocks.h"

/* A block of the plane's pool or of its list of full blocks. Places and blocks + 1; 0: none. */
struct gc_link {
    union {
        u32 place; /* in the pool; block + 1 */
        u32 older;
    };
    union {
        u32 filled; /* cost_benefit: pages of the plane that were written before it was full */
        u32 younger;
    };
};

static inline bool gc_may_go(const struct fw *fw, const struct block *b)
{
    return b->pending == 0 && ftl_gains(fw, b->valid);
}

/* Pool: full blocks in no order, for drawing. */
void gc_pool_enter(struct fw *fw, u32 plane, u32 block);
void gc_pool_leave(struct fw *fw, u32 plane, u32 block);
u32 gc_pool_draw(struct fw *fw, u32 plane); /* any block of a pool that is not empty */
u32 gc_pool_any(struct fw *fw, u32 plane);  /* drawn, one that may go */

/* List: full blocks in order of becoming full. */
void gc_list_enter(struct fw *fw, u32 plane, u32 block);
void gc_list_leave(struct fw *fw, u32 plane, u32 block);
/* The fewest valid pages among the `window` oldest with an invalid page, the oldest among equals; the
   next that may go where none of them may. Older ones whose pages are all valid go to the end, as if
   they had been collected. */
u32 gc_list_best(struct fw *fw, u32 plane, u32 window);
