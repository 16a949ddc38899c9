// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `vaq`: the FIFO device queue on virtual addresses (PAQ paper 4.3, the baseline).
//
// Host transactions are committed strictly in queue order. The head is translated when it gets to
// the head; while its die is busy it blocks all behind it (vaq.block: die) or, once blocked, until
// all earlier requests have ended (vaq.block: request). Followers that are adjacent in the queue and
// satisfy the plane rule with the head join its operation (vaq_window.c: with vaq.join_window others do,
// too). Garbage collection does not pass through the device queue: its operations go to their dies when
// these are free.
#include "firmware/sched/vaq/vaq.h"

#include "firmware/core/panic.h"

enum { GC_LOOK = 64 }; /* GC operations looked at for one whose die is free */

static u64 bytes(const struct fw_config *cfg, u32 ops)
{
    (void)ops;
    const u64 dies = (u64)cfg->channels * cfg->ways * cfg->dies;
    return sizeof(struct vaq) + dies * 2 + (cfg->vaq_join_window > 1 ? dies * 4 : 0) + 192;
}

static bool boot(struct fw *fw)
{
    struct vaq *v = fw->sched->state = fw_fast_table(fw, 1, sizeof *v);
    if (!v) {
        return false;
    }
    v->gc_waiting = fw_fast_table(fw, fw->cfg.channels * fw->cfg.ways * fw->cfg.dies, 2);
    if (!v->gc_waiting) {
        return false;
    }
    /* What is assigned and not submitted may hold a page of the block that collection empties; what is gathered
       may hold a block that collection needs. */
    if (fw->cfg.recovery_span == 0 && fw->cfg.vaq_join_window <= 1) {
        fw->sched_traits &= ~(u32)SCHED_HEARS_OF_WAITS;
    }
    if (fw->cfg.vaq_join_window > 1 && !vaq_window_boot(fw)) {
        return false;
    }
    fw_fifo_init(&v->queue);
    fw_fifo_init(&v->gc);
    fw_fifo_init(&v->out);
    v->asked = v->late = FW_NONE;
    return true;
}

static bool idle(const struct fw *fw)
{
    const struct vaq *v = fw->sched->state;
    return fw_fifo_empty(&v->queue) && fw_fifo_empty(&v->gc) && fw_fifo_empty(&v->out);
}

static void push_gc(struct fw *fw, u32 op)
{
    struct vaq *v = fw->sched->state;
    ++v->gc_waiting[fw->ops[op].die];
    fw_op_push(fw, &v->gc, op);
}

static void add(struct fw *fw, u32 op)
{
    struct vaq *v = fw->sched->state;
    if (!(fw->ops[op].flags & FW_OP_GC)) {
        fw_op_push(fw, &v->queue, op);
    } else if (fw->ops[op].opcode == FLASH_OP_PROGRAM) {
        sched_assign(fw, op);
    } else {
        push_gc(fw, op);
    }
}

static void remove_after(struct fw *fw, struct fw_fifo *fifo, u32 previous, u32 op)
{
    const u32 next = fw->ops[op].next;
    if (previous == FW_NONE) {
        fifo->head = next;
    } else {
        fw->ops[previous].next = next;
    }
    if (next == FW_NONE) {
        fifo->tail = previous;
    }
}

static void translated(struct fw *fw, u32 op, bool unmapped)
{
    struct vaq *v = fw->sched->state;
    v->asked = v->late = FW_NONE;
    if (unmapped) {
        u32 previous = FW_NONE;
        for (u32 i = v->queue.head; i != op; i = fw->ops[i].next) {
            previous = i;
        }
        remove_after(fw, &v->queue, previous, op);
        sched_drop_unmapped(fw, op);
    }
}

static void assigned(struct fw *fw, u32 op)
{
    struct vaq *v = fw->sched->state;
    if (fw->ops[op].flags & FW_OP_GC) {
        push_gc(fw, op);
    } else {
        v->asked = v->late = FW_NONE;
    }
}

static void late(struct fw *fw, u32 op, bool damaged)
{
    (void)damaged;
    struct vaq *v = fw->sched->state;
    if (op == v->asked) { /* else collection's */
        v->late = op;
    }
}

static void done(struct fw *fw, u32 op)
{
    (void)fw;
    (void)op;
}

/* Whether a host transaction of another request than `request` is in flight. Transactions of requests
   interleave in the queue, so that only a look at all of them tells. */
static bool others_in_flight(struct fw *fw, u32 request)
{
    const struct fw_sched *s = fw->sched;
    for (u32 tag = 0; tag < fw->cfg.flash_tags; ++tag) {
        fw_charge(fw, FW_COST_VAQ_TAG, 1);
        for (u32 op = s->op_of_tag[tag]; op != FW_NONE; op = fw->ops[op].mate) {
            const struct fw_op *o = &fw->ops[op];
            if (!(o->flags & FW_OP_GC) && o->request != request) {
                return true;
            }
        }
    }
    return false;
}

static void pump_gc(struct fw *fw)
{
    struct vaq *v = fw->sched->state;
    u32 previous = FW_NONE;
    u32 op = v->gc.head;
    for (u32 i = 0; i < GC_LOOK && op != FW_NONE; ++i) {
        const u32 next = fw->ops[op].next;
        fw_charge(fw, FW_COST_VAQ_GC_LOOK, 1);
        if (!sched_die_busy(fw, fw->ops[op].die) && !vaq_is_taken(v, fw->ops[op].die)) {
            if (!sched_submit(fw, op, false)) {
                return;
            }
            remove_after(fw, &v->gc, previous, op);
            --v->gc_waiting[fw->ops[op].die];
        } else {
            previous = op;
        }
        op = next;
    }
}

