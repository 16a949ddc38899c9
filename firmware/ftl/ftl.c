// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the FTL's messages: translate (place.c), assign, done, trim.
//
// Block and page of a write are assigned when the scheduler dispatches it, and the map changes then. Reads of a
// page that is being programmed cannot happen: they hit its buffer.
#include "firmware/ftl/ftl.h"

#include "firmware/core/panic.h"
#include "firmware/core/sched_traits.h"
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/planes.h"
#include "firmware/ftl/core/recovery_ops.h"
#include "firmware/ftl/gc/gc.h"
#include "firmware/ftl/map/dftl.h"
#include "firmware/ftl/map/log.h"
#include "firmware/ftl/map/units.h"
#include "firmware/ftl/recovery/recovery.h"
#include "firmware/ftl/writes.h"

FW_APART void ftl_assign(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    struct fw_op *o = &fw->ops[op];
    u32 plane = ftl_op_plane(fw, o);
    const bool gc = (o->flags & FW_OP_GC) != 0;
    u32 ppn;
    if (gc && o->purpose < FTL_PURPOSE_RECOVERY) {
        f->planes[o->home_plane].copy_placed = 0;
    }
    if (gc && o->purpose == FTL_MAP_WRITE) {
        (f->log ? ftl_log_assign : ftl_map_assign)(fw, op);
        return;
    }
    if (gc && o->purpose == FTL_JOURNAL_WRITE) {
        ftl_journal_assign(fw, op);
        return;
    }
    if (f->read_only) {
        ftl_refuse(fw, op);
        return;
    }
    if ((f->damaged && ftl_too_full(f, &f->planes[plane])) ||
        !ftl_page_take(fw, o, plane, &ppn)) {
        plane = ftl_assign_elsewhere(fw, op, &ppn);
        if (plane == FW_NONE) {
            return;
        }
    }
    const u32 from = o->ppn;
    const bool promise = ftl_has_promise(o);
    fw_charge(fw, FW_COST_FTL_ASSIGN, 1);
    o->ppn = ppn;
    ftl_row_op(fw, o);
    ++f->blocks[ftl_block_index(f, ppn)].pending;
    ++f->pending;
    f->promised -= promise;
    f->planes[plane].unassigned -= promise;
    const u32 alive = f->map_ops->set(fw, op, from);
    f->planes[plane].valid += alive - (promise ? ftl_units(f) : 0u); /* a promise has been counted */
    ftl_page_assigned(fw, plane, ppn);
    ++f->sequence;
    ++fw->stats.flash_pages_written;
    fw->stats.host_pages_written += !(o->flags & (FW_OP_GC | FW_OP_REDO));
    ftl_send_op(fw, FW_MODULE_SCHED, FW_MSG_OP_ASSIGNED, op, 0);
    ftl_gc_check(fw, plane);
    ftl_place_waiting(fw);
}

void ftl_serve_waiting(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    while (!fw_fifo_empty(&p->waiting) &&
           (p->free_count > f->reserve ||
            (ftl_host_has_page(fw, p) && !(fw->ops[p->waiting.head].flags & FW_OP_GC)))) {
        const u32 op = fw_op_unpark(fw, &p->waiting);
        fw_charge(fw, FW_COST_FTL_PARKED, 1);
        --f->waiting;
        f->gc_parked -= (fw->ops[op].flags & FW_OP_GC) != 0;
        ftl_assign(fw, op);
    }
}

/* A host operation failed, or was a read in a block where a program failed. True: it is done again.
   A program's data are still in their buffer; writes of the page wait there, reads are served from
   it, so that nobody misses the map entry. A read is done again where collection has moved the page
   meanwhile: what was read may be a copy whose program failed. */
