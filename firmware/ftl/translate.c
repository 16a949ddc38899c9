// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the demand-cached map: what waits for what, buffers of translation pages, trims.
//
// Whoever has waited asks again, and finds what he waited for. Nothing here calls itself: what has to go
// on is noted in `work` and done by ftl_map_pump() at the end of the message.
#include "firmware/ftl/dftl.h"

#include "firmware/core/core.h"
#include "firmware/sched/sched.h"

static u32 *content(const struct fw *fw, u32 job)
{
    return (u32 *)(fw->ftl->dftl->buffers + (u64)job * fw->cfg.page_bytes);
}

/* The buffer that has what flash has, or will have, of this page; FW_NONE: none. */
static u32 job_with(const struct ftl_dftl *d, u32 page)
{
    const u32 job = d->job_of[page] - 1u;
    return d->job_of[page] != 0 && d->jobs[job].state >= JOB_CONTENT ? job : FW_NONE;
}

u32 *ftl_cached_entry(struct fw *fw, u32 lpn, bool changes)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    u32 slot = cmt_find(d, lpn);
    if (slot == FW_NONE || !(d->cmt[slot].state & CMT_LOADED)) {
        fw_panic(fw, FW_PANIC_MAP, lpn);
        slot = 0;
    }
    if (changes) {
        cmt_dirty(d, slot);
    }
    return &d->cmt[slot].entry;
}

/* ---- jobs ---- */

u32 map_submit(struct fw *fw, u32 plane, u8 opcode, u8 purpose, u32 owner, u32 ppn)
{
    struct fw_ftl *f = fw->ftl;
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    fw_charge(fw, FW_COST_GC_SUBMIT, 1);
    o->opcode = opcode;
    o->purpose = purpose;
    o->owner = owner;
    o->flags = FW_OP_GC | (opcode == FLASH_OP_READ ? FW_OP_WITH_OOB : 0);
    o->lpn = FW_NONE;
    o->ppn = ppn;
    o->col = 0;
    o->len = (u8)(fw->cfg.page_bytes / 512);
    o->hits = FW_GC_NOW;
    o->buf = fw_table_base(&fw->cfg) + (opcode == FLASH_OP_ERASE ? 0 : owner * fw->cfg.page_bytes);
    ftl_address_op(fw, o, plane);
    ftl_add_work(fw, o, plane);
    if (opcode != FLASH_OP_PROGRAM) {
        ftl_row_op(fw, o);
        ++f->blocks[ftl_block_index(f, ppn)].pending;
        ++f->pending;
    }
    ++f->dftl->ops_out;
    const struct fw_message m = {.kind = FW_MSG_OP_PLACED, .a = op};
    fw_send(fw, FW_ROOM_SCHED, &m);
    return op;
}

/* A free buffer; the first one is for collection of translation pages only, or on a read-only device. */
static u32 free_job(const struct fw *fw, bool collect)
{
    const struct ftl_dftl *d = fw->ftl->dftl;
    if (d->jobs_busy == d->job_count) {
        return FW_NONE;
    }
    for (u32 job = d->job_count; job-- != 0;) {
        if (d->jobs[job].state == JOB_FREE) {
            return job != 0 || collect || fw->ftl->read_only ? job : FW_NONE;
        }
    }
    return FW_NONE;
}

/* False: no buffer is free. */
static bool start(struct fw *fw, u32 page, bool write, bool collect)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_dftl *d = f->dftl;
    const u32 job = free_job(fw, collect);
    if (job == FW_NONE) {
        return false;
    }
    struct map_job *j = &d->jobs[job];
    *j = (struct map_job){.page = page, .write = write, .collect = collect};
    fw_fifo_init(&j->waiting);
    d->job_of[page] = (u16)(job + 1);
    ++d->jobs_busy;
    if (d->directory[page] == 0) {
        memset(content(fw, job), 0, fw->cfg.page_bytes);
        j->state = JOB_CONTENT;
        d->work |= MAP_WORK_CONTENT;
        return true;
    }
    j->state = JOB_FETCH;
    ++fw->stats.map_reads;
    const u32 ppn = d->directory[page] - 1;
    map_submit(fw, ftl_plane_index(f, ppn), FLASH_OP_READ, FTL_MAP_READ, job, ppn);
    return true;
}

