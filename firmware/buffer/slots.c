// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the hash from LPN to page buffer.
#include "firmware/buffer/slots.h"

u32 slot_hash(u32 lpn) { return (lpn * 0x9e3779b1u) ^ (lpn * 0x9e3779b1u) >> 15; }

u32 slot_find(const struct fw_buffer *b, u32 lpn)
{
    u32 slot = b->hash[slot_hash(lpn) & b->hash_mask];
    while (slot != 0 && b->slots[slot - 1].lpn != lpn) {
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

void slot_remove(struct fw_buffer *b, u32 slot)
{
    u32 *link = &b->hash[slot_hash(b->slots[slot].lpn) & b->hash_mask];
    while (*link != slot + 1) {
        link = &b->slots[*link - 1].hash_next;
    }
    *link = b->slots[slot].hash_next;
}
