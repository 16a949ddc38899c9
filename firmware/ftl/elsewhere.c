// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a write that its plane cannot take: it waits, or goes to a plane that has room.
#include "firmware/core/panic.h"
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/planes.h"
#include "firmware/ftl/gc/gc.h"
#include "firmware/ftl/map/log.h"
#include "firmware/ftl/writes.h"

static void wait_for_block(struct fw *fw, u32 plane, u32 op)
{
    ftl_wait_in(fw, &fw->ftl->planes[plane].waiting, op);
    ++fw->ftl->waiting;
    ftl_gc_check(fw, plane);
}

/* The op goes to `plane`. */
static void move(struct fw *fw, u32 op, u32 plane)
{
    struct fw_op *o = &fw->ops[op];
    o->flags |= o->flags & FW_OP_GC ? FW_OP_AWAY : 0;
    ftl_promise(fw, op, plane);
}

u32 ftl_assign_elsewhere(struct fw *fw, u32 op, u32 *ppn)
{
    struct fw_ftl *f = fw->ftl;
    struct fw_op *o = &fw->ops[op];
    const u32 home = ftl_op_plane(fw, o);
    if (f->log) {
        return ftl_log_take(fw, op, ppn) ? home : FW_NONE;
    }
    struct plane *p = &f->planes[home];
    const bool gc = (o->flags & FW_OP_GC) != 0;
    const bool promise = ftl_has_promise(o);
    if (promise && (!f->damaged || !ftl_too_full(f, p))) { /* the usual case: collection makes room */
        wait_for_block(fw, home, op);
        return FW_NONE;
    }
    if (!f->damaged) {
        fw_panic(fw, FW_PANIC_MAP, home); /* the last free block was not kept for collection */
        return FW_NONE;
    }
    if (promise) {
        ftl_break_promise(fw, op);
    }
    /* A plane with room and a page at hand; else one that will have a page. Collection must not wait
       for its own plane. */
    u32 later = FW_NONE;
    for (u32 tries = 0; tries < f->plane_count; ++tries) {
        const u32 other = ftl_next_plane(fw);
        if (other == FW_NONE) {
            break;
        }
        move(fw, op, other);
        if (ftl_page_take(fw, o, other, ppn)) {
            return other;
        }
        ftl_break_promise(fw, op);
        if (later == FW_NONE && !(gc && other == o->home_plane)) {
            later = other;
        }
    }
    if (later != FW_NONE) {
        move(fw, op, later);
        wait_for_block(fw, later, op);
        return FW_NONE;
    }
    /* Too much live data everywhere: whatever the plane still has; collection's own for its copies. */
    const u32 last = gc ? o->home_plane : home;
    if (gc) {
        ftl_address_op(fw, o, last);
    } else {
        move(fw, op, last);
    }
    if (ftl_page_take(fw, o, last, ppn)) {
        return last;
    }
    if (!gc) {
        ftl_break_promise(fw, op);
    }
    ftl_wait_in(fw, &f->unplaced, op);
    return FW_NONE;
}
