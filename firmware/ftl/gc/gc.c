// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: garbage collection, one victim a plane at a time, pages moved within the plane.
//
// IDLE -> READING -> WRITING -> READING ... -> WAITING (operations on the victim still run)
//      -> ERASING -> IDLE, and again while the plane has no more than `gc_threshold` free blocks.
// With copyback a page goes from victim to write point inside its die, in one operation (copyback.c); where
// that is not possible or has failed, it is read and written.
// A block where a program failed is a victim as soon as there is room for its pages, however many
// blocks are free; it is retired where others are erased, and so is a block that cannot be erased.
#include "firmware/ftl/gc/victim.h"
#include "firmware/ftl/map/dftl.h"
#include "firmware/ftl/recovery/recovery.h"

#include "firmware/core/panic.h"

#define GC_POLICY(id, name, text) extern const struct gc_policy gc_##name;
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY

const struct gc_policy *const ftl_gc_policies[FW_GC_POLICY_COUNT] = {
#define GC_POLICY(id, name, text) &gc_##name,
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
};

enum {
    PURPOSE_GC = 15,
    PURPOSE_GC_READ = PURPOSE_GC + FLASH_OP_READ,
    PURPOSE_GC_WRITE = PURPOSE_GC + FLASH_OP_PROGRAM,
    PURPOSE_GC_ERASE = PURPOSE_GC + FLASH_OP_ERASE,
    PURPOSE_GC_COPYBACK = PURPOSE_GC + FLASH_OP_COPYBACK
};

static u8 need_of(const struct fw *fw, const struct plane *p)
{
    return p->free_count > fw->ftl->reserve ? FW_GC_EARLY
           : ftl_host_has_page(fw, p)    ? FW_GC_SOON
                                         : FW_GC_NOW;
}

/* Its page, its place in the page buffer and the sectors are known. */
void ftl_gc_submit(struct fw *fw, u32 plane, u32 op, u8 opcode)
{
    struct fw_ftl *f = fw->ftl;
    struct fw_op *o = &fw->ops[op];
    fw_charge(fw, FW_COST_GC_SUBMIT, 1);
    o->opcode = opcode;
    o->purpose = (u8)(PURPOSE_GC + opcode);
    o->home_plane = plane;
    o->flags |= FW_OP_GC;
    o->gc_need = need_of(fw, &f->planes[plane]);
    o->gc_valid =
        (u8)fw_min_u32(f->blocks[plane << f->block_bits | f->planes[plane].victim].valid, 0xff);
    ftl_address_op(fw, o, plane);
    ftl_add_work(fw, o, plane);
    if (opcode == FLASH_OP_COPYBACK) {
        ftl_copyback_address(fw, o);
    }
    if (opcode != FLASH_OP_PROGRAM) {
        ftl_row_op(fw, o);
        ++f->blocks[ftl_block_index(f, o->ppn)].pending;
        ++f->pending;
    }
    const struct fw_message m = {.kind = FW_MSG_OP_PLACED, .a = op};
    fw_send(fw, FW_ROOM_SCHED, &m);
}

/* The same of a whole page. */
static void submit(struct fw *fw, u32 plane, u32 op, u8 opcode)
{
    struct fw_op *o = &fw->ops[op];
    o->buf = fw->ftl->gc_buffer_base + plane * fw->cfg.page_bytes;
    o->col = 0;
    o->len = (u8)(fw->cfg.page_bytes / 512);
    ftl_gc_submit(fw, plane, op, opcode);
}

static void round_over(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    --f->gc_active;
    --f->channels[f->planes[plane].channel].collecting;
    fw_probe(fw, FW_PROBE_GC_ACTIVE, f->gc_active);
    f->planes[plane].gc_state = GC_IDLE;
    f->planes[plane].levelling = 0;
}

/* True: the victim was retired at once. */
static bool erase_when_quiet(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    const struct block *b = &f->blocks[plane << f->block_bits | p->victim];
    if (b->pending != 0) {
        p->gc_state = GC_WAITING;
        return false;
    }
    if (b->failed || p->spoilt) {
        ftl_retire(fw, plane, p->victim);
        round_over(fw, plane);
        return true;
    }
    p->gc_state = GC_ERASING;
    const u32 op = fw_op_alloc(fw);
    fw->ops[op].ppn = ftl_ppn(f, plane, p->victim, 0);
    submit(fw, plane, op, FLASH_OP_ERASE);
    return false;
}

static void read_page(struct fw *fw, u32 plane, u32 ppn)
{
    const u32 op = fw_op_alloc(fw);
    fw->ops[op].ppn = ppn;
    fw->ops[op].flags |= FW_OP_WITH_OOB;
    fw->ftl->planes[plane].gc_state = GC_READING;
    submit(fw, plane, op, FLASH_OP_READ);
}

