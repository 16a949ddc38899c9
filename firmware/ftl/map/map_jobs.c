// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the demand-cached map: buffers of translation pages, and what is done with a page in one.
//
// FETCH -> CONTENT -> [SPACE ->] PROGRAM -> free (docs/explanation/dftl.md).
#include "firmware/ftl/map/dftl.h"

#include "firmware/core/panic.h"
#include "firmware/ftl/core/planes.h"

u32 *map_content(const struct fw *fw, u32 job)
{
    return (u32 *)(fw->ftl->dftl->buffers + (u64)job * fw->cfg.page_bytes);
}

u32 map_job_with(const struct ftl_dftl *d, u32 page)
{
    const u32 job = d->job_of[page] - 1u;
    return d->job_of[page] != 0 && d->jobs[job].state >= JOB_CONTENT ? job : FW_NONE;
}

u32 map_submit(struct fw *fw, u32 plane, u8 opcode, u8 purpose, u32 owner, u32 ppn)
{
    struct fw_ftl *f = fw->ftl;
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    fw_charge(fw, FW_COST_GC_SUBMIT, 1);
    o->opcode = opcode;
    o->purpose = purpose;
    if (purpose == FTL_MAP_ERASE) {
        o->table_block = owner;
    } else {
        o->map_job = owner;
    }
    o->flags = FW_OP_GC | (opcode == FLASH_OP_READ ? FW_OP_WITH_OOB : 0);
    o->lpn = FW_NONE;
    o->ppn = ppn;
    o->col = 0;
    o->len = (u8)(fw->cfg.page_bytes / 512);
    o->gc_need = FW_GC_NOW;
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
    fw_send(fw, FW_MODULE_SCHED, &m);
    return op;
}

u32 map_free_job(const struct fw *fw, bool collect)
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

bool map_start(struct fw *fw, u32 page, bool write, bool collect)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_dftl *d = f->dftl;
    const u32 job = map_free_job(fw, collect);
    if (job == FW_NONE) {
        return false;
    }
    struct map_job *j = &d->jobs[job];
    *j = (struct map_job){.page = page, .write = write, .collect = collect};
    fw_fifo_init(&j->waiting);
    d->job_of[page] = (u16)(job + 1);
    ++d->jobs_busy;
    if (d->directory[page] == 0) {
        memset(map_content(fw, job), 0, fw->cfg.page_bytes);
        j->state = JOB_CONTENT;
        fw->ftl->map_work |= MAP_WORK_CONTENT;
        return true;
    }
    j->state = JOB_FETCH;
    ++fw->stats.map_reads;
    const u32 ppn = d->directory[page] - 1;
    map_submit(fw, ftl_plane_index(f, ppn), FLASH_OP_READ, FTL_MAP_READ, job, ppn);
    return true;
}

static void enqueue(struct fw *fw, u32 page)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    if (!d->queued[page]) {
        d->queued[page] = 1;
        d->queue_next[page] = FW_NONE;
        if (d->queue_tail == FW_NONE) {
            d->queue_head = page;
        } else {
            d->queue_next[d->queue_tail] = page;
        }
        d->queue_tail = page;
        fw->ftl->map_work |= MAP_WORK_JOBS;
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
    } else if (!collect || !map_start(fw, page, true, true)) {
        enqueue(fw, page);
    }
}

void map_job_over(struct fw *fw, u32 job)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    struct map_job *j = &d->jobs[job];
    d->job_of[j->page] = 0;
    j->state = JOB_FREE;
    --d->jobs_busy;
    if (j->again && (d->dirty[j->page] != 0 || d->trims[j->page] != 0)) {
        enqueue(fw, j->page);
    }
    fw->ftl->map_work |= MAP_WORK_JOBS | MAP_WORK_ENTRIES;
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
    fw->ftl->map_work |= MAP_WORK_PLACE;
}

void map_job_space(struct fw *fw, u32 job)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    struct map_job *j = &d->jobs[job];
    u32 *entries = map_content(fw, job);
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
    fw->ftl->map_work |= MAP_WORK_ENTRIES;
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

/* A translation page cannot be read: what is not in the CMT is lost. */
static void lose(struct fw *fw, u32 job)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    u32 *entries = map_content(fw, job);
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
        table_erased(fw, o.table_block, good);
        return;
    }
    struct map_job *j = &d->jobs[o.map_job];
    if (o.purpose == FTL_MAP_READ) {
        if (!good) {
            lose(fw, o.map_job);
        } else if (o.oob.lpn != fw->cfg.logical_pages + j->page || o.oob.check != fw_oob_check(&o.oob)) {
            fw_panic(fw, FW_PANIC_OOB, o.ppn);
        }
        j->state = JOB_CONTENT;
        fw->ftl->map_work |= MAP_WORK_CONTENT;
        table_look(fw, table_area_of(d, j->page)); /* its erase may have waited */
        return;
    }
    table_programmed(fw, j->page, o.ppn, good);
    if (good) {
        map_job_over(fw, o.map_job);
    } else {
        ++fw->stats.program_fails;
        j->state = JOB_SPACE;
        j->ticket = 0; /* first */
    }
    table_look(fw, table_area_of(d, j->page));
}
