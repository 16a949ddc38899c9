// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the work of a die: array time of the operations that are placed on it, and the debt of garbage
// collection there (gc/gc_share.c).
#include "firmware/ftl/core/planes.h"

enum { WHOLE = 256 };

u32 ftl_work_of(const struct fw *fw, const struct fw_op *o)
{
    return o->opcode == FLASH_OP_PROGRAM ? fw->cfg.t_program_ns
           : o->opcode == FLASH_OP_READ  ? fw->cfg.t_read_ns
           : o->opcode == FLASH_OP_ERASE ? fw->cfg.t_erase_ns
                                         : fw->cfg.t_read_ns + fw->cfg.t_program_ns;
}

bool ftl_share_is_soft(const struct fw_ftl *f, const struct plane *p)
{
    return p->free_count > f->reserve && fw_fifo_empty(&p->waiting);
}

void ftl_share_add(struct fw *fw, const struct fw_op *o, u32 plane)
{
    struct gc_die *d = ftl_share_die(fw, plane);
    if (!(o->flags & FW_OP_GC)) {
        ++d->host;
    } else if (d->host != 0 && ftl_share_is_soft(fw->ftl, &fw->ftl->planes[plane])) {
        d->debt += (u64)ftl_work_of(fw, o) * (WHOLE - fw->cfg.gc_share);
    }
}

void ftl_share_end(struct fw *fw, const struct fw_op *o, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct gc_die *d = ftl_share_die(fw, plane);
    if (o->flags & FW_OP_GC) {
        return;
    }
    const u64 off = (u64)ftl_work_of(fw, o) * fw->cfg.gc_share;
    d->debt -= off < d->debt ? off : d->debt;
    --d->host;
    if (d->held != 0 && !d->touched) { /* looked at when the message has been handled */
        d->touched = 1;
        d->next = f->touched;
        f->touched = plane / fw->cfg.planes + 1;
    }
}
