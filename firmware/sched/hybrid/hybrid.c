// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `hybrid`: firmware decides with what it knows of commands, pages and planes; the
// out-of-order controller executes. What comes in, what ends, and the order of decisions.
//
// Reads wait at their die, writes of the host at no die: they get die, plane and page only when a die
// takes them. Collection's operations wait at their die and go by need. docs/explanation/hybrid.md has the rules.
#include "firmware/sched/hybrid/hybrid_parts.h"

static u32 die_count(const struct fw_config *cfg) { return cfg->channels * cfg->ways * cfg->dies; }

static u64 bytes(const struct fw_config *cfg, u32 ops)
{
    const u64 dies = die_count(cfg);
    return sizeof(struct hybrid) + (u64)(ops + HYBRID_NEAR) * sizeof(struct hybrid_entry) +
           HYBRID_COMMANDS * sizeof(struct hybrid_command) +
           dies * sizeof(struct hybrid_die) + (u64)cfg->channels * sizeof(struct hybrid_channel) +
           (6 + HYBRID_NEEDS) * ((dies + 31) / 32 * 4) + 16 * 64;
}

enum { PLANE = 3 }; /* letter of fw_config.allocation */

/* Pages that follow each other in the order of allocation until a die gets a second one. */
static u32 pages_before_planes(const struct fw_config *cfg)
{
    const u32 size[] = {cfg->channels, cfg->ways, cfg->dies, cfg->planes};
    u32 pages = 1;
    if (!cfg->hybrid_pack || cfg->planes == 1) {
        return FW_PAGE_COUNT_MOST;
    }
    for (u32 i = 0; cfg->allocation[i] != PLANE; ++i) {
        pages *= size[cfg->allocation[i]];
    }
    return pages < FW_PAGE_COUNT_MOST ? pages : FW_PAGE_COUNT_MOST - 1; /* a count that saturates is of more */
}

static void clear_list(struct hybrid_list *list) { list->head = list->tail = FW_NONE; }

static bool boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    struct hybrid *h = fw->sched->state = fw_fast_table(fw, 1, sizeof *h);
    if (!h) {
        return false;
    }
    h->dies_count = die_count(cfg);
    h->dies_a_channel = cfg->ways * cfg->dies;
    h->words = (h->dies_count + 31) / 32;
    const u32 ops = fw->op_count;
    h->near = fw_fast_table(fw, HYBRID_NEAR, sizeof(struct hybrid_entry));
    h->far = fw_table(fw, ops > HYBRID_NEAR ? ops - HYBRID_NEAR : 1, sizeof(struct hybrid_entry));
    h->commands = fw_fast_table(fw, HYBRID_COMMANDS, sizeof(struct hybrid_command));
    h->dies = fw_fast_table(fw, h->dies_count, sizeof(struct hybrid_die));
    h->channels = fw_fast_table(fw, cfg->channels, sizeof(struct hybrid_channel));
    h->free = fw_fast_table(fw, h->words, 4);
    h->reading_last = fw_fast_table(fw, h->words, 4);
    h->reads = fw_fast_table(fw, h->words, 4);
    h->assigned = fw_fast_table(fw, h->words, 4);
    h->full = fw_fast_table(fw, h->words, 4);
    h->served = fw_fast_table(fw, h->words, 4);
    for (u32 i = 0; i < HYBRID_NEEDS; ++i) {
        h->gc[i] = fw_fast_table(fw, h->words, 4);
    }
    if (!h->near || !h->far || !h->commands || !h->dies || !h->channels || !h->free || !h->reads ||
        !h->assigned || !h->full || !h->gc[FW_GC_NOW]) { /* the table made last */
        return false;
    }
    for (u32 die = 0; die < h->dies_count; ++die) {
        struct hybrid_die *d = &h->dies[die];
        for (u32 i = 0; i < HYBRID_PRIORITIES; ++i) {
            clear_list(&d->reads[i]);
        }
        for (u32 i = 0; i < HYBRID_NEEDS; ++i) {
            clear_list(&d->gc[i]);
        }
        fw_fifo_init(&d->assigned);
        d->group = FW_NONE;
        d->channel = (u8)(die / h->dies_a_channel);
        hybrid_set(h->free, die);
    }
    for (u32 i = 0; i < FLASH_MAX_PLANES; ++i) {
        h->mates[i] = FW_NONE;
    }
    for (u32 i = 0; i < HYBRID_PRIORITIES; ++i) {
        clear_list(&h->writes[i]);
        for (u32 channel = 0; channel < cfg->channels; ++channel) {
            clear_list(&h->channels[channel].waiting[i]);
        }
    }
    h->lone_pages = pages_before_planes(cfg);
    while (h->page_mask + 1 < cfg->pages) {
        h->page_mask = 2 * h->page_mask + 1;
    }
    return true;
}

static bool idle(const struct fw *fw) { return !hybrid_of(fw)->woken; }

/* ---- what comes in ---- */