static void enqueue(struct ftl_dftl *d, u32 page)
{
    if (!d->queued[page]) {
        d->queued[page] = 1;
        d->queue_next[page] = FW_NONE;
        if (d->queue_tail == FW_NONE) {
            d->queue_head = page;
        } else {
            d->queue_next[d->queue_tail] = page;
        }
        d->queue_tail = page;
        d->work |= MAP_WORK_JOBS;
    }
}

void map_want_write(struct fw *fw, u32 page, bool collect)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    if (fw->ftl->read_only) {
        return;
    }
    if (d->job_of[page] != 0) {
        struct map_job *j = &d->jobs[d->job_of[page] - 1];
        j->again |= j->state == JOB_PROGRAM && !collect;
        j->write = 1;
        j->collect |= collect;
    } else if (!collect || !start(fw, page, true, true)) {
        enqueue(d, page);
    }
}

static void job_over(struct fw *fw, u32 job)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    struct map_job *j = &d->jobs[job];
    d->job_of[j->page] = 0;
    j->state = JOB_FREE;
    --d->jobs_busy;
    if (j->again && (d->dirty[j->page] != 0 || d->trims[j->page] != 0)) {
        enqueue(d, j->page);
    }
    d->work |= MAP_WORK_JOBS | MAP_WORK_ENTRIES;
}

/* Trims of this page that had no entry: what they name is no longer valid. */
static void apply_trims(struct fw *fw, u32 page, u32 *entries)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    const u32 first = page * d->per_page;
    fw_charge(fw, FW_COST_GC_SCAN, d->per_page / 64);
    for (u32 i = 0; d->trims[page] != 0 && i < d->per_page; ++i) {
        if (!ftl_map_is_trimmed(d, first + i)) {
            continue;
        }
        const u32 slot = cmt_find(d, first + i);
        struct cmt_entry *e = slot != FW_NONE && (d->cmt[slot].state & CMT_LOADED) ? &d->cmt[slot] : 0;
        const u32 entry = e ? e->entry : entries[i];
        fw_charge(fw, FW_COST_FTL_TRIM, 1);
        if (ftl_is_mapped(entry)) {
            ftl_invalidate(fw, entry - 1);
        }
        fw->stats.pages_trimmed += entry != 0;
        if (e) {
            e->entry = 0;
        }
        entries[i] = 0;
        d->trimmed[(first + i) / 64] &= ~((u64)1 << ((first + i) % 64));
        --d->trims[page];
    }
    d->work |= MAP_WORK_PLACE;
}

void map_job_room(struct fw *fw, u32 job)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    struct map_job *j = &d->jobs[job];
    u32 *entries = content(fw, job);
    if (d->trims[j->page] != 0) {
        apply_trims(fw, j->page, entries);
    }
    u32 merged = 0;
    for (u32 at = d->dirty[j->page]; at != 0; ++merged) {
        struct cmt_entry *e = &d->cmt[at - 1];
        entries[e->lpn % d->per_page] = e->entry;
        e->state &= (u16)~CMT_DIRTY;
        at = e->dirty_next;
    }
    fw_charge(fw, FW_COST_GC_SCAN, merged);
    fw->stats.map_merged += merged;
    d->dirty[j->page] = 0;
    d->work |= MAP_WORK_ENTRIES;
    j->state = JOB_PROGRAM;
    struct table_area *a = &d->areas[table_area_of(d, j->page)];
    ++a->promised;
    const u32 op = map_submit(fw, a->plane, FLASH_OP_PROGRAM, FTL_MAP_WRITE, job, FW_NONE);
    struct fw_op *o = &fw->ops[op];
    o->oob.lpn = fw->cfg.logical_pages + j->page;
    o->oob.sequence_low = (u32)fw->ftl->sequence;
    o->oob.sequence_high = (u16)(fw->ftl->sequence >> 32);
    o->oob.kind = 2;
    o->oob.reserved = 0;
    o->oob.check = fw_oob_check(&o->oob);
    ++fw->ftl->sequence;
}

/* ---- who waits ---- */

