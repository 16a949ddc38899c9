// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the page buffer's flash side: reads, completing partial pages ("merge"), programs.
#include "firmware/buffer/buffer.h"
#include "firmware/buffer/requests.h"
#include "firmware/core/op.h"
#include "firmware/core/sched_traits.h"

enum { PURPOSE_LOAD, PURPOSE_MERGE, PURPOSE_PROGRAM, PURPOSE_FETCH };
/* copy ended: merge, lost sectors cleared, else load */
enum { COOKIE_MERGE = 0x80000000u, COOKIE_CLEAR = 0x20000000u };

/* `pages`: of the command that waits for a read; 0: not known. */
static void flash_op(struct fw *fw, u32 line, u32 buffer, u8 opcode, u8 purpose, u32 first, u32 count, u8 pages)
{
    const struct cache_line *s = &fw->buffer->lines[line];
    fw_charge(fw, FW_COST_BUFFER_OP, 1);
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    o->opcode = opcode;
    o->purpose = purpose;
    o->line = line;
    o->lpn = s->lpn;
    o->buf = buffer * fw_unit_bytes(&fw->cfg);
    o->col = (u8)first;
    o->len = (u8)count;
    o->request = s->request;
    o->command_pages = pages;
    fw->buffer->reading += opcode == FLASH_OP_READ && purpose != PURPOSE_FETCH;
    if (opcode == FLASH_OP_PROGRAM) {
        o->wanted_channel = s->program_channel - 1u; /* FW_NONE: any */
    }
    if (s->ack_tag != FW_NONE || (opcode == FLASH_OP_READ && !s->program_next)) { /* a command waits */
        o->flags |= (u8)(s->priority << FW_OP_PRIORITY_SHIFT);
    }
    if (fw->buffer->hit_manager && opcode == FLASH_OP_PROGRAM) {
        hit_manager_begin(fw, line, op);
    }
    const struct fw_message m = {.kind = FW_MSG_OP_NEW, .a = op};
    const enum fw_module module = fw_sched_does(fw, SCHED_TRANSLATES_LATE) ? FW_MODULE_SCHED : FW_MODULE_FTL;
    fw_send(fw, module, &m);
    fw_probe(fw, FW_PROBE_LINE_MODULE, fw_line_module(line, module));
}

/* The line's page is complete but for lost sectors. What the page buffer held before must not get into
   flash for these: it would be read as theirs once nobody knows any more that they are lost. */
static void program(struct fw *fw, u32 line)
{
    struct cache_line *s = &fw->buffer->lines[line];
    if (s->lost != 0 && !(s->used & LINE_CLEARED)) {
        s->state = LINE_MERGING;
        s->used |= LINE_CLEARED;
        fw_charge(fw, FW_COST_BUFFER_COPY, 1);
        hal_copy(fw->hal, line * fw_unit_bytes(&fw->cfg), HAL_COPY_ZERO, s->lost, line | COOKIE_CLEAR);
        return;
    }
    s->state = LINE_PROGRAMMING;
    if (fw->buffer->packing) {
        unit_packing_add(fw, line);
    } else {
        flash_op(fw, line, line, FLASH_OP_PROGRAM, PURPOSE_PROGRAM, 0, fw->buffer->sectors_per_page, 0);
    }
}

void buffer_load(struct fw *fw, u32 line, const struct page_request *q)
{
    struct cache_line *s = &fw->buffer->lines[line];
    fw_charge(fw, FW_COST_BUFFER_LOAD, 1);
    s->state = LINE_LOADING;
    s->transfer_first = q->first;
    s->transfer_count = q->count;
    flash_op(fw, line, line, FLASH_OP_READ, PURPOSE_LOAD, q->first, q->count, q->pages);
}

void buffer_fetch(struct fw *fw, u32 line)
{
    fw->buffer->lines[line].state = LINE_LOADING;
    flash_op(fw, line, line, FLASH_OP_READ, PURPOSE_FETCH, 0, fw->buffer->sectors_per_page, 0);
}

static u32 lowest_bit(u64 x) { return (u32)__builtin_ctzll(x); }
static u32 highest_bit(u64 x) { return 63 - (u32)__builtin_clzll(x); }

