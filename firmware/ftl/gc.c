// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: greedy garbage collection, one victim a plane at a time, pages moved within the plane.
//
// IDLE -> READING -> WRITING -> READING ... -> WAITING (operations on the victim still run)
//      -> ERASING -> IDLE, and again while the plane has no more than `gc_threshold` free blocks.
#include "firmware/ftl/state.h"

#include "firmware/core/core.h"

enum { PURPOSE_GC_READ = 16, PURPOSE_GC_WRITE, PURPOSE_GC_ERASE };

static u32 choose_victim(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    const struct block *blocks = &f->blocks[plane << f->block_bits];
    const u32 used = f->planes[plane].fresh;
    u32 best = FW_NONE;
    u32 best_valid = fw->cfg.pages; /* a block of valid pages gains nothing */
    fw_charge(fw, FW_COST_GC_SCAN, used);
    for (u32 i = 0; i < used; ++i) {
        if (blocks[i].state == BLOCK_FULL && blocks[i].valid < best_valid && blocks[i].pending == 0) {
            best = i;
            best_valid = blocks[i].valid;
        }
    }
    return best;
}

static void submit(struct fw *fw, u32 plane, u32 op, u8 opcode, u8 purpose)
{
    struct fw_ftl *f = fw->ftl;
    struct fw_op *o = &fw->ops[op];
    o->opcode = opcode;
    o->purpose = purpose;
    o->owner = plane;
    o->flags |= FW_OP_GC;
    o->buf = f->gc_buffer_base + plane * fw->cfg.page_bytes;
    o->col = 0;
    o->len = (u8)(fw->cfg.page_bytes / 512);
    ftl_address_op(fw, o, plane);
    if (opcode != FLASH_OP_PROGRAM) {
        ftl_row_op(fw, o);
        ++f->blocks[ftl_block_index(f, o->ppn)].pending;
    }
    const struct fw_message m = {.kind = FW_MSG_OP_PLACED, .a = op};
    fw_send(fw, FW_ROOM_SCHED, &m);
}

static void erase_when_quiet(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    if (f->blocks[plane << f->block_bits | p->victim].pending != 0) {
        p->gc_state = GC_WAITING;
        return;
    }
    p->gc_state = GC_ERASING;
    const u32 op = fw_op_alloc(fw);
    fw->ops[op].ppn = ftl_ppn(f, plane, p->victim, 0);
    submit(fw, plane, op, FLASH_OP_ERASE, PURPOSE_GC_ERASE);
}

static void next_page(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    fw_charge(fw, FW_COST_GC_PAGE, 1);
    while (p->victim_page < fw->cfg.pages) {
        const u32 ppn = ftl_ppn(f, plane, p->victim, p->victim_page++);
        if (ftl_is_valid(f, ppn)) {
            const u32 op = fw_op_alloc(fw);
            fw->ops[op].ppn = ppn;
            fw->ops[op].flags |= FW_OP_WITH_OOB;
            p->gc_state = GC_READING;
            submit(fw, plane, op, FLASH_OP_READ, PURPOSE_GC_READ);
            return;
        }
    }
    erase_when_quiet(fw, plane);
}

void ftl_gc_check(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    if (p->gc_state == GC_WAITING) {
        erase_when_quiet(fw, plane);
        return;
    }
    if (p->gc_state != GC_IDLE || p->free_count > fw->cfg.gc_threshold) {
        return;
    }
    const u32 victim = choose_victim(fw, plane);
    if (victim == FW_NONE) {
        return; /* asked again when an operation of the plane ends */
    }
    p->victim = victim;
    p->victim_page = 0;
    f->blocks[plane << f->block_bits | victim].state = BLOCK_VICTIM;
    ++f->gc_active;
    ++fw->stats.gc_runs;
    fw_probe(fw, FW_PROBE_GC_ACTIVE, f->gc_active);
    next_page(fw, plane);
}

static void page_read(struct fw *fw, u32 plane, const struct fw_op *read)
{
    struct fw_ftl *f = fw->ftl;
    const struct fw_oob *oob = &read->oob;
    if (!ftl_is_valid(f, read->ppn)) { /* overwritten meanwhile */
        next_page(fw, plane);
        return;
    }
    if (oob->check != fw_oob_check(oob) || oob->lpn >= fw->cfg.logical_pages ||
        f->map[oob->lpn] != read->ppn + 1) {
        fw_panic(fw, FW_PANIC_OOB, read->ppn);
        return;
    }
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    o->lpn = oob->lpn;
    o->ppn = read->ppn; /* where it came from, until bound */
    f->planes[plane].gc_state = GC_WRITING;
    submit(fw, plane, op, FLASH_OP_PROGRAM, PURPOSE_GC_WRITE);
}

void ftl_gc_op_done(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    const struct fw_op o = fw->ops[op];
    const u32 plane = o.owner;
    struct plane *p = &f->planes[plane];
    fw_op_free(fw, op);
    if (o.status != FLASH_STATUS_OK) {
        fw_panic(fw, FW_PANIC_FLASH_FAILED, o.ppn);
        return;
    }
    switch (o.purpose) {
    case PURPOSE_GC_READ:
        page_read(fw, plane, &o);
        break;
    case PURPOSE_GC_WRITE:
        ++fw->stats.gc_pages_moved;
        next_page(fw, plane);
        break;
    default: /* PURPOSE_GC_ERASE */
        ++fw->stats.gc_blocks_erased;
        --f->gc_active;
        fw_probe(fw, FW_PROBE_GC_ACTIVE, f->gc_active);
        p->gc_state = GC_IDLE;
        ftl_block_freed(fw, plane, p->victim);
        ftl_serve_waiting(fw, plane);
        ftl_gc_check(fw, plane);
    }
}
