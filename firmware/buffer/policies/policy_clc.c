// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `clc`: write-back; cold and largest cluster (Kang et al. 2009): the share
// `buffer.hot_blocks` of the blocks (clusters) that were used last stands in one list in order of use;
// all others are cold. The largest cold block leaves, of equal ones the one that has been cold longest.
#include "firmware/buffer/policies/blocks.h"

struct fw_policy_state {
    struct block_set set;
    struct line_list hot;     /* in order of use; their buffer_block.list is 0 */
    struct block_sizes sizes; /* the cold ones */
};

static u64 bytes(const struct fw_config *cfg)
{
    return blocks_bytes(cfg, sizeof(struct fw_policy_state)) + sizes_bytes(cfg);
}

static void take_out(struct fw_policy_state *s, u32 block)
{
    if (s->set.blocks[block].list != 0) {
        sizes_take(&s->sizes, &s->set, block);
    } else {
        list_remove(&s->hot, s->set.links, block);
    }
}

/* So many of the hot ones become cold that their share is kept. */
static void balance(struct fw *fw, struct fw_policy_state *s)
{
    while ((u64)s->hot.count * 1024 > (u64)s->set.count * fw->cfg.hot_blocks) {
        const u32 block = s->hot.oldest;
        list_remove(&s->hot, s->set.links, block);
        sizes_put(fw, &s->sizes, &s->set, block, s->set.blocks[block].pages.count);
    }
}

static void touch(struct fw *fw, u32 block, u32 line, bool write, bool fresh)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    (void)line;
    (void)write;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    if (!fresh) {
        take_out(s, block);
    }
    list_append(&s->hot, s->set.links, block);
    balance(fw, s);
}

/* A cold block is the youngest of its new size. */
static void lose(struct fw *fw, u32 block, u32 rest)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    if (s->set.blocks[block].list != 0) {
        sizes_put(fw, &s->sizes, &s->set, block, rest);
    } else if (rest == 0) {
        list_remove(&s->hot, s->set.links, block);
    }
}

static u32 pick(struct fw *fw)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    u32 block = sizes_largest(fw, &s->sizes, &s->set);
    if (block == FW_NONE) { /* none is cold, or all of the cold are in use */
        block = block_first_idle(fw, &s->set, s->hot.oldest);
    }
    if (block != FW_NONE) {
        take_out(s, block);
    }
    return block;
}

static const struct block_rules rules = {touch, lose, pick};

static bool boot(struct fw *fw)
{
    struct fw_policy_state *s = blocks_boot(fw, &rules, sizeof *s);
    if (!s || !sizes_boot(fw, &s->sizes)) {
        return false;
    }
    list_init(&s->hot);
    return true;
}

const struct buffer_policy_ops buffer_policy_clc = {
    .retain = true,
    .write_back = true,
    .by_block = true,
    .bytes = bytes,
    .boot = boot,
    .use = blocks_use,
    .idle = blocks_idle,
    .busy = blocks_busy,
    .leave = blocks_leave,
    .victim = blocks_victim,
};
