// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the demand-cached map: entries for pages that collection moves, and whose a page is whose OOB
// record cannot be read.
#include "firmware/ftl/map/dftl.h"

#include "firmware/core/panic.h"

void ftl_map_gc_wait(struct fw *fw, u32 plane)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    if (d->gc[plane].queued) {
        return;
    }
    d->gc[plane].queued = 1;
    d->gc[plane].next = FW_NONE;
    if (d->gc_tail == FW_NONE) {
        d->gc_head = plane;
    } else {
        d->gc[d->gc_tail].next = plane;
    }
    d->gc_tail = plane;
    ++d->gc_waiting;
}

enum map_answer ftl_map_for_copy(struct fw *fw, u32 plane, u32 lpn, u32 from, u32 *slot)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    const u32 page = lpn / d->per_page;
    u32 at = cmt_find(d, lpn);
    fw_charge(fw, FW_COST_FTL_LOOKUP, 1);
    if (d->orphans && (at == FW_NONE || !(d->cmt[at].state & CMT_LOADED))) {
        const u32 job = map_job_with(d, page);
        if (job == FW_NONE) {
            if (d->job_of[page] == 0) {
                map_start(fw, page, false, true); /* or later, when a buffer is free */
            }
            ftl_map_gc_wait(fw, plane);
            return MAP_WAITS;
        }
        const u32 entry = map_content(fw, job)[lpn % d->per_page];
        if (entry != from + 1 && entry != FTL_LOST) {
            return MAP_STALE;
        }
    } else if (at != FW_NONE && (d->cmt[at].state & CMT_LOADED) && d->cmt[at].entry != from + 1) {
        if (!d->orphans) {
            fw_panic(fw, FW_PANIC_OOB, from);
            return MAP_STALE;
        }
        if (d->cmt[at].entry != FTL_LOST) {
            return MAP_STALE;
        }
    }
    if (at == FW_NONE) {
        at = cmt_take(fw, lpn);
        if (at == FW_NONE) {
            ftl_map_gc_wait(fw, plane);
            return MAP_WAITS;
        }
    }
    cmt_pin(d, at);
    d->cmt[at].entry = from + 1; /* it is valid, so this is its entry */
    d->cmt[at].state |= CMT_LOADED;
    *slot = at;
    return MAP_READY;
}

static void found(struct ftl_dftl *d, u32 lpn)
{
    struct map_gc *g = &d->gc[d->search_plane];
    g->found = lpn == FW_NONE ? 2 : 1;
    g->oob.lpn = lpn;
    d->search_plane = FW_NONE;
    d->work |= MAP_WORK_ENTRIES; /* it asks again, and so do others */
}

/* Which logical page `from` is; its OOB record cannot be read. */
bool ftl_map_search(struct fw *fw, u32 plane, u32 from)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    if (d->gc[plane].found) {
        return true;
    }
    if (d->search_plane == FW_NONE) {
        d->search_plane = plane;
        d->search_page = 0;
        fw_charge(fw, FW_COST_GC_SCAN, d->count);
        for (u32 i = 0; i < d->count; ++i) {
            const struct cmt_entry *e = &d->cmt[i];
            if ((e->state & CMT_LOADED) && e->entry == from + 1) {
                found(d, e->lpn);
                return true;
            }
        }
    }
    for (; d->search_plane == plane; ++d->search_page) {
        if (d->search_page == d->pages) {
            found(d, FW_NONE);
            return true;
        }
        const u32 page = d->search_page;
        if (d->directory[page] == 0 && d->job_of[page] == 0) {
            continue;
        }
        const u32 job = map_job_with(d, page);
        if (job == FW_NONE) {
            if (d->job_of[page] == 0) {
                map_start(fw, page, false, true);
            }
            break;
        }
        const u32 *entries = map_content(fw, job);
        fw_charge(fw, FW_COST_GC_SCAN, d->per_page);
        for (u32 i = 0; i < d->per_page; ++i) {
            if (entries[i] == from + 1) {
                found(d, page * d->per_page + i);
                return true;
            }
        }
    }
    ftl_map_gc_wait(fw, plane);
    return false;
}

void ftl_map_no_search(struct ftl_dftl *d, u32 plane)
{
    if (d->search_plane == plane) {
        d->search_plane = FW_NONE;
        d->work |= MAP_WORK_ENTRIES;
    }
}

void map_ask_for_copies(struct fw *fw)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    for (u32 left = d->gc_waiting; left != 0; --left) {
        const u32 plane = d->gc_head;
        d->gc_head = d->gc[plane].next;
        if (d->gc_head == FW_NONE) {
            d->gc_tail = FW_NONE;
        }
        d->gc[plane].queued = 0;
        --d->gc_waiting;
        ftl_gc_map(fw, plane);
    }
}
