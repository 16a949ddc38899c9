// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `clock`: write-back; second chance: a hand goes round and clears the
// reference bit (mark) of each page, the first without one leaves (Corbato 1969). The list is the ring,
// opened at the hand: the oldest is looked at next, a new page goes just behind the hand.
#include "firmware/buffer/policies/list.h"

static void use(struct fw *fw, u32 line, bool write, bool hit)
{
    struct list_state *s = fw->buffer->policy_state;
    (void)write;
    (void)hit;
    s->marks[line] = 1;
}

/* Pages in use keep their bit: the hand passes them. */
static u32 victim(struct fw *fw)
{
    struct list_state *s = fw->buffer->policy_state;
    const struct cache_line *lines = fw->buffer->lines;
    for (u32 left = 2 * s->pages.count; left != 0; --left) {
        const u32 line = s->pages.oldest;
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        if (lines[line].idle && !s->marks[line]) {
            return line;
        }
        s->marks[line] = s->marks[line] && !lines[line].idle;
        list_renew(&s->pages, s->links, line);
    }
    return FW_NONE;
}

const struct buffer_policy_ops buffer_policy_clock = {
    .retain = true,
    .write_back = true,
    .bytes = list_state_bytes,
    .boot = list_state_boot,
    .enter = list_state_enter,
    .use = use,
    .leave = list_state_leave,
    .victim = victim,
};
