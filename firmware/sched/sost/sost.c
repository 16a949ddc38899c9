// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `sost`: the software out-of-order scheduler of the thesis (chapter 3).
//
// Each die has a queue of pages. The dynamic scheduler looks at a die when it is free or gets
// something to do, and gives it the next of its queue. A program gets block and page only then
// (sched_assign), so that what was moved or taken back before leaves no hole, and so that reads which
// find it in the map come behind it. Where it has to wait in the FTL for a free block, the die goes on
// with other operations, but with no more writes to that plane. No other dependency has to be looked
// for: the buffer has at most one operation of a page on its way.
// docs/explanation/sost.md has the states of an operation.
#include "firmware/sched/sost/sost_level.h"
#include "firmware/sched/sost/sost_table.h"

static u32 die_count(const struct fw_config *cfg) { return cfg->channels * cfg->ways * cfg->dies; }

static u64 bytes(const struct fw_config *cfg, u32 ops)
{
    const u64 dies = die_count(cfg);
    return sizeof(struct sost) + (u64)ops * sizeof(struct sost_entry) +
           dies * sizeof(struct sost_die) + 2 * (dies + 63) / 64 * 8 + 512;
}

static bool boot(struct fw *fw)
{
    struct sost *s = fw->sched->state = fw_fast_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    s->dies = die_count(&fw->cfg);
    s->words = (s->dies + 63) / 64;
    s->entries = fw_fast_table(fw, fw->op_count, sizeof(struct sost_entry));
    s->die = fw_fast_table(fw, s->dies, sizeof(struct sost_die));
    s->ready = fw_fast_table(fw, s->words, 8);
    s->empty = fw_fast_table(fw, s->words, 8);
    if (!s->entries || !s->die || !s->ready || !s->empty) {
        return false;
    }
    s->far = fw_is_far(fw, s->entries);
    for (u32 die = 0; die < s->dies; ++die) {
        struct sost_die *c = &s->die[die];
        for (u32 i = 0; i < SOST_CLASSES; ++i) {
            c->lists[i].head = c->lists[i].tail = FW_NONE;
        }
        c->reserved = FW_NONE;
        fw_fifo_init(&c->assigned);
        sost_set_empty(fw, die);
    }
    return true;
}

static bool idle(const struct fw *fw)
{
    (void)fw;
    return true; /* fw_sched.queued counts all that is inside */
}

static void add(struct fw *fw, u32 op)
{
    struct sost *s = fw->sched->state;
    s->entries[op] = (struct sost_entry){
        .serial = s->serial++, .added_us = (u32)fw->now_us, .die = FW_NONE, .home = FW_NONE};
    if (sost_is_write(&fw->ops[op])) {
        ++fw->stats.queued_writes;
        fw->stats.queued_before += s->die[fw->ops[op].die].ops;
    }
    sost_enqueue(fw, op);
}

/* The op is no longer awaited by the die that asked for its assignment. */
static void answered(struct fw *fw, u32 op)
{
    struct sost *s = fw->sched->state;
    struct sost_entry *e = &s->entries[op];
    struct sost_die *c = &s->die[e->home];
    fw_charge(fw, FW_COST_SOST_ANSWERED, 1);
    fw_charge(fw, FW_COST_SOST_FAR, s->far);
    if (e->state == SOST_LATE) {
        c->late_planes &= (u8)~(1u << e->plane);
        --c->late;
    } else {
        c->reserved = FW_NONE;
    }
    sost_mark(s, e->home);
    sost_set_empty(fw, e->home);
}

static void assigned(struct fw *fw, u32 op)
{
    struct sost *s = fw->sched->state;
    struct sost_entry *e = &s->entries[op];
    const u32 die = fw->ops[op].die; /* on a damaged device perhaps another than was asked for */
    fw->stats.reallocated += e->moving;
    sost_account(fw, op, die);
    fw_op_push(fw, &s->die[die].assigned, op);
    answered(fw, op);
    e->state = SOST_ASSIGNED;
    e->moving = 0;
    sost_mark(s, die);
    sost_set_empty(fw, die);
}

/* The plane has no page for it yet: other writes to it stay here, where they may still move, unless
   the FTL has to know of all of them to see that the device is worn out. An op that is not being assigned
   waits for a plane in the FTL and has never been here. */
static void late(struct fw *fw, u32 op, bool damaged)
{
    struct sost *s = fw->sched->state;
    struct sost_entry *e = &s->entries[op];
    if (e->state == SOST_ASSIGNING) {
        struct sost_die *c = &s->die[e->home];
        c->reserved = FW_NONE;
        e->state = SOST_LATE;
        e->plane = fw->ops[op].plane;
        c->late_planes |= (u8)(1u << e->plane);
        ++c->late;
    }
    if (e->state == SOST_LATE) {
        s->die[e->home].late_planes &= damaged ? 0 : 0xff;
        sost_mark(s, e->home);
    }
}

static void stays(struct fw *fw, u32 op, bool lacks)
{
    (void)lacks;
    struct sost *s = fw->sched->state;
    struct sost_entry *e = &s->entries[op];
    s->die[e->home].no_space = 1;
    e->moving = 0;
    answered(fw, op);
    sost_enqueue(fw, op);
}

static void done(struct fw *fw, u32 op)
{
    struct sost *s = fw->sched->state;
    const u32 die = fw->ops[op].die;
    sost_account(fw, op, FW_NONE);
    s->entries[op].state = SOST_OUTSIDE;
    s->die[die].no_space = 0;
    sost_mark(s, die);
}

