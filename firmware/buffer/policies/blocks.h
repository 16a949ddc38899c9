// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the structure of block-level replacement policies. A block is `buffer.block_pages` LPNs that
// follow each other; it exists while pages of it are in the buffer. A policy keeps blocks in lists of
// its own and says which one is *drained*: it is forgotten, and its pages leave one after the other in
// ascending order. A page of it that is used before it has left begins a new block.
//
// A line belongs to no block between `enter` and its first use, to a block (in_block), or it is leaving.
#pragma once

#include "firmware/buffer/policies/list.h"

struct buffer_block {
    u32 number;    /* first LPN / block_pages */
    union {
        u32 hash_next; /* exists: next block of the hash chain, plus 1; 0: the last */
        u32 free_next; /* does not exist: next block of the free list, plus 1; 0: the last */
    };
    struct line_list pages; /* in order of joining */
    u32 idle;      /* pages that are idle */
    u32 run;       /* the policy's own (bplru: pages written in sequence) */
    u32 list;      /* the policy's own: which of its lists */
};

enum { LINE_OF_NO_BLOCK = 0, LINE_LEAVING = 1, LINE_IN_BLOCK = 2 }; /* plus the block's index */

struct block_set;

/* The part of the structure that a policy adds. */
struct block_rules {
    /* A page request was served in `block`, or a page was brought there ahead. `fresh`: the block has come
       into being with it and is in no list of the policy yet. */
    void (*touch)(struct fw *fw, u32 block, u32 line, bool write, bool fresh);
    /* A page leaves by itself: it is trimmed, or clean where nothing clean is kept. `rest` pages stay; with
       none the block goes out of the policy's lists. */
    void (*lose)(struct fw *fw, u32 block, u32 rest);
    /* The block to be drained, out of the policy's lists by now; or FW_NONE. */
    u32 (*pick)(struct fw *fw);
};

struct block_set {
    const struct block_rules *rules;
    struct buffer_block *blocks;
    struct line_link *links; /* of blocks, for the policy's lists */
    struct line_link *pages; /* of lines, in their block's list or in `leaving` */
    u32 *where;              /* by line: LINE_OF_NO_BLOCK, LINE_LEAVING, or LINE_IN_BLOCK + block */
    u32 *hash;
    u32 hash_mask;
    u32 free;                /* first of the free blocks, plus 1; 0: none */
    u32 count;               /* blocks that exist */
    struct line_list leaving; /* idle pages of drained blocks */
};

/* `state_bytes`: of the policy's own structure, which begins with a block_set. */
u64 blocks_bytes(const struct fw_config *cfg, u32 state_bytes);
void *blocks_boot(struct fw *fw, const struct block_rules *rules, u32 state_bytes);

/* Hooks of a policy: use, idle, busy, leave, victim. */
void blocks_use(struct fw *fw, u32 line, bool write, bool hit);
void blocks_idle(struct fw *fw, u32 line);
void blocks_busy(struct fw *fw, u32 line);
void blocks_leave(struct fw *fw, u32 line);
u32 blocks_victim(struct fw *fw);

static inline bool line_in_block(const struct block_set *s, u32 line)
{
    return s->where[line] >= LINE_IN_BLOCK;
}

static inline u32 line_block(const struct block_set *s, u32 line) /* it is in one */
{
    return s->where[line] - LINE_IN_BLOCK;
}

/* The block of that number, or FW_NONE. */
u32 block_find(struct fw *fw, const struct block_set *s, u32 number);

/* The line joins the block of its page, which exists from then on, in none of the policy's lists if it
   is new (its only page then). Returns the block. */
u32 block_join(struct fw *fw, struct block_set *s, u32 line);

/* The line leaves its block; with the last one the block is gone, and the policy must have taken it out of
   its lists before. */
void block_part(struct fw *fw, struct block_set *s, u32 line);

/* Drain a block that the policy has taken out of its lists. */
void block_drain(struct fw *fw, struct block_set *s, u32 block);

/* The oldest block from `block` on, of a list of the policy, that has an idle page; or FW_NONE. Each one
   passed over has a page in use. */
static inline u32 block_first_idle(struct fw *fw, const struct block_set *s, u32 block)
{
    while (block != FW_NONE && s->blocks[block].idle == 0) {
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        block = s->links[block].newer;
    }
    return block;
}

/* Blocks by a number of their pages that the policy names, 1 to block_pages; of one number in the order
   of being put there. buffer_block.list is that number, 0 for a block that is in none. */
struct block_sizes {
    struct line_list *of;
    u32 largest; /* no larger one has a block */
};

u64 sizes_bytes(const struct fw_config *cfg);
bool sizes_boot(struct fw *fw, struct block_sizes *sizes);

static inline void sizes_take(struct block_sizes *sizes, struct block_set *s, u32 block)
{
    u32 *list = &s->blocks[block].list;
    if (*list != 0) {
        list_remove(&sizes->of[*list], s->links, block);
        *list = 0;
    }
}

static inline void sizes_put(struct fw *fw, struct block_sizes *sizes, struct block_set *s, u32 block, u32 size)
{
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    sizes_take(sizes, s, block);
    if (size != 0) {
        list_append(&sizes->of[size], s->links, block);
        s->blocks[block].list = size;
        sizes->largest = size > sizes->largest ? size : sizes->largest;
    }
}

/* The largest block with an idle page, of equal ones the oldest; or FW_NONE. */
static inline u32 sizes_largest(struct fw *fw, struct block_sizes *sizes, const struct block_set *s)
{
    while (sizes->largest != 0 && sizes->of[sizes->largest].count == 0) {
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        --sizes->largest;
    }
    for (u32 size = sizes->largest; size != 0; --size) {
        const u32 block = block_first_idle(fw, s, sizes->of[size].oldest);
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        if (block != FW_NONE) {
            return block;
        }
    }
    return FW_NONE;
}