/* Bring the missing sectors into a temporary page buffer, then copy them into the line. */
void buffer_merge(struct fw *fw, u32 line, bool then_program)
{
    struct fw_buffer *b = fw->buffer;
    struct cache_line *s = &b->lines[line];
    line_use(fw, line);
    fw_charge(fw, FW_COST_BUFFER_MERGE, 1);
    s->state = LINE_MERGING;
    s->program_next = then_program;
    if (b->temp_free == 0) {
        s->temp_next = FW_NONE;
        if (b->temp_wait.tail == FW_NONE) {
            b->temp_wait.head = line;
        } else {
            b->lines[b->temp_wait.tail].temp_next = line;
        }
        b->temp_wait.tail = line;
        return;
    }
    const u32 temp = lowest_bit(b->temp_free);
    b->temp_free &= ~(1u << temp);
    s->temp = fw->cfg.lines + temp;
    ++fw->stats.merges;
    const u64 missing = b->full_mask & ~(s->mask | s->lost);
    const u32 first = lowest_bit(missing);
    flash_op(fw, line, s->temp, FLASH_OP_READ, PURPOSE_MERGE, first, highest_bit(missing) - first + 1, 0);
}

void buffer_program(struct fw *fw, u32 line) { buffer_program_at(fw, line, FW_NONE); }

void buffer_program_at(struct fw *fw, u32 line, u32 channel)
{
    struct fw_buffer *b = fw->buffer;
    struct cache_line *s = &b->lines[line];
    line_use(fw, line);
    fw_charge(fw, FW_COST_BUFFER_PROGRAM, 1);
    ++b->programming;
    s->program_channel = (u8)(channel + 1);
    if (s->mask != b->full_mask && (s->mask | s->lost) != b->full_mask) {
        buffer_merge(fw, line, true);
        return;
    }
    program(fw, line);
}

/* The temporary is free again, whether it has brought the missing sectors or not. */
static void merge_over(struct fw *fw, u32 line)
{
    struct fw_buffer *b = fw->buffer;
    struct cache_line *s = &b->lines[line];
    fw_charge(fw, FW_COST_BUFFER_MERGED, 1);
    b->temp_free |= 1u << (s->temp - fw->cfg.lines);
    if (s->program_next) {
        s->program_next = 0;
        program(fw, line);
    } else {
        s->state = LINE_STABLE;
    }
    if (b->temp_wait.head != FW_NONE) {
        const u32 next = b->temp_wait.head;
        b->temp_wait.head = b->lines[next].temp_next;
        if (b->temp_wait.head == FW_NONE) {
            b->temp_wait.tail = FW_NONE;
        }
        buffer_merge(fw, next, b->lines[next].program_next);
    }
    buffer_settle(fw, line);
}

