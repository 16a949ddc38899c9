// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `fifo`: write-back; the page that came first leaves.
#include "firmware/buffer/policies/list.h"

static u32 victim(struct fw *fw)
{
    const struct list_state *s = fw->buffer->policy_state;
    return list_first_idle(fw, s->links, s->pages.oldest);
}

const struct buffer_policy_ops buffer_policy_fifo = {
    .retain = true,
    .write_back = true,
    .bytes = list_state_bytes,
    .boot = list_state_boot,
    .enter = list_state_enter,
    .leave = list_state_leave,
    .victim = victim,
};