/* Messages of the hit manager may come late, when the op has gone on. */
static bool still_queued(const struct fw *fw, u32 op, u32 line)
{
    const struct sost *s = fw->sched->state;
    const struct fw_op *o = &fw->ops[op];
    return s->entries[op].state == SOST_QUEUED && sost_is_write(o) && o->line == line &&
           !(o->flags & FW_OP_REDO);
}

static void cancel(struct fw *fw, u32 op, u32 line)
{
    struct sost *s = fw->sched->state;
    const u32 die = s->entries[op].die;
    fw_charge(fw, FW_COST_SOST_HIT, 1);
    if (still_queued(fw, op, line)) {
        sost_unlink(fw, op);
        sost_account(fw, op, FW_NONE);
        s->entries[op].state = SOST_OUTSIDE;
        sost_set_empty(fw, die);
        sched_drop_cancelled(fw, op);
    }
}

static void read_hit(struct fw *fw, u32 op, u32 line, u32 reads)
{
    fw_charge(fw, FW_COST_SOST_HIT, 1);
    if (still_queued(fw, op, line)) {
        struct fw_op *o = &fw->ops[op];
        o->hits = (u8)fw_min_u32(o->hits + (reads - o->read_hits), 0xff);
        o->read_hits = (u8)reads;
        const struct sost *s = fw->sched->state;
        if (sost_class(fw, o) != s->entries[op].list) {
            sost_unlink(fw, op);
            sost_enqueue(fw, op);
        }
    }
}

/* The oldest of a list that does not need a page in a plane that has none. */
static u32 first_of(struct fw *fw, const struct sost_die *c, const struct sost_list *l)
{
    const struct sost *s = fw->sched->state;
    for (u32 op = l->head; op != FW_NONE; op = s->entries[op].next) {
        const struct fw_op *o = &fw->ops[op];
        fw_charge(fw, FW_COST_SOST_LOOK, 1);
        if (!sost_is_write(o) || !(c->late_planes >> o->plane & 1)) {
            return op;
        }
    }
    return FW_NONE;
}

/* What a free die does next, or FW_NONE; `passes`: it leaves an older one behind. */
static u32 pick(struct fw *fw, const struct sost_die *c, bool *passes)
{
    const struct sost *s = fw->sched->state;
    u32 first = FW_NONE; /* of the best class */
    u32 oldest = FW_NONE;
    u32 classes = 0;
    for (u32 filled = c->filled; filled != 0; filled &= filled - 1) {
        fw_charge(fw, FW_COST_SOST_LIST, 1);
        const u32 op = first_of(fw, c, &c->lists[__builtin_ctz(filled)]);
        if (op == FW_NONE) {
            continue;
        }
        ++classes;
        first = first == FW_NONE ? op : first;
        if (oldest == FW_NONE ||
            (int32_t)(s->entries[op].serial - s->entries[oldest].serial) < 0) {
            oldest = op;
        }
    }
    const bool aged = first != oldest &&
                      (u32)fw->now_us - s->entries[oldest].added_us >= fw->cfg.sost_age_limit_us;
    *passes = first != oldest && !aged;
    fw->stats.class_choices += classes > 1;
    fw->stats.aged += aged;
    return *passes ? first : oldest;
}

/* A die is free or has something new. False: the controller is full. */
static bool dispatch(struct fw *fw, u32 die)
{
    struct sost *s = fw->sched->state;
    struct sost_die *c = &s->die[die];
    fw_charge(fw, FW_COST_SOST_DIE, 1);
    if (sched_die_busy(fw, die)) {
        return true;
    }
    if (!fw_fifo_empty(&c->assigned)) {
        const u32 op = c->assigned.head;
        if (!sched_submit(fw, op, false)) {
            return false;
        }
        fw_op_pop(fw, &c->assigned);
        s->entries[op].state = SOST_SERVICE;
        return true;
    }
    bool passes = false;
    const u32 op = c->reserved == FW_NONE ? pick(fw, c, &passes) : FW_NONE;
    if (op == FW_NONE) {
        return true;
    }
    struct sost_entry *e = &s->entries[op];
    fw_charge(fw, FW_COST_SOST_DISPATCH, 1);
    fw_charge(fw, FW_COST_SOST_FAR, s->far);
    if (fw->ops[op].opcode == FLASH_OP_PROGRAM) {
        sost_unlink(fw, op);
        c->reserved = op;
        e->home = die;
        e->state = SOST_ASSIGNING;
        fw->stats.reordered += passes;
        sched_assign(fw, op);
        return true;
    }
    if (!sched_submit(fw, op, false)) {
        return false;
    }
    fw->stats.reordered += passes;
    sost_unlink(fw, op);
    e->state = SOST_SERVICE;
    return true;
}

static void pump(struct fw *fw)
{
    struct sost *s = fw->sched->state;
    fw_charge(fw, FW_COST_SOST_WORD, s->words);
    for (u32 i = 0; i < s->words; ++i) {
        while (s->ready[i] != 0) {
            const u32 die = i * 64 + (u32)__builtin_ctzll(s->ready[i]);
            if (!dispatch(fw, die)) {
                return;
            }
            s->ready[i] &= s->ready[i] - 1;
            sost_set_empty(fw, die);
        }
    }
    if (fw->cfg.sost_leveler && s->donors != 0 && s->empties != 0) {
        sost_level(fw);
    }
}

const struct sched_ops sched_sost = {
    .bytes = bytes,
    .boot = boot,
    .idle = idle,
    .add = add,
    .assigned = assigned,
    .late = late,
    .done = done,
    .pump = pump,
    .cancel = cancel,
    .read_hit = read_hit,
    .stays = stays,
};
