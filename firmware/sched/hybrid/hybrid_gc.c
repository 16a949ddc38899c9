// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: `hybrid`: when operations of garbage collection go: as late as the host's writes allow, in
// dies without reads of the host, the victims first that have the fewest pages left.
#include "firmware/sched/hybrid/hybrid_parts.h"

void hybrid_gc_in(struct fw *fw, u32 op)
{
    struct hybrid *h = hybrid_of(fw);
    const struct fw_op *o = &fw->ops[op];
    fw_charge(fw, FW_COST_HYBRID_READ_IN, 1); /* it joins its die and its channel as a read does */
    hybrid_at(h, op)->list = o->gc_need;
    hybrid_append(fw, &h->dies[o->die].gc[o->gc_need], op);
    hybrid_set(h->gc[o->gc_need], o->die);
    ++h->channels[o->channel].gc_queued;
    h->collecting |= 1u << o->channel;
    h->look |= 1u << o->channel;
}

static void take_out(struct fw *fw, u32 op)
{
    struct hybrid *h = hybrid_of(fw);
    const u32 need = hybrid_at(h, op)->list;
    const u32 die = fw->ops[op].die;
    struct hybrid_list *list = &h->dies[die].gc[need];
    fw_charge(fw, FW_COST_HYBRID_READ_OUT, 1);
    hybrid_unlink(fw, list, op);
    if (list->head == FW_NONE) {
        hybrid_clear(h->gc[need], die);
    }
    const u32 channel = fw->ops[op].channel;
    if (--h->channels[channel].gc_queued == 0) {
        h->collecting &= ~(1u << channel);
    }
}

void hybrid_gc_needed(struct fw *fw, u32 die)
{
    struct hybrid *h = hybrid_of(fw);
    for (u32 need = FW_GC_EARLY; need < FW_GC_NOW; ++need) {
        for (u32 op; (op = h->dies[die].gc[need].head) != FW_NONE;) {
            take_out(fw, op);
            fw->ops[op].gc_need = FW_GC_NOW;
            hybrid_gc_in(fw, op);
        }
    }
}

/* Dies of word `w` with operations that are needed that much, or more than they were. */
static u32 dies_with(const struct hybrid *h, u32 w, u32 need)
{
    const u32 other = h->gc[FW_GC_EARLY][w] | h->gc[FW_GC_SOON][w];
    switch (need) {
    case FW_GC_NOW:
        return h->gc[FW_GC_NOW][w] | (h->late != 0 ? other : other & h->full[w]);
    case FW_GC_SOON:
        return h->gc[FW_GC_SOON][w];
    default:
        return h->gc[FW_GC_NOW][w] | other;
    }
}

/* The operation of a die whose victim has the fewest pages left: it gives its block back soonest. */
static u32 first_of(struct fw *fw, u32 die, u32 best)
{
    const struct hybrid *h = hybrid_of(fw);
    u32 looks = 0;
    for (u32 need = 0; need < HYBRID_NEEDS; ++need) {
        for (u32 op = h->dies[die].gc[need].head; op != FW_NONE; op = hybrid_at(h, op)->next) {
            ++looks;
            if (best == FW_NONE || fw->ops[op].gc_valid < fw->ops[best].gc_valid) {
                best = op;
            }
        }
    }
    fw_charge(fw, FW_COST_HYBRID_LOOK, looks);
    return best;
}

static bool joins(const struct fw *fw) { return fw->cfg.hybrid_pack && fw->cfg.planes > 1; }

/* A read of the die, so that its program is there to be joined; FW_NONE: none is queued. */
static u32 read_of(struct fw *fw, u32 die)
{
    const struct hybrid *h = hybrid_of(fw);
    for (u32 need = 0; need < HYBRID_NEEDS; ++need) {
        for (u32 op = h->dies[die].gc[need].head; op != FW_NONE; op = hybrid_at(h, op)->next) {
            fw_charge(fw, FW_COST_HYBRID_LOOK, 1);
            if (fw->ops[op].opcode == FLASH_OP_READ) {
                return op;
            }
        }
    }
    return FW_NONE;
}

