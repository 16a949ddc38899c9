// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `barrier`: a request waits until the one before it has ended (a fence on its first op).
#include "firmware/sched/fifo/fifo.h"

static void pump(struct fw *fw) { sched_fifo_pump(fw, true); }

const struct sched_ops sched_barrier = {
    .bytes = sched_fifo_bytes,
    .boot = sched_fifo_boot,
    .idle = sched_fifo_idle,
    .add = sched_fifo_add,
    .translated = sched_fifo_translated,
    .assigned = sched_fifo_assigned,
    .done = sched_fifo_done,
    .pump = pump,
};
