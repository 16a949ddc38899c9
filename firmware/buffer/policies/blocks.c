// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: blocks of pages for block-level replacement policies (blocks.h).
#include "firmware/buffer/policies/blocks.h"

static u32 hash_entries(const struct fw_config *cfg)
{
    u32 n = 64;
    while (n < cfg->lines) {
        n *= 2;
    }
    return n;
}

u64 blocks_bytes(const struct fw_config *cfg, u32 state_bytes)
{
    const u64 of_line = sizeof(struct buffer_block) + 2 * sizeof(struct line_link) + 4;
    return state_bytes + cfg->lines * of_line + (u64)hash_entries(cfg) * 4 + 6 * 64; /* alignment */
}

void *blocks_boot(struct fw *fw, const struct block_rules *rules, u32 state_bytes)
{
    const u32 n = fw->cfg.lines;
    struct block_set *s = fw_fast_table(fw, 1, state_bytes);
    if (!s) {
        return 0;
    }
    s->hash = fw_fast_table(fw, hash_entries(&fw->cfg), 4);
    s->where = fw_fast_table(fw, n, 4);
    s->pages = fw_fast_table(fw, n, sizeof(struct line_link));
    s->links = fw_fast_table(fw, n, sizeof(struct line_link));
    s->blocks = fw_fast_table(fw, n, sizeof(struct buffer_block));
    if (!s->hash || !s->where || !s->pages || !s->links || !s->blocks) {
        return 0;
    }
    s->rules = rules;
    s->hash_mask = hash_entries(&fw->cfg) - 1;
    s->free = 1;
    for (u32 i = 0; i < n; ++i) {
        s->blocks[i].free_next = i + 1 < n ? i + 2 : 0;
    }
    list_init(&s->leaving);
    fw->buffer->policy_state = s;
    return s;
}

u32 block_find(struct fw *fw, const struct block_set *s, u32 number)
{
    u32 block = s->hash[line_hash(number) & s->hash_mask];
    fw_charge(fw, FW_COST_BUFFER_BLOCK, 1);
    while (block != 0 && s->blocks[block - 1].number != number) {
        fw_charge(fw, FW_COST_BUFFER_CHAIN, 1);
        block = s->blocks[block - 1].hash_next;
    }
    return block == 0 ? FW_NONE : block - 1;
}

static u32 block_new(struct fw *fw, struct block_set *s, u32 number)
{
    const u32 block = s->free - 1; /* one a line: there always is one */
    struct buffer_block *b = &s->blocks[block];
    u32 *head = &s->hash[line_hash(number) & s->hash_mask];
    fw_charge(fw, FW_COST_BUFFER_BLOCK, 1);
    s->free = b->free_next;
    ++s->count;
    b->number = number;
    b->idle = b->run = b->list = 0;
    list_init(&b->pages);
    b->hash_next = *head;
    *head = block + 1;
    return block;
}

static void block_forget(struct fw *fw, struct block_set *s, u32 block)
{
    struct buffer_block *b = &s->blocks[block];
    u32 *link = &s->hash[line_hash(b->number) & s->hash_mask];
    fw_charge(fw, FW_COST_BUFFER_BLOCK, 1);
    while (*link != block + 1) {
        fw_charge(fw, FW_COST_BUFFER_CHAIN, 1);
        link = &s->blocks[*link - 1].hash_next;
    }
    *link = b->hash_next;
    b->free_next = s->free;
    s->free = block + 1;
    --s->count;
}

u32 block_join(struct fw *fw, struct block_set *s, u32 line)
{
    const struct cache_line *page = &fw->buffer->lines[line];
    const u32 number = page->lpn / fw->cfg.block_pages;
    u32 block = block_find(fw, s, number);
    if (block == FW_NONE) {
        block = block_new(fw, s, number);
    }
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    s->where[line] = block + LINE_IN_BLOCK;
    s->blocks[block].idle += page->idle;
    list_append(&s->blocks[block].pages, s->pages, line);
    return block;
}

void block_part(struct fw *fw, struct block_set *s, u32 line)
{
    const u32 block = line_block(s, line);
    struct buffer_block *b = &s->blocks[block];
    fw_charge(fw, FW_COST_BUFFER_LIST, 1);
    s->where[line] = LINE_OF_NO_BLOCK;
    b->idle -= fw->buffer->lines[line].idle;
    list_remove(&b->pages, s->pages, line);
    if (b->pages.count == 0) {
        block_forget(fw, s, block);
    }
}

