// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what leaves the clump table: joining, packing, committing, and what passes the table.
#include "firmware/sched/paq/paq.h"

#include "firmware/core/panic.h"

bool paq_is_moving(const struct fw *fw, u32 op)
{
    const struct fw_op *o = &fw->ops[op];
    for (u32 g = paq_of(fw)->dies[o->die].gc.head; g != FW_NONE; g = fw->ops[g].next) {
        if (fw->ops[g].opcode == FLASH_OP_PROGRAM && fw->ops[g].row == o->row) {
            return true;
        }
    }
    return false;
}

/* Page in block and plane rule (docs/reference/onfi-facts.md): same LUN, other plane, same page offset. */
static bool may_join(const struct fw *fw, u32 first, u32 op)
{
    const struct fw_op *h = &fw->ops[first];
    const struct fw_op *o = &fw->ops[op];
    if (o->opcode != h->opcode || o->die != h->die ||
        ((o->row ^ h->row) & paq_of(fw)->page_mask) != 0 ||
        (o->opcode == FLASH_OP_READ && paq_is_moving(fw, op))) {
        return false;
    }
    for (u32 m = first; m != FW_NONE; m = fw->ops[m].mate) {
        if (fw->ops[m].plane == o->plane) {
            return false;
        }
    }
    return true;
}

/* Join to `first` the transactions that arrived right after it and fit, as vaq does. */
static u32 join_neighbours(struct fw *fw, u32 first)
{
    const struct paq *p = paq_of(fw);
    const bool writes = fw->ops[first].opcode == FLASH_OP_PROGRAM;
    u32 last = first;
    u32 count = 1;
    while (count < fw->cfg.planes) {
        const u32 op = p->link[last].follow;
        if (op == FW_NONE || p->link[op].state != PAQ_PENDING ||
            p->link[op].stamp != p->link[last].stamp + 1 || !may_join(fw, first, op) ||
            (writes && fw->ops[last].next != op)) { /* assigned late: others stand between */
            break;
        }
        fw_charge(fw, FW_COST_PAQ_JOIN, 1);
        fw->ops[last].mate = op;
        last = op;
        ++count;
    }
    return count;
}

/* get_associate_plane_trans(): partners from all of the entry, the oldest tag's first. */
static void pack(struct fw *fw, u32 first)
{
    const struct paq *p = paq_of(fw);
    u32 last = first;
    u32 count = 1;
    for (u32 op = p->dies[fw->ops[first].die].head; op != FW_NONE && count < fw->cfg.planes;
         op = fw->ops[op].next) {
        if (op == first) {
            continue;
        }
        fw_charge(fw, FW_COST_PAQ_PACK, 1);
        if (may_join(fw, first, op)) {
            fw->ops[last].mate = op;
            last = op;
            ++count;
        }
    }
}

static bool submit(struct fw *fw, u32 first)
{
    if (sched_submit(fw, first, false)) {
        paq_clear_bit(paq_of(fw)->idle, fw->ops[first].die);
        return true;
    }
    for (u32 op = first; op != FW_NONE;) {
        const u32 mate = fw->ops[op].mate;
        fw->ops[op].mate = FW_NONE;
        op = mate;
    }
    return false;
}

bool paq_commit(struct fw *fw, u32 first)
{
    struct paq *p = paq_of(fw);
    fw_charge(fw, FW_COST_PAQ_COMMIT, 1);
    if (p->packs) {
        pack(fw, first);
    } else {
        join_neighbours(fw, first);
    }
    if (!submit(fw, first)) {
        return false;
    }
    for (u32 op = first; op != FW_NONE; op = fw->ops[op].mate) {
        paq_read_out(fw, op);
    }
    for (u32 op = first; op != FW_NONE && p->oldest != FW_NONE; op = fw->ops[op].mate) {
        fw->stats.reordered += paq_is_older(p->link[p->oldest].stamp, p->link[op].stamp);
    }
    if (p->clumps) {
        const u32 package = fw->ops[first].die / fw->cfg.dies;
        fw_charge(fw, FW_COST_PAQ_DIE_BIT, fw->cfg.dies);
        for (u32 i = 0; i < fw->cfg.dies; ++i) {
            paq_clear_bit(p->open, package * fw->cfg.dies + i);
        }
    }
    return true;
}

static bool reads_are_older(const struct paq *p, const struct paq_die *d)
{
    return d->head != FW_NONE && paq_is_older(p->link[d->head].order, p->link[d->writes.head].order);
}

bool paq_is_passed(const struct fw *fw, u32 die)
{
    const struct paq *p = paq_of(fw);
    const struct paq_die *d = &p->dies[die];
    return !fw_fifo_empty(&d->gc) || (!fw_fifo_empty(&d->writes) && !reads_are_older(p, d));
}

/* Collection goes first, as with vaq. A host write waits for the die's reads of older tags only, so
   that neither starves the other. */
bool paq_pass_one(struct fw *fw, u32 die)
{
    struct paq *p = paq_of(fw);
    struct paq_die *d = &p->dies[die];
    u32 op = d->gc.head;
    fw_charge(fw, FW_COST_PAQ_PASS, 1);
    if (op != FW_NONE) {
        if (!submit(fw, op)) {
            return false;
        }
        fw_op_pop(fw, &d->gc);
    } else {
        op = d->writes.head;
        if (reads_are_older(p, d)) {
            return true;
        }
        const u32 count = join_neighbours(fw, op);
        if (!submit(fw, op)) {
            return false;
        }
        for (u32 i = 0; i < count; ++i) {
            p->link[fw_op_pop(fw, &d->writes)].state = PAQ_OUT;
        }
    }
    if (fw_fifo_empty(&d->gc) && fw_fifo_empty(&d->writes)) {
        paq_clear_bit(p->passing, die);
    }
    if (p->passes) {
        p->passes[die] = 0;
    }
    return true;
}

bool paq_pass(struct fw *fw)
{
    struct paq *p = paq_of(fw);
    for (u32 w = 0; w * 32 < p->die_count; ++w) {
        fw_charge(fw, FW_COST_PAQ_WORD, 1);
        for (u32 bits = p->passing[w] & p->idle[w]; bits != 0; bits &= bits - 1) {
            if (!paq_pass_one(fw, w * 32 + (u32)__builtin_ctz(bits))) {
                return false;
            }
        }
    }
    return true;
}
