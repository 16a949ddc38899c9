// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: dirty pages that a block-level policy has given up, block by block in a list a channel, until they
// leave in sets (policies `cawr_block`, and `cave` over such a policy).
#pragma once

#include "firmware/buffer/policies/list.h"

struct clusters {
    const struct buffer_policy_ops *over;
    struct line_list *lists; /* one a channel: pages of one block, in the order of the other policy */
    struct line_link *links;
    u8 *where;   /* of lines: 0, list + 1, or CLUSTER_HELD */
    u8 *order;   /* lists that are not empty, the one begun first first */
    u32 filled;  /* lists that are not empty */
    u32 held;    /* a page of a block that has no list yet, or FW_NONE */
    u32 channel; /* cave: the channel that has its turn */
};

enum { CLUSTER_HELD = 0xff };

u64 clusters_bytes(const struct fw_config *cfg, u32 over);
bool clusters_boot(struct fw *fw, u32 over);

/* Hooks of a policy: enter, use, idle, busy, leave. */
void clusters_enter(struct fw *fw, u32 line);
void clusters_use(struct fw *fw, u32 line, bool write, bool hit);
void clusters_idle(struct fw *fw, u32 line);
void clusters_busy(struct fw *fw, u32 line);
void clusters_leave(struct fw *fw, u32 line);

/* Blocks come from the other policy until one finds no list. A clean page of such a block is named at once,
   alone (set[0]; true). */
bool clusters_fill(struct fw *fw, struct buffer_leaving *set);
bool clusters_ready(struct fw *fw, bool must); /* a set may leave; it is counted */
