// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `lru_wsr`: write-back; LRU with write sequence reordering (Jung et al. 2008): a
// dirty page that is not cold (marked) gets a second chance. The list is in order of use.
#include "firmware/buffer/policies/list.h"

static void use(struct fw *fw, u32 line, bool write, bool hit)
{
    struct list_state *s = fw->buffer->policy_state;
    (void)write;
    (void)hit;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    s->marks[line] = 0;
    list_renew(&s->pages, s->links, line);
}

/* Those that get their second chance are met again, cold, behind all others. */
static u32 victim(struct fw *fw)
{
    struct list_state *s = fw->buffer->policy_state;
    const struct cache_line *lines = fw->buffer->lines;
    u32 line = list_first_idle(fw, s->links, s->pages.oldest);
    while (line != FW_NONE && lines[line].dirty && !s->marks[line]) {
        const u32 next = s->links[line].newer;
        fw_charge(fw, FW_COST_BUFFER_LIST, 1);
        s->marks[line] = 1;
        list_renew(&s->pages, s->links, line);
        line = list_first_idle(fw, s->links, next == FW_NONE ? line : next);
    }
    return line;
}

const struct buffer_policy_ops buffer_policy_lru_wsr = {
    .retain = true,
    .write_back = true,
    .bytes = list_state_bytes,
    .boot = list_state_boot,
    .enter = list_state_enter,
    .use = use,
    .leave = list_state_leave,
    .victim = victim,
};