/* Decide when everything that came in with this is inside. */
static void wake_later(struct fw *fw)
{
    struct hybrid *h = hybrid_of(fw);
    if (!h->woken) {
        h->woken = true;
        const struct fw_message m = {.kind = FW_MSG_SCHED_WAKE};
        fw_send(fw, FW_MODULE_SCHED, &m);
    }
}

/* Pages that a command beyond the age limit asks for now are as old as it is. True: this one is. */
static bool backdate(struct fw *fw, u32 op)
{
    struct hybrid *h = hybrid_of(fw);
    struct hybrid_entry *e = hybrid_at(h, op);
    const u32 request = fw->ops[op].request;
    struct hybrid_command *c = &h->commands[request % HYBRID_COMMANDS];
    if (c->request != request || request == 0) {
        *c = (struct hybrid_command){request, e->order, e->added_us, FW_NONE};
        return false;
    }
    if (e->added_us - c->added_us < fw->cfg.hybrid_age_limit_us) {
        return false;
    }
    e->order = c->order;
    e->added_us = c->added_us;
    return true;
}

static void add(struct fw *fw, u32 op)
{
    struct hybrid *h = hybrid_of(fw);
    const struct fw_op *o = &fw->ops[op];
    const bool classes = fw->cfg.hybrid_priorities != 0;
    if (o->opcode == FLASH_OP_READ && !(o->flags & FW_OP_GC) && hybrid_read_at_once(fw, op)) {
        fw_charge(fw, FW_COST_HYBRID_AT_ONCE, 1);
        return;
    }
    fw_charge(fw, FW_COST_HYBRID_ADD, 1);
    *hybrid_at(h, op) = (struct hybrid_entry){
        .order = h->arrivals++,
        .added_us = (u32)fw->now_us,
        .die = (u16)o->die,
        .home = HYBRID_NOWHERE,
        .list = (u8)(classes ? (u32)o->flags >> FW_OP_PRIORITY_SHIFT : 0)};
    if (o->flags & FW_OP_GC) {
        hybrid_gc_in(fw, op);
    } else if (o->opcode == FLASH_OP_READ) {
        backdate(fw, op);
        if (!hybrid_read_in(fw, op)) {
            return; /* nothing to decide before its die or its window takes a read */
        }
    } else {
        hybrid_write_in(fw, op, !backdate(fw, op));
    }
    wake_later(fw);
}

static void assigned(struct fw *fw, u32 op)
{
    struct hybrid *h = hybrid_of(fw);
    struct hybrid_entry *e = hybrid_at(h, op);
    const u32 die = fw->ops[op].die; /* on a damaged device perhaps another than was asked for */
    struct hybrid_die *d = &h->dies[die];
    fw_charge(fw, FW_COST_HYBRID_ASSIGNED, 1);
    h->late -= e->state == HYBRID_LATE;
    e->state = HYBRID_ASSIGNED;
    fw->ops[op].mate = FW_NONE;
    h->look |= 1u << fw->ops[op].channel;
    if (e->home == die) {
        if (d->group == FW_NONE) {
            d->group = op;
        } else {
            fw->ops[d->group_tail].mate = op;
        }
        d->group_tail = op;
        hybrid_answered(fw, die);
        return;
    }
    hybrid_push_assigned(fw, die, op);
    hybrid_clear(h->free, die);
    h->decide = true; /* where it was awaited is room */
    if (e->home != HYBRID_NOWHERE) {
        hybrid_answered(fw, e->home);
    }
}

/* The FTL has no page for it yet. An op that is not being assigned has never been here. */
static void late(struct fw *fw, u32 op, bool damaged)
{
    (void)damaged;
    struct hybrid_entry *e = hybrid_at(hybrid_of(fw), op);
    hybrid_of(fw)->decide = true;
    if (e->state == HYBRID_ASSIGNING) {
        const u32 home = e->home;
        e->state = HYBRID_LATE;
        e->home = HYBRID_NOWHERE;
        ++hybrid_of(fw)->late;
        if (home != HYBRID_NOWHERE) {
            hybrid_answered(fw, home);
        }
    }
}

static void stays(struct fw *fw, u32 op, bool lacks)
{
    struct hybrid *h = hybrid_of(fw);
    struct hybrid_entry *e = hybrid_at(h, op);
    const u32 die = e->home;
    fw->ops[op].mate = FW_NONE;
    if (fw->ops[op].flags & FW_OP_GC) {
        e->home = HYBRID_NOWHERE;
        h->decide = true;
        hybrid_gc_in(fw, op);
        hybrid_answered(fw, die);
        return;
    }
    if (h->dies[die].group == FW_NONE && !hybrid_bit(h->full, die)) { /* not even the first */
        hybrid_set(h->full, die);
        ++h->full_count;
    }
    if (lacks) {
        hybrid_gc_needed(fw, die);
    }
    e->home = HYBRID_NOWHERE;
    h->decide = true;
    hybrid_not_placed(fw, die);
    hybrid_write_in(fw, op, false);
    hybrid_answered(fw, die);
}

/* ---- what goes out ---- */