/* False: it must be read. */
static bool copy_back(struct fw *fw, u32 plane, u32 ppn)
{
    u32 to;
    if (!fw->ftl->copies || !ftl_copyback_take(fw, plane, ppn, &to)) {
        return false;
    }
    const u32 op = fw_op_alloc(fw);
    fw->ops[op].ppn = ppn;
    fw->ops[op].copy_ppn = to;
    fw->ops[op].flags |= FW_OP_WITH_OOB;
    fw->ftl->planes[plane].gc_state = GC_WRITING;
    submit(fw, plane, op, FLASH_OP_COPYBACK);
    return true;
}

/* True: there was none, and the victim was retired at once. */
static bool next_page(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    if (f->dies && !ftl_share_allows(fw, plane)) {
        ftl_share_hold(fw, plane);
        return false;
    }
    fw_charge(fw, FW_COST_GC_NEXT, 1);
    if (fw->units) {
        return !ftl_units_next(fw, plane) && erase_when_quiet(fw, plane);
    }
    for (;;) {
        if (p->victim_page == fw->cfg.pages) {
            if (f->blocks[plane << f->block_bits | p->victim].valid == 0) {
                break;
            }
            p->victim_page = 0; /* an overwrite failed, and what it replaced counts again (recovery) */
        }
        fw_charge(fw, FW_COST_GC_PAGE, 1);
        const u32 ppn = ftl_ppn(f, plane, p->victim, p->victim_page++);
        if (ftl_is_valid(f, ppn)) {
            if (!copy_back(fw, plane, ppn)) {
                read_page(fw, plane, ppn);
            }
            return false;
        }
    }
    return erase_when_quiet(fw, plane);
}

static void go_on(struct fw *fw, u32 plane)
{
    if (next_page(fw, plane)) {
        ftl_gc_check(fw, plane);
    }
}

static void begin_round(struct fw *fw, u32 plane, u32 victim)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    struct block *b = gc_block(f, plane, victim);
    if (b->state == BLOCK_FAILED) {
        b->failed = 1;
        --p->failed;
    }
    gc_block_state(fw, plane, victim, BLOCK_VICTIM);
    p->victim = victim;
    p->victim_page = 0;
    p->lpns_known = 0;
    p->spoilt = 0;
    if (fw->units) {
        f->gc_pages[plane].count = 0;
    }
    ++f->gc_active;
    ++f->channels[p->channel].collecting;
    ++fw->stats.gc_runs;
    fw_probe(fw, FW_PROBE_GC_ACTIVE, f->gc_active);
}

/* After a round that was not for wear levelling; true: now one is. */
static bool level_wear(struct fw *fw, u32 plane)
{
    const u32 victim = ftl_wear_victim(fw, plane);
    if (victim == FW_NONE) {
        return false;
    }
    fw_charge(fw, FW_COST_GC_ROUND, 1);
    begin_round(fw, plane, victim);
    fw->ftl->planes[plane].levelling = 1;
    ++fw->stats.wear_runs;
    go_on(fw, plane);
    return true;
}

static u32 start_round(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    fw_charge(fw, FW_COST_GC_ROUND, 1);
    u32 victim = p->sweep < fw->cfg.blocks ? ftl_swept_victim(fw, plane) : FW_NONE;
    if (victim == FW_NONE && p->failed != 0) {
        victim = ftl_failed_victim(fw, plane);
    }
    if (victim == FW_NONE && (p->failed == 0 || p->free_count <= fw->cfg.gc_threshold)) {
        victim = f->gc->choose(fw, plane);
    }
    if (victim == FW_NONE) {
        return FW_NONE; /* asked again when an operation of the plane ends */
    }
    begin_round(fw, plane, victim);
    return victim;
}

/* The device has become read-only: the victim keeps the pages that have not been moved. */
static void give_up(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    struct block *b = gc_block(f, plane, p->victim);
    round_over(fw, plane);
    p->failed = (u16)(p->failed + b->failed);
    gc_block_state(fw, plane, p->victim, b->failed ? BLOCK_FAILED : BLOCK_FULL);
    b->failed = 0;
}

