// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: `hybrid`: which read a channel serves next: the oldest, and no more in flight than keep the bus
// busy; what fits is packed to it.
#include "firmware/sched/hybrid/hybrid_parts.h"

enum {
    FIRST_LOOK = 8, /* reads of the channel that are looked at before its dies are compared */
    PACK_LOOK = 32   /* reads of the die that are looked at for a partner */
};

static void channel_in(struct hybrid *h, struct hybrid_channel *c, u32 op, bool aged)
{
    struct hybrid_entry *e = hybrid_at(h, op);
    struct hybrid_list *list = &c->waiting[e->list];
    c->filled |= 1u << e->list;
    if (aged && list->head != FW_NONE) { /* in front, so that choose() sees it */
        e->before = FW_NONE;
        e->behind = list->head;
        hybrid_at(h, list->head)->before = op;
        list->head = op;
        return;
    }
    e->behind = FW_NONE;
    e->before = list->tail;
    *(list->tail == FW_NONE ? &list->head : &hybrid_at(h, list->tail)->behind) = op;
    list->tail = op;
}

static void channel_out(struct hybrid *h, struct hybrid_channel *c, u32 op)
{
    const struct hybrid_entry *e = hybrid_at(h, op);
    struct hybrid_list *list = &c->waiting[e->list];
    *(e->before == FW_NONE ? &list->head : &hybrid_at(h, e->before)->behind) = e->behind;
    *(e->behind == FW_NONE ? &list->tail : &hybrid_at(h, e->behind)->before) = e->before;
    c->filled &= ~((u32)(list->head == FW_NONE) << e->list);
}

/* The window, in reads, in sectors or both. */
static bool may_start(const struct fw *fw, const struct hybrid_channel *c)
{
    const u32 reads = fw->cfg.hybrid_window;
    const u32 sectors = fw->cfg.hybrid_window_sectors;
    return (reads == 0 || c->reads < reads) && (sectors == 0 || c->sectors < sectors);
}

bool hybrid_read_in(struct fw *fw, u32 op)
{
    struct hybrid *h = hybrid_of(fw);
    const struct fw_op *o = &fw->ops[op];
    struct hybrid_die *d = &h->dies[o->die];
    const u32 list = hybrid_at(h, op)->list;
    fw_charge(fw, FW_COST_HYBRID_READ_IN, 1);
    hybrid_append(fw, &d->reads[list], op);
    d->filled |= (u8)(1u << list);
    struct hybrid_channel *c = &h->channels[o->channel];
    channel_in(h, c, op, hybrid_aged(fw, op));
    hybrid_set(h->reads, o->die);
    h->reading |= 1u << o->channel;
    ++h->reads_queued;
    const bool can_go = may_start(fw, c) && hybrid_takes_read(h, o->die);
    h->look |= (u32)can_go << o->channel;
    return can_go;
}

static void read_out(struct fw *fw, u32 op)
{
    struct hybrid *h = hybrid_of(fw);
    const struct fw_op *o = &fw->ops[op];
    struct hybrid_die *d = &h->dies[o->die];
    const u32 list = hybrid_at(h, op)->list;
    fw_charge(fw, FW_COST_HYBRID_READ_OUT, 1);
    struct hybrid_channel *c = &h->channels[o->channel];
    channel_out(h, c, op);
    h->reading &= ~((u32)(c->filled == 0) << o->channel);
    hybrid_unlink(fw, &d->reads[list], op);
    if (d->reads[list].head == FW_NONE) {
        d->filled &= (u8)~(1u << list);
        if (d->filled == 0) {
            hybrid_clear(h->reads, o->die);
        }
    }
    --h->reads_queued;
}

/* Beyond the limit before all priorities. */
static u32 rank(const struct fw *fw, u32 op)
{
    return hybrid_aged(fw, op) ? HYBRID_PRIORITIES : hybrid_at(hybrid_of(fw), op)->list;
}

static bool goes_before(const struct fw *fw, u32 op, u32 other)
{
    const struct hybrid *h = hybrid_of(fw);
    const u32 a = rank(fw, op);
    const u32 b = rank(fw, other);
    return a != b ? a > b : hybrid_older(hybrid_at(h, op)->order, hybrid_at(h, other)->order);
}

