// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `gating`: writes are collected until there is one for each channel, which then leave
// at once (Chang et al., "On the Management of Multichannel Architectures of Solid-State Disks", ESTIMedia
// 2011, as the CAWR paper tells of it). It looks at no pattern and is no cache: pages leave as soon as a set
// is complete.
#include "firmware/buffer/policies/list.h"
#include "firmware/buffer/lines.h"

struct fw_policy_state {
    struct line_list pages; /* dirty and idle, in order of the end of the last use */
    struct line_link *links;
    u32 channel; /* that has its turn */
};

static u64 bytes(const struct fw_config *cfg)
{
    return sizeof(struct fw_policy_state) + (u64)cfg->lines * sizeof(struct line_link) + 128;
}

static bool boot(struct fw *fw)
{
    struct fw_policy_state *s = fw_fast_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    s->links = fw_fast_table(fw, fw->cfg.lines, sizeof(struct line_link));
    list_init(&s->pages);
    fw->buffer->policy_state = s;
    return s->links != 0;
}

static void idle(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    list_append(&s->pages, s->links, line);
}

static void busy(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    list_remove(&s->pages, s->links, line);
}

static u32 victims(struct fw *fw, struct buffer_leaving *set, bool must)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    const u32 channels = fw->cfg.channels;
    const u32 count = fw_min_u32(s->pages.count, channels);
    if (count == 0 || (count < channels && !must)) {
        return 0;
    }
    u32 line = s->pages.oldest;
    for (u32 i = 0; i < count; ++i) {
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        set[i] = (struct buffer_leaving){line, s->channel};
        s->channel = s->channel + 1 == channels ? 0 : s->channel + 1;
        line = s->links[line].newer;
    }
    ++*(count == channels ? &fw->stats.evicted_sets : &fw->stats.partial_sets);
    return count;
}

const struct buffer_policy_ops buffer_policy_gating = {
    .retain = false,
    .write_back = true,
    .gathers = true,
    .bytes = bytes,
    .boot = boot,
    .idle = idle,
    .busy = busy,
    .victims = victims,
};