void ftl_gc_run(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    if (f->read_only) {
        return;
    }
    if (p->gc_state == GC_WAITING &&
        !(f->blocks[plane << f->block_bits | p->victim].valid != 0 ? next_page(fw, plane)
                                                                  : erase_when_quiet(fw, plane))) {
        return;
    }
    if (p->gc_state == GC_HELD) {
        if (!ftl_share_allows(fw, plane)) {
            return;
        }
        ftl_share_release(fw, plane);
        if (!next_page(fw, plane)) {
            return;
        }
    }
    while (p->gc_state == GC_IDLE && ftl_gc_wanted(fw, p)) { /* each turn retires one */
        if (start_round(fw, plane) == FW_NONE || !next_page(fw, plane)) {
            return;
        }
    }
}

/* From the plane with the fewest free blocks on, the first that has a victim. */
void ftl_gc_run_channel(struct fw *fw, u32 channel)
{
    struct fw_ftl *f = fw->ftl;
    const u32 count = f->plane_count / fw->cfg.channels;
    if (f->read_only) {
        return;
    }
    const u32 first = channel * count;
    u32 at = 0;
    fw_charge(fw, FW_COST_GC_SCAN, count);
    for (u32 i = 1; i < count; ++i) {
        at = f->planes[first + i].free_count < f->planes[first + at].free_count ? i : at;
    }
    for (u32 i = 0; i < count; ++i) {
        const u32 plane = first + at;
        if (f->planes[plane].gc_state == GC_IDLE && start_round(fw, plane) != FW_NONE &&
            !next_page(fw, plane)) {
            return;
        }
        at = at + 1 == count ? 0 : at + 1;
    }
}

void ftl_gc_lose(struct fw *fw, u32 ppn, u32 lpn)
{
    ++fw->stats.read_errors;
    ++fw->stats.pages_lost;
    ftl_invalidate(fw, ppn);
    ftl_set_entry(fw, lpn, FTL_LOST);
    if (fw->ftl->recovery) {
        ftl_lost(fw, lpn);
        fw->ftl->planes[ftl_plane_index(fw->ftl, ppn)].spoilt = fw->ftl->recovery->journals != 0;
    }
}

/* A valid page of the victim cannot be read: its LPN is lost until it is written or trimmed. */
static void lose_page(struct fw *fw, u32 plane, const struct fw_op *read)
{
    struct fw_ftl *f = fw->ftl;
    u32 lpn = read->oob.lpn; /* right where the map agrees */
    if (lpn >= f->map_entries || ftl_entry(fw, lpn) != read->ppn + 1) {
        lpn = ftl_page_owner(fw, plane, read->ppn);
    }
    if (lpn >= f->map_entries || ftl_entry(fw, lpn) != read->ppn + 1) {
        fw_panic(fw, FW_PANIC_MAP, read->ppn);
        return;
    }
    ftl_gc_lose(fw, read->ppn, lpn);
}

/* The copy's entry need not stay in the CMT any more. */
static void map_over(struct fw *fw, u32 plane)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    if (d && d->gc[plane].pin != 0) {
        cmt_unpin(d, d->gc[plane].pin - 1);
        d->gc[plane].pin = 0;
    }
}

static void write_copy(struct fw *fw, u32 plane, const struct fw_oob *oob, u32 from)
{
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    o->lpn = oob->lpn;
    o->oob = *oob;
    o->ppn = from; /* until bound */
    fw->ftl->planes[plane].gc_state = GC_WRITING;
    submit(fw, plane, op, FLASH_OP_PROGRAM);
}

/* The copy was not programmed: the victim still has the page, and the map points there again, so
   that reads find it; the data are still in the page buffer. */
static void copy_failed(struct fw *fw, u32 plane, const struct fw_op *write)
{
    struct fw_ftl *f = fw->ftl;
    const struct plane *p = &f->planes[plane];
    ++fw->stats.program_fails;
    ftl_block_failed(fw, write->ppn);
    const u32 from = ftl_ppn(f, plane, p->victim, p->victim_page - 1);
    if (!ftl_is_valid(f, write->ppn)) { /* overwritten meanwhile */
        map_over(fw, plane);
        if (f->recovery) {
            ftl_hold_instead(fw, write->ppn, from);
        }
        go_on(fw, plane);
        return;
    }
    ++f->planes[plane].valid;
    ftl_map_set(fw, write->lpn, from);
    write_copy(fw, plane, &write->oob, from);
}