FW_APART static bool done_again(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    struct fw_op *o = &fw->ops[op];
    if (o->status == FLASH_STATUS_ILLEGAL) {
        fw_panic(fw, FW_PANIC_FLASH_FAILED, o->ppn);
        return false;
    }
    if (o->opcode == FLASH_OP_PROGRAM) {
        if (o->status == FLASH_STATUS_OK) {
            return false;
        }
        ++fw->stats.program_fails;
        ftl_block_failed(fw, o->ppn);
        f->map_ops->unset(fw, op);
        o->flags = (u8)((o->flags & FW_OP_PRIORITY) | FW_OP_REDO);
        o->wanted_channel = FW_NONE; /* wherever there is room */
    } else if (ftl_is_valid(f, ftl_read_unit(fw, o))) {
        fw->stats.read_errors += o->status != FLASH_STATUS_OK;
        return false;
    } else {
        o->flags &= FW_OP_PRIORITY;
    }
    o->status = FLASH_STATUS_OK;
    if (fw_sched_does(fw, SCHED_TRANSLATES_LATE)) {
        ftl_send_op(fw, FW_MODULE_SCHED, FW_MSG_OP_NEW, op, 0);
    } else {
        ftl_begin(fw, op);
    }
    return true;
}

FW_APART static void done(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    const struct fw_op *o = &fw->ops[op];
    const u32 plane = ftl_op_plane(fw, o);
    if (fw_op_refused(o)) {
        if (o->flags & FW_OP_GC) {
            ftl_gc_op_done(fw, op);
        } else if (o->purpose == FTL_TABLE_WRITE) {
            ftl_table_refused(fw, op);
        } else {
            f->map_ops->release(fw, op);
            ftl_send_op(fw, FW_MODULE_BUFFER, FW_MSG_PAGE_OP_DONE, op, 3);
        }
        return;
    }
    struct block *b = &f->blocks[ftl_block_index(f, o->ppn)];
    fw_charge(fw, FW_COST_FTL_DONE, 1);
    --b->pending;
    --f->pending;
    ftl_end_work(fw, o, plane);
    f->recovery_ops->op_ended(fw, o);
    if (o->flags & FW_OP_GC) {
        if (o->purpose >= FTL_PURPOSE_MAP) {
            (f->log ? ftl_log_done : ftl_map_done)(fw, op);
            return;
        }
        if (o->purpose == FTL_JOURNAL_WRITE) {
            ftl_journal_done(fw, op);
        } else if (o->purpose >= FTL_PURPOSE_RECOVERY) {
            ftl_mount_read_done(fw, op);
            return;
        } else {
            if (o->flags & FW_OP_AWAY) { /* counted where it began, too */
                ftl_end_work(fw, o, o->home_plane);
            }
            ftl_gc_op_done(fw, op);
            if (!f->damaged) {
                return;
            } /* it may have been in another plane than its own */
        }
    } else if ((o->status == FLASH_STATUS_OK && b->state != BLOCK_FAILED && !b->failed) ||
               !done_again(fw, op)) {
        f->map_ops->release(fw, op);
        if (!f->recovery_ops->release(fw, op)) {
            ftl_send_op(fw, FW_MODULE_BUFFER, FW_MSG_PAGE_OP_DONE, op, 0);
        }
    }
    ftl_gc_check(fw, plane);
    if (f->damaged) {
        ftl_place_waiting(fw);
    }
}

/* The scheduler took it out of its queue: nothing of it remains. */
static void cancelled(struct fw *fw, u32 op)
{
    ftl_break_promise(fw, op);
    fw->ftl->map_ops->release(fw, op);
    ftl_send_op(fw, FW_MODULE_BUFFER, FW_MSG_PAGE_OP_DONE, op, 2);
    ftl_place_waiting(fw);
}

static void move_to(struct fw *fw, u32 op, u32 die, u32 plane)
{
    if (plane == FW_NONE) {
        ftl_send_op(fw, FW_MODULE_SCHED, FW_MSG_OP_STAYS, op, ftl_lacks_page(fw, die));
        return;
    }
    ftl_break_promise(fw, op);
    ftl_promise(fw, op, plane);
    ftl_assign(fw, op);
}

