// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the log-block map: merges of a plane, one after the other.
//
// IDLE -> [HELD ->] READING -> WRITING -> READING ... -> IDLE, IDLE -> ERASING -> IDLE. Until its last page is in
// flash a merge changes nothing: reads find the old copies, a program that fails is forgotten with its block. Then
// map and valid bits change in one step, and the old blocks are erased when nobody reads them any more.
#include "firmware/core/panic.h"
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/planes.h"
#include "firmware/ftl/map/log.h"

/* ---- operations ---- */

static void submit(struct fw *fw, u32 plane, u8 opcode, u8 purpose, u32 ppn, const struct fw_oob *oob)
{
    struct fw_ftl *f = fw->ftl;
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    fw_charge(fw, FW_COST_GC_SUBMIT, 1);
    o->opcode = opcode;
    o->purpose = purpose;
    o->home_plane = plane;
    o->flags = FW_OP_GC | (opcode == FLASH_OP_READ ? FW_OP_WITH_OOB : 0);
    o->lpn = FW_NONE;
    o->ppn = ppn;
    o->col = 0;
    o->len = (u8)(fw->cfg.page_bytes / 512);
    o->gc_need = FW_GC_NOW;
    o->buf = f->gc_buffer_base + plane * fw->cfg.page_bytes;
    if (oob) {
        o->oob = *oob;
    }
    ftl_address_op(fw, o, plane);
    ftl_add_work(fw, o, plane);
    if (opcode != FLASH_OP_PROGRAM) {
        ftl_row_op(fw, o);
        ++f->blocks[ftl_block_index(f, ppn)].pending;
        ++f->pending;
    }
    const struct fw_message m = {.kind = FW_MSG_OP_PLACED, .a = op};
    fw_send(fw, FW_MODULE_SCHED, &m);
}

/* Its page has been known since it was sent. */
void ftl_log_assign(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    struct fw_op *o = &fw->ops[op];
    const struct fw_message m = {.kind = FW_MSG_OP_ASSIGNED, .a = op};
    fw_charge(fw, FW_COST_FTL_ASSIGN, 1);
    ftl_row_op(fw, o);
    ++f->blocks[ftl_block_index(f, o->ppn)].pending;
    ++f->pending;
    ++f->sequence;
    ++fw->stats.flash_pages_written;
    fw_send(fw, FW_MODULE_SCHED, &m);
}

static void change_state(struct fw *fw, struct log_plane *p, enum log_state state)
{
    fw->ftl->log->active += (state != LOG_IDLE) - (p->state != LOG_IDLE);
    p->state = (u8)state;
    fw_probe(fw, FW_PROBE_GC_ACTIVE, fw->ftl->log->active);
}

/* ---- blocks that hold nothing any more ---- */

static void discard(struct fw *fw, u32 plane, u32 block)
{
    struct log_plane *p = log_plane_of(fw, plane);
    if (gc_block(fw->ftl, plane, block)->valid != 0) {
        fw_panic(fw, FW_PANIC_MAP, block);
        return;
    }
    p->garbage[p->garbage_count++] = block;
}

static void look_later(struct fw *fw, struct log_plane *p, bool later)
{
    fw->ftl->log->looks += (u32)later - p->looks;
    p->looks = later;
    fw->ftl->map_work |= later;
}

/* True: it was retired at once. */
static bool erase_one(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct log_plane *p = log_plane_of(fw, plane);
    const u32 block = p->garbage[p->garbage_count - 1];
    struct block *b = gc_block(f, plane, block);
    look_later(fw, p, b->pending != 0);
    if (b->pending != 0) {
        return false;
    }
    --p->garbage_count;
    if (b->state == BLOCK_FAILED) {
        b->failed = 1; /* it was counted when it failed */
        --f->planes[plane].failed;
        ftl_retire(fw, plane, block);
        log_serve(fw, plane);
        return true;
    }
    change_state(fw, p, LOG_ERASING);
    submit(fw, plane, FLASH_OP_ERASE, FTL_LOG_ERASE, ftl_ppn(f, plane, block, 0), 0);
    return false;
}

