// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: cost-benefit (Rosenblum and Ousterhout, TOCS 1992; for flash Kawaguchi et al., USENIX 1995):
// the most age * (1 - u) / 2u; age in pages written to the plane since the block became full. Lowest
// number among equals; a block without valid pages before all others.
#include "firmware/ftl/gc/victim.h"

static void enter(struct fw *fw, u32 plane, u32 block)
{
    struct fw_ftl *f = fw->ftl;
    f->links[plane << f->block_bits | block].filled = f->planes[plane].written;
    gc_pool_enter(fw, plane, block);
}

static u32 choose(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    const struct plane *p = &f->planes[plane];
    const u32 *pool = &f->pool[plane << f->block_bits];
    u32 best = FW_NONE;
    u64 best_gain = 0; /* age * invalid pages */
    u32 best_valid = 0;
    fw_charge(fw, FW_COST_GC_SCAN, p->pool_count);
    for (u32 i = 0; i < p->pool_count; ++i) {
        const u32 block = pool[i];
        const struct block *b = gc_block(f, plane, block);
        if (!gc_may_go(fw, b)) {
            continue;
        }
        const u32 age = p->written - f->links[plane << f->block_bits | block].filled + 1;
        const u64 gain = (u64)age * (fw->cfg.pages * ftl_units(fw->ftl) - b->valid); /* pages < 2^16: products fit */
        const u64 mine = gain * best_valid; /* gain / valid > best_gain / best_valid */
        const u64 its = best_gain * b->valid;
        if (best == FW_NONE || mine > its || (mine == its && block < best)) {
            best = block;
            best_gain = gain;
            best_valid = b->valid;
        }
    }
    return best;
}

const struct gc_policy gc_cost_benefit = {
    .enter = enter,
    .leave = gc_pool_leave,
    .choose = choose,
    .pool = true,
};
