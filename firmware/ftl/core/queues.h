// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ftl.placement = queue_aware: what is queued for each die, and the plane of the next page.
#pragma once

#include "firmware/ftl/core/state.h"

struct ftl_queues {
    u32 *work;  /* by die: time of the operations placed on it that have not ended, in units of 256 ns */
    u32 *idle;  /* bit a position of the order: nothing is placed on its die */
    u32 *turns; /* position of each plane in the order */
    u64 all;    /* sum of `work` */
    u32 dies, idle_dies, words;
    u32 read, program, erase, sector; /* times of an operation in the array, and of a sector on the bus */
};

bool ftl_queues_boot(struct fw *fw);
u64 ftl_queues_bytes(const struct fw_config *cfg);
void ftl_queues_add(struct fw *fw, const struct fw_op *o, u32 plane);
void ftl_queues_end(struct fw *fw, const struct fw_op *o, u32 plane);
u32 ftl_queues_choose(struct fw *fw); /* FW_NONE: each plane that can take a page has much more to do than the mean */
