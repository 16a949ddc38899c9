// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tables as a sequential write leaves them, by arithmetic (docs/explanation/filled-devices.md).
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/ftl.h"
#include "firmware/ftl/map/map.h"

#ifdef FW_NATIVE
/* Whether page n of a sequential write goes to the plane at position n of the order, and to its next page. */
static bool writes_in_order(const struct fw *fw)
{
    const struct fw_ftl *f = fw->ftl;
    return f->map_ops == &map_ops_page && !f->recovery && !f->queues && !fw->cfg.channel_points &&
           fw->stats.factory_bad == 0;
}

/* Bits [first, first + count). */
static void set_bits(u64 *bits, u64 first, u32 count)
{
    while (count != 0) {
        const u32 at = (u32)(first % 64);
        const u32 some = fw_min_u32(64 - at, count);
        bits[first / 64] |= (some == 64 ? ~(u64)0 : ((u64)1 << some) - 1) << at;
        first += some;
        count -= some;
    }
}

static void fill_map(struct fw_ftl *f, u32 turns)
{
    u32 *entry = f->map;
    for (u32 turn = 0; turn < turns; ++turn) {
        const u32 first = ftl_ppn(f, 0, turn / f->data_pages, turn % f->data_pages) + 1;
        for (u32 n = 0; n < f->plane_count; ++n) {
            *entry++ = ftl_ppn(f, f->order[n], 0, 0) + first;
        }
    }
}

/* The first `turns` pages of the plane. */
static void fill_plane(struct fw *fw, u32 plane, u32 turns)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    for (u32 done = 0; done < turns;) {
        const u32 pages = fw_min_u32(f->data_pages, turns - done);
        const u32 block = ftl_take_block(fw, plane, false); /* the next one: none has been used */
        set_bits(f->valid, ftl_ppn(f, plane, block, 0), pages);
        gc_block(f, plane, block)->valid = (u16)pages;
        p->host.block = pages < f->data_pages ? block : FW_NONE;
        p->host.page = pages;
        if (pages == f->data_pages) {
            gc_block_state(fw, plane, block, BLOCK_FULL);
        }
        done += pages;
    }
    p->valid += turns;
    p->written += turns;
}

u64 fw_ftl_fillable(const struct fw *fw, u32 turns)
{
    const struct fw_ftl *f = fw->ftl;
    return f->started || !writes_in_order(fw) ? 0 : (u64)turns * f->plane_count;
}

void fw_ftl_fill(struct fw *fw, u32 turns)
{
    struct fw_ftl *f = fw->ftl;
    const u64 pages = fw_ftl_fillable(fw, turns);
    f->started = true;
    fill_map(f, turns);
    for (u32 plane = 0; plane < f->plane_count; ++plane) {
        fill_plane(fw, plane, turns);
    }
    f->sequence += pages;
    fw->stats.flash_pages_written += pages;
    fw->stats.host_pages_written += pages;
}
#else
typedef int fw_fill_is_native; /* an ISS runs the writes */
#endif
