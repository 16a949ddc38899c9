// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `bplru`: write-back; block padding LRU (Kim and Ahn 2008): blocks in order of
// use, the oldest leaves. A block that has been written from its first page to its last is not expected
// to be written again soon and is the next to leave ("LRU compensation"). With `buffer.page_padding` a
// block leaves whole: pages of it that are missing are read and programmed with it.
#include "firmware/buffer/policies/blocks.h"

struct fw_policy_state {
    struct block_set set;
    struct line_list order; /* blocks, in order of use */
    u32 pad, pad_end; /* LPNs of the block drained last that have not been looked at for padding */
};

static u64 bytes(const struct fw_config *cfg) { return blocks_bytes(cfg, sizeof(struct fw_policy_state)); }

/* `run`: pages written in sequence from the first on. A page may come in several parts. */
static void written(const struct fw *fw, struct buffer_block *b, u32 lpn)
{
    const u32 page = lpn - b->number * fw->cfg.block_pages;
    if (page == 0 || page == b->run) {
        b->run = page + 1;
    } else if (page + 1 != b->run) {
        b->run = 0;
    }
}

static void touch(struct fw *fw, u32 block, u32 line, bool write, bool fresh)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    if (!fresh) {
        list_remove(&s->order, s->set.links, block);
    }
    if (write) {
        written(fw, &s->set.blocks[block], fw->buffer->lines[line].lpn);
    }
    if (write && s->set.blocks[block].run == fw->cfg.block_pages) {
        list_prepend(&s->order, s->set.links, block);
    } else {
        list_append(&s->order, s->set.links, block);
    }
}

static void lose(struct fw *fw, u32 block, u32 rest)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    if (rest == 0) {
        list_remove(&s->order, s->set.links, block);
    }
}

/* A block that is clean is dropped, not written. */
static bool has_dirty(struct fw *fw, const struct fw_policy_state *s, u32 block)
{
    u32 page = s->set.blocks[block].pages.oldest;
    while (page != FW_NONE && !fw->buffer->lines[page].dirty) {
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        page = s->set.pages[page].newer;
    }
    return page != FW_NONE;
}

/* The next block waits until the last one is padded, but not where nothing could end that. */
static u32 pick(struct fw *fw)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    const struct fw_buffer *b = fw->buffer;
    if (s->pad < s->pad_end && (b->free_count != 0 || b->programming != 0 || b->fetching != 0)) {
        return FW_NONE;
    }
    const u32 block = block_first_idle(fw, &s->set, s->order.oldest);
    if (block != FW_NONE) {
        if (fw->cfg.page_padding && has_dirty(fw, s, block)) {
            s->pad = s->set.blocks[block].number * fw->cfg.block_pages;
            s->pad_end = fw_min_u32(s->pad + fw->cfg.block_pages, fw->cfg.logical_pages);
        }
        list_remove(&s->order, s->set.links, block);
    }
    return block;
}

/* The next page that is missing in the block that leaves, or FW_NONE. */
static u32 pad(struct fw *fw)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    while (s->pad < s->pad_end) {
        const u32 lpn = s->pad++;
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        if (line_find(fw, lpn) == FW_NONE) {
            return lpn;
        }
    }
    return FW_NONE;
}

static const struct block_rules rules = {touch, lose, pick};

static bool boot(struct fw *fw)
{
    struct fw_policy_state *s = blocks_boot(fw, &rules, sizeof *s);
    if (!s) {
        return false;
    }
    list_init(&s->order);
    return true;
}

const struct buffer_policy_ops buffer_policy_bplru = {
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
    .pad = pad,
};