static void park(struct fw *fw, struct fw_fifo *fifo, u32 op)
{
    const struct fw_message m = {.kind = FW_MSG_OP_LATER, .a = op, .b = fw->ftl->damaged};
    fw_charge(fw, FW_COST_FTL_PARKED, 1);
    fw_op_park(fw, fifo, op);
    fw_probe(fw, FW_PROBE_SLOT_PARKED, fw->ops[op].owner);
    if (fw_sched_translates_late(fw)) {
        fw_send(fw, FW_ROOM_SCHED, &m);
    }
}

static void wait_for_page(struct fw *fw, u32 op, u32 page)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    const bool turn = d->resuming || fw_fifo_empty(&d->no_job);
    if (d->job_of[page] == 0 && !(turn && start(fw, page, false, false))) {
        park(fw, &d->no_job, op);
        return;
    }
    park(fw, &d->jobs[d->job_of[page] - 1].waiting, op);
}

static void count(struct fw *fw, bool hit)
{
    if (!fw->ftl->dftl->resuming) {
        fw->stats.map_hits += hit;
        fw->stats.map_misses += !hit;
    }
}

bool ftl_map_read(struct fw *fw, u32 op, u32 *entry)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    const u32 lpn = fw->ops[op].lpn;
    const u32 page = lpn / d->per_page;
    fw_charge(fw, FW_COST_BUFFER_LOOKUP, 1);
    if (ftl_map_is_trimmed(d, lpn)) {
        *entry = 0;
        return true;
    }
    const u32 slot = cmt_find(d, lpn);
    if (slot != FW_NONE && (d->cmt[slot].state & CMT_LOADED)) {
        count(fw, true);
        cmt_touch(d, slot);
        *entry = d->cmt[slot].entry;
        return true;
    }
    const u32 job = job_with(d, page);
    if (job == FW_NONE) {
        count(fw, false);
        wait_for_page(fw, op, page);
        return false;
    }
    count(fw, true);
    *entry = content(fw, job)[lpn % d->per_page];
    if (slot == FW_NONE && fw_fifo_empty(&d->no_entry) && d->gc_waiting == 0) {
        const u32 taken = cmt_take(fw, lpn);
        if (taken != FW_NONE) {
            d->cmt[taken].entry = *entry;
            d->cmt[taken].state |= CMT_LOADED;
            cmt_into_list(d, taken);
        }
    }
    return true;
}

bool ftl_map_write(struct fw *fw, u32 op)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    const u32 lpn = fw->ops[op].lpn;
    const u32 page = lpn / d->per_page;
    u32 slot = d->pin_of[op] - 1;
    fw_charge(fw, FW_COST_BUFFER_LOOKUP, 1);
    if (d->pin_of[op] == 0) {
        if (d->host_pins >= d->most_host_pins || (!d->resuming && !fw_fifo_empty(&d->no_entry))) {
            park(fw, &d->no_entry, op);
            return false;
        }
        slot = cmt_find(d, lpn);
        if (slot == FW_NONE) {
            slot = cmt_take(fw, lpn);
        }
        if (slot == FW_NONE) {
            park(fw, &d->no_entry, op);
            return false;
        }
        cmt_pin(d, slot);
        ++d->host_pins;
        d->pin_of[op] = slot + 1;
        fw->stats.map_hits += (d->cmt[slot].state & CMT_LOADED) != 0;
        fw->stats.map_misses += (d->cmt[slot].state & CMT_LOADED) == 0;
    }
    struct cmt_entry *e = &d->cmt[slot];
    if (e->state & CMT_LOADED) {
        return true;
    }
    const u32 job = job_with(d, page);
    if (job == FW_NONE) {
        wait_for_page(fw, op, page);
        return false;
    }
    e->entry = content(fw, job)[lpn % d->per_page];
    e->state |= CMT_LOADED;
    return true;
}

void ftl_map_unpin(struct fw *fw, u32 op)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    if (d->pin_of[op] != 0) {
        d->host_pins -= !(fw->ops[op].flags & FW_OP_GC);
        cmt_unpin(d, d->pin_of[op] - 1);
        d->pin_of[op] = 0;
    }
}

void ftl_map_written(struct fw *fw, u32 lpn)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    if (ftl_map_is_trimmed(d, lpn)) {
        d->trimmed[lpn / 64] &= ~((u64)1 << (lpn % 64));
        --d->trims[lpn / d->per_page];
        ++fw->stats.pages_trimmed;
    }
}

