// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: page buffers: the hash from LPN, taking and freeing, dirty ones.
#include "firmware/buffer/slots.h"

u32 slot_dram_bytes(const struct fw_config *cfg)
{
    const u32 units = fw_page_units(cfg);
    return (cfg->slots + FW_BUFFER_TEMPS + units - 1) / units * cfg->page_bytes;
}

u32 slot_hash(u32 lpn) { return (lpn * 0x9e3779b1u) ^ (lpn * 0x9e3779b1u) >> 15; }

u32 slot_find(struct fw *fw, u32 lpn)
{
    const struct fw_buffer *b = fw->buffer;
    u32 slot = b->hash[slot_hash(lpn) & b->hash_mask];
    while (slot != 0 && b->slots[slot - 1].lpn != lpn) {
        fw_charge(fw, FW_COST_BUFFER_CHAIN, 1);
        slot = b->slots[slot - 1].hash_next;
    }
    return slot == 0 ? FW_NONE : slot - 1;
}

void slot_insert(struct fw_buffer *b, u32 slot, u32 lpn)
{
    u32 *head = &b->hash[slot_hash(lpn) & b->hash_mask];
    b->slots[slot].lpn = lpn;
    b->slots[slot].hash_next = *head;
    *head = slot + 1;
}

void slot_remove(struct fw *fw, u32 slot)
{
    struct fw_buffer *b = fw->buffer;
    u32 *link = &b->hash[slot_hash(b->slots[slot].lpn) & b->hash_mask];
    while (*link != slot + 1) {
        fw_charge(fw, FW_COST_BUFFER_CHAIN, 1);
        link = &b->slots[*link - 1].hash_next;
    }
    *link = b->slots[slot].hash_next;
}

u32 slot_take(struct fw *fw, u32 lpn)
{
    struct fw_buffer *b = fw->buffer;
    const u32 slot = b->free;
    struct slot *s = &b->slots[slot];
    fw_charge(fw, FW_COST_BUFFER_TAKE, 1);
    fw_charge(fw, FW_COST_BUFFER_FAR_HASH, b->hash_far);
    b->free = s->free_next;
    --b->free_count;
    s->mask = 0;
    s->lost = b->lost_pages ? lost_get(b, lpn) : 0;
    s->readers = 0;
    s->waiting.head = s->waiting.tail = FW_NONE;
    s->ack_tag = FW_NONE;
    s->state = SLOT_STABLE;
    s->dirty = s->idle = s->program_next = s->ack_failed = s->used = s->fetched = 0;
    slot_insert(b, slot, lpn);
    if (b->policy->enter) {
        b->policy->enter(fw, slot);
    }
    if (b->hit_manager) {
        hit_manager_new_page(b, slot);
    }
    fw_probe(fw, FW_PROBE_BUFFER_FREE, b->free_count);
    return slot;
}

void slot_give(struct fw *fw, u32 slot)
{
    struct fw_buffer *b = fw->buffer;
    fw_charge(fw, FW_COST_BUFFER_GIVE, 1);
    fw_charge(fw, FW_COST_BUFFER_FAR_HASH, b->hash_far);
    slot_use(fw, slot);
    if (b->policy->leave) {
        b->policy->leave(fw, slot);
    }
    slot_remove(fw, slot);
    if (b->slots[slot].fetched) {
        read_ahead_useless(fw, slot);
    }
    b->slots[slot].state = SLOT_FREE;
    b->slots[slot].free_next = b->free;
    b->free = slot;
    ++b->free_count;
    fw_probe(fw, FW_PROBE_BUFFER_FREE, b->free_count);
}

void slot_set_dirty(struct fw *fw, struct slot *s, u8 dirty)
{
    if (s->dirty != dirty) {
        fw_charge(fw, FW_COST_BUFFER_DIRTY, 1);
        s->dirty = dirty;
        fw->buffer->dirty_count += dirty ? 1 : (u32)-1;
        fw_probe(fw, FW_PROBE_BUFFER_DIRTY, fw->buffer->dirty_count);
        buffer_arm_background(fw);
    }
}