/* ---- which merge ---- */

/* The copy that goes to this offset of the data block; FW_NONE: none. What the sequential log block holds stays
   there until that one is merged. */
static u32 source_of(const struct fw *fw, u32 plane, u32 offset)
{
    const struct log_plane *p = log_plane_of(fw, plane);
    const u32 page = log_find(fw, plane, log_lpn(fw, plane, p->owner, offset));
    if (page == FW_NONE) {
        return log_data_ppn(fw, plane, p->owner, offset);
    }
    const u32 at = page / fw->cfg.pages;
    return at == p->sequential && at != p->victim ? FW_NONE : log_page_ppn(fw, plane, page);
}

static bool is_busy(const struct fw *fw, u32 plane, u32 offset)
{
    const u32 page = log_find(fw, plane, log_lpn(fw, plane, log_plane_of(fw, plane)->owner, offset));
    return page != FW_NONE && log_page_at(fw, plane, page)->busy;
}

/* The log block may become the data block: what it lacks comes after what it has. */
static bool goes_on(const struct fw *fw, u32 plane, const struct log_block *b)
{
    if (!b->in_order) {
        return false;
    }
    for (u32 offset = 0; offset < b->used; ++offset) {
        if (log_data_ppn(fw, plane, b->owner, offset) != FW_NONE) {
            return false;
        }
    }
    return true;
}

/* Of the logical block that the victim is merged for: behind the last page to copy. A partial merge takes what the
   old data block has, and on the way what shared log blocks have. */
static u32 end_of(const struct fw *fw, u32 plane, bool partial)
{
    const u32 owner = log_plane_of(fw, plane)->owner;
    for (u32 offset = fw->cfg.pages; offset != 0; --offset) {
        const u32 from = partial ? log_data_ppn(fw, plane, owner, offset - 1) : source_of(fw, plane, offset - 1);
        if (from != FW_NONE) {
            return offset;
        }
    }
    return 0;
}

static u32 first_owner(const struct fw *fw, u32 plane, u32 at)
{
    u32 page = at * fw->cfg.pages;
    while (log_page_at(fw, plane, page)->lpn == FW_NONE) {
        ++page; /* one is live */
    }
    return log_home_of(fw, log_page_at(fw, plane, page)->lpn).logical;
}

static u32 next_due(const struct fw *fw, u32 plane)
{
    const u64 due = log_plane_of(fw, plane)->due;
    for (u32 at = 0; due >> at != 0; ++at) {
        if ((due >> at & 1) && log_block_at(fw, plane, at)->programs == 0) {
            return at;
        }
        if (at == LOG_MOST - 1) {
            break;
        }
    }
    return FW_NONE;
}

static void end_merge(struct fw *fw, u32 plane)
{
    struct log_plane *p = log_plane_of(fw, plane);
    p->victim = p->owner = FW_NONE;
    if (p->state != LOG_IDLE) {
        change_state(fw, p, LOG_IDLE);
    }
    log_serve(fw, plane);
}

/* Everything in it has been overwritten or trimmed. */
static void empty_log(struct fw *fw, u32 plane, u32 at)
{
    const u32 block = log_block_at(fw, plane, at)->block;
    ++fw->stats.log_drops;
    log_free(fw, plane, at);
    discard(fw, plane, block);
    log_serve(fw, plane);
}

static void step(struct fw *fw, u32 plane);

/* False: nothing is to be done, or cannot be. */
static bool begin(struct fw *fw, u32 plane)
{
    struct log_plane *p = log_plane_of(fw, plane);
    const u32 at = next_due(fw, plane);
    if (at == FW_NONE) {
        return false;
    }
    const struct log_block *b = log_block_at(fw, plane, at);
    fw_charge(fw, FW_COST_GC_ROUND, 1);
    if (b->live == 0) {
        empty_log(fw, plane, at);
        return true;
    }
    fw_charge(fw, FW_COST_GC_PAGE, 2 * fw->cfg.pages);
    const bool keeps = b->kind != LOG_RANDOM && goes_on(fw, plane, b);
    if (!keeps && fw->ftl->planes[plane].free_count == 0) {
        return false;
    }
    p->victim = at;
    p->owner = b->kind == LOG_RANDOM ? first_owner(fw, plane, at) : b->owner;
    p->end = end_of(fw, plane, keeps);
    p->page = keeps ? b->used : 0;
    p->merge = !keeps ? MERGE_FULL : p->page < p->end ? MERGE_PARTIAL : MERGE_SWITCH;
    p->target = keeps ? b->block : ftl_take_block(fw, plane, false);
    gc_block(fw->ftl, plane, p->target)->state = BLOCK_LOG;
    step(fw, plane);
    return true;
}

