// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the demand-cached map: entries for pages that collection moves, and whose a page is whose OOB
// record cannot be read.
#include "firmware/ftl/map/dftl.h"

#include "firmware/core/panic.h"

static void wait(struct fw *fw, u32 plane)
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

static void found(struct fw *fw, u32 lpn)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    struct map_gc *g = &d->gc[d->search_plane];
    g->found = lpn == FW_NONE ? 2 : 1;
    g->oob.lpn = lpn;
    d->search_plane = FW_NONE;
    fw->ftl->map_work |= MAP_WORK_ENTRIES; /* it asks again, and so do others */
}

/* Which logical page `from` is; its OOB record cannot be read. False: it waits; else gc[plane].found. */
static bool search(struct fw *fw, u32 plane, u32 from)
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
                found(fw, e->lpn);
                return true;
            }
        }
    }
    for (; d->search_plane == plane; ++d->search_page) {
        if (d->search_page == d->pages) {
            found(fw, FW_NONE);
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
                found(fw, page * d->per_page + i);
                return true;
            }
        }
    }
    wait(fw, plane);
    return false;
}

/* The search for this plane is no longer of interest. */
static void no_search(struct fw *fw, u32 plane)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    if (d->search_plane == plane) {
        d->search_plane = FW_NONE;
        fw->ftl->map_work |= MAP_WORK_ENTRIES;
    }
}

/* Collection of `plane` wants the entry of LPN `lpn`, whose valid page is `from`. READY: it is pinned for
   slot `*slot`. DEAD: the map names another page. */
static enum map_answer entry_for_copy(struct fw *fw, u32 plane, u32 lpn, u32 from, u32 *slot)
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
            wait(fw, plane);
            return MAP_WAITS;
        }
        const u32 entry = map_content(fw, job)[lpn % d->per_page];
        if (entry != from + 1 && entry != FTL_LOST) {
            return MAP_DEAD;
        }
    } else if (at != FW_NONE && (d->cmt[at].state & CMT_LOADED) && d->cmt[at].entry != from + 1) {
        if (!d->orphans) {
            fw_panic(fw, FW_PANIC_OOB, from);
            return MAP_FAULT;
        }
        if (d->cmt[at].entry != FTL_LOST) {
            return MAP_DEAD;
        }
    }
    if (at == FW_NONE) {
        at = cmt_take(fw, lpn);
        if (at == FW_NONE) {
            wait(fw, plane);
            return MAP_WAITS;
        }
    }
    cmt_pin(d, at);
    d->cmt[at].entry = from + 1; /* it is valid, so this is its entry */
    d->cmt[at].state |= CMT_LOADED;
    *slot = at;
    return MAP_READY;
}

enum map_answer map_note_copy(struct fw *fw, u32 plane, u32 from, const struct fw_op *read, struct map_copy *copy)
{
    struct fw_ftl *f = fw->ftl;
    struct map_gc *g = &f->dftl->gc[plane];
    if (read) {
        if (!ftl_is_valid(f, from)) {
            return MAP_DEAD; /* overwritten meanwhile */
        }
        g->oob = read->oob;
        g->lost = read->status != FLASH_STATUS_OK;
        g->found = 0;
    }
    if (f->read_only) {
        return MAP_NEVER;
    }
    if (!ftl_is_valid(f, from)) { /* overwritten meanwhile */
        no_search(fw, plane);
        return MAP_DEAD;
    }
    const bool known = g->found == 1 || (g->oob.check == fw_oob_check(&g->oob) && g->oob.lpn < f->map_entries);
    if (!known && !g->lost) {
        fw_panic(fw, FW_PANIC_OOB, from);
        return MAP_FAULT;
    }
    if (!known && !search(fw, plane, from)) {
        return MAP_WAITS;
    }
    enum map_answer answer = MAP_DEAD;
    u32 slot = 0;
    if (known || g->found == 1) {
        answer = entry_for_copy(fw, plane, g->oob.lpn, from, &slot);
    } else if (!f->dftl->orphans) {
        fw_panic(fw, FW_PANIC_MAP, from);
        return MAP_FAULT;
    }
    if (answer == MAP_DEAD) { /* a translation page was lost, so that nobody knew of the overwrite */
        ftl_invalidate(fw, from);
    }
    if (answer == MAP_READY) {
        g->pin = slot + 1;
        copy->oob = g->oob;
        copy->lost = g->lost;
    }
    return answer;
}

void map_copy_over(struct fw *fw, u32 plane)
{
    struct map_gc *g = &fw->ftl->dftl->gc[plane];
    if (g->pin != 0) {
        cmt_unpin(fw, g->pin - 1);
        g->pin = 0;
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
        fw->ftl->waits->collect(fw, plane);
    }
}
