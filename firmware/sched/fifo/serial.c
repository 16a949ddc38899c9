// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `serial`: one flash operation at a time (the controller's mode sees to it).
#include "firmware/sched/fifo/fifo.h"

static void pump(struct fw *fw) { sched_fifo_pump(fw, false); }

const struct sched_ops sched_serial = {
    .bytes = sched_fifo_bytes,
    .boot = sched_fifo_boot,
    .idle = sched_fifo_idle,
    .add = sched_fifo_add,
    .translated = sched_fifo_translated,
    .assigned = sched_fifo_assigned,
    .done = sched_fifo_done,
    .pump = pump,
};
