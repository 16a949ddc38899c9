// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the die of an operation: of the page that a read wants, or of the plane that a write goes to.
//
// The die of a write is chosen when the FTL first sees it (or at commit, for schedulers that translate late).
#include "firmware/core/sched_traits.h"
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/planes.h"
#include "firmware/ftl/map/map.h"
#include "firmware/ftl/writes.h"

enum translation ftl_translate(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    struct fw_op *o = &fw->ops[op];
    if (o->opcode == FLASH_OP_READ) {
        fw_charge(fw, FW_COST_FTL_LOOKUP, 1);
        struct map_found found;
        if (!f->map_ops->lookup(fw, op, &found)) {
            return LATER;
        }
        if (!ftl_is_mapped(found.entry)) {
            o->status = found.entry == FTL_LOST ? FLASH_STATUS_UNCORRECTABLE : FLASH_STATUS_OK;
            return UNMAPPED;
        }
        o->ppn = found.ppn;
        ftl_address_op(fw, o, ftl_plane_index(f, found.ppn));
        ftl_row_op(fw, o);
        ftl_add_work(fw, o, ftl_op_plane(fw, o));
        ++f->blocks[ftl_block_index(f, found.ppn)].pending;
        ++f->pending;
    } else if (!(o->flags & FW_OP_TRANSLATED)) {
        if (f->read_only) {
            ftl_promise_any(fw, op);
            return TRANSLATED;
        }
        if (!f->map_ops->prepare(fw, op)) {
            return LATER;
        }
        const u32 plane = fw_fifo_empty(&f->unplaced) ? ftl_plane_for_op(fw, o) : FW_NONE;
        if (plane == FW_NONE) {
            ftl_wait_in(fw, &f->unplaced, op);
            return LATER;
        }
        ftl_promise(fw, op, plane);
    }
    return TRANSLATED;
}

FW_APART void ftl_begin(struct fw *fw, u32 op)
{
    switch (ftl_translate(fw, op)) {
    case TRANSLATED:
        ftl_send_op(fw, FW_MODULE_SCHED, FW_MSG_OP_PLACED, op, 0);
        break;
    case UNMAPPED:
        ftl_send_op(fw, FW_MODULE_BUFFER, FW_MSG_PAGE_OP_DONE, op, 1);
        break;
    case LATER:
        break;
    }
}

void ftl_resume(struct fw *fw, u32 op)
{
    const enum translation t = ftl_translate(fw, op);
    if (t == LATER) {
        return;
    }
    if (fw_sched_does(fw, SCHED_TRANSLATES_LATE)) {
        ftl_send_op(fw, FW_MODULE_SCHED, FW_MSG_OP_TRANSLATED, op, t == UNMAPPED);
    } else if (t == UNMAPPED) {
        ftl_send_op(fw, FW_MODULE_BUFFER, FW_MSG_PAGE_OP_DONE, op, 1);
    } else {
        ftl_send_op(fw, FW_MODULE_SCHED, FW_MSG_OP_PLACED, op, 0);
    }
}

/* A page has become invalid: writes that waited for a plane may have one now. Some were promised one
   before that can no longer take them: those are asked for by OP_ASSIGN already. */
FW_APART void ftl_place_waiting(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    while (!fw_fifo_empty(&f->unplaced)) {
        const u32 plane = ftl_plane_for_op(fw, &fw->ops[f->unplaced.head]);
        if (plane == FW_NONE) {
            return;
        }
        const u32 op = fw_op_unpark(fw, &f->unplaced);
        fw_charge(fw, FW_COST_FTL_PARKED, 1);
        struct fw_op *o = &fw->ops[op];
        if (o->flags & FW_OP_TRANSLATED) {
            if (o->flags & FW_OP_GC) {
                o->flags |= FW_OP_AWAY;
                --f->gc_parked;
            }
            ftl_promise(fw, op, plane);
            ftl_send_op(fw, FW_MODULE_FTL, FW_MSG_OP_ASSIGN, op, 0);
            continue;
        }
        ftl_promise(fw, op, plane);
        ftl_send_op(fw, FW_MODULE_SCHED,
                fw_sched_does(fw, SCHED_TRANSLATES_LATE) ? FW_MSG_OP_TRANSLATED : FW_MSG_OP_PLACED, op, 0);
    }
}
