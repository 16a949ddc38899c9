// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: pool and list of a plane's full blocks. Zeroed memory is empty: they hold block + 1.
#include "firmware/ftl/gc/victim.h"

void gc_pool_enter(struct fw *fw, u32 plane, u32 block)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    struct gc_link *link = &f->links[plane << f->block_bits | block];
    fw_charge(fw, FW_COST_GC_INDEX, 1);
    f->pool[plane << f->block_bits | p->pool_count] = block;
    link->place = ++p->pool_count;
}

void gc_pool_leave(struct fw *fw, u32 plane, u32 block)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    struct gc_link *links = &f->links[plane << f->block_bits];
    u32 *pool = &f->pool[plane << f->block_bits];
    const u32 place = links[block].place;
    fw_charge(fw, FW_COST_GC_INDEX, 1);
    const u32 last = pool[--p->pool_count];
    pool[place - 1] = last;
    links[last].place = place;
}

/* xorshift32 (Marsaglia 2003, "Xorshift RNGs"); the same numbers in each run. */
static u32 draw(struct fw_ftl *f, u32 below)
{
    u32 x = f->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    f->random = x;
    return (u32)((u64)x * below >> 32);
}

u32 gc_pool_draw(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    fw_charge(fw, FW_COST_GC_SCAN, 1);
    return f->pool[plane << f->block_bits | draw(f, f->planes[plane].pool_count)];
}

u32 gc_pool_any(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    const u32 *pool = &f->pool[plane << f->block_bits];
    const u32 count = f->planes[plane].pool_count;
    u32 at = count == 0 ? 0 : draw(f, count);
    for (u32 i = 0; i < count; ++i) {
        fw_charge(fw, FW_COST_GC_SCAN, 1);
        if (gc_may_go(fw, gc_block(f, plane, pool[at]))) {
            return pool[at];
        }
        at = at + 1 == count ? 0 : at + 1;
    }
    return FW_NONE;
}

void gc_list_enter(struct fw *fw, u32 plane, u32 block)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    struct gc_link *links = &f->links[plane << f->block_bits];
    fw_charge(fw, FW_COST_GC_INDEX, 1);
    links[block].older = p->youngest;
    links[block].younger = 0;
    if (p->youngest == 0) {
        p->oldest = block + 1;
    } else {
        links[p->youngest - 1].younger = block + 1;
    }
    p->youngest = block + 1;
    ++p->listed;
}

void gc_list_leave(struct fw *fw, u32 plane, u32 block)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    struct gc_link *links = &f->links[plane << f->block_bits];
    const struct gc_link link = links[block];
    fw_charge(fw, FW_COST_GC_INDEX, 1);
    if (link.older == 0) {
        p->oldest = link.younger;
    } else {
        links[link.older - 1].younger = link.younger;
    }
    if (link.younger == 0) {
        p->youngest = link.older;
    } else {
        links[link.younger - 1].older = link.older;
    }
    --p->listed;
}

u32 gc_list_best(struct fw *fw, u32 plane, u32 window)
{
    struct fw_ftl *f = fw->ftl;
    const struct plane *p = &f->planes[plane];
    const struct gc_link *links = &f->links[plane << f->block_bits];
    u32 best = FW_NONE;
    u32 at = p->oldest;
    for (u32 left = p->listed, seen = 0; left != 0 && (seen < window || best == FW_NONE); --left) {
        const u32 block = at - 1;
        const struct block *b = gc_block(f, plane, block);
        fw_charge(fw, FW_COST_GC_SCAN, 1);
        at = links[block].younger;
        if (!ftl_gains(fw, b->valid)) {
            gc_list_leave(fw, plane, block);
            gc_list_enter(fw, plane, block);
            continue;
        }
        ++seen;
        if (b->pending == 0 && (best == FW_NONE || b->valid < gc_block(f, plane, best)->valid)) {
            best = block;
        }
    }
    return best;
}
