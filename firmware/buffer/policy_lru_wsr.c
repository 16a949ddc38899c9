// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `lru_wsr`: write-back; LRU with write sequence reordering (Jung et al. 2008): a
// dirty page that is not cold gets a second chance.
#include "firmware/buffer/list.h"
#include "firmware/buffer/slots.h"

struct fw_policy_state {
    struct slot_list pages; /* in order of use */
    struct slot_link *links;
    u8 *cold;
};

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
    s->cold = fw_fast_table(fw, fw->cfg.slots, 1);
    list_init(&s->pages);
    fw->buffer->policy_state = s;
    return s->links && s->cold;
}

static void enter(struct fw *fw, u32 slot)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    s->cold[slot] = 0;
    list_append(&s->pages, s->links, slot);
}

static void use(struct fw *fw, u32 slot, bool write, bool hit)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    (void)write;
    (void)hit;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    s->cold[slot] = 0;
    list_renew(&s->pages, s->links, slot);
}

static void leave(struct fw *fw, u32 slot)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    list_remove(&s->pages, s->links, slot);
}

/* Those that get their second chance are met again, cold, behind all others. */
static u32 victim(struct fw *fw)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    const struct slot *slots = fw->buffer->slots;
    u32 slot = list_first_idle(fw, s->links, s->pages.oldest);
    while (slot != FW_NONE && slots[slot].dirty && !s->cold[slot]) {
        const u32 next = s->links[slot].newer;
        fw_charge(fw, FW_COST_BUFFER_LIST, 1);
        s->cold[slot] = 1;
        list_renew(&s->pages, s->links, slot);
        slot = list_first_idle(fw, s->links, next == FW_NONE ? slot : next);
    }
    return slot;
}

const struct buffer_policy_ops buffer_policy_lru_wsr = {
    .retain = true,
    .write_back = true,
    .bytes = bytes,
    .boot = boot,
    .enter = enter,
    .use = use,
    .leave = leave,
    .victim = victim,
};
