// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `fifo`: write-back; the page that came first leaves.
#include "firmware/buffer/list.h"
#include "firmware/buffer/slots.h"

struct fw_policy_state {
    struct slot_list pages; /* in order of arrival */
    struct slot_link *links;
};

static u64 bytes(const struct fw_config *cfg)
{
    return sizeof(struct fw_policy_state) + (u64)cfg->slots * sizeof(struct slot_link) + 128;
}

static bool boot(struct fw *fw)
{
    struct fw_policy_state *s = fw_fast_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    s->links = fw_fast_table(fw, fw->cfg.slots, sizeof(struct slot_link));
    list_init(&s->pages);
    fw->buffer->policy_state = s;
    return s->links != 0;
}

static void enter(struct fw *fw, u32 slot)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    list_append(&s->pages, s->links, slot);
}

static void leave(struct fw *fw, u32 slot)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    list_remove(&s->pages, s->links, slot);
}

static u32 victim(struct fw *fw)
{
    const struct fw_policy_state *s = fw->buffer->policy_state;
    return list_first_idle(fw, s->links, s->pages.oldest);
}

const struct buffer_policy_ops buffer_policy_fifo = {
    .retain = true,
    .write_back = true,
    .bytes = bytes,
    .boot = boot,
    .enter = enter,
    .leave = leave,
    .victim = victim,
};
