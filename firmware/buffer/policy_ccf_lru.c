// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `ccf_lru`: write-back; cold clean pages first (Li et al. 2009): they have a list
// of their own; a hot page at the end of the mixed list becomes cold before it leaves.
#include "firmware/buffer/list.h"
#include "firmware/buffer/slots.h"

struct fw_policy_state {
    struct slot_list mixed;      /* dirty pages, and clean ones that are hot; in order of use */
    struct slot_list cold_clean; /* in order of becoming that */
    struct slot_link *links;
    u8 *flags;
};

enum { HOT = 1, IN_COLD_CLEAN = 2 };

static u64 bytes(const struct fw_config *cfg)
{
    return sizeof(struct fw_policy_state) + (u64)cfg->slots * (sizeof(struct slot_link) + 1) + 192;
}

static bool boot(struct fw *fw)
{
    struct fw_policy_state *s = fw_fast_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    s->links = fw_fast_table(fw, fw->cfg.slots, sizeof(struct slot_link));
    s->flags = fw_fast_table(fw, fw->cfg.slots, 1);
    list_init(&s->mixed);
    list_init(&s->cold_clean);
    fw->buffer->policy_state = s;
    return s->links && s->flags;
}

static struct slot_list *list_of(struct fw_policy_state *s, u32 slot)
{
    return s->flags[slot] & IN_COLD_CLEAN ? &s->cold_clean : &s->mixed;
}

static void put(struct fw *fw, u32 slot, u8 flags)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    list_remove(list_of(s, slot), s->links, slot);
    s->flags[slot] = flags;
    list_append(list_of(s, slot), s->links, slot);
}

static void enter(struct fw *fw, u32 slot)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    s->flags[slot] = IN_COLD_CLEAN;
    list_append(&s->cold_clean, s->links, slot);
}

/* A new page is cold. One that was there before is hot from now on, and a dirty one is in the mixed
   list. */
static void use(struct fw *fw, u32 slot, bool write, bool hit)
{
    if (hit) {
        put(fw, slot, HOT);
    } else if (write) {
        put(fw, slot, 0);
    }
}

static void leave(struct fw *fw, u32 slot)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    list_remove(list_of(s, slot), s->links, slot);
}

static u32 victim(struct fw *fw)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    u32 slot = list_first_idle(fw, s->links, s->cold_clean.oldest);
    if (slot != FW_NONE) {
        return slot;
    }
    slot = list_first_idle(fw, s->links, s->mixed.oldest);
    while (slot != FW_NONE && (s->flags[slot] & HOT)) {
        const u32 next = s->links[slot].newer;
        if (!fw->buffer->slots[slot].dirty) {
            return slot; /* cold and clean now, the only one that is idle */
        }
        put(fw, slot, 0);
        slot = list_first_idle(fw, s->links, next == FW_NONE ? s->mixed.oldest : next);
    }
    return slot;
}

const struct buffer_policy_ops buffer_policy_ccf_lru = {
    .retain = true,
    .write_back = true,
    .bytes = bytes,
    .boot = boot,
    .enter = enter,
    .use = use,
    .leave = leave,
    .victim = victim,
};