void ftl_map_trim(struct fw *fw, u32 lpn)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    const u32 page = lpn / d->per_page;
    const u32 slot = cmt_find(d, lpn);
    if (ftl_map_is_trimmed(d, lpn)) {
        return;
    }
    if (slot != FW_NONE && (d->cmt[slot].state & CMT_LOADED)) {
        struct cmt_entry *e = &d->cmt[slot];
        if (e->entry != 0) {
            if (ftl_is_mapped(e->entry)) {
                ftl_invalidate(fw, e->entry - 1);
            }
            e->entry = 0;
            cmt_dirty(d, slot);
            ++fw->stats.pages_trimmed;
            d->work |= MAP_WORK_PLACE;
        }
        return;
    }
    if (d->directory[page] != 0 || d->job_of[page] != 0) { /* else nothing of it has ever been written */
        d->trimmed[lpn / 64] |= (u64)1 << (lpn % 64);
        ++d->trims[page];
        map_want_write(fw, page, false);
    }
}

/* ---- collection of data ---- */

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
        const u32 job = job_with(d, page);
        if (job == FW_NONE) {
            if (d->job_of[page] == 0) {
                start(fw, page, false, true); /* or later, when a buffer is free */
            }
            ftl_map_gc_wait(fw, plane);
            return MAP_WAITS;
        }
        const u32 entry = content(fw, job)[lpn % d->per_page];
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
        const u32 job = job_with(d, page);
        if (job == FW_NONE) {
            if (d->job_of[page] == 0) {
                start(fw, page, false, true);
            }
            break;
        }
        const u32 *entries = content(fw, job);
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

static void ask_again_for_copies(struct fw *fw)
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

/* ---- what goes on ---- */

static void resume(struct fw *fw, struct fw_fifo *fifo)
{
    const u32 op = fw_op_unpark(fw, fifo);
    fw->ftl->dftl->resuming = true;
    ftl_resume(fw, op);
    fw->ftl->dftl->resuming = false;
}

static void serve_contents(struct fw *fw)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    for (u32 job = 0; job < d->job_count; ++job) {
        struct map_job *j = &d->jobs[job];
        if (j->state != JOB_CONTENT) {
            continue;
        }
        while (!fw_fifo_empty(&j->waiting)) {
            resume(fw, &j->waiting);
        }
        ask_again_for_copies(fw);
        if (!j->write || fw->ftl->read_only) {
            job_over(fw, job);
            continue;
        }
        j->state = JOB_ROOM;
        j->ticket = ++d->ticket;
        table_look(fw, table_area_of(d, j->page));
    }
}

static void serve_entries(struct fw *fw)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    ask_again_for_copies(fw);
    /* Each has his turn once; who finds none goes to the end again, and has started a write-back. */
    u32 left = 0;
    for (u32 op = d->no_entry.head; op != FW_NONE; op = fw->ops[op].parked) {
        ++left;
    }
    for (u32 tail = d->no_entry.tail; left != 0; --left) {
        resume(fw, &d->no_entry);
        if (d->no_entry.tail != tail) {
            break;
        }
    }
}

static void start_jobs(struct fw *fw)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    for (bool more = true; more;) {
        more = false;
        if (!fw_fifo_empty(&d->no_job) && free_job(fw, false) != FW_NONE) {
            resume(fw, &d->no_job);
            more = true;
        }
        const u32 page = d->queue_head;
        if (page != FW_NONE && (d->job_of[page] != 0 || free_job(fw, false) != FW_NONE)) {
            d->queue_head = d->queue_next[page];
            d->queue_tail = d->queue_head == FW_NONE ? FW_NONE : d->queue_tail;
            d->queued[page] = 0;
            if (d->job_of[page] != 0) {
                map_want_write(fw, page, false);
            } else {
                start(fw, page, true, false);
            }
            more = true;
        }
    }
    for (u32 area = 0; area < d->area_count; ++area) {
        if (d->areas[area].victim != FW_NONE) {
            table_look(fw, area);
        }
    }
    ask_again_for_copies(fw);
}

