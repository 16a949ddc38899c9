// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a plain FIFO in front of the controller, shared by serial, barrier, inorder and host.
#pragma once

#include "firmware/sched/sched.h"

struct sched_fifo {
    struct fw_fifo ready; /* may be submitted */
    u32 last_request;     /* barrier: of the op submitted last */
};

u64 sched_fifo_bytes(const struct fw_config *cfg, u32 ops);
bool sched_fifo_boot(struct fw *fw);
bool sched_fifo_idle(const struct fw *fw);
void sched_fifo_add(struct fw *fw, u32 op);
void sched_fifo_translated(struct fw *fw, u32 op, bool unmapped);
void sched_fifo_assigned(struct fw *fw, u32 op);
void sched_fifo_done(struct fw *fw, u32 op);

/* Submit until the controller is full; `fences`: each host request's first op gets the fence. */
void sched_fifo_pump(struct fw *fw, bool fences);
