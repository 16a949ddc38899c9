// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `lru`: write-back cache; the idle page whose last use ended first leaves.
#include "firmware/buffer/policy.h"
#include "firmware/buffer/lines.h"

struct link {
    u32 previous, next;
};

struct fw_policy_state {
    u32 oldest, newest;
    struct link *links; /* one a line */
    u32 far;            /* fw_is_far(links) */
};

static u64 bytes(const struct fw_config *cfg)
{
    return sizeof(struct fw_policy_state) + (u64)cfg->lines * sizeof(struct link) + 128;
}

static bool boot(struct fw *fw)
{
    struct fw_policy_state *s = fw_fast_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    s->links = fw_fast_table(fw, fw->cfg.lines, sizeof(struct link));
    s->far = fw_is_far(fw, s->links);
    s->oldest = s->newest = FW_NONE;
    fw->buffer->policy_state = s;
    return s->links != 0;
}

static void idle(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_FAR_LINK, s->far);
    s->links[line].previous = s->newest;
    s->links[line].next = FW_NONE;
    if (s->newest == FW_NONE) {
        s->oldest = line;
    } else {
        s->links[s->newest].next = line;
    }
    s->newest = line;
}

static void busy(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    const struct link l = s->links[line];
    fw_charge(fw, FW_COST_BUFFER_FAR_LINK, s->far);
    if (l.previous == FW_NONE) {
        s->oldest = l.next;
    } else {
        s->links[l.previous].next = l.next;
    }
    if (l.next == FW_NONE) {
        s->newest = l.previous;
    } else {
        s->links[l.next].previous = l.previous;
    }
}

static u32 victim(struct fw *fw)
{
    const struct fw_policy_state *s = fw->buffer->policy_state;
    return s->oldest;
}

const struct buffer_policy_ops buffer_policy_lru = {
    .retain = true,
    .write_back = true,
    .bytes = bytes,
    .boot = boot,
    .idle = idle,
    .busy = busy,
    .victim = victim,
};
