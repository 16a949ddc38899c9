// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: d-choices (Van Houdt, SIGMETRICS 2013): the fewest valid pages among `ftl.gc.choices` drawn
// blocks, the first drawn among equals. Where none of them may go, they are drawn again, but not for
// ever: in the end any block that may go.
#include "firmware/ftl/gc/victim.h"

enum { ROUNDS = 8 };

static u32 choose(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    u32 best = FW_NONE;
    for (u32 round = 0; round < ROUNDS && best == FW_NONE && f->planes[plane].pool_count != 0; ++round) {
        for (u32 i = 0; i < fw->cfg.gc_choices; ++i) {
            const u32 block = gc_pool_draw(fw, plane);
            const struct block *b = gc_block(f, plane, block);
            if (gc_may_go(fw, b) && (best == FW_NONE || b->valid < gc_block(f, plane, best)->valid)) {
                best = block;
            }
        }
    }
    return best == FW_NONE ? gc_pool_any(fw, plane) : best;
}

const struct gc_policy gc_d_choices = {
    .enter = gc_pool_enter,
    .leave = gc_pool_leave,
    .choose = choose,
    .pool = true,
};
