// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `cave`: channel-aware eviction over any other policy (Park, "CAVE: Channel-Aware
// Buffer Management Scheme for Solid State Disk", SAC 2011). The other policy says which page is the next;
// dirty ones are put aside until there is one for each channel, then they leave at once, channels in turn. A
// clean one leaves alone: the CAWR paper's change (section V.2.E) for a buffer of reads and writes. Over a
// block-level policy a set takes a page of each of the blocks that are the next ones, and channels have
// their turns by blocks, each time anew.
#include "firmware/buffer/policies/clusters.h"

struct cave {
    const struct buffer_policy_ops *over;
    u32 *chosen; /* lines that were put aside, the first first: LINE_CHOSEN */
    u8 *is_chosen;
    u32 count;
    u32 channel; /* that has its turn */
};

static u32 block_victims(struct fw *fw, struct buffer_leaving *set, bool must)
{
    struct clusters *s = fw->buffer->set_state;
    if (clusters_fill(fw, set)) {
        return 1;
    }
    if (!clusters_ready(fw, must)) {
        return 0;
    }
    for (u32 i = 0; i < s->filled; ++i) {
        set[i] = (struct buffer_leaving){s->lists[s->order[i]].oldest, s->channel};
        s->channel = s->channel + 1 == fw->cfg.channels ? 0 : s->channel + 1;
    }
    return s->filled;
}

/* In place of buffer_policy_cave, from boot on. */
static const struct buffer_policy_ops cave_over_blocks = {
    .retain = true,
    .write_back = true,
    .enter = clusters_enter,
    .use = clusters_use,
    .idle = clusters_idle,
    .busy = clusters_busy,
    .leave = clusters_leave,
    .victims = block_victims,
};

static u64 bytes(const struct fw_config *cfg)
{
    if (buffer_policy_of(cfg->cave_over)->by_block) {
        return clusters_bytes(cfg, cfg->cave_over);
    }
    return sizeof(struct cave) + (u64)cfg->channels * 4 + cfg->lines + 256 +
           buffer_policy_of(cfg->cave_over)->bytes(cfg);
}

static bool boot(struct fw *fw)
{
    if (buffer_policy_of(fw->cfg.cave_over)->by_block) {
        fw->buffer->policy = &cave_over_blocks;
        return clusters_boot(fw, fw->cfg.cave_over);
    }
    struct cave *s = fw_fast_table(fw, 1, sizeof *s);
    if (!s) {
        return false;
    }
    s->over = buffer_policy_of(fw->cfg.cave_over);
    s->chosen = fw_fast_table(fw, fw->cfg.channels, 4);
    s->is_chosen = fw_fast_table(fw, fw->cfg.lines, 1);
    fw->buffer->set_state = s;
    return s->chosen && s->is_chosen && s->over->victim && s->over->retain && s->over->boot(fw);
}

static void enter(struct fw *fw, u32 line)
{
    const struct cave *s = fw->buffer->set_state;
    if (s->over->enter) {
        s->over->enter(fw, line);
    }
}

static void use(struct fw *fw, u32 line, bool write, bool hit)
{
    const struct cave *s = fw->buffer->set_state;
    if (s->over->use) {
        s->over->use(fw, line, write, hit);
    }
}

/* True: it was put aside; the other policy has been told already that it is busy. */
static bool take_back(struct fw *fw, struct cave *s, u32 line)
{
    if (!s->is_chosen[line]) {
        return false;
    }
    u32 at = 0;
    fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
    s->is_chosen[line] = 0;
    while (s->chosen[at] != line) {
        ++at;
    }
    for (--s->count; at < s->count; ++at) {
        s->chosen[at] = s->chosen[at + 1];
    }
    return true;
}

static void idle(struct fw *fw, u32 line)
{
    struct cave *s = fw->buffer->set_state;
    if (take_back(fw, s, line)) { /* a request could not be served and has changed nothing */
        fw->buffer->lines[line].used &= (u8)~LINE_CHOSEN;
    }
    if (s->over->idle) {
        s->over->idle(fw, line);
    }
}

static void busy(struct fw *fw, u32 line)
{
    struct cave *s = fw->buffer->set_state;
    if (!take_back(fw, s, line) && s->over->busy) {
        s->over->busy(fw, line);
    }
}

static void leave(struct fw *fw, u32 line)
{
    const struct cave *s = fw->buffer->set_state;
    if (s->over->leave) {
        s->over->leave(fw, line);
    }
}

/* For the other policy the page is in use from now on. */
static void put_aside(struct fw *fw, struct cave *s, u32 line)
{
    struct cache_line *page = &fw->buffer->lines[line];
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    fw->buffer->idle_count -= page->idle;
    page->idle = 0;
    page->used |= LINE_CHOSEN;
    if (s->over->busy) {
        s->over->busy(fw, line);
    }
    s->is_chosen[line] = 1;
    s->chosen[s->count++] = line;
}

static u32 victims(struct fw *fw, struct buffer_leaving *set, bool must)
{
    struct cave *s = fw->buffer->set_state;
    const u32 channels = fw->cfg.channels;
    while (s->count < channels) {
        const u32 line = s->over->victim(fw);
        if (line == FW_NONE) {
            break;
        }
        if (!fw->buffer->lines[line].dirty) {
            set[0] = (struct buffer_leaving){line, FW_NONE};
            return 1;
        }
        put_aside(fw, s, line);
    }
    if (s->count == 0 || (s->count < channels && !must)) {
        return 0;
    }
    for (u32 i = 0; i < s->count; ++i) {
        set[i] = (struct buffer_leaving){s->chosen[i], s->channel};
        s->channel = s->channel + 1 == channels ? 0 : s->channel + 1;
    }
    ++*(s->count == channels ? &fw->stats.evicted_sets : &fw->stats.partial_sets);
    return s->count;
}

const struct buffer_policy_ops buffer_policy_cave = {
    .retain = true,
    .write_back = true,
    .bytes = bytes,
    .boot = boot,
    .enter = enter,
    .use = use,
    .idle = idle,
    .busy = busy,
    .leave = leave,
    .victims = victims,
};
