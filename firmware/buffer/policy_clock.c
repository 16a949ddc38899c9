// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `clock`: write-back; second chance: a hand goes round and clears the
// reference bit of each page, the first without one leaves (Corbato 1969).
#include "firmware/buffer/list.h"
#include "firmware/buffer/slots.h"

struct fw_policy_state {
    struct slot_list pages; /* the ring, opened at the hand: the oldest is looked at next */
    struct slot_link *links;
    u8 *referenced;
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
    s->referenced = fw_fast_table(fw, fw->cfg.slots, 1);
    list_init(&s->pages);
    fw->buffer->policy_state = s;
    return s->links && s->referenced;
}

static void enter(struct fw *fw, u32 slot)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    list_append(&s->pages, s->links, slot); /* just behind the hand */
}

static void use(struct fw *fw, u32 slot, bool write, bool hit)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    (void)write;
    (void)hit;
    s->referenced[slot] = 1;
}

static void leave(struct fw *fw, u32 slot)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    list_remove(&s->pages, s->links, slot);
}

/* Pages in use keep their bit: the hand passes them. */
static u32 victim(struct fw *fw)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    const struct slot *slots = fw->buffer->slots;
    for (u32 left = 2 * s->pages.count; left != 0; --left) {
        const u32 slot = s->pages.oldest;
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        if (slots[slot].idle && !s->referenced[slot]) {
            return slot;
        }
        s->referenced[slot] = s->referenced[slot] && !slots[slot].idle;
        list_renew(&s->pages, s->links, slot);
    }
    return FW_NONE;
}

const struct buffer_policy_ops buffer_policy_clock = {
    .retain = true,
    .write_back = true,
    .bytes = bytes,
    .boot = boot,
    .enter = enter,
    .use = use,
    .leave = leave,
    .victim = victim,
};
