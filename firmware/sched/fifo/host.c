// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `host`: everything goes to the out-of-order controller as it comes, with the
// stream and the priority by which the controller orders it (thesis, section 2.1; docs/explanation/o3.md).
#include "firmware/core/panic.h"
#include "firmware/sched/fifo/fifo.h"

enum priority { LOW, MIDDLE, HIGH }; /* collection, host programs, host reads */

/* Collection has a stream of its own, so that nothing of the host's waits for its completions. What
   no request has caused (write-back) is in the host's common stream. */
static u16 stream_of(const struct fw *fw, const struct fw_op *o)
{
    if (fw->cfg.host_streams == FW_STREAMS_FREE) {
        return FLASH_NO_STREAM;
    }
    if (o->flags & FW_OP_GC) {
        return FW_STREAM_GC;
    }
    if (fw->cfg.host_streams == FW_STREAMS_ONE || o->request == 0) {
        return FW_STREAM_HOST;
    }
    return (u16)(FW_STREAM_REQUEST + o->request % (FLASH_STREAMS - FW_STREAM_REQUEST));
}

static u8 priority_of(const struct fw *fw, const struct fw_op *o)
{
    if (!fw->cfg.host_reads_first || (o->flags & FW_OP_GC)) {
        return LOW;
    }
    return o->opcode == FLASH_OP_READ ? HIGH : MIDDLE;
}

/* No fence: the firmware waits for what an erase, a FLUSH or a FUA write has to come after. */
static void pump(struct fw *fw)
{
    struct sched_fifo *s = fw->sched->state;
    while (!fw_fifo_empty(&s->ready)) {
        const u32 op = s->ready.head;
        const struct fw_op *o = &fw->ops[op];
        fw_charge(fw, FW_COST_HOST_HEAD, 1);
        if (!sched_submit_as(fw, op, priority_of(fw, o), stream_of(fw, o))) {
            return;
        }
        fw_op_pop(fw, &s->ready);
    }
}

const struct sched_ops sched_host = {
    .bytes = sched_fifo_bytes,
    .boot = sched_fifo_boot,
    .idle = sched_fifo_idle,
    .add = sched_fifo_add,
    .translated = sched_fifo_translated,
    .assigned = sched_fifo_assigned,
    .done = sched_fifo_done,
    .pump = pump,
};