static bool is_copy(const struct fw_op *o)
{
    return (o->flags & (FW_OP_GC | FW_OP_AWAY)) == FW_OP_GC && o->purpose < FTL_PURPOSE_RECOVERY;
}

/* A copy of another plane of the die is to be read, or its program is on its way to the scheduler. */
static bool more_copies_come(struct fw *fw, u32 die, u32 taken)
{
    for (u32 i = 0; i < fw->cfg.planes; ++i) {
        const struct plane *p = &fw->ftl->planes[die * fw->cfg.planes + i];
        fw_charge(fw, FW_COST_FTL_PLANE_LOOK, 1);
        if (!(taken >> i & 1) && (p->copy_placed || p->gc_state == GC_READING)) {
            return true;
        }
    }
    return false;
}

/* Programs of garbage collection in one die, each in its own plane: those of the write points that are furthest
   behind get their pages, and the planes go on in step. The others stay; so do all where a further plane has a
   page to read or a program that has been placed since the scheduler joined these. */
FW_APART static void move_copies(struct fw *fw, u32 first, u32 die)
{
    struct fw_ftl *f = fw->ftl;
    const bool alone = f->damaged || f->read_only || !is_copy(&fw->ops[first]);
    const u32 pages = f->data_pages;
    fw_charge(fw, FW_COST_GC_NEXT, 1);
    const u32 reference = ftl_copy_offset(fw, ftl_op_plane(fw, &fw->ops[first]));
    u32 offset = reference;
    u32 least = pages / 2; /* of the first; write points go round */
    u32 taken = 0;         /* bit a plane */
    for (u32 op = first; !alone && op != FW_NONE; op = fw->ops[op].mate) {
        const u32 at = ftl_copy_offset(fw, ftl_op_plane(fw, &fw->ops[op]));
        u32 ahead = at + pages / 2 + (at + pages / 2 < reference ? pages : 0) - reference;
        ahead -= ahead < pages ? 0 : pages;
        fw_charge(fw, FW_COST_GC_NEXT, 1);
        taken |= 1u << fw->ops[op].plane;
        if (is_copy(&fw->ops[op]) && ahead < least) {
            least = ahead;
            offset = at;
        }
    }
    const bool wait = !alone && more_copies_come(fw, die, taken);
    for (u32 op = first, mate; op != FW_NONE; op = mate) {
        mate = fw->ops[op].mate;
        fw_charge(fw, FW_COST_GC_NEXT, 1);
        if (alone ? op == first
                  : !wait && is_copy(&fw->ops[op]) &&
                        ftl_copy_offset(fw, ftl_op_plane(fw, &fw->ops[op])) == offset) {
            ftl_assign(fw, op);
        } else {
            ftl_send_op(fw, FW_MODULE_SCHED, FW_MSG_OP_STAYS, op, 0);
        }
    }
}

/* Bind it in that die, and those joined to it beside it: other planes, same page offset. */
static void move(struct fw *fw, u32 op, u32 die)
{
    const bool together = fw_sched_does(fw, SCHED_ASSIGNS_TOGETHER);
    u32 offset = FW_NONE;
    const struct fw_ftl *f = fw->ftl;
    u32 taken = 0; /* bit a plane */
    u32 count = 0;
    while (op != FW_NONE) {
        const u32 mate = fw->ops[op].mate;
        const u32 plane = f->read_only ? die * fw->cfg.planes + (count++ & (fw->cfg.planes - 1))
                          : together ? ftl_plane_in_step(fw, die, offset, taken)
                                     : ftl_plane_with_page(fw, die);
        if (plane != FW_NONE) {
            offset = ftl_next_offset(fw, plane);
            taken |= 1u << (plane % fw->cfg.planes);
        }
        move_to(fw, op, die, plane);
        op = mate;
    }
}