void log_run(struct fw *fw, u32 plane)
{
    struct log_plane *p = log_plane_of(fw, plane);
    if (p->state == LOG_HELD) {
        step(fw, plane);
    }
    while (p->state == LOG_IDLE && !fw->ftl->read_only) {
        if (p->garbage_count != 0) {
            if (!erase_one(fw, plane)) {
                return;
            }
        } else if (!begin(fw, plane)) {
            return;
        }
    }
}

/* ---- the end of a merge ---- */

/* The live copy moves. */
static void move(struct fw *fw, u32 plane, u32 from, u32 lpn, u32 to)
{
    struct fw_ftl *f = fw->ftl;
    const u32 page = log_find(fw, plane, lpn);
    fw_charge(fw, FW_COST_FTL_UPDATE, 1);
    if (page != FW_NONE) {
        log_forget(fw, plane, page);
    }
    ftl_invalidate(fw, from);
    f->valid[to / 64] |= (u64)1 << (to % 64);
    ++f->blocks[ftl_block_index(f, to)].valid;
    ++f->planes[plane].valid;
}

static void take_copies(struct fw *fw, u32 plane, u32 first)
{
    const struct log_plane *p = log_plane_of(fw, plane);
    for (u32 offset = first; offset < p->end; ++offset) {
        const u32 from = source_of(fw, plane, offset);
        if (from != FW_NONE) { /* it may have been trimmed meanwhile */
            move(fw, plane, from, log_lpn(fw, plane, p->owner, offset), ftl_ppn(fw->ftl, plane, p->target, offset));
        }
    }
}

/* Its pages are those of a data block now. */
static void leave_log(struct fw *fw, u32 plane, u32 at)
{
    const u32 first = at * fw->cfg.pages;
    for (u32 i = 0; i < fw->cfg.pages; ++i) {
        if (log_page_at(fw, plane, first + i)->lpn != FW_NONE) {
            log_forget(fw, plane, first + i);
        }
    }
    log_free(fw, plane, at);
}

static void commit(struct fw *fw, u32 plane)
{
    struct log_plane *p = log_plane_of(fw, plane);
    const struct log_block *b = log_block_at(fw, plane, p->victim);
    u32 *data = log_data_of(fw, plane, p->owner);
    const u32 old = *data;
    if (p->merge == MERGE_FULL) {
        take_copies(fw, plane, 0);
        ++fw->stats.log_full_merges;
        if (b->live == 0) {
            log_free(fw, plane, p->victim);
            discard(fw, plane, b->block);
        }
    } else {
        take_copies(fw, plane, b->used);
        leave_log(fw, plane, p->victim);
        fw->stats.log_switch_merges += p->merge == MERGE_SWITCH;
        fw->stats.log_partial_merges += p->merge == MERGE_PARTIAL;
    }
    *data = p->target + 1;
    if (old != 0) {
        discard(fw, plane, old - 1);
    }
    end_merge(fw, plane);
}

/* ---- copies ---- */

static void write(struct fw *fw, u32 plane, const struct fw_oob *oob)
{
    struct log_plane *p = log_plane_of(fw, plane);
    struct fw_oob none = {.lpn = FW_NONE};
    none.check = fw_oob_check(&none);
    p->filler = oob == 0;
    change_state(fw, p, LOG_WRITING);
    const u32 ppn = ftl_ppn(fw->ftl, plane, p->target, p->page);
    submit(fw, plane, FLASH_OP_PROGRAM, FTL_LOG_WRITE, ppn, oob ? oob : &none);
}

