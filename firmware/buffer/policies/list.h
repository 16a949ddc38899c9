// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: doubly linked lists of lines for replacement policies, oldest first. A line is in one list
// of a table of links at most.
#pragma once

#include "firmware/buffer/lines.h"

struct line_link {
    u32 older, newer;
};

struct line_list {
    u32 oldest, newest;
    u32 count;
};

static inline void list_init(struct line_list *l)
{
    l->oldest = l->newest = FW_NONE;
    l->count = 0;
}

/* As the newest. */
static inline void list_append(struct line_list *l, struct line_link *links, u32 line)
{
    links[line].older = l->newest;
    links[line].newer = FW_NONE;
    if (l->newest == FW_NONE) {
        l->oldest = line;
    } else {
        links[l->newest].newer = line;
    }
    l->newest = line;
    ++l->count;
}

/* As the oldest. */
static inline void list_prepend(struct line_list *l, struct line_link *links, u32 line)
{
    links[line].older = FW_NONE;
    links[line].newer = l->oldest;
    if (l->oldest == FW_NONE) {
        l->newest = line;
    } else {
        links[l->oldest].older = line;
    }
    l->oldest = line;
    ++l->count;
}

static inline void list_remove(struct line_list *l, struct line_link *links, u32 line)
{
    const struct line_link k = links[line];
    if (k.older == FW_NONE) {
        l->oldest = k.newer;
    } else {
        links[k.older].newer = k.newer;
    }
    if (k.newer == FW_NONE) {
        l->newest = k.older;
    } else {
        links[k.newer].older = k.older;
    }
    --l->count;
}

static inline void list_renew(struct line_list *l, struct line_link *links, u32 line)
{
    list_remove(l, links, line);
    list_append(l, links, line);
}

/* The oldest line from `line` on that is idle, or FW_NONE. Those in between are in use: as many as
   requests and programs in flight at the most. */
static inline u32 list_first_idle(struct fw *fw, const struct line_link *links, u32 line)
{
    while (line != FW_NONE && !fw->buffer->lines[line].idle) {
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        line = links[line].newer;
    }
    return line;
}

/* Pages in one list, each with a mark: all that fifo, clock, lru_wsr and ccf_lru keep (list.c). A policy
   with more begins its own state with it and names the size of that. */
struct list_state {
    struct line_list pages;
    struct line_link *links; /* by line */
    u8 *marks;               /* by line: the policy's own */
};

u64 list_state_bytes(const struct fw_config *cfg);
bool list_state_boot(struct fw *fw);
void *list_state_boot_as(struct fw *fw, u32 state_bytes); /* zeroed; null: no memory */
void list_state_enter(struct fw *fw, u32 line); /* as the newest, without a mark */
void list_state_leave(struct fw *fw, u32 line);
