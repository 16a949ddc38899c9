// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: wear levelling of a plane: which free block is next, and when cold data leave a block that is
// seldom erased.
//
// Dynamic: the free block with the fewest erases is the next. Static: when the most worn block has more
// than `ftl.wear.threshold` erases more than a full one, that one is emptied like a victim once the round
// that shows it has ended, into the most worn free block; at most one such round for each other.
#include "firmware/ftl/core/blocks.h"

u32 ftl_wear_before(struct fw *fw, u32 plane, bool most)
{
    const struct fw_ftl *f = fw->ftl;
    const struct block *blocks = &f->blocks[plane << f->block_bits];
    u32 before = FW_NONE;
    u32 best = f->planes[plane].free_head;
    for (u32 b = best; b != FW_NONE && blocks[b].next != FW_NONE; b = blocks[b].next) {
        const u32 other = blocks[b].next;
        fw_charge(fw, FW_COST_GC_SCAN, 1);
        if (most ? blocks[other].erases > blocks[best].erases : blocks[other].erases < blocks[best].erases) {
            best = other;
            before = b;
        }
    }
    return before;
}

void ftl_wear_erased(struct fw *fw, u32 plane, u32 block)
{
    struct plane *p = &fw->ftl->planes[plane];
    const u32 erases = gc_block(fw->ftl, plane, block)->erases;
    p->most_erases = erases > p->most_erases ? erases : p->most_erases;
}

/* `least_erases` is at most that of the least worn full block: then only a plane whose spread may be too
   large is looked through. */
u32 ftl_wear_victim(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    const struct block *blocks = &f->blocks[plane << f->block_bits];
    if (p->free_count < f->reserve || p->most_erases - p->least_erases <= fw->cfg.wear_static) {
        return FW_NONE;
    }
    u32 best = FW_NONE;
    u32 least = p->most_erases;
    fw_charge(fw, FW_COST_GC_SCAN, p->fresh);
    for (u32 i = 0; i < p->fresh; ++i) {
        if (blocks[i].state != BLOCK_FULL) {
            continue;
        }
        least = fw_min_u32(least, blocks[i].erases);
        if (blocks[i].pending == 0 && (best == FW_NONE || blocks[i].erases < blocks[best].erases)) {
            best = i;
        }
    }
    p->least_erases = least;
    return best != FW_NONE && p->most_erases - blocks[best].erases > fw->cfg.wear_static ? best : FW_NONE;
}
