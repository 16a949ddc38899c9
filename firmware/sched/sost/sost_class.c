// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the user-defined priority handler of `sost` (thesis, figure 5): classes, strict between each
// other but for what is older than the age limit.
#include "firmware/sched/sost/sost_class.h"

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
    if (o->opcode == FLASH_OP_READ) { /* collection that goes ahead of the writes would only copy more */
        kind = cfg->sost_reads_first && !(o->flags & FW_OP_GC) ? 0 : 1;
    } else if (sost_is_write(o) && cfg->sost_hot_hits != 0 && o->hits >= cfg->sost_hot_hits) {
        kind = SOST_HOT;
    }
    return (3 - priority_of(fw, o)) * SOST_KINDS + kind;
}
