// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `cawr_block`: block-level CAWR (Wang et al. 2015, section IV.1). A block-level policy
// says which block is the next; its clean pages leave first, alone, its dirty ones stand in the list of one
// channel, which stays theirs. The heads of all lists leave together.
#include "firmware/buffer/policies/clusters.h"

static u64 bytes(const struct fw_config *cfg) { return clusters_bytes(cfg, cfg->cawr_over); }

static bool boot(struct fw *fw) { return clusters_boot(fw, fw->cfg.cawr_over); }

static u32 victims(struct fw *fw, struct buffer_leaving *set, bool must)
{
    const struct clusters *s = fw->buffer->set_state;
    u32 count = 0;
    if (clusters_fill(fw, set)) {
        return 1;
    }
    if (clusters_ready(fw, must)) {
        for (u32 i = 0; i < fw->cfg.channels; ++i) {
            if (s->lists[i].count != 0) {
                set[count++] = (struct buffer_leaving){s->lists[i].oldest, i};
            }
        }
    }
    return count;
}

const struct buffer_policy_ops buffer_policy_cawr_block = {
    .retain = true,
    .write_back = true,
    .bytes = bytes,
    .boot = boot,
    .enter = clusters_enter,
    .use = clusters_use,
    .idle = clusters_idle,
    .busy = clusters_busy,
    .leave = clusters_leave,
    .victims = victims,
};