static void done(struct fw *fw, u32 op)
{
    struct hybrid *h = hybrid_of(fw);
    const struct fw_op *o = &fw->ops[op];
    struct hybrid_channel *c = &h->channels[o->channel];
    const bool counted = hybrid_at(h, op)->state == HYBRID_SERVICE;
    fw_charge(fw, FW_COST_HYBRID_DONE, 1);
    h->decide |= fw->sched->queued != 0;
    hybrid_at(h, op)->state = HYBRID_OUTSIDE;
    if (!counted) {
        return;
    }
    h->look |= 1u << o->channel;
    if (o->flags & FW_OP_GC) {
        --c->gc;
        if (o->opcode == FLASH_OP_ERASE && hybrid_bit(h->full, o->die)) {
            hybrid_clear(h->full, o->die);
            --h->full_count;
        }
    } else {
        --h->host_flying;
        hybrid_count_host(c, o, (u32)-1);
    }
    hybrid_set_free(fw, o->die);
}

/* Programs that have their page, in the order in which they got it: the map names it already. False:
   the controller is full. */
static bool serve_assigned(struct fw *fw)
{
    struct hybrid *h = hybrid_of(fw);
    if (h->dies_assigned == 0) {
        return true;
    }
    fw_charge(fw, FW_COST_HYBRID_WORD, h->words);
    for (u32 w = 0; w < h->words; ++w) {
        for (u32 left = h->assigned[w]; left != 0; left &= left - 1) {
            const u32 die = w * 32 + (u32)__builtin_ctz(left);
            struct hybrid_die *d = &h->dies[die];
            if (sched_die_busy(fw, die)) {
                continue;
            }
            if (!hybrid_submit(fw, d->assigned.head)) {
                return false;
            }
            fw_op_pop(fw, &d->assigned);
            if (fw_fifo_empty(&d->assigned)) {
                hybrid_clear(h->assigned, die);
                --h->dies_assigned;
            }
        }
    }
    return true;
}

/* Nothing runs and no die takes a write at once: the oldest waits in the FTL, in its own plane. */
static void unblock(struct fw *fw)
{
    struct hybrid *h = hybrid_of(fw);
    const struct fw_sched *s = fw->sched;
    if (s->in_flight != 0 || h->writes_queued == 0 || h->full_count != h->dies_count ||
        s->queued != h->writes_queued + h->late) {
        return;
    }
    const u32 op = h->writes[31 - __builtin_clz(h->writes_filled)].head;
    hybrid_write_out(fw, op);
    hybrid_at(h, op)->state = HYBRID_ASSIGNING;
    hybrid_at(h, op)->home = HYBRID_NOWHERE;
    sched_assign(fw, op);
}

static void pump(struct fw *fw)
{
    struct hybrid *h = hybrid_of(fw);
    if (h->woken || !serve_assigned(fw) || !h->decide) {
        return; /* the message to itself is on its way, or the controller is full, or all is decided */
    }
    const bool takers = h->writes_queued != 0 && hybrid_some_die_takes(fw);
    if (!takers) {
        hybrid_place_aged(fw);
    }
    u32 look = h->look & h->reading;
    for (; look != 0; look &= look - 1) {
        fw_charge(fw, FW_COST_HYBRID_CHANNEL, 1);
        if (!hybrid_serve_reads(fw, (u32)__builtin_ctz(look))) {
            return;
        }
    }
    if (takers) {
        hybrid_place_writes(fw);
    }
    if (hybrid_quiet(h) || h->late != 0) { /* what holds collection back has changed everywhere */
        h->look = (u32)fw_mask(0, fw->cfg.channels);
    }
    for (look = h->look & h->collecting; look != 0; look &= look - 1) {
        fw_charge(fw, FW_COST_HYBRID_COLLECT, 1);
        if (!hybrid_collect(fw, (u32)__builtin_ctz(look))) {
            return;
        }
    }
    h->look = 0;
    h->decide = false;
    unblock(fw);
}

static void wake(struct fw *fw, bool timer)
{
    struct hybrid *h = hybrid_of(fw);
    h->woken = timer && h->woken; /* it arms none */
    h->decide = true;
}

static void cancel(struct fw *fw, u32 op, u32 line)
{
    struct hybrid *h = hybrid_of(fw);
    const struct fw_op *o = &fw->ops[op];
    fw_charge(fw, FW_COST_HYBRID_LOOK, 1);
    if (hybrid_at(h, op)->state == HYBRID_QUEUED && hybrid_is_write(o) && o->line == line &&
        !(o->flags & FW_OP_REDO)) { /* else it has gone on since the message was sent */
        hybrid_write_out(fw, op);
        hybrid_at(h, op)->state = HYBRID_OUTSIDE;
        h->decide = true; /* collection waits for writes */
        sched_drop_cancelled(fw, op);
    }
}

const struct sched_ops sched_hybrid = {
    .bytes = bytes,
    .boot = boot,
    .idle = idle,
    .add = add,
    .assigned = assigned,
    .late = late,
    .done = done,
    .wake = wake,
    .pump = pump,
    .cancel = cancel,
    .stays = stays,
};