/* Make `op` ready to be committed; false: an answer of the FTL is awaited. */
__attribute__((always_inline)) static inline bool ready(struct fw *fw, u32 op, bool assign)
{
    struct vaq *v = fw->sched->state;
    const struct fw_op *o = &fw->ops[op];
    fw_charge(fw, FW_COST_VAQ_READY, 1);
    if (v->asked != FW_NONE) { /* where the answer is far off, what is ready goes alone */
        return v->asked == v->late && (o->flags & (assign ? FW_OP_ASSIGNED : FW_OP_TRANSLATED));
    }
    if (!(o->flags & FW_OP_TRANSLATED)) {
        v->asked = op;
        sched_translate(fw, op);
        return false;
    }
    if (assign && !(o->flags & FW_OP_ASSIGNED)) {
        v->asked = op;
        sched_assign(fw, op);
        return false;
    }
    return true;
}

/* Page in block and plane rule (docs/reference/onfi-facts.md): same LUN, other plane, same page offset. */
static bool may_join(struct fw *fw, u32 first, u32 count, u32 op)
{
    fw_charge(fw, FW_COST_VAQ_JOIN, 1);
    const struct fw_op *h = &fw->ops[first];
    const struct fw_op *o = &fw->ops[op];
    u32 taken = first;
    if (o->opcode != h->opcode || o->die != h->die) {
        return false;
    }
    for (u32 i = 0; i < count; ++i) {
        if (fw->ops[taken].plane == o->plane) {
            return false;
        }
        taken = fw->ops[taken].next;
    }
    return true;
}

FW_APART bool vaq_any_busy(struct fw *fw, u32 die)
{
    const u32 first = die - die % fw->cfg.vaq_conflict_dies;
    for (u32 i = first; i < first + fw->cfg.vaq_conflict_dies; ++i) {
        fw_charge(fw, FW_COST_VAQ_HEAD, 1);
        if (vaq_die_busy(fw, i)) {
            return true;
        }
    }
    return false;
}

/* A conflict holds the head from now on (`held` is its die + 1), or no longer. */
FW_APART static void show_conflict(struct fw *fw, u32 held)
{
    struct vaq *v = fw->sched->state;
    v->conflict = held;
    fw_probe(fw, FW_PROBE_SCHED_CONFLICT, held);
}

/* Whether the head of the queue may be committed now. */
__attribute__((always_inline)) static inline bool head_ready(struct fw *fw)
{
    struct vaq *v = fw->sched->state;
    const u32 head = v->queue.head;
    fw_charge(fw, FW_COST_VAQ_HEAD, 1);
    if (!ready(fw, head, false)) {
        return false;
    }
    const struct fw_op *h = &fw->ops[head];
    if (v->stalled && others_in_flight(fw, h->request)) {
        return false;
    }
    v->stalled = false;
    if (vaq_is_busy(fw, h->die)) {
        v->stalled = fw->cfg.vaq_block_request != 0;
        if (v->conflict != h->die + 1) {
            show_conflict(fw, h->die + 1);
        }
        return false;
    }
    if (v->conflict != 0) {
        show_conflict(fw, 0);
    }
    return ready(fw, head, true);
}

/* Apart, so that the way without a window stays in one piece. */
FW_APART bool vaq_ready(struct fw *fw, u32 op, bool assign) { return ready(fw, op, assign); }
FW_APART bool vaq_head_ready(struct fw *fw) { return head_ready(fw); }

static void pump(struct fw *fw)
{
    struct vaq *v = fw->sched->state;
    pump_gc(fw);
    if (v->first_of_die) {
        vaq_pump_window(fw);
        return;
    }
    while (!fw_fifo_empty(&v->queue)) {
        const u32 head = v->queue.head;
        if (!head_ready(fw)) {
            return;
        }
        struct fw_op *h = &fw->ops[head];
        /* Joining: each adjacent follower in turn, until one does not fit. */
        u32 count = 1;
        u32 last = head;
        while (fw->cfg.vaq_join && count < fw->cfg.planes && fw->ops[last].next != FW_NONE) {
            const u32 op = fw->ops[last].next;
            if (op == v->late) {
                break;
            }
            if (!ready(fw, op, false)) {
                return;
            }
            if (!may_join(fw, head, count, op)) {
                break;
            }
            if (!ready(fw, op, true)) {
                return;
            }
            if (vaq_page_offset(fw, &fw->ops[op]) != vaq_page_offset(fw, h)) {
                break; /* assigned all the same; it is the next head */
            }
            last = op;
            ++count;
        }
        u32 op = head;
        for (u32 i = 1; i < count; ++i) {
            fw_charge(fw, FW_COST_VAQ_MATE, 1);
            fw->ops[op].mate = fw->ops[op].next;
            op = fw->ops[op].next;
        }
        if (!sched_submit(fw, head, false)) {
            for (u32 i = 0, m = head; i < count; ++i) {
                const u32 next = fw->ops[m].mate;
                fw->ops[m].mate = FW_NONE;
                m = next;
            }
            return;
        }
        for (u32 i = 0; i < count; ++i) {
            fw_op_pop(fw, &v->queue);
        }
    }
}

const struct sched_ops sched_vaq = {
    .bytes = bytes,
    .boot = boot,
    .idle = idle,
    .add = add,
    .translated = translated,
    .assigned = assigned,
    .late = late,
    .done = done,
    .pump = pump,
};
