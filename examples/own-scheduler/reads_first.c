// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `reads_first`: on each die reads go first, until something else is too old.
#include "firmware/sched/sched.h"

enum { OLD_US = 2000 };

struct die_queues {
    struct fw_fifo reads;
    struct fw_fifo others; /* programs with a page, and erases */
};

struct reads_first {
    struct die_queues *dies;
    u32 *added_us; /* by op */
};

static u32 die_count(const struct fw_config *cfg) { return cfg->channels * cfg->ways * cfg->dies; }

static u64 bytes(const struct fw_config *cfg, u32 ops)
{
    return sizeof(struct reads_first) + (u64)die_count(cfg) * sizeof(struct die_queues) +
           (u64)ops * 4 + 3 * 64;
}

static bool boot(struct fw *fw)
{
    struct reads_first *s = fw->sched->state = fw_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    s->dies = fw_table(fw, die_count(&fw->cfg), sizeof *s->dies);
    s->added_us = fw_table(fw, fw->op_count, 4);
    if (!s->dies || !s->added_us) {
        return false;
    }
    for (u32 die = 0; die < die_count(&fw->cfg); ++die) {
        fw_fifo_init(&s->dies[die].reads);
        fw_fifo_init(&s->dies[die].others);
    }
    return true;
}

static bool idle(const struct fw *fw)
{
    (void)fw;
    return true; /* fw_sched.queued counts all that is inside */
}

static void enqueue(struct fw *fw, u32 op)
{
    const struct reads_first *s = fw->sched->state;
    const struct fw_op *o = &fw->ops[op];
    struct die_queues *d = &s->dies[o->die];
    fw_op_push(fw, o->opcode == FLASH_OP_READ ? &d->reads : &d->others, op);
}

static void add(struct fw *fw, u32 op)
{
    const struct reads_first *s = fw->sched->state;
    s->added_us[op] = (u32)fw->now_us; /* differences stay right when it wraps */
    if (fw->ops[op].opcode == FLASH_OP_PROGRAM) {
        sched_assign(fw, op);
    } else {
        enqueue(fw, op);
    }
}

static void assigned(struct fw *fw, u32 op) { enqueue(fw, op); }

static void done(struct fw *fw, u32 op)
{
    (void)fw; /* nothing is kept of what has been submitted */
    (void)op;
}

/* Rule 3: the program of the page that `read` wants is still in the queue. */
static bool program_is_queued(struct fw *fw, const struct die_queues *d, u32 read)
{
    for (u32 op = d->others.head; op != FW_NONE; op = fw->ops[op].next) {
        fw_charge(fw, FW_COST_SCHED_LOOK, 1);
        if (fw->ops[op].opcode == FLASH_OP_PROGRAM && fw->ops[op].row == fw->ops[read].row) {
            return true;
        }
    }
    return false;
}

/* What the die gets next, or FW_NONE. */
static u32 choose(struct fw *fw, const struct die_queues *d)
{
    const struct reads_first *s = fw->sched->state;
    const u32 read = d->reads.head;
    const u32 other = d->others.head;
    if (read == FW_NONE || other == FW_NONE) {
        return read == FW_NONE ? other : read;
    }
    /* Rule 5. Where the read is older still it goes first: many old programs must not starve it. */
    const bool old = (u32)fw->now_us - s->added_us[other] >= OLD_US;
    if (old && (int32_t)(s->added_us[other] - s->added_us[read]) < 0) {
        return other;
    }
    return program_is_queued(fw, d, read) ? other : read;
}

static void pump(struct fw *fw)
{
    const struct reads_first *s = fw->sched->state;
    for (u32 die = 0; die < die_count(&fw->cfg); ++die) {
        struct die_queues *d = &s->dies[die];
        const u32 op = sched_die_busy(fw, die) ? FW_NONE : choose(fw, d);
        if (op == FW_NONE) {
            continue;
        }
        fw_charge(fw, FW_COST_SCHED_LOOK, 1);
        if (!sched_submit(fw, op, false)) {
            return; /* rule 1 */
        }
        fw_op_pop(fw, op == d->reads.head ? &d->reads : &d->others);
    }
}

const struct sched_ops sched_reads_first = {
    .bytes = bytes,
    .boot = boot,
    .idle = idle,
    .add = add,
    .assigned = assigned,
    .done = done,
    .pump = pump,
};