/* The one that goes first of those that are next at the channel's free dies. */
static u32 first_of_dies(struct fw *fw, u32 channel)
{
    const struct hybrid *h = hybrid_of(fw);
    const u32 first = channel * h->dies_a_channel;
    u32 best = FW_NONE;
    u32 looks = 0;
    for (u32 w = first / 32; w * 32 < first + h->dies_a_channel; ++w) {
        for (u32 left = hybrid_channel_bits(h, h->reads[w] & hybrid_read_takers(h, w), w * 32, channel); left != 0;
             left &= left - 1) {
            const struct hybrid_die *d = &h->dies[w * 32 + (u32)__builtin_ctz(left)];
            for (u32 filled = d->filled; filled != 0; filled &= filled - 1) {
                const u32 op = d->reads[__builtin_ctz(filled)].head;
                ++looks;
                if (best == FW_NONE || goes_before(fw, op, best)) {
                    best = op;
                }
            }
        }
    }
    fw_charge(fw, FW_COST_HYBRID_LOOK, looks);
    return best;
}

/* The read that goes first of those whose die is free; FW_NONE: there is none. In a list by arrival it
   is nearly always among the first. */
static u32 choose(struct fw *fw, u32 channel)
{
    const struct hybrid *h = hybrid_of(fw);
    const struct hybrid_channel *c = &h->channels[channel];
    u32 op = c->filled == 0 ? FW_NONE : c->waiting[__builtin_ctz(c->filled)].head;
    if (op == FW_NONE) {
        return FW_NONE;
    }
    /* One priority and nothing that is aged, as usual. */
    if ((c->filled & (c->filled - 1)) == 0 && !hybrid_aged(fw, op)) {
        u32 word = hybrid_at(h, op)->die / 32;
        u32 takers = hybrid_read_takers(h, word);
        for (u32 i = 0; i < FIRST_LOOK && op != FW_NONE; ++i, op = hybrid_at(h, op)->behind) {
            const u32 die = hybrid_at(h, op)->die;
            fw_charge(fw, FW_COST_HYBRID_LOOK, 1);
            if (die / 32 != word) {
                word = die / 32;
                takers = hybrid_read_takers(h, word);
            }
            if (takers >> (die % 32) & 1) {
                return op;
            }
        }
        if (op == FW_NONE) {
            return FW_NONE;
        }
    }
    return first_of_dies(fw, channel);
}

static bool fits(const struct fw *fw, u32 first, u32 op)
{
    const struct fw_op *h = &fw->ops[first];
    const struct fw_op *o = &fw->ops[op];
    if (((o->row ^ h->row) & hybrid_of(fw)->page_mask) != 0) {
        return false;
    }
    for (u32 m = first; m != FW_NONE; m = fw->ops[m].mate) {
        if (fw->ops[m].plane == o->plane) {
            return false;
        }
    }
    return true;
}

/* Partners in other planes at the same page offset, from all commands. */
static void pack(struct fw *fw, u32 first)
{
    const struct hybrid *h = hybrid_of(fw);
    const struct hybrid_die *d = &h->dies[hybrid_at(h, first)->die];
    const struct hybrid_list *own = &d->reads[hybrid_at(h, first)->list];
    if (own->head == own->tail && (d->filled & (d->filled - 1)) == 0) {
        return; /* it is the only one */
    }
    u32 last = first;
    u32 count = 1;
    u32 looks = 0;
    for (u32 filled = d->filled; filled != 0; filled &= filled - 1) {
        for (u32 op = d->reads[__builtin_ctz(filled)].head;
             op != FW_NONE && count < fw->cfg.planes && looks < PACK_LOOK; op = hybrid_at(h, op)->next) {
            ++looks;
            if (op != first && fits(fw, first, op)) {
                fw->ops[last].mate = op;
                last = op;
                ++count;
            }
        }
    }
    fw_charge(fw, FW_COST_HYBRID_LOOK, looks);
}

/* Nothing that waits could go before it, and no page of its command is one that it could be joined with. */
bool hybrid_read_at_once(struct fw *fw, u32 op)
{
    const struct hybrid *h = hybrid_of(fw);
    const struct fw_op *o = &fw->ops[op];
    const struct hybrid_channel *c = &h->channels[o->channel];
    return c->filled == 0 && h->writes_queued == 0 && hybrid_takes_read(h, o->die) &&
           o->command_pages - 1u < h->lone_pages && may_start(fw, c) && hybrid_submit(fw, op);
}

bool hybrid_serve_reads(struct fw *fw, u32 channel)
{
    const struct hybrid *h = hybrid_of(fw);
    while (may_start(fw, &h->channels[channel])) {
        const u32 op = choose(fw, channel);
        if (op == FW_NONE) {
            return true;
        }
        if (fw->cfg.hybrid_pack) {
            pack(fw, op);
        }
        if (!hybrid_submit(fw, op)) {
            for (u32 m = op, next; m != FW_NONE; m = next) {
                next = fw->ops[m].mate;
                fw->ops[m].mate = FW_NONE;
            }
            return false;
        }
        for (u32 m = op; m != FW_NONE; m = fw->ops[m].mate) {
            read_out(fw, m);
        }
    }
    return true;
}
