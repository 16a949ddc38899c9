// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the cached mapping table: hash, LRU list of what nobody has pinned, dirty entries by
// translation page.
#include "firmware/ftl/map/dftl.h"

enum { LOOK = 64 }; /* entries of the LRU list that are looked at for a clean one */

static u32 *bucket(const struct ftl_dftl *d, u32 lpn)
{
    return &d->hash[(lpn * 0x9e3779b1u >> 7) & d->hash_mask];
}

void cmt_boot(struct ftl_dftl *d)
{
    for (u32 i = 0; i < d->count; ++i) {
        d->cmt[i].next = i + 1 < d->count ? i + 1 : FW_NONE;
    }
    d->free = 0;
    d->newest = d->oldest = FW_NONE;
}

u32 cmt_find(const struct ftl_dftl *d, u32 lpn)
{
    u32 at = *bucket(d, lpn);
    while (at != 0 && d->cmt[at - 1].lpn != lpn) {
        at = d->cmt[at - 1].chain;
    }
    return at - 1;
}

static void out_of_hash(struct ftl_dftl *d, u32 slot)
{
    u32 *at = bucket(d, d->cmt[slot].lpn);
    while (*at != slot + 1) {
        at = &d->cmt[*at - 1].chain;
    }
    *at = d->cmt[slot].chain;
}

static void out_of_list(struct ftl_dftl *d, u32 slot)
{
    const struct cmt_entry *e = &d->cmt[slot];
    if (e->prev == FW_NONE) {
        d->newest = e->next;
    } else {
        d->cmt[e->prev].next = e->next;
    }
    if (e->next == FW_NONE) {
        d->oldest = e->prev;
    } else {
        d->cmt[e->next].prev = e->prev;
    }
}

void cmt_into_list(struct ftl_dftl *d, u32 slot)
{
    struct cmt_entry *e = &d->cmt[slot];
    e->prev = FW_NONE;
    e->next = d->newest;
    if (d->newest == FW_NONE) {
        d->oldest = slot;
    } else {
        d->cmt[d->newest].prev = slot;
    }
    d->newest = slot;
}

void cmt_touch(struct ftl_dftl *d, u32 slot)
{
    if (d->cmt[slot].pins == 0 && d->newest != slot) {
        out_of_list(d, slot);
        cmt_into_list(d, slot);
    }
}

/* The page is being written, or will be. */
static bool leaves(const struct ftl_dftl *d, u32 page)
{
    return d->queued[page] || (d->job_of[page] != 0 && d->jobs[d->job_of[page] - 1].write);
}

u32 cmt_take(struct fw *fw, u32 lpn)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    u32 slot = d->free;
    if (slot != FW_NONE) {
        d->free = d->cmt[slot].next;
    } else {
        u32 looks = 0;
        bool started = false;
        for (slot = d->oldest; slot != FW_NONE && looks < LOOK; slot = d->cmt[slot].prev) {
            const struct cmt_entry *e = &d->cmt[slot];
            ++looks;
            if (!(e->state & CMT_DIRTY)) {
                break;
            }
            if (!started && !leaves(d, e->lpn / d->per_page)) {
                started = true;
                map_want_write(fw, e->lpn / d->per_page, false);
            }
        }
        fw_charge(fw, FW_COST_GC_SCAN, looks);
        if (slot == FW_NONE || (d->cmt[slot].state & CMT_DIRTY)) {
            return FW_NONE;
        }
        ++fw->stats.map_evictions;
        out_of_list(d, slot);
        out_of_hash(d, slot);
    }
    fw_charge(fw, FW_COST_FTL_UPDATE, 1);
    u32 *at = bucket(d, lpn);
    d->cmt[slot] = (struct cmt_entry){.lpn = lpn, .chain = *at, .state = CMT_USED};
    *at = slot + 1;
    return slot;
}

void cmt_dirty(struct ftl_dftl *d, u32 slot)
{
    struct cmt_entry *e = &d->cmt[slot];
    if (!(e->state & CMT_DIRTY)) {
        const u32 page = e->lpn / d->per_page;
        e->state |= CMT_DIRTY;
        e->dirty_next = d->dirty[page];
        d->dirty[page] = slot + 1;
    }
}

void cmt_pin(struct ftl_dftl *d, u32 slot)
{
    struct cmt_entry *e = &d->cmt[slot];
    if (e->pins++ == 0 && (e->state & CMT_LOADED)) {
        out_of_list(d, slot);
    }
}

void cmt_unpin(struct fw *fw, u32 slot)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    struct cmt_entry *e = &d->cmt[slot];
    if (--e->pins != 0) {
        return;
    }
    if (e->state & CMT_LOADED) {
        cmt_into_list(d, slot);
    } else {
        out_of_hash(d, slot);
        e->state = 0;
        e->next = d->free;
        d->free = slot;
    }
    fw->ftl->map_work |= MAP_WORK_ENTRIES;
}