void buffer_programmed(struct fw *fw, u32 line)
{
    struct fw_buffer *b = fw->buffer;
    struct cache_line *s = &b->lines[line];
    fw_charge(fw, FW_COST_BUFFER_PROGRAMMED, 1);
    --b->programming;
    line_set_dirty(fw, s, 0);
    s->state = LINE_STABLE;
    if (s->lost | b->lost_pages) {
        lost_set(b, s->lpn, s->lost);
    }
    if (b->joins_writes) {
        hit_manager_acknowledge(fw, line, s->ack_failed);
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
    const bool leaves = b->exact ? (s->used & LINE_LEAVES) != 0
                                 : (s->used & LINE_EVICTED) && b->free_count < b->low_water;
    s->used &= (u8)~LINE_EVICTED;
    if (s->waiting.head == FW_NONE && s->readers == 0 && leaves) {
        line_give(fw, line);
    } else {
        buffer_settle(fw, line);
    }
    buffer_evict_ahead(fw);
    buffer_flush_more(fw);
}

/* What the line wants of its page cannot be read. A read for the host fails. The rest of a page that
   is to be programmed is lost: those sectors are cleared and remembered; a write that is not
   acknowledged yet ends with an error. */
static void read_failed(struct fw *fw, u32 line, u8 purpose)
{
    struct fw_buffer *b = fw->buffer;
    struct cache_line *s = &b->lines[line];
    if (s->program_next) {
        const u64 missing = b->full_mask & ~(s->mask | s->lost);
        s->lost |= missing;
        s->ack_failed = s->ack_tag != FW_NONE || (b->joins_writes && b->hit_manager[line].joined != FW_NONE);
        s->used |= LINE_CLEARED;
        fw_charge(fw, FW_COST_BUFFER_COPY, 1);
        hal_copy(fw->hal, line * fw_unit_bytes(&fw->cfg), HAL_COPY_ZERO, s->lost, line | COOKIE_MERGE);
        return;
    }
    const u32 r = request_take(b, &s->waiting); /* the one that asked */
    const struct page_request q = b->requests[r];
    request_drop(b, r);
    answer(fw, FW_MSG_PAGE_FAILED, q.tag, q.page, 0, false);
    if (purpose == PURPOSE_MERGE) {
        merge_over(fw, line);
    } else {
        s->state = LINE_STABLE;
        buffer_settle(fw, line);
    }
}

/* The device is read-only. Whoever waits for the write gets an answer. The line may hold data that
   were acknowledged before, nobody knows which: the page is lost then. Without write-back it is as
   it was. */
void buffer_refused(struct fw *fw, u32 line)
{
    struct fw_buffer *b = fw->buffer;
    struct cache_line *s = &b->lines[line];
    s->ack_failed = 1;
    s->mask = 0;
    if (b->write_back && s->dirty) {
        s->lost = b->full_mask;
        b->write_lost = true;
    } else { /* or padding: the data are in flash */
        s->lost = lost_get(b, s->lpn);
    }
    buffer_programmed(fw, line);
}

void buffer_op_done(struct fw *fw, u32 op, u32 how)
{
    const bool unmapped = how == 1;
    struct fw_buffer *b = fw->buffer;
    const struct fw_op o = fw->ops[op];
    fw_charge(fw, FW_COST_BUFFER_OP_DONE, 1);
    const u32 line = o.line;
    struct cache_line *s = &b->lines[line];
    fw_op_free(fw, op);
    b->reading -= o.purpose == PURPOSE_LOAD || o.purpose == PURPOSE_MERGE;
    if (o.purpose == BUFFER_PURPOSE_PACK) {
        unit_packing_done(fw, line, how == 3);
    } else if (how == 3) {
        buffer_refused(fw, line);
    } else if (how == 2) {
        hit_manager_taken_back(fw, line);
    } else if (o.purpose == PURPOSE_PROGRAM) {
        buffer_programmed(fw, line); /* the FTL gives no other program back that failed */
    } else if (o.purpose == PURPOSE_FETCH) {
        read_ahead_done(fw, line, o.status == FLASH_STATUS_OK && !unmapped);
    } else if (o.status != FLASH_STATUS_OK) {
        read_failed(fw, line, o.purpose);
    } else if (o.purpose == PURPOSE_MERGE) {
        fw_charge(fw, FW_COST_BUFFER_COPY, 1);
        hal_copy(fw->hal, line * fw_unit_bytes(&fw->cfg),
                 unmapped ? HAL_COPY_ZERO : s->temp * fw_unit_bytes(&fw->cfg),
                 b->full_mask & ~(s->mask | s->lost), line | COOKIE_MERGE);
    } else if (unmapped) {
        b->requests[s->waiting.head].loads = 0; /* the one that asked; nothing was read */
        fw_charge(fw, FW_COST_BUFFER_COPY, 1);
        hal_copy(fw->hal, line * fw_unit_bytes(&fw->cfg), HAL_COPY_ZERO_EMPTY,
                 fw_mask(s->transfer_first, s->transfer_count), line);
    } else {
        fw_buffer_copy_done(fw, line);
    }
}

void fw_buffer_copy_done(struct fw *fw, u32 cookie)
{
    if (fw->buffer->packing && (cookie & COOKIE_PACK)) {
        unit_packing_copied(fw, cookie & ~COOKIE_PACK);
        return;
    }
    const u32 line = cookie & ~(COOKIE_MERGE | COOKIE_CLEAR);
    struct cache_line *s = &fw->buffer->lines[line];
    if (cookie & COOKIE_CLEAR) {
        program(fw, line);
        buffer_settle(fw, line);
        return;
    }
    if (cookie & COOKIE_MERGE) {
        s->mask = fw->buffer->full_mask & ~s->lost;
        merge_over(fw, line);
        return;
    }
    fw_charge(fw, FW_COST_BUFFER_LOADED, 1);
    s->mask |= fw_mask(s->transfer_first, s->transfer_count);
    s->state = LINE_STABLE;
    buffer_settle(fw, line);
}
