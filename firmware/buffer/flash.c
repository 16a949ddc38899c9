// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the page buffer's flash side: reads, completing partial pages ("merge"), programs.
#include "firmware/buffer/buffer.h"
#include "firmware/buffer/requests.h"
#include "firmware/core/op.h"
#include "firmware/core/sched_traits.h"

enum { PURPOSE_LOAD, PURPOSE_MERGE, PURPOSE_PROGRAM, PURPOSE_FETCH };
/* copy ended: merge, lost sectors cleared, else load */
enum { COOKIE_MERGE = 0x80000000u, COOKIE_CLEAR = 0x20000000u };

static void flash_op(struct fw *fw, u32 slot, u32 buffer, u8 opcode, u8 purpose, u32 first, u32 count)
{
    const struct slot *s = &fw->buffer->slots[slot];
    fw_charge(fw, FW_COST_BUFFER_OP, 1);
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    o->opcode = opcode;
    o->purpose = purpose;
    o->line = slot;
    o->lpn = s->lpn;
    o->buf = buffer * fw_unit_bytes(&fw->cfg);
    o->col = (u8)first;
    o->len = (u8)count;
    o->request = s->request;
    fw->buffer->reading += opcode == FLASH_OP_READ && purpose != PURPOSE_FETCH;
    if (opcode == FLASH_OP_PROGRAM) {
        o->wanted_channel = s->program_channel - 1u; /* FW_NONE: any */
    }
    if (s->ack_tag != FW_NONE || (opcode == FLASH_OP_READ && !s->program_next)) { /* a command waits */
        o->flags |= (u8)(s->priority << FW_OP_PRIORITY_SHIFT);
    }
    if (fw->buffer->hit_manager && opcode == FLASH_OP_PROGRAM) {
        hit_manager_begin(fw, slot, op);
    }
    const struct fw_message m = {.kind = FW_MSG_OP_NEW, .a = op};
    const enum fw_room room = fw_sched_does(fw, SCHED_TRANSLATES_LATE) ? FW_ROOM_SCHED : FW_ROOM_FTL;
    fw_send(fw, room, &m);
    fw_probe(fw, FW_PROBE_SLOT_ROOM, fw_slot_room(slot, room));
}

/* The slot's page is complete but for lost sectors. What the page buffer held before must not get into
   flash for these: it would be read as theirs once nobody knows any more that they are lost. */
static void program(struct fw *fw, u32 slot)
{
    struct slot *s = &fw->buffer->slots[slot];
    if (s->lost != 0 && !(s->used & SLOT_CLEARED)) {
        s->state = SLOT_MERGING;
        s->used |= SLOT_CLEARED;
        fw_charge(fw, FW_COST_BUFFER_COPY, 1);
        hal_copy(fw->hal, slot * fw_unit_bytes(&fw->cfg), HAL_COPY_ZERO, s->lost, slot | COOKIE_CLEAR);
        return;
    }
    s->state = SLOT_PROGRAMMING;
    if (fw->buffer->packing) {
        unit_packing_add(fw, slot);
    } else {
        flash_op(fw, slot, slot, FLASH_OP_PROGRAM, PURPOSE_PROGRAM, 0, fw->buffer->sectors_per_page);
    }
}

void buffer_load(struct fw *fw, u32 slot, u32 first, u32 count)
{
    struct slot *s = &fw->buffer->slots[slot];
    fw_charge(fw, FW_COST_BUFFER_LOAD, 1);
    s->state = SLOT_LOADING;
    s->transfer_first = first;
    s->transfer_count = (u8)count;
    flash_op(fw, slot, slot, FLASH_OP_READ, PURPOSE_LOAD, first, count);
}

void buffer_fetch(struct fw *fw, u32 slot)
{
    fw->buffer->slots[slot].state = SLOT_LOADING;
    flash_op(fw, slot, slot, FLASH_OP_READ, PURPOSE_FETCH, 0, fw->buffer->sectors_per_page);
}

static u32 lowest_bit(u64 x) { return (u32)__builtin_ctzll(x); }
static u32 highest_bit(u64 x) { return 63 - (u32)__builtin_clzll(x); }

