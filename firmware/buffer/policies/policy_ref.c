// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: buffer policy `ref`: write-back; recently evicted first (Seo and Shin 2008): of the
// `buffer.victim_window` oldest pages, those of the `buffer.victim_blocks` blocks that were chosen last
// leave first. Where the window has none, its largest block is chosen.
#include "firmware/buffer/policies/blocks.h"

struct fw_policy_state {
    struct block_set set;     /* the blocks of pages in the window; each in order of use */
    struct block_sizes sizes; /* by pages in the window */
    struct line_list order;   /* all pages, in order of use */
    struct line_link *links;
    u64 *stamps; /* ascending along the list */
    u64 stamp;
    u32 edge;    /* the youngest page of the window */
    u32 *chosen; /* numbers of the victim blocks, a ring */
    u32 chosen_count, chosen_next;
};

static u64 bytes(const struct fw_config *cfg)
{
    return blocks_bytes(cfg, sizeof(struct fw_policy_state)) + sizes_bytes(cfg) +
           (u64)cfg->lines * (sizeof(struct line_link) + 8) + (u64)cfg->victim_blocks * 4 + 3 * 64;
}

static bool boot(struct fw *fw)
{
    struct fw_policy_state *s = blocks_boot(fw, 0, sizeof *s);
    if (!s || !sizes_boot(fw, &s->sizes)) {
        return false;
    }
    s->links = fw_fast_table(fw, fw->cfg.lines, sizeof(struct line_link));
    s->stamps = fw_fast_table(fw, fw->cfg.lines, 8);
    s->chosen = fw_fast_table(fw, fw->cfg.victim_blocks, 4);
    list_init(&s->order);
    s->edge = FW_NONE;
    return s->links && s->stamps && s->chosen;
}

static void window_add(struct fw *fw, struct fw_policy_state *s, u32 line)
{
    const u32 block = block_join(fw, &s->set, line);
    s->edge = line;
    sizes_put(fw, &s->sizes, &s->set, block, s->set.blocks[block].pages.count);
}

static void enter(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    s->stamps[line] = ++s->stamp;
    list_append(&s->order, s->links, line);
    if (s->order.count <= fw->cfg.victim_window) {
        window_add(fw, s, line);
    }
}

static void leave(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    if (line_in_block(&s->set, line)) {
        const u32 block = line_block(&s->set, line);
        const u32 next = s->links[s->edge].newer;
        sizes_put(fw, &s->sizes, &s->set, block, s->set.blocks[block].pages.count - 1);
        block_part(fw, &s->set, line);
        if (next != FW_NONE) {
            window_add(fw, s, next);
        } else if (s->edge == line) {
            s->edge = s->links[line].older;
        }
    }
    list_remove(&s->order, s->links, line);
}

static void use(struct fw *fw, u32 line, bool write, bool hit)
{
    (void)write;
    (void)hit;
    leave(fw, line);
    enter(fw, line);
}

static void idle(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    if (line_in_block(&s->set, line)) {
        ++s->set.blocks[line_block(&s->set, line)].idle;
    }
}

static void busy(struct fw *fw, u32 line)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    if (line_in_block(&s->set, line)) {
        --s->set.blocks[line_block(&s->set, line)].idle;
    }
}

/* The oldest idle page of the victim blocks in the window, or FW_NONE. */
static u32 of_chosen(struct fw *fw, const struct fw_policy_state *s)
{
    u32 best = FW_NONE;
    for (u32 i = 0; i < s->chosen_count; ++i) {
        const u32 block = block_find(fw, &s->set, s->chosen[i]);
        if (block != FW_NONE && s->set.blocks[block].idle != 0) {
            const u32 line = list_first_idle(fw, s->set.pages, s->set.blocks[block].pages.oldest);
            best = best == FW_NONE || s->stamps[line] < s->stamps[best] ? line : best;
        }
    }
    return best;
}

static u32 victim(struct fw *fw)
{
    struct fw_policy_state *s = fw->buffer->policy_state;
    const u32 line = of_chosen(fw, s);
    if (line != FW_NONE) {
        return line;
    }
    const u32 block = sizes_largest(fw, &s->sizes, &s->set);
    if (block == FW_NONE) { /* the whole window is in use */
        return list_first_idle(fw, s->links, s->order.oldest);
    }
    s->chosen[s->chosen_next] = s->set.blocks[block].number;
    s->chosen_next = s->chosen_next + 1 == fw->cfg.victim_blocks ? 0 : s->chosen_next + 1;
    s->chosen_count = fw_min_u32(s->chosen_count + 1, fw->cfg.victim_blocks);
    return list_first_idle(fw, s->set.pages, s->set.blocks[block].pages.oldest);
}

const struct buffer_policy_ops buffer_policy_ref = {
    .retain = true,
    .write_back = true,
    .bytes = bytes,
    .boot = boot,
    .enter = enter,
    .use = use,
    .idle = idle,
    .busy = busy,
    .leave = leave,
    .victim = victim,
};