/* Pages of a block are programmed in order: where no copy is live in front of one that is, a page without data. */
static void step(struct fw *fw, u32 plane)
{
    struct log_plane *p = log_plane_of(fw, plane);
    fw_charge(fw, FW_COST_GC_NEXT, 1);
    if (p->page >= p->end) {
        commit(fw, plane);
        return;
    }
    const u32 from = source_of(fw, plane, p->page);
    if (from == FW_NONE) {
        write(fw, plane, 0);
    } else if (is_busy(fw, plane, p->page)) {
        change_state(fw, p, LOG_HELD);
    } else {
        change_state(fw, p, LOG_READING);
        submit(fw, plane, FLASH_OP_READ, FTL_LOG_READ, from, 0);
    }
}

static void page_read(struct fw *fw, u32 plane, const struct fw_op *o)
{
    const struct log_plane *p = log_plane_of(fw, plane);
    const u32 lpn = log_lpn(fw, plane, p->owner, p->page);
    fw_charge(fw, FW_COST_GC_COPY, 1);
    if (log_locate(fw, lpn) != o->ppn) { /* trimmed meanwhile */
        write(fw, plane, 0);
    } else if (o->status != FLASH_STATUS_OK) {
        ++fw->stats.read_errors;
        ++fw->stats.pages_lost;
        log_drop(fw, lpn);
        fw->ftl->log->lost[lpn / 64] |= (u64)1 << (lpn % 64);
        write(fw, plane, 0);
    } else if (o->oob.check != fw_oob_check(&o->oob) || o->oob.lpn != lpn) {
        fw_panic(fw, FW_PANIC_OOB, o->ppn);
    } else {
        write(fw, plane, &o->oob);
    }
}

/* The old copies are still there: the merge begins again, a partial one as a full one. */
static void copy_failed(struct fw *fw, u32 plane, u32 ppn)
{
    struct log_plane *p = log_plane_of(fw, plane);
    ++fw->stats.program_fails;
    ftl_block_failed(fw, ppn);
    if (p->merge == MERGE_FULL) {
        discard(fw, plane, p->target);
    } else {
        struct log_block *b = log_block_at(fw, plane, p->victim);
        b->used = fw->cfg.pages;
        b->in_order = 0;
    }
    end_merge(fw, plane);
}

static void page_written(struct fw *fw, u32 plane, const struct fw_op *o)
{
    struct log_plane *p = log_plane_of(fw, plane);
    if (o->status != FLASH_STATUS_OK) {
        copy_failed(fw, plane, o->ppn);
        return;
    }
    fw->stats.log_pages_copied += !p->filler;
    fw->stats.log_fillers += p->filler;
    ++p->page;
    step(fw, plane);
}

static void erased(struct fw *fw, u32 plane, const struct fw_op *o)
{
    const struct fw_ftl *f = fw->ftl;
    const u32 block = ftl_block_index(f, o->ppn) & ((1u << f->block_bits) - 1);
    change_state(fw, log_plane_of(fw, plane), LOG_IDLE);
    if (o->status == FLASH_STATUS_OK) {
        ++fw->stats.gc_blocks_erased;
        ftl_block_freed(fw, plane, block);
    } else {
        ++fw->stats.erase_fails;
        ftl_retire(fw, plane, block);
    }
    log_serve(fw, plane);
}

void ftl_log_done(struct fw *fw, u32 op)
{
    const struct fw_op o = fw->ops[op];
    const u32 plane = o.home_plane;
    fw_charge(fw, FW_COST_GC_DONE, 1);
    fw_op_free(fw, op);
    if (o.status == FLASH_STATUS_ILLEGAL) {
        fw_panic(fw, FW_PANIC_FLASH_FAILED, o.ppn);
        return;
    }
    if (o.purpose == FTL_LOG_READ) {
        page_read(fw, plane, &o);
    } else if (o.purpose == FTL_LOG_WRITE) {
        page_written(fw, plane, &o);
    } else {
        erased(fw, plane, &o);
    }
    log_run(fw, plane);
}