/* Bring the missing sectors into a temporary page buffer, then copy them into the slot. */
void buffer_merge(struct fw *fw, u32 slot, bool then_program)
{
    struct fw_buffer *b = fw->buffer;
    struct slot *s = &b->slots[slot];
    slot_use(fw, slot);
    fw_charge(fw, FW_COST_BUFFER_MERGE, 1);
    s->state = SLOT_MERGING;
    s->program_next = then_program;
    if (b->temp_free == 0) {
        s->temp_next = FW_NONE;
        if (b->temp_wait.tail == FW_NONE) {
            b->temp_wait.head = slot;
        } else {
            b->slots[b->temp_wait.tail].temp_next = slot;
        }
        b->temp_wait.tail = slot;
        return;
    }
    const u32 temp = lowest_bit(b->temp_free);
    b->temp_free &= ~(1u << temp);
    s->temp = fw->cfg.slots + temp;
    ++fw->stats.merges;
    const u64 missing = b->full_mask & ~(s->mask | s->lost);
    const u32 first = lowest_bit(missing);
    flash_op(fw, slot, s->temp, FLASH_OP_READ, PURPOSE_MERGE, first, highest_bit(missing) - first + 1);
}

void buffer_program(struct fw *fw, u32 slot) { buffer_program_at(fw, slot, FW_NONE); }

void buffer_program_at(struct fw *fw, u32 slot, u32 channel)
{
    struct fw_buffer *b = fw->buffer;
    struct slot *s = &b->slots[slot];
    slot_use(fw, slot);
    fw_charge(fw, FW_COST_BUFFER_PROGRAM, 1);
    ++b->programming;
    s->program_channel = (u8)(channel + 1);
    if (s->mask != b->full_mask && (s->mask | s->lost) != b->full_mask) {
        buffer_merge(fw, slot, true);
        return;
    }
    program(fw, slot);
}

/* The temporary is free again, whether it has brought the missing sectors or not. */
static void merge_over(struct fw *fw, u32 slot)
{
    struct fw_buffer *b = fw->buffer;
    struct slot *s = &b->slots[slot];
    fw_charge(fw, FW_COST_BUFFER_MERGED, 1);
    b->temp_free |= 1u << (s->temp - fw->cfg.slots);
    if (s->program_next) {
        s->program_next = 0;
        program(fw, slot);
    } else {
        s->state = SLOT_STABLE;
    }
    if (b->temp_wait.head != FW_NONE) {
        const u32 next = b->temp_wait.head;
        b->temp_wait.head = b->slots[next].temp_next;
        if (b->temp_wait.head == FW_NONE) {
            b->temp_wait.tail = FW_NONE;
        }
        buffer_merge(fw, next, b->slots[next].program_next);
    }
    buffer_settle(fw, slot);
}

void buffer_programmed(struct fw *fw, u32 slot)
{
    struct fw_buffer *b = fw->buffer;
    struct slot *s = &b->slots[slot];
    fw_charge(fw, FW_COST_BUFFER_PROGRAMMED, 1);
    --b->programming;
    slot_set_dirty(fw, s, 0);
    s->state = SLOT_STABLE;
    if (s->lost | b->lost_pages) {
        lost_set(b, s->lpn, s->lost);
    }
    if (b->joins_writes) {
        hit_manager_acknowledge(fw, slot, s->ack_failed);
    }
    if (s->ack_tag != FW_NONE) {
        answer(fw, FW_MSG_PAGE_DONE, s->ack_tag, s->ack_page, 0, s->ack_failed);
        s->ack_tag = FW_NONE;
    }
    s->ack_failed = 0;
    /* Without the hit manager a queued page is out of reach: who waited reads it from flash. */
    if (!b->queue_hits && s->waiting.head != FW_NONE &&
        b->requests[s->waiting.head].kind == FW_MSG_PAGE_READ) {
        s->mask = 0;
    }
    /* An evicted page leaves unless somebody came for it meanwhile. */
    const bool leaves = b->exact ? (s->used & SLOT_LEAVES) != 0
                                 : (s->used & SLOT_EVICTED) && b->free_count < b->low_water;
    s->used &= (u8)~SLOT_EVICTED;
    if (s->waiting.head == FW_NONE && s->readers == 0 && leaves) {
        slot_give(fw, slot);
    } else {
        buffer_settle(fw, slot);
    }
    buffer_evict_ahead(fw);
    buffer_flush_more(fw);
}

/* What the slot wants of its page cannot be read. A read for the host fails. The rest of a page that
   is to be programmed is lost: those sectors are cleared and remembered; a write that is not
   acknowledged yet is told. */
