// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: `sost`: an operation into the queue of its die and out of it; whose work it is; which dies are empty.
#include "firmware/sched/sost/sost_table.h"

void sost_mark(struct sost *s, u32 die) { s->ready[die / 64] |= (u64)1 << (die % 64); }

/* The leveler looks for work for dies that are free with an empty queue. */
void sost_set_empty(struct fw *fw, u32 die)
{
    struct sost *s = fw->sched->state;
    const struct sost_die *c = &s->die[die];
    fw_charge(fw, FW_COST_SOST_SET_EMPTY, 1);
    const bool empty = c->queued == 0 && c->reserved == FW_NONE && c->late == 0 && !c->no_space &&
                       fw_fifo_empty(&c->assigned) && !sched_die_busy(fw, die);
    const u64 bit = (u64)1 << (die % 64);
    u64 *word = &s->empty[die / 64];
    fw->stats.ran_empty += empty && !(*word & bit) && fw->sched->queued != 0;
    s->empties += (u32)empty - (u32)((*word & bit) != 0);
    *word = empty ? *word | bit : *word & ~bit;
}

/* Array time of an operation, which is what a queue's length is measured in. */
static u32 work_of(const struct fw *fw, const struct fw_op *o)
{
    return o->opcode == FLASH_OP_PROGRAM ? fw->cfg.t_program_ns
           : o->opcode == FLASH_OP_READ  ? fw->cfg.t_read_ns
                                         : fw->cfg.t_erase_ns;
}

void sost_account(struct fw *fw, u32 op, u32 die)
{
    struct sost *s = fw->sched->state;
    struct sost_entry *e = &s->entries[op];
    const struct fw_op *o = &fw->ops[op];
    if (e->die == die) {
        return;
    }
    if (e->die != FW_NONE) {
        fw_charge(fw, FW_COST_SOST_ACCOUNT, 1);
        struct sost_die *c = &s->die[e->die];
        s->donors -= sost_may_give(c);
        --c->ops;
        c->work_ns -= work_of(fw, o);
        c->writes -= sost_is_write(o);
        s->donors += sost_may_give(c);
    }
    e->die = die;
    if (die != FW_NONE) {
        fw_charge(fw, FW_COST_SOST_ACCOUNT, 1);
        struct sost_die *c = &s->die[die];
        s->donors -= sost_may_give(c);
        ++c->ops;
        c->work_ns += work_of(fw, o);
        c->writes += sost_is_write(o);
        s->donors += sost_may_give(c);
    }
}

void sost_enqueue(struct fw *fw, u32 op)
{
    struct sost *s = fw->sched->state;
    struct sost_entry *e = &s->entries[op];
    const u32 die = fw->ops[op].die;
    struct sost_die *c = &s->die[die];
    fw_charge(fw, FW_COST_SOST_ENQUEUE, 1);
    fw_charge(fw, FW_COST_SOST_FAR, 3 * s->far);
    sost_account(fw, op, die);
    e->list = (u8)sost_class(fw, &fw->ops[op]);
    fw->stats.hot_writes += e->list % SOST_KINDS == SOST_HOT;
    struct sost_list *l = &c->lists[e->list];
    u32 before = l->tail; /* younger ones are passed only by what comes back */
    while (before != FW_NONE && (int32_t)(s->entries[before].serial - e->serial) > 0) {
        before = s->entries[before].previous;
    }
    e->previous = before;
    e->next = before == FW_NONE ? l->head : s->entries[before].next;
    *(e->next == FW_NONE ? &l->tail : &s->entries[e->next].previous) = op;
    *(before == FW_NONE ? &l->head : &s->entries[before].next) = op;
    e->state = SOST_QUEUED;
    c->filled |= (u16)(1u << e->list);
    s->donors -= sost_may_give(c);
    ++c->queued;
    c->movable += sost_is_write(&fw->ops[op]);
    s->donors += sost_may_give(c);
    sost_mark(s, die);
    sost_set_empty(fw, die);
}

void sost_unlink(struct fw *fw, u32 op)
{
    struct sost *s = fw->sched->state;
    const struct sost_entry *e = &s->entries[op];
    struct sost_die *c = &s->die[e->die];
    struct sost_list *l = &c->lists[e->list];
    fw_charge(fw, FW_COST_SOST_UNLINK, 1);
    fw_charge(fw, FW_COST_SOST_FAR, 2 * s->far);
    *(e->previous == FW_NONE ? &l->head : &s->entries[e->previous].next) = e->next;
    *(e->next == FW_NONE ? &l->tail : &s->entries[e->next].previous) = e->previous;
    c->filled &= (u16)~((u32)(l->head == FW_NONE) << e->list);
    s->donors -= sost_may_give(c);
    --c->queued;
    c->movable -= sost_is_write(&fw->ops[op]);
    s->donors += sost_may_give(c);
}
