// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `paq0`: reads in queue order, packed with partners from the whole clump table.
#include "firmware/sched/paq/paq.h"

#include "firmware/core/panic.h"

static bool boot(struct fw *fw) { return paq_boot(fw, false, true); }

/* As vaq does: the first read whose die is not idle blocks all behind it. */
static void pump(struct fw *fw)
{
    const struct paq *p = paq_of(fw);
    if (p->woken || !paq_pass(fw)) {
        return;
    }
    while (p->oldest != FW_NONE) {
        fw_charge(fw, FW_COST_PAQ_OLDEST, 1);
        if (!paq_bit(p->idle, fw->ops[p->oldest].die) || !paq_commit(fw, p->oldest)) {
            return;
        }
    }
}

const struct sched_ops sched_paq0 = {
    .bytes = paq_bytes,
    .boot = boot,
    .idle = paq_idle,
    .add = paq_add,
    .translated = paq_translated,
    .assigned = paq_assigned,
    .done = paq_done,
    .wake = paq_wake,
    .pump = pump,
#ifdef FW_NATIVE
    .passed = paq_passed,
#endif
};
