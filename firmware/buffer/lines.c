// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: cache lines: the hash from LPN, taking and freeing, dirty ones.
#include "firmware/buffer/lines.h"

u32 line_dram_bytes(const struct fw_config *cfg)
{
    const u32 units = fw_page_units(cfg);
    return (cfg->lines + FW_BUFFER_TEMPS + units - 1) / units * cfg->page_bytes;
}

u32 line_hash(u32 lpn) { return (lpn * 0x9e3779b1u) ^ (lpn * 0x9e3779b1u) >> 15; }

u32 line_find(struct fw *fw, u32 lpn)
{
    const struct fw_buffer *b = fw->buffer;
    u32 line = b->hash[line_hash(lpn) & b->hash_mask];
    while (line != 0 && b->lines[line - 1].lpn != lpn) {
        fw_charge(fw, FW_COST_BUFFER_CHAIN, 1);
        line = b->lines[line - 1].hash_next;
    }
    return line == 0 ? FW_NONE : line - 1;
}

void line_insert(struct fw_buffer *b, u32 line, u32 lpn)
{
    u32 *head = &b->hash[line_hash(lpn) & b->hash_mask];
    b->lines[line].lpn = lpn;
    b->lines[line].hash_next = *head;
    *head = line + 1;
}

void line_remove(struct fw *fw, u32 line)
{
    struct fw_buffer *b = fw->buffer;
    u32 *link = &b->hash[line_hash(b->lines[line].lpn) & b->hash_mask];
    while (*link != line + 1) {
        fw_charge(fw, FW_COST_BUFFER_CHAIN, 1);
        link = &b->lines[*link - 1].hash_next;
    }
    *link = b->lines[line].hash_next;
}

u32 line_take(struct fw *fw, u32 lpn)
{
    struct fw_buffer *b = fw->buffer;
    const u32 line = b->free;
    struct cache_line *s = &b->lines[line];
    fw_charge(fw, FW_COST_BUFFER_TAKE, 1);
    fw_charge(fw, FW_COST_BUFFER_FAR_HASH, b->hash_far);
    b->free = s->free_next;
    --b->free_count;
    s->mask = 0;
    s->lost = b->lost_pages ? lost_get(b, lpn) : 0;
    s->readers = 0;
    s->waiting.head = s->waiting.tail = FW_NONE;
    s->ack_tag = FW_NONE;
    s->state = LINE_STABLE;
    s->dirty = s->idle = s->program_next = s->ack_failed = s->used = s->fetched = 0;
    line_insert(b, line, lpn);
    if (b->policy->enter) {
        b->policy->enter(fw, line);
    }
    if (b->hit_manager) {
        hit_manager_new_page(b, line);
    }
    fw_probe(fw, FW_PROBE_BUFFER_FREE, b->free_count);
    return line;
}

void line_give(struct fw *fw, u32 line)
{
    struct fw_buffer *b = fw->buffer;
    fw_charge(fw, FW_COST_BUFFER_GIVE, 1);
    fw_charge(fw, FW_COST_BUFFER_FAR_HASH, b->hash_far);
    line_use(fw, line);
    if (b->policy->leave) {
        b->policy->leave(fw, line);
    }
    line_remove(fw, line);
    if (b->lines[line].fetched) {
        read_ahead_useless(fw, line);
    }
    b->lines[line].state = LINE_FREE;
    b->lines[line].free_next = b->free;
    b->free = line;
    ++b->free_count;
    fw_probe(fw, FW_PROBE_BUFFER_FREE, b->free_count);
}

void line_set_dirty(struct fw *fw, struct cache_line *s, u8 dirty)
{
    if (s->dirty != dirty) {
        fw_charge(fw, FW_COST_BUFFER_DIRTY, 1);
        s->dirty = dirty;
        fw->buffer->dirty_count += dirty ? 1 : (u32)-1;
        fw_probe(fw, FW_PROBE_BUFFER_DIRTY, fw->buffer->dirty_count);
        buffer_arm_background(fw);
    }
}
