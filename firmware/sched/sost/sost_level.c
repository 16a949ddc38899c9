// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the queue size leveler of `sost` (thesis 3.2): a free die with an empty queue takes a write
// from the die with the most work.
#include "firmware/sched/sost/sost_level.h"

#include "firmware/sched/sost/sost_table.h"

/* The die with the most queued work, in time, of those that hold more than one write and have one
   that may move; the lowest of equals. */
static u32 choose_donor(struct fw *fw)
{
    const struct sost *s = fw->sched->state;
    u32 best = FW_NONE;
    for (u32 die = 0; die < s->dies; ++die) {
        const struct sost_die *c = &s->die[die];
        if (sost_may_give(c) && (best == FW_NONE || c->work_ns > s->die[best].work_ns)) {
            best = die;
        }
    }
    fw_charge(fw, FW_COST_SOST_LENGTH, s->dies);
    return best;
}

static bool better(const struct fw *fw, u32 op, u32 than)
{
    const struct sost *s = fw->sched->state;
    const u32 reads = fw->ops[op].read_hits;
    const u32 other = fw->ops[than].read_hits;
    return reads != other ? reads < other
                          : (int32_t)(s->entries[op].serial - s->entries[than].serial) > 0;
}

/* Its write that was read least while it was queued, so that fewer reads suffer from lying on one die;
   the youngest of equals. The read ratio, hits / (hits + 1 write), grows with the hits. */
static u32 choose_write(struct fw *fw, const struct sost_die *c)
{
    const struct sost *s = fw->sched->state;
    u32 best = FW_NONE;
    for (u32 filled = c->filled; filled != 0; filled &= filled - 1) {
        const struct sost_list *l = &c->lists[__builtin_ctz(filled)];
        for (u32 op = l->tail; op != FW_NONE; op = s->entries[op].previous) {
            fw_charge(fw, FW_COST_SOST_WRITE_LOOK, 1);
            if (sost_is_write(&fw->ops[op]) && (best == FW_NONE || better(fw, op, best))) {
                best = op;
            }
            if (best == op && fw->ops[op].read_hits == 0) {
                break; /* all that follow in the list are older */
            }
        }
    }
    return best;
}

static void move(struct fw *fw, u32 op, u32 die)
{
    struct sost *s = fw->sched->state;
    struct sost_entry *e = &s->entries[op];
    const u32 from = e->die;
    fw_charge(fw, FW_COST_SOST_MOVE, 1);
    ++fw->stats.moves_asked;
    sost_unlink(fw, op);
    e->state = SOST_ASSIGNING;
    e->home = die;
    e->moving = 1;
    s->die[die].reserved = op;
    sost_set_empty(fw, die);
    sost_set_empty(fw, from);
    sched_move(fw, op, die);
}

void sost_level(struct fw *fw)
{
    struct sost *s = fw->sched->state;
    for (u32 i = 0; i < s->words; ++i) {
        for (u64 left = s->empty[i]; left != 0 && s->donors != 0; left &= left - 1) {
            const struct sost_die *donor = &s->die[choose_donor(fw)];
            move(fw, choose_write(fw, donor), i * 64 + (u32)__builtin_ctzll(left));
        }
    }
}
