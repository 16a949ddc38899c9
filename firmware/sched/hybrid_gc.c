// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: `hybrid`: when operations of garbage collection go: as late as the host's writes allow, in
// dies without reads of the host, the victims first that have the fewest pages left.
#include "firmware/sched/hybrid.h"

/* Nothing of the host runs or can run. */
static bool quiet(const struct hybrid *h)
{
    return h->host_flying == 0 && h->reads_queued == 0;
}

bool hybrid_wants_all(const struct fw *fw)
{
    const struct hybrid *h = hybrid_of(fw);
    return quiet(h) || h->writes_queued != 0;
}

static u32 need_of(const struct fw *fw, u32 op)
{
    const struct fw_op *o = &fw->ops[op];
    return hybrid_bit(hybrid_of(fw)->full, o->die) || hybrid_aged(fw, op) ? FW_GC_NOW : o->hits;
}

static bool may_go(const struct fw *fw, u32 channel, u32 op)
{
    const struct hybrid *h = hybrid_of(fw);
    const struct hybrid_channel *c = &h->channels[channel];
    if (!fw->cfg.hybrid_defer_gc || quiet(h)) {
        return true;
    }
    switch (need_of(fw, op)) {
    case FW_GC_NOW:
        return c->collection < fw->cfg.hybrid_gc_window;
    case FW_GC_SOON:
        return c->collection == 0 && c->reads == 0 && h->writes_queued == 0;
    default:
        return false;
    }
}

/* A victim with fewer pages left gives its block back sooner. */
static bool goes_before(const struct fw *fw, u32 op, u32 other)
{
    const struct fw_op *a = &fw->ops[op];
    const struct fw_op *b = &fw->ops[other];
    const struct hybrid_entry *e = hybrid_of(fw)->entries;
    return a->read_hits != b->read_hits ? a->read_hits < b->read_hits
                                        : hybrid_older(e[op].order, e[other].order);
}

static u32 choose(struct fw *fw, u32 channel)
{
    const struct hybrid *h = hybrid_of(fw);
    const u32 first = channel * h->dies_a_channel;
    u32 best = FW_NONE;
    u32 looks = 0;
    for (u32 w = first / 64; w * 64 < first + h->dies_a_channel; ++w) {
        for (u64 left = hybrid_channel_bits(h, h->collection[w] & h->free[w], w * 64, channel); left != 0;
             left &= left - 1) {
            const u32 die = w * 64 + (u32)__builtin_ctzll(left);
            for (u32 op = h->dies[die].collection.head; op != FW_NONE; op = h->entries[op].next) {
                ++looks;
                if ((!hybrid_bit(h->reads, die) || hybrid_aged(fw, op)) && may_go(fw, channel, op) &&
                    (best == FW_NONE || goes_before(fw, op, best))) {
                    best = op;
                }
            }
        }
    }
    fw_charge(fw, FW_COST_SCHED_DECIDE, looks);
    return best;
}

bool hybrid_collect(struct fw *fw, u32 channel)
{
    struct hybrid *h = hybrid_of(fw);
    for (;;) {
        const u32 op = choose(fw, channel);
        if (op == FW_NONE) {
            return true;
        }
        const u32 die = fw->ops[op].die;
        if (fw->ops[op].opcode == FLASH_OP_PROGRAM) {
            h->entries[op].home = die;
            hybrid_reserve(fw, die, 1, true);
            sched_bind(fw, op);
        } else if (!hybrid_submit(fw, op)) {
            return false;
        }
        hybrid_unlink(fw, &h->dies[die].collection, op);
        if (h->dies[die].collection.head == FW_NONE) {
            hybrid_clear(h->collection, die);
        }
        if (fw->ops[op].opcode == FLASH_OP_PROGRAM) {
            h->entries[op].state = HYBRID_BINDING;
        }
    }
}