void fw_ftl_message(struct fw *fw, const struct fw_message *message)
{
    const u32 op = message->a;
    struct fw_ftl *f = fw->ftl;
    if (!f->started && message->kind != FW_MSG_MARK_BAD) {
        f->started = true;
        f->map_ops->start(fw);
    }
    switch (message->kind) {
    case FW_MSG_OP_NEW:
        ftl_begin(fw, op);
        break;
    case FW_MSG_OP_TRANSLATE: {
        const enum translation t = ftl_translate(fw, op);
        if (t != LATER) {
            ftl_send_op(fw, FW_MODULE_SCHED, FW_MSG_OP_TRANSLATED, op, t == UNMAPPED);
        }
        break;
    }
    case FW_MSG_OP_ASSIGN:
        ftl_assign(fw, op);
        break;
    case FW_MSG_OP_DONE:
        done(fw, op);
        break;
    case FW_MSG_OP_CANCELLED:
        cancelled(fw, op);
        break;
    case FW_MSG_OP_MOVE:
        (fw->ops[op].flags & FW_OP_GC ? move_copies : move)(fw, op, message->b);
        break;
    case FW_MSG_TRIM:
        fw_charge(fw, FW_COST_FTL_TRIM, 1);
        f->recovery_ops->trim(fw, message->a);
        break;
    case FW_MSG_FTL_FLUSH:
        f->recovery_ops->flush(fw);
        break;
    case FW_MSG_FTL_MOUNT:
        f->recovery_ops->mount(fw);
        break;
    case FW_MSG_MARK_BAD:
        ftl_mark_bad(fw, message->a, message->b, message->c);
        break;
    default:
        fw_panic(fw, FW_PANIC_BAD_MESSAGE, message->kind);
    }
    if (f->map_work != 0) {
        f->map_ops->pump(fw);
    }
    if (f->touched != 0 || (f->held != 0 && f->pending == 0)) {
        ftl_share_look(fw);
    }
    if (f->damaged) {
        ftl_check_worn_out(fw);
    }
}

bool fw_ftl_idle(const struct fw *fw)
{
    const struct fw_ftl *f = fw->ftl;
    return f->gc_active == 0 && f->waiting == 0 && fw_fifo_empty(&f->unplaced) &&
           f->map_ops->idle(fw) && f->recovery_ops->idle(fw);
}

void fw_ftl_mark_bad(struct fw *fw, u32 die, u32 plane, u32 block) { ftl_mark_bad(fw, die, plane, block); }

bool fw_ftl_mounted(const struct fw *fw) { return fw->ftl->recovery_ops->mounted(fw); }

void fw_ftl_hint_page(const struct fw *fw, u32 lpn)
{
    if (fw->ftl->map && lpn < fw->cfg.logical_pages) {
        hal_prefetch(&fw->ftl->map[lpn]);
    }
}

void fw_ftl_hint(const struct fw *fw, u64 lba)
{
    fw_ftl_hint_page(fw, (u32)(lba / (fw_unit_bytes(&fw->cfg) / 512)));
}

u64 fw_ftl_free_blocks(const struct fw *fw)
{
    const struct fw_ftl *f = fw->ftl;
    u64 free = 0;
    for (u32 plane = 0; plane < f->plane_count; ++plane) {
        for (u32 block = 0; block < fw->cfg.blocks; ++block) {
            free += f->blocks[plane << f->block_bits | block].state == BLOCK_FREE;
        }
    }
    return free;
}

void fw_ftl_wear(const struct fw *fw, u32 *least, u32 *most, u64 *sum, u64 *sum_of_squares)
{
    const struct fw_ftl *f = fw->ftl;
    *least = ~0u;
    *most = 0;
    *sum = *sum_of_squares = 0;
    for (u32 plane = 0; plane < f->plane_count; ++plane) {
        for (u32 i = 0; i < fw->cfg.blocks; ++i) {
            const u32 e = f->blocks[plane << f->block_bits | i].erases;
            *least = e < *least ? e : *least;
            *most = e > *most ? e : *most;
            *sum += e;
            *sum_of_squares += (u64)e * e;
        }
    }
}
