// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: FIFO scheduling: programs are assigned when they arrive, everything is submitted in order.
#include "firmware/sched/fifo/fifo.h"

#include "firmware/core/panic.h"

u64 sched_fifo_bytes(const struct fw_config *cfg, u32 ops)
{
    (void)cfg;
    (void)ops;
    return sizeof(struct sched_fifo) + 64;
}

bool sched_fifo_boot(struct fw *fw)
{
    struct sched_fifo *s = fw->sched->state = fw_fast_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    fw_fifo_init(&s->ready);
    return true;
}

bool sched_fifo_idle(const struct fw *fw)
{
    const struct sched_fifo *s = fw->sched->state;
    return fw_fifo_empty(&s->ready);
}

void sched_fifo_add(struct fw *fw, u32 op)
{
    struct sched_fifo *s = fw->sched->state;
    if (fw->ops[op].opcode == FLASH_OP_PROGRAM) {
        sched_assign(fw, op);
    } else {
        fw_op_push(fw, &s->ready, op);
    }
}

void sched_fifo_translated(struct fw *fw, u32 op, bool unmapped)
{
    (void)unmapped;
    fw_panic(fw, FW_PANIC_BAD_MESSAGE, op); /* never asked for */
}

void sched_fifo_assigned(struct fw *fw, u32 op)
{
    struct sched_fifo *s = fw->sched->state;
    fw_op_push(fw, &s->ready, op);
}

void sched_fifo_done(struct fw *fw, u32 op)
{
    (void)fw;
    (void)op;
}

void sched_fifo_pump(struct fw *fw, bool fences)
{
    struct sched_fifo *s = fw->sched->state;
    while (!fw_fifo_empty(&s->ready)) {
        const u32 op = s->ready.head;
        const struct fw_op *o = &fw->ops[op];
        const u32 request = o->request;
        const bool host = !(o->flags & FW_OP_GC);
        fw_charge(fw, FW_COST_SCHED_LOOK, 1);
        if (!sched_submit(fw, op, fences && host && (request == 0 || request != s->last_request))) {
            return;
        }
        fw_op_pop(fw, &s->ready);
        if (host) {
            s->last_request = request;
        }
    }
}