/* Two chains in ascending order of LPN, linked by `newer`, to one. */
static u32 merge(struct fw *fw, struct line_link *pages, u32 a, u32 b)
{
    const struct cache_line *lines = fw->buffer->lines;
    u32 head = FW_NONE;
    u32 *end = &head;
    while (a != FW_NONE && b != FW_NONE) {
        u32 *lower = lines[a].lpn < lines[b].lpn ? &a : &b;
        fw_charge(fw, FW_COST_BUFFER_SCAN, 1);
        *end = *lower;
        end = &pages[*lower].newer;
        *lower = *end;
    }
    *end = a != FW_NONE ? a : b;
    return head;
}

/* The chain from `page` on in ascending order: runs of 1, 2, 4 ... pages are merged as they come. */
static u32 sorted(struct fw *fw, struct line_link *pages, u32 page)
{
    u32 runs[32];
    u32 n = 0;
    for (u32 i = 1; page != FW_NONE; ++i) {
        const u32 next = pages[page].newer;
        pages[page].newer = FW_NONE;
        runs[n++] = page;
        for (u32 bits = i; (bits & 1) == 0; bits >>= 1, --n) {
            runs[n - 2] = merge(fw, pages, runs[n - 2], runs[n - 1]);
        }
        page = next;
    }
    while (n > 1) {
        --n;
        runs[n - 1] = merge(fw, pages, runs[n - 1], runs[n]);
    }
    return runs[0];
}

void block_drain(struct fw *fw, struct block_set *s, u32 block)
{
    const struct cache_line *lines = fw->buffer->lines;
    u32 page = sorted(fw, s->pages, s->blocks[block].pages.oldest);
    while (page != FW_NONE) {
        const u32 next = s->pages[page].newer;
        fw_charge(fw, FW_COST_BUFFER_LIST, 1);
        s->where[page] = LINE_LEAVING;
        if (lines[page].idle) {
            list_append(&s->leaving, s->pages, page);
        }
        page = next;
    }
    block_forget(fw, s, block);
}

static void touch(struct fw *fw, struct block_set *s, u32 line, bool write)
{
    if (line_in_block(s, line)) {
        s->rules->touch(fw, line_block(s, line), line, write, false);
    } else {
        const u32 block = block_join(fw, s, line);
        s->rules->touch(fw, block, line, write, s->blocks[block].pages.count == 1);
    }
}

void blocks_use(struct fw *fw, u32 line, bool write, bool hit)
{
    (void)hit;
    touch(fw, fw->buffer->policy_state, line, write);
}

void blocks_idle(struct fw *fw, u32 line)
{
    struct block_set *s = fw->buffer->policy_state;
    if (line_in_block(s, line)) {
        ++s->blocks[line_block(s, line)].idle;
    } else if (s->where[line] == LINE_LEAVING) {
        fw_charge(fw, FW_COST_BUFFER_LIST, 1);
        list_append(&s->leaving, s->pages, line);
    } else { /* brought ahead, nobody has used it */
        touch(fw, s, line, false);
    }
}

void blocks_busy(struct fw *fw, u32 line)
{
    struct block_set *s = fw->buffer->policy_state;
    if (line_in_block(s, line)) {
        --s->blocks[line_block(s, line)].idle;
    } else if (s->where[line] == LINE_LEAVING) {
        fw_charge(fw, FW_COST_BUFFER_LIST, 1);
        list_remove(&s->leaving, s->pages, line);
    }
}

void blocks_leave(struct fw *fw, u32 line)
{
    struct block_set *s = fw->buffer->policy_state;
    if (line_in_block(s, line)) {
        const u32 block = line_block(s, line);
        s->rules->lose(fw, block, s->blocks[block].pages.count - 1);
        block_part(fw, s, line);
    }
    s->where[line] = LINE_OF_NO_BLOCK;
}

u32 blocks_victim(struct fw *fw)
{
    struct block_set *s = fw->buffer->policy_state;
    if (s->leaving.count == 0) {
        const u32 block = s->rules->pick(fw);
        if (block == FW_NONE) {
            return FW_NONE;
        }
        block_drain(fw, s, block);
    }
    return s->leaving.oldest;
}

u64 sizes_bytes(const struct fw_config *cfg)
{
    return ((u64)cfg->block_pages + 1) * sizeof(struct line_list) + 64;
}

bool sizes_boot(struct fw *fw, struct block_sizes *sizes)
{
    sizes->of = fw_fast_table(fw, fw->cfg.block_pages + 1, sizeof(struct line_list));
    if (!sizes->of) {
        return false;
    }
    for (u32 i = 0; i <= fw->cfg.block_pages; ++i) {
        list_init(&sizes->of[i]);
    }
    return true;
}
