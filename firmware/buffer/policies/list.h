// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: doubly linked lists of slots for replacement policies, oldest first. A slot is in one list
// of a table of links at most.
#pragma once

#include "firmware/buffer/slots.h"

struct slot_link {
    u32 older, newer;
};

struct slot_list {
    u32 oldest, newest;
    u32 count;
};

static inline void list_init(struct slot_list *l)
{
    l->oldest = l->newest = FW_NONE;
    l->count = 0;
}

/* As the newest. */
static inline void list_append(struct slot_list *l, struct slot_link *links, u32 slot)
{
    links[slot].older = l->newest;
    links[slot].newer = FW_NONE;
    if (l->newest == FW_NONE) {
        l->oldest = slot;
    } else {
        links[l->newest].newer = slot;
    }
    l->newest = slot;
    ++l->count;
}

/* As the oldest. */
static inline void list_prepend(struct slot_list *l, struct slot_link *links, u32 slot)
{
    links[slot].older = FW_NONE;
    links[slot].newer = l->oldest;
    if (l->oldest == FW_NONE) {
        l->newest = slot;
    } else {
        links[l->oldest].older = slot;
    }
    l->oldest = slot;
    ++l->count;
}

static inline void list_remove(struct slot_list *l, struct slot_link *links, u32 slot)
{
    const struct slot_link k = links[slot];
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

static inline void list_renew(struct slot_list *l, struct slot_link *links, u32 slot)
{
    list_remove(l, links, slot);
    list_append(l, links, slot);
}

/* The oldest slot from `slot` on that is idle, or FW_NONE. Those in between are in use: as many as
   requests and programs in flight at the most. */
static inline u32 list_first_idle(struct fw *fw, const struct slot_link *links, u32 slot)
{
    while (slot != FW_NONE && !fw->buffer->slots[slot].idle) {
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        slot = links[slot].newer;
    }
    return slot;
}

/* Pages in one list, each with a mark: all that fifo, clock, lru_wsr and ccf_lru keep (list.c). A policy
   with more begins its own state with it and names the size of that. */
struct list_state {
    struct slot_list pages;
    struct slot_link *links; /* one a slot, as `marks` */
    u8 *marks;
};

u64 list_state_bytes(const struct fw_config *cfg);
bool list_state_boot(struct fw *fw);
void *list_state_boot_as(struct fw *fw, u32 state_bytes); /* zeroed; null: no memory */
void list_state_enter(struct fw *fw, u32 slot); /* as the newest, without a mark */
void list_state_leave(struct fw *fw, u32 slot);
