// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `paq1`: clumping; only what arrived in a row is joined.
#include "firmware/sched/paq/paq.h"

static bool boot(struct fw *fw) { return paq_boot(fw, !fw->cfg.paq_cluster_die, false); }

const struct sched_ops sched_paq1 = {
    .bytes = paq_bytes,
    .boot = boot,
    .idle = paq_idle,
    .add = paq_add,
    .translated = paq_translated,
    .assigned = paq_assigned,
    .done = paq_done,
    .wake = paq_wake,
    .pump = paq_clump,
#ifdef FW_NATIVE
    .passed = paq_passed,
#endif
};
