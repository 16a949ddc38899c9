// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the bounded share of each die that collection gets while the host has blocks to write.
//
// A die with work for the host keeps a debt: each operation of collection adds its array time * (1 -
// share), each of the host takes array time * share off, and collection goes on, one page at a time,
// when there is none. A die without work for the host is collection's, and so is everything once a
// plane has no more than the hard threshold's free blocks, or nothing runs in the flash.
#include "firmware/ftl/core/planes.h"
#include "firmware/ftl/gc/gc.h"

bool ftl_share_allows(struct fw *fw, u32 plane)
{
    const struct fw_ftl *f = fw->ftl;
    const struct gc_die *d = ftl_share_die(fw, plane);
    fw_charge(fw, FW_COST_GC_NEXT, 1);
    return d->host == 0 || d->debt == 0 || f->pending == 0 || !ftl_share_is_soft(f, &f->planes[plane]);
}

void ftl_share_hold(struct fw *fw, u32 plane)
{
    struct plane *p = &fw->ftl->planes[plane];
    p->gc_state = GC_HELD;
    p->held_since_us = fw->now_us;
    ++ftl_share_die(fw, plane)->held;
    ++fw->ftl->held;
    ++fw->stats.gc_held;
}

void ftl_share_release(struct fw *fw, u32 plane)
{
    fw->stats.gc_held_us += fw->now_us - fw->ftl->planes[plane].held_since_us;
    --ftl_share_die(fw, plane)->held;
    --fw->ftl->held;
}

void ftl_share_look(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    while (f->touched != 0) {
        const u32 die = f->touched - 1;
        f->touched = f->dies[die].next;
        f->dies[die].touched = 0;
        for (u32 i = 0; i < fw->cfg.planes; ++i) {
            ftl_gc_check(fw, die * fw->cfg.planes + i);
        }
    }
    for (u32 i = 0; f->held != 0 && f->pending == 0 && i < f->plane_count; ++i) {
        ftl_gc_check(fw, i);
    }
}