static void read_failed(struct fw *fw, u32 slot, u8 purpose)
{
    struct fw_buffer *b = fw->buffer;
    struct slot *s = &b->slots[slot];
    if (s->program_next) {
        const u64 missing = b->full_mask & ~(s->mask | s->lost);
        s->lost |= missing;
        s->ack_failed = s->ack_tag != FW_NONE || (b->joins_writes && b->hit_manager[slot].joined != FW_NONE);
        s->used |= SLOT_CLEARED;
        fw_charge(fw, FW_COST_BUFFER_COPY, 1);
        hal_copy(fw->hal, slot * fw_unit_bytes(&fw->cfg), HAL_COPY_ZERO, s->lost, slot | COOKIE_MERGE);
        return;
    }
    const u32 r = request_take(b, &s->waiting); /* the one that asked */
    const struct page_request q = b->requests[r];
    request_drop(b, r);
    answer(fw, FW_MSG_PAGE_FAILED, q.tag, q.page, 0, false);
    if (purpose == PURPOSE_MERGE) {
        merge_over(fw, slot);
    } else {
        s->state = SLOT_STABLE;
        buffer_settle(fw, slot);
    }
}

/* The device is read-only. Who waits for the write is told. The slot may hold data that were acknowledged
   before, nobody knows which: the page is lost then. Without write-back it is as it was. */
void buffer_refused(struct fw *fw, u32 slot)
{
    struct fw_buffer *b = fw->buffer;
    struct slot *s = &b->slots[slot];
    s->ack_failed = 1;
    s->mask = 0;
    if (b->write_back && s->dirty) {
        s->lost = b->full_mask;
        b->write_lost = true;
    } else { /* or padding: the data are in flash */
        s->lost = lost_get(b, s->lpn);
    }
    buffer_programmed(fw, slot);
}

void buffer_op_done(struct fw *fw, u32 op, u32 how)
{
    const bool unmapped = how == 1;
    struct fw_buffer *b = fw->buffer;
    const struct fw_op o = fw->ops[op];
    fw_charge(fw, FW_COST_BUFFER_OP_DONE, 1);
    const u32 slot = o.line;
    struct slot *s = &b->slots[slot];
    fw_op_free(fw, op);
    b->reading -= o.purpose == PURPOSE_LOAD || o.purpose == PURPOSE_MERGE;
    if (o.purpose == BUFFER_PURPOSE_PACK) {
        unit_packing_done(fw, slot, how == 3);
    } else if (how == 3) {
        buffer_refused(fw, slot);
    } else if (how == 2) {
        hit_manager_taken_back(fw, slot);
    } else if (o.purpose == PURPOSE_PROGRAM) {
        buffer_programmed(fw, slot); /* the FTL gives no other program back that failed */
    } else if (o.purpose == PURPOSE_FETCH) {
        read_ahead_done(fw, slot, o.status == FLASH_STATUS_OK && !unmapped);
    } else if (o.status != FLASH_STATUS_OK) {
        read_failed(fw, slot, o.purpose);
    } else if (o.purpose == PURPOSE_MERGE) {
        fw_charge(fw, FW_COST_BUFFER_COPY, 1);
        hal_copy(fw->hal, slot * fw_unit_bytes(&fw->cfg),
                 unmapped ? HAL_COPY_ZERO : s->temp * fw_unit_bytes(&fw->cfg),
                 b->full_mask & ~(s->mask | s->lost), slot | COOKIE_MERGE);
    } else if (unmapped) {
        b->requests[s->waiting.head].loads = 0; /* the one that asked; nothing was read */
        fw_charge(fw, FW_COST_BUFFER_COPY, 1);
        hal_copy(fw->hal, slot * fw_unit_bytes(&fw->cfg), HAL_COPY_ZERO_EMPTY,
                 fw_mask(s->transfer_first, s->transfer_count), slot);
    } else {
        fw_buffer_copy_done(fw, slot);
    }
}

void fw_buffer_copy_done(struct fw *fw, u32 cookie)
{
    if (fw->buffer->packing && (cookie & COOKIE_PACK)) {
        unit_packing_copied(fw, cookie & ~COOKIE_PACK);
        return;
    }
    const u32 slot = cookie & ~(COOKIE_MERGE | COOKIE_CLEAR);
    struct slot *s = &fw->buffer->slots[slot];
    if (cookie & COOKIE_CLEAR) {
        program(fw, slot);
        buffer_settle(fw, slot);
        return;
    }
    if (cookie & COOKIE_MERGE) {
        s->mask = fw->buffer->full_mask & ~s->lost;
        merge_over(fw, slot);
        return;
    }
    fw_charge(fw, FW_COST_BUFFER_LOADED, 1);
    s->mask |= fw_mask(s->transfer_first, s->transfer_count);
    s->state = SLOT_STABLE;
    buffer_settle(fw, slot);
}
