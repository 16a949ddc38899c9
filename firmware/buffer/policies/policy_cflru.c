// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `cflru`: write-back; clean-first LRU (Park et al. 2006): of the
// `buffer.clean_window` oldest pages the clean ones leave first, the least recently used among them.
#include "firmware/buffer/policies/list.h"
#include "firmware/buffer/policies/oldest.h"
#include "firmware/buffer/slots.h"

struct fw_policy_state {
    struct slot_list pages; /* in order of use */
    struct slot_link *links;
    u64 *stamps; /* ascending along the list */
    u64 stamp;
    u32 edge;    /* the youngest page of the window, which holds the `clean_window` oldest */
    struct slot_oldest clean; /* and idle */
};

static u64 bytes(const struct fw_config *cfg)
{
    return sizeof(struct fw_policy_state) + (u64)cfg->slots * (sizeof(struct slot_link) + 8) +
           oldest_bytes(cfg->slots) + 192;
}

static bool boot(struct fw *fw)
{
    struct fw_policy_state *s = fw_fast_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    s->links = fw_fast_table(fw, fw->cfg.slots, sizeof(struct slot_link));
    s->stamps = fw_fast_table(fw, fw->cfg.slots, 8);
    list_init(&s->pages);
    s->edge = FW_NONE;
    fw->buffer->policy_state = s;
    return s->links && s->stamps && oldest_boot(fw, &s->clean, s->stamps, fw->cfg.slots);
}

static bool in_window(const struct fw_policy_state *s, u32 slot)
{
    return s->edge != FW_NONE && s->stamps[slot] <= s->stamps[s->edge];
}

static void enter(struct fw *fw, u32 slot)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    s->stamps[slot] = ++s->stamp;
    list_append(&s->pages, s->links, slot);
    if (s->pages.count <= fw->cfg.clean_window) {
        s->edge = slot;
    }
}

static void leave(struct fw *fw, u32 slot)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    if (in_window(s, slot)) {
        const u32 next = s->links[s->edge].newer;
        if (next != FW_NONE) {
            s->edge = next;
        } else if (s->edge == slot) {
            s->edge = s->links[slot].older;
        }
    }
    list_remove(&s->pages, s->links, slot);
}

static void use(struct fw *fw, u32 slot, bool write, bool hit)
{
    (void)write;
    (void)hit;
    leave(fw, slot);
    enter(fw, slot);
}

static void idle(struct fw *fw, u32 slot)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    if (!fw->buffer->slots[slot].dirty) {
        oldest_change(fw, &s->clean, slot, true);
    }
}

static void busy(struct fw *fw, u32 slot)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    if (s->clean.members[slot]) {
        oldest_change(fw, &s->clean, slot, false);
    }
}

static u32 victim(struct fw *fw)
{
    const struct fw_policy_state *s = fw->buffer->policy_state;
    const u32 clean = oldest_first(&s->clean);
    return clean != FW_NONE && in_window(s, clean) ? clean
                                                   : list_first_idle(fw, s->links, s->pages.oldest);
}

const struct buffer_policy_ops buffer_policy_cflru = {
    .retain = true,
    .write_back = true,
    .bytes = bytes,
    .boot = boot,
    .enter = enter,
    .use = use,
    .idle = idle,
    .busy = busy,
    .leave = leave,
    .victim = victim,
};
