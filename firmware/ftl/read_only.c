// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a device that is worn out: nothing can be written any more, reads go on.
//
// It shows when nothing runs in the flash and every write that was promised a plane waits for a block:
// so no write has a page of its own yet. From then on each write is refused where it would be assigned: the
// scheduler gets it as assigned, sched_submit() ends it without the flash, and its owner is told. Data that
// were acknowledged before and are still in the buffer are lost; the buffer marks their pages.
#include "firmware/core/sched_traits.h"
#include "firmware/ftl/core/planes.h"
#include "firmware/ftl/map/map.h"
#include "firmware/ftl/writes.h"

/* `promised`: a plane counts a page for it. */
static void refuse(struct fw *fw, u32 op, bool promised)
{
    struct fw_op *o = &fw->ops[op];
    if (promised) {
        ftl_break_promise(fw, op);
    }
    if (o->flags & FW_OP_GC) {
        ftl_end_work(fw, o, o->home_plane);
    } else {
        fw->ftl->map_ops->refuse(fw, op);
    }
    o->ppn = FW_NONE;
    o->flags |= FW_OP_ASSIGNED;
    ftl_send_op(fw, FW_MODULE_SCHED, FW_MSG_OP_ASSIGNED, op, 0);
}

void ftl_refuse(struct fw *fw, u32 op) { refuse(fw, op, ftl_has_promise(&fw->ops[op])); }

void ftl_promise_any(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    const u32 plane = f->order[f->counter];
    f->counter = f->counter + 1 == f->plane_count ? 0 : f->counter + 1;
    ftl_promise(fw, op, plane);
}

static void end_waits(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    for (u32 i = 0; i < f->plane_count; ++i) {
        struct fw_fifo *waiting = &f->planes[i].waiting;
        while (!fw_fifo_empty(waiting)) {
            const u32 op = fw_op_unpark(fw, waiting);
            --f->waiting;
            f->gc_parked -= (fw->ops[op].flags & FW_OP_GC) != 0;
            ftl_refuse(fw, op);
        }
    }
    while (!fw_fifo_empty(&f->unplaced)) {
        const u32 op = fw_op_unpark(fw, &f->unplaced);
        const struct fw_op *o = &fw->ops[op];
        f->gc_parked -= (o->flags & FW_OP_GC) != 0;
        if (o->flags & FW_OP_TRANSLATED) { /* its promise was broken when it came here */
            refuse(fw, op, false);
        } else {
            ftl_promise_any(fw, op);
            ftl_send_op(fw, FW_MODULE_SCHED,
                        fw_sched_does(fw, SCHED_TRANSLATES_LATE) ? FW_MSG_OP_TRANSLATED : FW_MSG_OP_PLACED, op, 0);
        }
    }
}

/* Nothing runs in the flash, every write that was promised a plane waits for a block, and all planes
   that collect wait too. */
void ftl_check_worn_out(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    if (f->read_only || f->pending != 0) {
        return;
    }
    const struct map_waits map = f->map_ops->waits(fw);
    if (map.busy || (f->waiting == 0 && fw_fifo_empty(&f->unplaced) && !map.stuck) || f->promised != f->waiting ||
        f->gc_active != f->gc_parked + (map.stuck ? map.copies : 0)) {
        return;
    }
    f->read_only = true;
    fw->stats.read_only = 1;
    fw->stats.read_only_us = fw->now_us;
    const struct fw_message m = {.kind = FW_MSG_READ_ONLY};
    fw_send(fw, FW_MODULE_HIL, &m);
    end_waits(fw);
    f->map_ops->read_only(fw);
}