/* Joins the programs of the die's other planes to `first`, which has left its list; gives their number. */
static u32 join(struct fw *fw, u32 first, u32 die)
{
    const struct hybrid *h = hybrid_of(fw);
    u32 n = 1;
    u32 last = first;
    u32 taken = 1u << fw->ops[first].plane;
    for (u32 need = 0; need < HYBRID_NEEDS; ++need) {
        for (u32 op = h->dies[die].gc[need].head, next; op != FW_NONE; op = next) {
            next = hybrid_at(h, op)->next;
            fw_charge(fw, FW_COST_HYBRID_LOOK, 1);
            const struct fw_op *o = &fw->ops[op];
            if (o->opcode == FLASH_OP_PROGRAM && !(taken >> o->plane & 1)) {
                taken |= 1u << o->plane;
                fw_charge(fw, FW_COST_HYBRID_LINK, 1);
                take_out(fw, op);
                hybrid_at(hybrid_of(fw), op)->home = (u16)die;
                hybrid_at(hybrid_of(fw), op)->state = HYBRID_ASSIGNING;
                fw->ops[last].mate = op;
                last = op;
                ++n;
            }
        }
    }
    return n;
}

/* Reads of the host in its die go first, but for what is aged and older than they are. */
static bool passes_reads(const struct fw *fw, u32 die)
{
    const u32 op = hybrid_of(fw)->dies[die].gc[FW_GC_NOW].head;
    return op != FW_NONE && hybrid_aged(fw, op) && hybrid_before_reads(fw, op, die);
}

static u32 choose(struct fw *fw, u32 channel, u32 need)
{
    const struct hybrid *h = hybrid_of(fw);
    const u32 first = channel * h->dies_a_channel;
    u32 best = FW_NONE;
    for (u32 w = first / 32; w * 32 < first + h->dies_a_channel; ++w) {
        for (u32 left = hybrid_channel_bits(h, dies_with(h, w, need) & h->free[w], w * 32, channel);
             left != 0; left &= left - 1) {
            const u32 die = w * 32 + (u32)__builtin_ctz(left);
            if (!hybrid_bit(h->reads, die) || passes_reads(fw, die)) {
                best = first_of(fw, die, best);
            }
        }
    }
    return best;
}

/* The need at which operations may go in this channel now; HYBRID_NEEDS: none. */
static u32 allowed(const struct fw *fw, const struct hybrid_channel *c)
{
    const struct hybrid *h = hybrid_of(fw);
    if (!fw->cfg.hybrid_defer_gc || hybrid_quiet(h)) {
        return FW_GC_EARLY;
    }
    if (c->gc == 0 && c->reads == 0 && h->writes_queued == 0) {
        return FW_GC_SOON;
    }
    return c->gc < fw->cfg.hybrid_gc_window ? (u32)FW_GC_NOW : (u32)HYBRID_NEEDS;
}

bool hybrid_collect(struct fw *fw, u32 channel)
{
    struct hybrid *h = hybrid_of(fw);
    for (;;) {
        const u32 need = allowed(fw, &h->channels[channel]);
        u32 op = need == HYBRID_NEEDS ? FW_NONE
                                      : choose(fw, channel, need == FW_GC_SOON ? FW_GC_NOW : need);
        if (op == FW_NONE && need == FW_GC_SOON) {
            op = choose(fw, channel, FW_GC_SOON);
        }
        if (op == FW_NONE) {
            return true;
        }
        const u32 die = fw->ops[op].die;
        if (fw->ops[op].opcode == FLASH_OP_PROGRAM && joins(fw)) {
            const u32 read = read_of(fw, die);
            op = read != FW_NONE ? read : op;
        }
        if (fw->ops[op].opcode != FLASH_OP_PROGRAM) {
            if (!hybrid_submit(fw, op)) {
                return false;
            }
            take_out(fw, op);
            continue;
        }
        take_out(fw, op);
        hybrid_at(h, op)->home = (u16)die;
        hybrid_at(h, op)->state = HYBRID_ASSIGNING;
        if (joins(fw)) {
            fw_charge(fw, FW_COST_HYBRID_PLACE, 1);
            hybrid_reserve(fw, die, join(fw, op, die), true);
            sched_move(fw, op, die);
        } else {
            hybrid_reserve(fw, die, 1, true);
            sched_assign(fw, op);
        }
    }
}