/* The demand-cached map: the page that has been read is moved once its entry can be changed. */
void ftl_gc_map(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    struct map_gc *g = &f->dftl->gc[plane];
    const u32 from = ftl_ppn(f, plane, p->victim, p->victim_page - 1);
    p->gc_state = GC_MAPPING;
    if (f->read_only) {
        give_up(fw, plane);
        return;
    }
    if (!ftl_is_valid(f, from)) { /* overwritten meanwhile */
        ftl_map_no_search(f->dftl, plane);
        go_on(fw, plane);
        return;
    }
    const bool known = g->found == 1 || (g->oob.check == fw_oob_check(&g->oob) && g->oob.lpn < f->map_entries);
    if (!known && !g->lost) {
        fw_panic(fw, FW_PANIC_OOB, from);
        return;
    }
    if (!known && !ftl_map_search(fw, plane, from)) {
        return;
    }
    enum map_answer answer = MAP_STALE;
    u32 slot = 0;
    if (known || g->found == 1) {
        answer = ftl_map_for_copy(fw, plane, g->oob.lpn, from, &slot);
    } else if (!f->dftl->orphans) {
        fw_panic(fw, FW_PANIC_MAP, from);
        return;
    }
    if (answer == MAP_WAITS) {
        return;
    }
    if (answer == MAP_STALE) { /* a translation page was lost, so that nobody knew of the overwrite */
        ftl_invalidate(fw, from);
        go_on(fw, plane);
        return;
    }
    g->pin = slot + 1;
    if (!g->lost) {
        write_copy(fw, plane, &g->oob, from);
        return;
    }
    ++fw->stats.read_errors;
    ++fw->stats.pages_lost;
    ftl_invalidate(fw, from);
    ftl_set_entry(fw, g->oob.lpn, FTL_LOST);
    map_over(fw, plane);
    go_on(fw, plane);
}

static void page_read(struct fw *fw, u32 plane, const struct fw_op *read)
{
    struct fw_ftl *f = fw->ftl;
    const struct fw_oob *oob = &read->oob;
    fw_charge(fw, FW_COST_GC_COPY, 1);
    if (!ftl_is_valid(f, read->ppn)) { /* overwritten meanwhile */
        go_on(fw, plane);
        return;
    }
    if (f->dftl) {
        f->dftl->gc[plane].oob = *oob;
        f->dftl->gc[plane].lost = read->status != FLASH_STATUS_OK;
        f->dftl->gc[plane].found = 0;
        ftl_gc_map(fw, plane);
        return;
    }
    if (read->status != FLASH_STATUS_OK) {
        lose_page(fw, plane, read);
        go_on(fw, plane);
        return;
    }
    if (oob->check != fw_oob_check(oob) || oob->lpn >= f->map_entries ||
        ftl_entry(fw, oob->lpn) != read->ppn + 1) {
        fw_panic(fw, FW_PANIC_OOB, read->ppn);
        return;
    }
    write_copy(fw, plane, oob, read->ppn);
}

void ftl_gc_op_done(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    const struct fw_op o = fw->ops[op];
    const u32 plane = o.home_plane;
    struct plane *p = &f->planes[plane];
    fw_charge(fw, FW_COST_GC_DONE, 1);
    fw_op_free(fw, op);
    if (fw_op_refused(&o)) {
        map_over(fw, plane);
        give_up(fw, plane);
        return;
    }
    if (o.status == FLASH_STATUS_ILLEGAL) {
        fw_panic(fw, FW_PANIC_FLASH_FAILED, o.ppn);
        return;
    }
    switch (o.purpose) {
    case PURPOSE_GC_READ:
        if (fw->units) {
            ftl_units_read(fw, plane, &o);
            go_on(fw, plane);
            break;
        }
        page_read(fw, plane, &o);
        break;
    case PURPOSE_GC_WRITE:
        if (fw->units) {
            if (!ftl_units_written(fw, plane, &o)) {
                break;
            }
        } else if (o.status != FLASH_STATUS_OK) {
            copy_failed(fw, plane, &o);
            break;
        }
        map_over(fw, plane);
        fw->stats.gc_pages_moved += o.status == FLASH_STATUS_OK;
        fw->stats.wear_pages_moved += p->levelling;
        go_on(fw, plane);
        break;
    case PURPOSE_GC_COPYBACK:
        if (ftl_copyback_done(fw, plane, &o)) {
            go_on(fw, plane);
        } else {
            read_page(fw, plane, o.ppn);
        }
        break;
    default: { /* PURPOSE_GC_ERASE */
        const bool levelled = p->levelling;
        round_over(fw, plane);
        if (o.status != FLASH_STATUS_OK) {
            ++fw->stats.erase_fails;
            ftl_retire(fw, plane, p->victim);
        } else {
            ++fw->stats.gc_blocks_erased;
            ftl_block_freed(fw, plane, p->victim);
            ftl_serve_waiting(fw, plane);
            if (f->dftl) {
                table_block_freed(fw, plane);
            }
            if (fw->cfg.wear_static != 0 && !levelled && p->gc_state == GC_IDLE && level_wear(fw, plane)) {
                break;
            }
        }
        ftl_gc_check(fw, plane);
    }
    }
}
