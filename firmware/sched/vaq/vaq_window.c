// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `vaq` with vaq.join_window: transactions that are committed together.
//
// The transactions from the head of the queue on, of several requests, are gathered up to the first
// conflict. Then they leave the queue together: transactions of a die that satisfy the plane rule are one
// operation, and what goes to one package is one transaction of it.
#include "firmware/sched/vaq/vaq.h"

bool vaq_window_boot(struct fw *fw)
{
    struct vaq *v = fw->sched->state;
    const u32 dies = fw->cfg.channels * fw->cfg.ways * fw->cfg.dies;
    v->first_of_die = fw_fast_table(fw, dies, 4);
    if (!v->first_of_die) {
        return false;
    }
    for (u32 i = 0; i < dies; ++i) {
        v->first_of_die[i] = FW_NONE;
    }
    return true;
}

enum gathering { GATHERED, NO_MORE, AWAITED };

/* The map names a page whose program by collection waits in `gc` because the die is taken. */
static bool awaits_copy(struct fw *fw, const struct fw_op *o)
{
    const struct vaq *v = fw->sched->state;
    if (o->opcode != FLASH_OP_READ || v->gc_waiting[o->die] == 0) {
        return false;
    }
    for (u32 op = v->gc.head; op != FW_NONE; op = fw->ops[op].next) {
        fw_charge(fw, FW_COST_VAQ_GC_LOOK, 1);
        if (fw->ops[op].opcode == FLASH_OP_PROGRAM && fw->ops[op].ppn == o->ppn) {
            return true;
        }
    }
    return false;
}

/* Let the op behind those gathered join its die's, or be the first of its die. */
static enum gathering gather(struct fw *fw, u32 op)
{
    struct vaq *v = fw->sched->state;
    if (op == v->late) {
        return NO_MORE;
    }
    if (!vaq_ready(fw, op, false)) {
        return AWAITED;
    }
    struct fw_op *o = &fw->ops[op];
    const u32 first = v->first_of_die[o->die];
    u32 last = FW_NONE;
    if (first == FW_NONE) {
        if (vaq_is_busy(fw, o->die)) {
            return NO_MORE;
        }
    } else {
        if (!fw->cfg.vaq_join || fw->ops[first].opcode != o->opcode || awaits_copy(fw, o)) {
            return NO_MORE;
        }
        for (u32 m = first; m != FW_NONE; m = fw->ops[m].mate) {
            fw_charge(fw, FW_COST_VAQ_JOIN, 1);
            if (fw->ops[m].plane == o->plane) {
                return NO_MORE;
            }
            last = m;
        }
    }
    if (!vaq_ready(fw, op, true)) {
        return AWAITED;
    }
    if (first == FW_NONE) {
        v->first_of_die[o->die] = op;
    } else if (vaq_page_offset(fw, o) == vaq_page_offset(fw, &fw->ops[first])) {
        fw->ops[last].mate = op;
    } else {
        return NO_MORE; /* assigned all the same; it is the next head */
    }
    return GATHERED;
}

/* All that has been gathered leaves the queue, each die's ops as one operation. */
static void commit(struct fw *fw)
{
    struct vaq *v = fw->sched->state;
    for (; v->gathered != 0; --v->gathered) {
        const u32 op = fw_op_pop(fw, &v->queue);
        const u32 die = fw->ops[op].die;
        fw_charge(fw, FW_COST_VAQ_MATE, 1);
        if (v->first_of_die[die] == op) { /* its mates come later, and are not */
            fw_op_push(fw, &v->out, op);
        }
    }
    v->out_joined = false;
}

/* False: the controller takes no more. */
static bool submit_out(struct fw *fw)
{
    struct vaq *v = fw->sched->state;
    while (!fw_fifo_empty(&v->out)) {
        fw->sched->joined = v->out_joined;
        const bool submitted = sched_submit(fw, v->out.head, false);
        fw->sched->joined = false;
        if (!submitted) {
            return false;
        }
        v->out_joined = true;
        v->first_of_die[fw->ops[fw_op_pop(fw, &v->out)].die] = FW_NONE;
    }
    return true;
}

FW_APART void vaq_pump_window(struct fw *fw)
{
    struct vaq *v = fw->sched->state;
    while (submit_out(fw) && !fw_fifo_empty(&v->queue)) {
        if (v->gathered == 0 && !vaq_head_ready(fw)) {
            return;
        }
        enum gathering result = GATHERED;
        while (result == GATHERED && v->gathered < fw->cfg.vaq_join_window) {
            const u32 op = v->gathered == 0 ? v->queue.head : fw->ops[v->gathered_last].next;
            result = op == FW_NONE ? NO_MORE : gather(fw, op);
            if (result == GATHERED) {
                ++v->gathered;
                v->gathered_last = op;
            }
        }
        if (result == AWAITED || v->gathered == 0) {
            return;
        }
        commit(fw);
    }
}
