// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: garbage collection of whole pages: a page is read, its entry of the map is asked for, it is
// programmed; then the next.
//
// With copyback a page goes from victim to write point inside its die, in one operation (copyback.c); where
// that is not possible or has failed, it is read and written.
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/recovery_ops.h"
#include "firmware/ftl/gc/gc.h"
#include "firmware/ftl/map/map.h"

/* The page of the victim that is being moved. */
static u32 page_of(const struct fw_ftl *f, u32 plane)
{
    const struct plane *p = &f->planes[plane];
    return ftl_ppn(f, plane, p->victim, p->victim_page - 1);
}

static void begin(struct fw *fw, u32 plane)
{
    (void)fw;
    (void)plane;
}

/* ---- read ---- */

static void read_page(struct fw *fw, u32 plane, u32 ppn)
{
    const u32 op = fw_op_alloc(fw);
    fw->ops[op].ppn = ppn;
    fw->ops[op].flags |= FW_OP_WITH_OOB;
    fw->ftl->planes[plane].gc_state = GC_READING;
    gc_submit_page(fw, plane, op, FLASH_OP_READ);
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
    gc_submit_page(fw, plane, op, FLASH_OP_COPYBACK);
    return true;
}

static bool next(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    for (;;) {
        if (p->victim_page == fw->cfg.pages) {
            if (f->blocks[plane << f->block_bits | p->victim].valid == 0) {
                return false;
            }
            p->victim_page = 0; /* an overwrite failed, and what it replaced counts again (recovery) */
        }
        fw_charge(fw, FW_COST_GC_PAGE, 1);
        const u32 ppn = ftl_ppn(f, plane, p->victim, p->victim_page++);
        if (ftl_is_valid(f, ppn)) {
            if (!copy_back(fw, plane, ppn)) {
                read_page(fw, plane, ppn);
            }
            return true;
        }
    }
}

/* ---- map, program ---- */

void gc_lose(struct fw *fw, u32 ppn, u32 lpn)
{
    ++fw->stats.read_errors;
    ++fw->stats.pages_lost;
    ftl_invalidate(fw, ppn);
    ftl_set_entry(fw, lpn, FTL_LOST);
    fw->ftl->recovery_ops->page_lost(fw, ppn, lpn);
}

static void write_copy(struct fw *fw, u32 plane, const struct fw_oob *oob, u32 from)
{
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    o->lpn = oob->lpn;
    o->oob = *oob;
    o->ppn = from; /* until assigned */
    fw->ftl->planes[plane].gc_state = GC_WRITING;
    fw->ftl->planes[plane].copy_placed = 1;
    gc_submit_page(fw, plane, op, FLASH_OP_PROGRAM);
}

/* A page has been read: it moves once the map has its entry. `read` null: collection has waited for that. */
static void move(struct fw *fw, u32 plane, const struct fw_op *read)
{
    struct fw_ftl *f = fw->ftl;
    const u32 from = page_of(f, plane);
    struct map_copy copy;
    switch (f->map_ops->note_copy(fw, plane, from, read, &copy)) {
    case MAP_READY:
        if (!copy.lost) {
            write_copy(fw, plane, &copy.oob, from);
            break;
        }
        gc_lose(fw, from, copy.oob.lpn);
        f->map_ops->copy_over(fw, plane);
        gc_go_on(fw, plane);
        break;
    case MAP_DEAD:
        gc_go_on(fw, plane);
        break;
    case MAP_WAITS:
        f->planes[plane].gc_state = GC_MAPPING;
        break;
    case MAP_NEVER:
        gc_give_up(fw, plane);
        break;
    case MAP_FAULT:
        break;
    }
}

void gc_map_answers(struct fw *fw, u32 plane) { move(fw, plane, 0); }

static void page_read(struct fw *fw, u32 plane, const struct fw_op *read)
{
    fw_charge(fw, FW_COST_GC_COPY, 1);
    move(fw, plane, read);
}

/* ---- the end of a copy ---- */

/* The copy was not programmed: the victim still has the page, and the map points there again, so
   that reads find it; the data are still in the page buffer. */
static void copy_failed(struct fw *fw, u32 plane, const struct fw_op *write)
{
    struct fw_ftl *f = fw->ftl;
    ++fw->stats.program_fails;
    ftl_block_failed(fw, write->ppn);
    const u32 from = page_of(f, plane);
    if (!ftl_is_valid(f, write->ppn)) { /* overwritten meanwhile */
        f->map_ops->copy_over(fw, plane);
        f->recovery_ops->copy_failed(fw, write->ppn, from);
        gc_go_on(fw, plane);
        return;
    }
    ++f->planes[plane].valid;
    ftl_map_set(fw, write->lpn, from);
    write_copy(fw, plane, &write->oob, from);
}

static void written(struct fw *fw, u32 plane, const struct fw_op *write)
{
    if (write->status != FLASH_STATUS_OK) {
        copy_failed(fw, plane, write);
        return;
    }
    gc_moved(fw, plane, true);
}

static void copied_back(struct fw *fw, u32 plane, const struct fw_op *o)
{
    if (ftl_copyback_done(fw, plane, o)) {
        gc_go_on(fw, plane);
    } else {
        read_page(fw, plane, o->ppn);
    }
}

const struct gc_copy_ops gc_copies_pages = {
    .begin = begin,
    .next = next,
    .read = page_read,
    .written = written,
    .copied_back = copied_back,
};
