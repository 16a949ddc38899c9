// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: greedy: fewest valid pages, lowest number among equals; O(log blocks) by a tree.
//
// The tree is a tournament over the plane's blocks: the fewest valid pages win, the lowest number among
// equals. A block that loses a page climbs only as far as it wins. Zeroed memory is an empty tree: it holds
// block + 1.
#include "firmware/ftl/gc/victim.h"

static u32 *tree_of(const struct fw_ftl *f, u32 plane) { return &f->tree[plane << f->block_bits]; }

static bool beats(const struct block *blocks, u32 a, u32 b)
{
    return blocks[a].valid < blocks[b].valid || (blocks[a].valid == blocks[b].valid && a < b);
}

static void climb(struct fw *fw, u32 plane, u32 block)
{
    struct fw_ftl *f = fw->ftl;
    const struct block *blocks = &f->blocks[plane << f->block_bits];
    u32 *tree = tree_of(f, plane);
    u32 levels = 1;
    for (u32 node = ((1u << f->block_bits) | block) >> 1; node != 0; node >>= 1, ++levels) {
        const u32 winner = tree[node];
        if (winner != block + 1) {
            if (winner != 0 && !beats(blocks, block, winner - 1)) {
                break;
            }
            tree[node] = block + 1;
        }
    }
    fw_charge(fw, FW_COST_GC_INDEX, levels);
}

/* Who wins below a node, which may be a leaf; 0: no block there is full. */
static u32 winner_at(const struct fw_ftl *f, u32 plane, u32 node)
{
    const u32 leaves = 1u << f->block_bits;
    if (node < leaves) {
        return f->tree[plane << f->block_bits | node];
    }
    const u32 block = node - leaves;
    return f->blocks[plane << f->block_bits | block].state == BLOCK_FULL ? block + 1 : 0;
}

static void leave(struct fw *fw, u32 plane, u32 block)
{
    struct fw_ftl *f = fw->ftl;
    const struct block *blocks = &f->blocks[plane << f->block_bits];
    u32 *tree = tree_of(f, plane);
    u32 levels = 1;
    for (u32 node = ((1u << f->block_bits) | block) >> 1; node != 0 && tree[node] == block + 1;
         node >>= 1, ++levels) {
        const u32 left = winner_at(f, plane, 2 * node);
        const u32 right = winner_at(f, plane, 2 * node + 1);
        tree[node] = left == 0 || (right != 0 && beats(blocks, right - 1, left - 1)) ? right : left;
    }
    fw_charge(fw, FW_COST_GC_INDEX, levels);
}

/* Depth first; what cannot beat the best so far is left out with all below it. Mostly the overall
   winner may go, and the first look is the last. */
static u32 choose(struct fw *fw, u32 plane)
{
    const struct fw_ftl *f = fw->ftl;
    const struct block *blocks = &f->blocks[plane << f->block_bits];
    u32 best = FW_NONE;
    u32 looks = 0;
    u32 node = 1;
    while (node != 0) {
        const u32 winner = winner_at(f, plane, node);
        ++looks;
        if (winner != 0 && ftl_gains(fw, blocks[winner - 1].valid) &&
            (best == FW_NONE || beats(blocks, winner - 1, best))) {
            if (blocks[winner - 1].pending == 0) {
                best = winner - 1;
            } else if (node >> f->block_bits == 0) {
                node *= 2;
                continue;
            }
        }
        while (node & 1) { /* up from right children, and out at the root */
            node >>= 1;
        }
        node += node != 0;
    }
    fw_charge(fw, FW_COST_GC_INDEX, looks);
    return best;
}

const struct gc_policy gc_greedy = {
    .enter = climb,
    .leave = leave,
    .less = climb,
    .choose = choose,
    .tree = true,
};
