// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `first_free`: a write of the host waits at no die; the first die that is free takes it.
#include "firmware/sched/sched.h"

struct die_queues {
    struct fw_fifo assigned; /* programs that have their page; they go first */
    struct fw_fifo others; /* reads and erases */
    bool awaits;           /* a write has been moved here, and the FTL has not answered yet */
};

struct first_free {
    struct die_queues *dies;
    u32 *order;            /* by op: number of its arrival */
    u32 *home;             /* by op: the die that awaits it, or FW_NONE */
    struct fw_fifo writes; /* of the host, at no die */
    u32 arrivals;
    u32 next;              /* die that is looked at first */
};

static u32 die_count(const struct fw_config *cfg) { return cfg->channels * cfg->ways * cfg->dies; }

static u64 bytes(const struct fw_config *cfg, u32 ops)
{
    return sizeof(struct first_free) + (u64)die_count(cfg) * sizeof(struct die_queues) + (u64)ops * 8 + 4 * 64;
}

static bool boot(struct fw *fw)
{
    struct first_free *s = fw->sched->state = fw_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    s->dies = fw_table(fw, die_count(&fw->cfg), sizeof *s->dies);
    s->order = fw_table(fw, fw->op_count, 4);
    s->home = fw_table(fw, fw->op_count, 4);
    if (!s->dies || !s->order || !s->home) {
        return false;
    }
    for (u32 die = 0; die < die_count(&fw->cfg); ++die) {
        fw_fifo_init(&s->dies[die].assigned);
        fw_fifo_init(&s->dies[die].others);
    }
    for (u32 op = 0; op < fw->op_count; ++op) {
        s->home[op] = FW_NONE;
    }
    fw_fifo_init(&s->writes);
    return true;
}

static bool idle(const struct fw *fw)
{
    (void)fw;
    return true; /* fw_sched.queued counts all that is inside */
}

static void add(struct fw *fw, u32 op)
{
    struct first_free *s = fw->sched->state;
    const struct fw_op *o = &fw->ops[op];
    s->order[op] = s->arrivals++;
    if (o->opcode != FLASH_OP_PROGRAM) {
        fw_op_push(fw, &s->dies[o->die].others, op);
    } else if (o->flags & FW_OP_GC) {
        sched_assign(fw, op); /* a copy stays in its plane */
    } else {
        fw_op_push(fw, &s->writes, op);
    }
}

/* The FTL has answered sched_move(). An op that was not moved has no home. */
static void answered(struct fw *fw, u32 op)
{
    struct first_free *s = fw->sched->state;
    if (s->home[op] != FW_NONE) {
        s->dies[s->home[op]].awaits = false;
        s->home[op] = FW_NONE;
    }
}

static void assigned(struct fw *fw, u32 op)
{
    const struct first_free *s = fw->sched->state;
    answered(fw, op);
    fw_op_push(fw, &s->dies[fw->ops[op].die].assigned, op); /* in a damaged device perhaps another die */
}

static void stays(struct fw *fw, u32 op, bool lacks)
{
    (void)lacks;
    answered(fw, op);
    sched_assign(fw, op); /* there it may wait for garbage collection */
}

static void late(struct fw *fw, u32 op, bool damaged)
{
    (void)damaged;
    answered(fw, op); /* rule 4: `assigned` comes some time later */
}

static void done(struct fw *fw, u32 op)
{
    (void)fw; /* nothing is kept of what has been submitted */
    (void)op;
}

/* Whether the oldest write is older than what waits at the die. */
static bool takes_write(struct fw *fw, const struct die_queues *d)
{
    const struct first_free *s = fw->sched->state;
    const u32 write = s->writes.head;
    const u32 other = d->others.head;
    fw_charge(fw, FW_COST_SCHED_LOOK, 1);
    return write != FW_NONE && (other == FW_NONE || (i32)(s->order[write] - s->order[other]) < 0);
}

static void move_write(struct fw *fw, u32 die)
{
    struct first_free *s = fw->sched->state;
    const u32 op = fw_op_pop(fw, &s->writes);
    s->home[op] = die;
    s->dies[die].awaits = true;
    s->next = die + 1 == die_count(&fw->cfg) ? 0 : die + 1; /* the next write has the others first */
    sched_move(fw, op, die);
}

static void pump(struct fw *fw)
{
    struct first_free *s = fw->sched->state;
    const u32 dies = die_count(&fw->cfg);
    const u32 first = s->next;
    for (u32 i = 0; i < dies; ++i) {
        const u32 die = first + i < dies ? first + i : first + i - dies;
        struct die_queues *d = &s->dies[die];
        if (sched_die_busy(fw, die) || d->awaits) {
            continue;
        }
        if (fw_fifo_empty(&d->assigned) && takes_write(fw, d)) {
            move_write(fw, die);
            continue;
        }
        struct fw_fifo *fifo = fw_fifo_empty(&d->assigned) ? &d->others : &d->assigned;
        if (fw_fifo_empty(fifo)) {
            continue;
        }
        if (!sched_submit(fw, fifo->head, false)) {
            return; /* rule 1 */
        }
        fw_op_pop(fw, fifo);
    }
}

const struct sched_ops sched_first_free = {
    .bytes = bytes,
    .boot = boot,
    .idle = idle,
    .add = add,
    .assigned = assigned,
    .late = late,
    .done = done,
    .pump = pump,
    .stays = stays,
};
