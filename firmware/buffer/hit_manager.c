// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the buffer's half of the hit manager (docs/explanation/sost.md): pages whose program is queued.
//
// The data of such a page stand in its line. Reads of it are answered from there and counted; a write
// or trim of it asks the scheduler to take the program back, and so does a page that is read often:
// the cache then evicts another page for it. The scheduler takes back what it has not dispatched. Whether
// it does shows in how the operation comes back: programmed or taken back; nothing waits for more.
#include "firmware/buffer/requests.h"
#include "firmware/core/op.h"
#include "firmware/core/sched_traits.h"

u64 hit_manager_bytes(const struct fw_config *cfg)
{
    return fw_sched_can(cfg, SCHED_TAKES_BACK) ? (u64)cfg->lines * sizeof(struct hit_manager_page) + 64 : 0;
}

bool hit_manager_boot(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    b->queue_hits = !fw_sched_does(fw, SCHED_TAKES_BACK) || fw->cfg.hit_manager;
    if (!fw_sched_does(fw, SCHED_TAKES_BACK) || !fw->cfg.hit_manager) {
        return true;
    }
    b->joins_writes = fw_sched_does(fw, SCHED_JOINS_WRITES) && fw->cfg.join_writes;
    b->hit_manager = fw_table(fw, fw->cfg.lines, sizeof(struct hit_manager_page));
    return b->hit_manager != 0;
}

void hit_manager_new_page(struct fw_buffer *b, u32 line)
{
    b->hit_manager[line] = (struct hit_manager_page){.op = FW_NONE, .joined = FW_NONE};
}

static void count_up(u8 *n) { *n += *n != 0xff; }

void hit_manager_begin(struct fw *fw, u32 line, u32 op)
{
    struct hit_manager_page *q = &fw->buffer->hit_manager[line];
    struct fw_op *o = &fw->ops[op];
    fw_charge(fw, FW_COST_HIT_QUEUED, 1);
    q->op = op;
    q->asked = 0;
    q->reads_now = 0;
    o->read_hits = q->reads;
    o->hits = (u8)fw_min_u32((u32)q->reads + q->overwrites, 0xff);
}

static bool is_awaited(const struct fw_buffer *b, u32 line)
{
    return b->lines[line].ack_tag != FW_NONE || b->hit_manager[line].joined != FW_NONE;
}

static void tell(struct fw *fw, u16 kind, u32 line)
{
    struct hit_manager_page *q = &fw->buffer->hit_manager[line];
    const struct fw_message m = {.kind = kind, .a = q->op, .b = line, .c = q->reads};
    fw_charge(fw, FW_COST_HIT_TELL, 1);
    q->asked |= kind == FW_MSG_OP_CANCEL;
    fw_send(fw, FW_MODULE_SCHED, &m);
}

/* The cache gives up a page for one that has come back. */
static void evict_for(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    const u32 victim = b->policy->victims ? FW_NONE : b->policy->victim(fw);
    if (victim != FW_NONE) { /* sets leave when lines run short */
        buffer_evict(fw, victim, FW_NONE);
    }
}

void hit_manager_read(struct fw *fw, u32 line)
{
    struct fw_buffer *b = fw->buffer;
    struct hit_manager_page *q = &b->hit_manager[line];
    fw_charge(fw, FW_COST_HIT_READ, 1);
    ++fw->stats.hit_manager_reads;
    count_up(&q->reads);
    count_up(&q->reads_now);
    const u32 hot = fw->cfg.return_reads;
    fw->stats.return_chances += hot != 0 && q->reads_now == hot && b->write_back;
    if (hot != 0 && q->reads_now >= hot && b->write_back && !q->asked && !is_awaited(b, line) &&
        b->lines[line].waiting.head == FW_NONE && b->flush_tag == FW_NONE &&
        (b->policy->victims || b->idle_count != 0)) {
        tell(fw, FW_MSG_OP_CANCEL, line);
    } else if (!q->asked && fw_sched_does(fw, SCHED_COUNTS_HITS)) {
        tell(fw, FW_MSG_OP_READ_HIT, line);
    }
}

/* A write that the host still waits for is taken back only where the younger one takes it along. */
void hit_manager_overwrite(struct fw *fw, u32 line, bool trim)
{
    const struct fw_buffer *b = fw->buffer;
    ++fw->stats.queued_overwrites;
    count_up(&b->hit_manager[line].overwrites);
    if (!b->hit_manager[line].asked && (!is_awaited(b, line) || (b->joins_writes && !trim))) {
        tell(fw, FW_MSG_OP_CANCEL, line);
    }
}

void hit_manager_join(struct fw *fw, u32 line)
{
    struct fw_buffer *b = fw->buffer;
    struct hit_manager_page *q = &b->hit_manager[line];
    const struct cache_line *s = &b->lines[line];
    const struct page_request ack = {.tag = (u16)s->ack_tag, .page = s->ack_page};
    const u32 r = request_keep(fw, &ack); /* its own entry is free since it was granted */
    b->requests[r].next = q->joined;
    q->joined = r;
    ++fw->stats.joined_writes;
}

/* To flash, as soon as nothing waits that can go with it; reads that waited are answered now. */
void hit_manager_program(struct fw *fw, u32 line)
{
    struct fw_buffer *b = fw->buffer;
    struct cache_line *s = &b->lines[line];
    const u32 next = s->waiting.head;
    if (next == FW_NONE || b->requests[next].kind != FW_MSG_PAGE_WRITE || s->readers != 0) {
        buffer_program(fw, line);
    }
    buffer_settle(fw, line);
}

void hit_manager_acknowledge(struct fw *fw, u32 line, bool failed)
{
    struct fw_buffer *b = fw->buffer;
    struct hit_manager_page *q = &b->hit_manager[line];
    while (q->joined != FW_NONE) {
        const u32 r = q->joined;
        const struct page_request ack = b->requests[r];
        q->joined = ack.next;
        request_drop(b, r);
        answer(fw, FW_MSG_PAGE_DONE, ack.tag, ack.page, 0, failed);
    }
}

void hit_manager_taken_back(struct fw *fw, u32 line)
{
    struct fw_buffer *b = fw->buffer;
    struct cache_line *s = &b->lines[line];
    fw_charge(fw, FW_COST_HIT_TAKEN_BACK, 1);
    --b->programming;
    s->state = LINE_STABLE;
    s->used &= (u8)~(LINE_LEAVES | LINE_EVICTED);
    if (b->power_fail) {
        buffer_settle(fw, line);
    } else if (s->waiting.head != FW_NONE) {
        ++fw->stats.cancelled_writes;
        buffer_settle(fw, line);
    } else {
        ++fw->stats.returned_pages;
        if (b->flush_tag != FW_NONE) { /* it has begun meanwhile and wants the page in flash */
            buffer_program(fw, line);
        } else {
            evict_for(fw);
            buffer_settle(fw, line);
        }
    }
    buffer_evict_ahead(fw);
    buffer_flush_more(fw);
}
