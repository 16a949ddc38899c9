// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the demand-cached map: what the host's operations wait for, and who goes on when.
//
// Whoever has waited asks again, and finds what he waited for. Nothing here calls itself: what has to go
// on is noted in `map_work` and done by pump() at the end of the message.
#include "firmware/ftl/map/dftl.h"

#include "firmware/core/panic.h"
#include "firmware/core/sched_traits.h"

static u32 *cached_entry(struct fw *fw, u32 lpn, bool changes)
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

/* ---- who waits ---- */

static void park(struct fw *fw, struct fw_fifo *fifo, u32 op)
{
    const struct fw_message m = {.kind = FW_MSG_OP_LATER, .a = op, .b = fw->ftl->damaged};
    fw_charge(fw, FW_COST_FTL_PARKED, 1);
    fw_op_park(fw, fifo, op);
    fw_probe(fw, FW_PROBE_LINE_PARKED, fw->ops[op].line);
    if (fw_sched_does(fw, SCHED_TRANSLATES_LATE)) {
        fw_send(fw, FW_MODULE_SCHED, &m);
    }
}

static void wait_for_page(struct fw *fw, u32 op, u32 page)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    const bool turn = d->resuming || fw_fifo_empty(&d->no_job);
    if (d->job_of[page] == 0 && !(turn && map_start(fw, page, false, false))) {
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

/* The entry of a read's LPN; false: it waits. */
static bool read_entry(struct fw *fw, u32 op, u32 *entry)
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
    const u32 job = map_job_with(d, page);
    if (job == FW_NONE) {
        count(fw, false);
        wait_for_page(fw, op, page);
        return false;
    }
    count(fw, true);
    *entry = map_content(fw, job)[lpn % d->per_page];
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

static bool prepare(struct fw *fw, u32 op)
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
    const u32 job = map_job_with(d, page);
    if (job == FW_NONE) {
        wait_for_page(fw, op, page);
        return false;
    }
    e->entry = map_content(fw, job)[lpn % d->per_page];
    e->state |= CMT_LOADED;
    return true;
}

static void unpin(struct fw *fw, u32 op)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    if (d->pin_of[op] != 0) {
        d->host_pins -= !(fw->ops[op].flags & FW_OP_GC);
        cmt_unpin(fw, d->pin_of[op] - 1);
        d->pin_of[op] = 0;
    }
}

/* A write of the host is assigned: its LPN is trimmed no more. */
static void written(struct fw *fw, u32 lpn)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    if (ftl_map_is_trimmed(d, lpn)) {
        d->trimmed[lpn / 64] &= ~((u64)1 << (lpn % 64));
        --d->trims[lpn / d->per_page];
        ++fw->stats.pages_trimmed;
    }
}

static void trim(struct fw *fw, u32 lpn)
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
            fw->ftl->map_work |= MAP_WORK_PLACE;
        }
        return;
    }
    if (d->directory[page] != 0 || d->job_of[page] != 0) { /* else nothing of it has ever been written */
        d->trimmed[lpn / 64] |= (u64)1 << (lpn % 64);
        ++d->trims[page];
        map_want_write(fw, page, false);
    }
}

/* ---- what goes on ---- */

static void resume(struct fw *fw, struct fw_fifo *fifo)
{
    const u32 op = fw_op_unpark(fw, fifo);
    fw->ftl->dftl->resuming = true;
    fw->ftl->waits->translate(fw, op);
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
        map_ask_for_copies(fw);
        if (!j->write || fw->ftl->read_only) {
            map_job_over(fw, job);
            continue;
        }
        j->state = JOB_SPACE;
        j->ticket = ++d->ticket;
        table_look(fw, table_area_of(d, j->page));
    }
}

static void serve_entries(struct fw *fw)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    map_ask_for_copies(fw);
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
        if (!fw_fifo_empty(&d->no_job) && map_free_job(fw, false) != FW_NONE) {
            resume(fw, &d->no_job);
            more = true;
        }
        const u32 page = d->queue_head;
        if (page != FW_NONE && (d->job_of[page] != 0 || map_free_job(fw, false) != FW_NONE)) {
            d->queue_head = d->queue_next[page];
            d->queue_tail = d->queue_head == FW_NONE ? FW_NONE : d->queue_tail;
            d->queued[page] = 0;
            if (d->job_of[page] != 0) {
                map_want_write(fw, page, false);
            } else {
                map_start(fw, page, true, false);
            }
            more = true;
        }
    }
    for (u32 area = 0; area < d->area_count; ++area) {
        if (d->areas[area].victim != FW_NONE) {
            table_look(fw, area);
        }
    }
    map_ask_for_copies(fw);
}

static void pump(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    while (f->map_work != 0) {
        const u32 work = f->map_work;
        f->map_work = 0;
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
            f->waits->place(fw);
        }
    }
}

/* What has come into a buffer to be written and has not been merged goes. */
static void stop_writing(struct fw *fw)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    while (d->gc_waiting != 0) {
        map_ask_for_copies(fw); /* they give up */
    }
    for (u32 job = 0; job < d->job_count; ++job) {
        if (d->jobs[job].state == JOB_SPACE && d->jobs[job].ticket != 0) {
            d->jobs[job].again = 0;
            map_job_over(fw, job);
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
    fw->ftl->map_work |= MAP_WORK_JOBS;
    pump(fw);
}

static bool is_idle(const struct fw *fw)
{
    const struct ftl_dftl *d = fw->ftl->dftl;
    if (!fw_fifo_empty(&d->no_entry) || !fw_fifo_empty(&d->no_job) || d->gc_waiting != 0 || d->ops_out != 0) {
        return false;
    }
    return fw->ftl->read_only || (d->jobs_busy == 0 && d->queue_head == FW_NONE);
}

/* ---- the table of hooks ---- */

static bool lookup(struct fw *fw, u32 op, struct map_found *found)
{
    if (!read_entry(fw, op, &found->entry)) {
        return false;
    }
    found->ppn = found->entry - 1;
    return true;
}

static u32 set(struct fw *fw, u32 op, u32 from)
{
    const u32 alive = map_set_page(fw, op, from);
    if (!(fw->ops[op].flags & FW_OP_GC)) {
        written(fw, fw->ops[op].lpn);
    }
    return alive;
}

static struct map_waits waits(const struct fw *fw)
{
    const struct ftl_dftl *d = fw->ftl->dftl;
    struct map_waits w = {false, d->ops_out != 0, d->gc_waiting};
    w.stuck = !w.busy && (d->jobs_busy != 0 || d->gc_waiting != 0 || !fw_fifo_empty(&d->no_entry));
    return w;
}

static u8 **pages(const struct fw *fw) { return &fw->ftl->dftl->buffers; }

const struct map_ops map_ops_cached = {
    .start = table_areas_take,
    .lookup = lookup,
    .prepare = prepare,
    .set = set,
    .unset = map_unset_page,
    .refuse = map_refuse_page,
    .release = unpin,
    .trim = trim,
    .entry = cached_entry,
    .note_copy = map_note_copy,
    .copy_over = map_copy_over,
    .block_freed = table_block_freed,
    .pump = pump,
    .idle = is_idle,
    .waits = waits,
    .read_only = stop_writing,
    .pages = pages,
};
