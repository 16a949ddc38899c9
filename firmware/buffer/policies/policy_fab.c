// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `fab`: write-back; flash-aware buffer (Jo et al. 2006): the block with the most
// pages in the buffer leaves, of equal ones the least recently used.
#include "firmware/buffer/policies/blocks.h"

struct fw_policy_state {
    struct block_set set;
    struct block_sizes sizes; /* all blocks; those of one size in order of use */
};

static u64 bytes(const struct fw_config *cfg)
{
    return blocks_bytes(cfg, sizeof(struct fw_policy_state)) + sizes_bytes(cfg);
}

static void touch(struct fw *fw, u32 block, u32 line, bool write, bool fresh)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    (void)line;
    (void)write;
    (void)fresh;
    sizes_put(fw, &s->sizes, &s->set, block, s->set.blocks[block].pages.count);
}

/* That is a use of the block too. */
static void lose(struct fw *fw, u32 block, u32 rest)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    sizes_put(fw, &s->sizes, &s->set, block, rest);
}

static u32 pick(struct fw *fw)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    const u32 block = sizes_largest(fw, &s->sizes, &s->set);
    if (block != FW_NONE) {
        sizes_take(&s->sizes, &s->set, block);
    }
    return block;
}

static const struct block_rules rules = {touch, lose, pick};

static bool boot(struct fw *fw)
{
    struct fw_policy_state *s = blocks_boot(fw, &rules, sizeof *s);
    return s && sizes_boot(fw, &s->sizes);
}

const struct buffer_policy_ops buffer_policy_fab = {
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
