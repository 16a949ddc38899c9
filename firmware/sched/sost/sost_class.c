// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the user-defined priority handler of `sost` (thesis, figure 5): classes, strict between each
// other but for what is older than the age limit.
#include "firmware/sched/sost/sost.h"

#include "firmware/core/panic.h"

/* The highest of what the command that waits for it asks (NCQ priority) and what configuration says of
   its address; collection's operations have the lowest. */
static u32 priority_of(const struct fw *fw, const struct fw_op *o)
{
    u32 priority = (u32)o->flags >> FW_OP_PRIORITY_SHIFT;
    for (u32 i = 0; i < FW_MAX_RANGES && !(o->flags & FW_OP_GC); ++i) {
        const struct fw_range *r = &fw->cfg.sost_ranges[i];
        if (o->lpn - r->first < r->end - r->first && r->priority > priority) {
            priority = r->priority;
        }
    }
    return priority;
}

/* Writes that were hit often in the queue go last: they will be overwritten, or read from DRAM. */
u32 sost_class(struct fw *fw, const struct fw_op *o)
{
    const struct fw_config *cfg = &fw->cfg;
    if (!cfg->sost_priorities) {
        return 0;
    }
    u32 kind = 1;
    fw_charge(fw, FW_COST_SOST_CLASS, 1);
    if (o->opcode == FLASH_OP_READ) {
        kind = cfg->sost_reads_first ? 0 : 1;
    } else if (sost_is_write(o) && cfg->sost_hot_hits != 0 && o->hits >= cfg->sost_hot_hits) {
        kind = 2;
    }
    return (3 - priority_of(fw, o)) * SOST_KINDS + kind;
}

/* The oldest of a list that does not need a page in a plane that has none. */
static u32 first_of(struct fw *fw, const struct sost_chip *c, const struct sost_list *l)
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

u32 sost_pick(struct fw *fw, const struct sost_chip *c, bool *passes)
{
    const struct sost *s = fw->sched->state;
    u32 first = FW_NONE; /* of the best class */
    u32 oldest = FW_NONE;
    for (u32 filled = c->filled; filled != 0; filled &= filled - 1) {
        fw_charge(fw, FW_COST_SOST_LIST, 1);
        const u32 op = first_of(fw, c, &c->lists[__builtin_ctz(filled)]);
        if (op == FW_NONE) {
            continue;
        }
        first = first == FW_NONE ? op : first;
        if (oldest == FW_NONE ||
            (int32_t)(s->entries[op].serial - s->entries[oldest].serial) < 0) {
            oldest = op;
        }
    }
    *passes = first != oldest &&
              (u32)fw->now_us - s->entries[oldest].added_us < fw->cfg.sost_age_limit_us;
    return *passes ? first : oldest;
}
