// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: `hybrid`: lists by order of arrival, dies that wait for programs to be assigned, what is in flight.
#include "firmware/sched/hybrid/hybrid_table.h"

void hybrid_append(struct fw *fw, struct hybrid_list *list, u32 op)
{
    struct hybrid *h = hybrid_of(fw);
    struct hybrid_entry *e = hybrid_at(h, op);
    fw_charge(fw, FW_COST_HYBRID_LINK, 1);
    u32 before = list->tail; /* the youngest, but for what comes back: that is the oldest */
    if (list->head != FW_NONE && hybrid_older(e->order, hybrid_at(h, list->head)->order)) {
        before = FW_NONE;
    }
    while (before != FW_NONE && hybrid_older(e->order, hybrid_at(h, before)->order)) {
        before = hybrid_at(h, before)->previous;
    }
    e->previous = before;
    e->next = before == FW_NONE ? list->head : hybrid_at(h, before)->next;
    *(e->next == FW_NONE ? &list->tail : &hybrid_at(h, e->next)->previous) = op;
    *(before == FW_NONE ? &list->head : &hybrid_at(h, before)->next) = op;
    e->state = HYBRID_QUEUED;
}

void hybrid_unlink(struct fw *fw, struct hybrid_list *list, u32 op)
{
    struct hybrid *h = hybrid_of(fw);
    const struct hybrid_entry *e = hybrid_at(h, op);
    fw_charge(fw, FW_COST_HYBRID_LINK, 1);
    *(e->previous == FW_NONE ? &list->head : &hybrid_at(h, e->previous)->next) = e->next;
    *(e->next == FW_NONE ? &list->tail : &hybrid_at(h, e->next)->previous) = e->previous;
}

void hybrid_push_assigned(struct fw *fw, u32 die, u32 op)
{
    struct hybrid *h = hybrid_of(fw);
    h->dies_assigned += !hybrid_bit(h->assigned, die);
    hybrid_set(h->assigned, die);
    hybrid_clear(h->reading_last, die); /* no read of the die may pass it */
    fw_op_push(fw, &h->dies[die].assigned, op);
}

void hybrid_reserve(struct fw *fw, u32 die, u32 n, bool gc)
{
    struct hybrid *h = hybrid_of(fw);
    struct hybrid_channel *c = &h->channels[hybrid_channel_of(fw, die)];
    h->dies[die].awaited = (u8)n;
    h->dies[die].for_gc = gc;
    hybrid_clear(h->free, die);
    if (gc) {
        ++c->gc;
    } else {
        ++c->programs;
        ++h->host_flying;
    }
}

void hybrid_answered(struct fw *fw, u32 die)
{
    struct hybrid *h = hybrid_of(fw);
    struct hybrid_die *d = &h->dies[die];
    if (--d->awaited != 0) {
        return;
    }
    struct hybrid_channel *c = &h->channels[hybrid_channel_of(fw, die)];
    if (d->for_gc) {
        --c->gc;
    } else {
        --c->programs;
        --h->host_flying;
    }
    if (d->group != FW_NONE) {
        hybrid_push_assigned(fw, die, d->group);
        d->group = FW_NONE;
    }
    hybrid_set_free(fw, die);
}

void hybrid_set_free(struct fw *fw, u32 die)
{
    struct hybrid *h = hybrid_of(fw);
    const struct hybrid_die *d = &h->dies[die];
    fw_charge(fw, FW_COST_HYBRID_FREE, 1);
    if (d->awaited != 0 || !fw_fifo_empty(&d->assigned)) {
        return;
    }
    if (sched_die_busy(fw, die)) { /* two were in flight, and only reads of the host are */
        hybrid_set(h->reading_last, die);
    } else {
        hybrid_set(h->free, die);
        hybrid_clear(h->reading_last, die);
    }
    h->look |= 1u << hybrid_channel_of(fw, die);
}

void hybrid_count_host(struct hybrid_channel *c, const struct fw_op *o, u32 one)
{
    if (o->opcode == FLASH_OP_READ) {
        c->reads += one;
        c->sectors += one * o->len;
    } else {
        c->programs += one;
    }
}

bool hybrid_submit(struct fw *fw, u32 first)
{
    struct hybrid *h = hybrid_of(fw);
    const struct fw_op *o = &fw->ops[first];
    struct hybrid_channel *c = &h->channels[o->channel];
    if (!sched_submit_as(fw, first, 0, FLASH_NO_STREAM)) {
        return false;
    }
    fw_charge(fw, FW_COST_HYBRID_SUBMIT, 1);
    if (hybrid_bit(h->free, o->die) && o->opcode == FLASH_OP_READ && !(o->flags & FW_OP_GC)) {
        hybrid_set(h->reading_last, o->die);
    } else {
        hybrid_clear(h->reading_last, o->die);
    }
    hybrid_clear(h->free, o->die);
    for (u32 op = first; op != FW_NONE; op = fw->ops[op].mate) {
        hybrid_at(h, op)->state = op == first ? HYBRID_SERVICE : HYBRID_JOINED;
    }
    if (o->flags & FW_OP_GC) {
        ++c->gc;
    } else {
        ++h->host_flying;
        hybrid_count_host(c, o, 1);
    }
    return true;
}

bool hybrid_before_reads(const struct fw *fw, u32 op, u32 die)
{
    const struct hybrid *h = hybrid_of(fw);
    const struct hybrid_die *d = &h->dies[die];
    for (u32 filled = d->filled; filled != 0; filled &= filled - 1) {
        const u32 read = d->reads[__builtin_ctz(filled)].head;
        if (!hybrid_older(hybrid_at(h, op)->order, hybrid_at(h, read)->order)) {
            return false;
        }
    }
    return true;
}