void ftl_map_pump(struct fw *fw)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    while (d->work != 0) {
        const u32 work = d->work;
        d->work = 0;
        if (work & MAP_WORK_CONTENT) {
            serve_contents(fw);
        }
        if (work & MAP_WORK_ENTRIES) {
            serve_entries(fw);
        }
        if (work & MAP_WORK_JOBS) {
            start_jobs(fw);
        }
        if (work & MAP_WORK_PLACE) {
            ftl_place_waiting(fw);
        }
    }
}

/* A translation page cannot be read: what is not in the CMT is lost. */
static void lose(struct fw *fw, u32 job)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    u32 *entries = content(fw, job);
    const u32 first = d->jobs[job].page * d->per_page;
    ++fw->stats.read_errors;
    for (u32 i = 0; i < d->per_page && first + i < fw->cfg.logical_pages; ++i) {
        const u32 slot = cmt_find(d, first + i);
        const bool known = slot != FW_NONE && (d->cmt[slot].state & CMT_LOADED);
        entries[i] = known ? d->cmt[slot].entry : FTL_LOST;
        fw->stats.pages_lost += !known;
    }
    d->orphans = true;
    d->jobs[job].write = 1; /* the next read must not bring anything else */
}

void ftl_map_done(struct fw *fw, u32 op)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    const struct fw_op o = fw->ops[op];
    fw_charge(fw, FW_COST_GC_DONE, 1);
    fw_op_free(fw, op);
    --d->ops_out;
    if (o.status == FLASH_STATUS_ILLEGAL) {
        fw_panic(fw, FW_PANIC_FLASH_FAILED, o.ppn);
        return;
    }
    const bool good = o.status == FLASH_STATUS_OK;
    if (o.purpose == FTL_MAP_ERASE) {
        table_erased(fw, o.owner, good);
        return;
    }
    struct map_job *j = &d->jobs[o.owner];
    if (o.purpose == FTL_MAP_READ) {
        if (!good) {
            lose(fw, o.owner);
        } else if (o.oob.lpn != fw->cfg.logical_pages + j->page || o.oob.check != fw_oob_check(&o.oob)) {
            fw_panic(fw, FW_PANIC_OOB, o.ppn);
        }
        j->state = JOB_CONTENT;
        d->work |= MAP_WORK_CONTENT;
        table_look(fw, table_area_of(d, j->page)); /* its erase may have waited */
        return;
    }
    table_programmed(fw, j->page, o.ppn, good);
    if (good) {
        job_over(fw, o.owner);
    } else {
        ++fw->stats.program_fails;
        j->state = JOB_ROOM;
        j->ticket = 0; /* first */
    }
    table_look(fw, table_area_of(d, j->page));
}

/* Nothing is written any more. What has come into a buffer for that and has not been merged goes. */
void ftl_map_read_only(struct fw *fw)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    while (d->gc_waiting != 0) {
        ask_again_for_copies(fw); /* they give up */
    }
    for (u32 job = 0; job < d->job_count; ++job) {
        if (d->jobs[job].state == JOB_ROOM && d->jobs[job].ticket != 0) {
            d->jobs[job].again = 0;
            job_over(fw, job);
        }
    }
    while (d->queue_head != FW_NONE) {
        d->queued[d->queue_head] = 0;
        d->queue_head = d->queue_next[d->queue_head];
    }
    d->queue_tail = FW_NONE;
    while (!fw_fifo_empty(&d->no_entry)) {
        resume(fw, &d->no_entry);
    }
    d->work |= MAP_WORK_JOBS;
}

bool ftl_map_stuck(const struct fw *fw)
{
    const struct ftl_dftl *d = fw->ftl->dftl;
    return d->ops_out == 0 && (d->jobs_busy != 0 || d->gc_waiting != 0 || !fw_fifo_empty(&d->no_entry));
}

bool ftl_dftl_idle(const struct fw *fw)
{
    const struct ftl_dftl *d = fw->ftl->dftl;
    if (!fw_fifo_empty(&d->no_entry) || !fw_fifo_empty(&d->no_job) || d->gc_waiting != 0 || d->ops_out != 0) {
        return false;
    }
    return fw->ftl->read_only || (d->jobs_busy == 0 && d->queue_head == FW_NONE);
}
