// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the page buffer: hits, misses, partial pages, eviction, FLUSH.
//
// Every page of a command passes through a slot. Requests for one page are served in order of
// arrival: a request that cannot be served at once waits at the slot, or in `alloc_wait` where there
// is no slot. Sectors are tracked by a mask; a page is completed from flash ("merge", flash.c) only
// when a program or a read needs sectors that are missing.
#include "firmware/buffer/buffer.h"

#include "firmware/buffer/ahead/prefetch.h"
#include "firmware/buffer/requests.h"
#include "firmware/core/op.h"
#include "firmware/core/panic.h"

enum { FLUSH_DEPTH = 256 }; /* programs in flight during a FLUSH */

static const struct buffer_policy_ops *const policies[FW_BUFFER_COUNT] = {
#define BUFFER_POLICY(id, name, text) &buffer_policy_##name,
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
};

const struct buffer_policy_ops *buffer_policy_of(u32 kind) { return policies[kind]; }

/* hil asks for at most 64 pages of a command at once (HIL_WINDOW), and for so many at all. */
static u32 request_pool(const struct fw_config *cfg)
{
    return fw_min_u32(cfg->host_tags * 64, FW_MAX_PAGE_REQUESTS);
}

static u32 hash_entries(const struct fw_config *cfg)
{
    u32 n = 64;
    while (n < 2 * cfg->slots) {
        n *= 2;
    }
    return n;
}

u32 fw_buffer_dram_bytes(const struct fw_config *cfg) { return slot_dram_bytes(cfg) + pack_pages(cfg) * cfg->page_bytes; }

static u64 set_bytes(const struct fw_config *cfg)
{
    return policies[cfg->buffer_policy]->victims ? cfg->channels * sizeof(struct buffer_leaving) + 64 : 0;
}

u64 fw_buffer_line_bytes(const struct fw_config *cfg)
{
    return (u64)cfg->slots * sizeof(struct slot) + (u64)hash_entries(cfg) * 4 + queued_bytes(cfg) +
           policies[cfg->buffer_policy]->bytes(cfg);
}

u64 fw_buffer_prefetch_bytes(const struct fw_config *cfg) { return prefetch_bytes(cfg); }

/* A program or read of each slot, or of the temporary that completes it. */
u32 fw_buffer_ops(const struct fw_config *cfg) { return cfg->slots + FW_BUFFER_TEMPS; }

u64 fw_buffer_bytes(const struct fw_config *cfg, u32 ops)
{
    (void)ops;
    return sizeof(struct fw_buffer) + fw_buffer_line_bytes(cfg) +
           (u64)request_pool(cfg) * sizeof(struct page_request) + lost_table_bytes(cfg) +
           fetch_bytes(cfg) + prefetch_bytes(cfg) + pack_bytes(cfg) + set_bytes(cfg) + 2 * SLOT_FILTER + 512;
}

bool fw_buffer_boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    struct fw_buffer *b = fw->buffer = fw_fast_table(fw, 1, sizeof *b);
    if (!b) {
        return false;
    }
    b->policy = policies[cfg->buffer_policy];
    b->slots = fw_table(fw, cfg->slots, sizeof(struct slot));
    b->hash = fw_fast_table(fw, hash_entries(cfg), 4);
    b->requests = fw_fast_table(fw, request_pool(cfg), sizeof(struct page_request));
    b->alloc_wait_filter = fw_fast_table(fw, SLOT_FILTER, 2);
    if (!b->slots || !b->hash || !b->requests || !b->alloc_wait_filter || !lost_boot(fw) ||
        !queued_boot(fw) || !fetch_boot(fw) || !prefetch_boot(fw) || !pack_boot(fw)) {
        return false;
    }
    b->hash_far = fw_is_far(fw, b->hash);
    b->requests_far = fw_is_far(fw, b->requests);
    b->hash_mask = hash_entries(cfg) - 1;
    b->sectors_per_page = fw_unit_bytes(cfg) / 512;
    b->full_mask = fw_mask(0, b->sectors_per_page);
    for (u32 i = 0; i < cfg->slots; ++i) {
        b->slots[i].free_next = i + 1 < cfg->slots ? i + 1 : FW_NONE;
    }
    for (u32 i = 0; i < request_pool(cfg); ++i) {
        b->requests[i].next = i + 1 < request_pool(cfg) ? i + 1 : FW_NONE;
    }
    /* A read of the last unit of a flash page puts it into its slot by naming a page buffer that begins
       so many units before: the first slots are left out, so that it never begins before the memory. */
    b->free = fw_page_units(cfg) - 1;
    b->free_count = cfg->slots - b->free;
    b->retain = b->policy->retain && !cfg->reads_bypass;
    b->write_back = b->policy->write_back && !cfg->write_through;
    b->low_water = b->policy->retain && !cfg->evict_on_demand ? fw_min_u32(cfg->free_slots, cfg->slots / 8) : 0;
    b->exact = b->policy->victims || cfg->evict_on_demand;
    if (b->policy->victims) {
        b->set = fw_fast_table(fw, cfg->channels, sizeof(struct buffer_leaving));
        if (!b->set) {
            return false;
        }
    }
    b->temp_free = (1u << FW_BUFFER_TEMPS) - 1;
    b->alloc_wait.head = b->alloc_wait.tail = FW_NONE;
    b->temp_wait.head = b->temp_wait.tail = FW_NONE;
    b->flush_tag = FW_NONE;
    return b->policy->boot(fw);
}

bool fw_buffer_idle(const struct fw *fw)
{
    const struct fw_buffer *b = fw->buffer;
    return fw_fifo_empty(&b->alloc_wait) && b->programming == 0 && b->fetching == 0 &&
           b->temp_free == (1u << FW_BUFFER_TEMPS) - 1;
}

static void trim(struct fw *fw, u32 lpn)
{
    const struct fw_message m = {.kind = FW_MSG_TRIM, .a = lpn};
    fw_charge(fw, FW_COST_BUFFER_TRIM, 1);
    fw_send(fw, FW_ROOM_FTL, &m);
    fw->buffer->trims_kept = true;
    if (fw->buffer->lost_pages) {
        lost_set(fw->buffer, lpn, 0);
    }
}

static void use_for(struct slot *s, const struct page_request *q)
{
    s->request = q->request;
    s->priority = (q->flags & HAL_HOST_PRIORITY_MASK) >> HAL_HOST_PRIORITY_SHIFT;
}

static bool readable(const struct fw_buffer *b, const struct slot *s)
{
    return s->state == SLOT_STABLE || (s->state == SLOT_PROGRAMMING && b->queue_hits);
}

/* Serve a request at its slot; false: it has to wait. */
static bool serve(struct fw *fw, u32 slot, struct page_request *q)
{
    struct fw_buffer *b = fw->buffer;
    struct slot *s = &b->slots[slot];
    const u64 need = fw_mask(q->first, q->count);
    fw_charge(fw, FW_COST_BUFFER_SERVE, 1);
    switch (q->kind) {
    case FW_MSG_PAGE_READ:
        if (readable(b, s) && (need & ~s->mask) == 0) {
            slot_use(fw, slot);
            slot_used(fw, slot, false);
            use_for(s, q);
            ++s->readers;
            if (s->fetched) {
                fetch_used(fw, slot);
            }
            fw_charge(fw, FW_COST_BUFFER_READ, 1);
            if (b->queued && s->state == SLOT_PROGRAMMING) {
                queued_read(fw, slot);
            }
            answer(fw, FW_MSG_PAGE_READY, q->tag, q->page, slot, q->loads);
            return true;
        }
        if ((need & s->lost) && readable(b, s)) {
            answer(fw, FW_MSG_PAGE_FAILED, q->tag, q->page, 0, false);
            return true;
        }
        if (s->state == SLOT_STABLE && s->readers == 0) {
            slot_use(fw, slot);
            use_for(s, q);
            if (s->mask == 0) {
                q->loads = 1;
                buffer_load(fw, slot, q->first, q->count);
            } else {
                buffer_merge(fw, slot, false);
            }
        }
        return false;
    case FW_MSG_PAGE_WRITE:
        if (s->state != SLOT_STABLE || s->readers != 0) {
            return false;
        }
        slot_use(fw, slot);
        slot_used(fw, slot, true);
        use_for(s, q);
        fw_charge(fw, FW_COST_BUFFER_WRITE, 1);
        if (s->ack_tag != FW_NONE) {
            queued_join(fw, slot);
        }
        if (s->fetched) {
            fetch_useless(fw, slot);
        }
        s->state = SLOT_RECEIVING;
        s->transfer_first = q->first;
        s->transfer_count = q->count;
        s->ack_tag = ((q->flags & HAL_HOST_FUA) && !fw->cfg.capacitors) || !b->write_back ? q->tag : FW_NONE;
        s->ack_page = q->page;
        answer(fw, FW_MSG_PAGE_GRANT, q->tag, q->page, slot, false);
        return true;
    default: { /* FW_MSG_PAGE_TRIM */
        if (s->state != SLOT_STABLE || s->readers != 0) {
            return false;
        }
        slot_use(fw, slot);
        slot_set_dirty(fw, s, 0);
        s->mask = s->lost = 0;
        trim(fw, q->lpn);
        answer(fw, FW_MSG_PAGE_DONE, q->tag, q->page, 0, false);
        return true;
    }
    }
}

/* Free slots, and those that will be without more ado. */
static u32 slots_coming(const struct fw_buffer *b)
{
    return b->free_count + (b->write_back ? b->programming : 0) + b->padding;
}

void buffer_evict(struct fw *fw, u32 slot, u32 channel)
{
    struct slot *s = &fw->buffer->slots[slot];
    if (s->dirty) {
        s->used |= SLOT_LEAVES | SLOT_EVICTED;
        buffer_program_at(fw, slot, channel);
    } else {
        slot_give(fw, slot);
    }
}

/* Ask the policy, and take what it gives; false: nothing. */
static bool evict_some(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    if (!b->policy->victims) {
        const u32 victim = b->policy->victim(fw);
        if (victim != FW_NONE) {
            buffer_evict(fw, victim, FW_NONE);
        }
        return victim != FW_NONE;
    }
    const bool must = slots_coming(b) == 0 && !fw_fifo_empty(&b->alloc_wait);
    const u32 count = b->policy->victims(fw, b->set, must);
    for (u32 i = 0; i < count; ++i) {
        buffer_evict(fw, b->set[i].slot, b->set[i].channel);
    }
    return count != 0;
}

/* The supply has gone. Those who read the slot may go on. */
FW_COLD static void save_slot(struct fw *fw, u32 slot)
{
    struct fw_buffer *b = fw->buffer;
    const struct slot *s = &b->slots[slot];
    if (s->state == SLOT_STABLE && s->dirty) {
        if (b->programming < FLUSH_DEPTH) {
            buffer_program(fw, slot);
        } else {
            b->flush_cursor = fw_min_u32(b->flush_cursor, slot);
        }
    }
    buffer_flush_more(fw);
}

/* A slot may have become usable: serve what waits at it, else hand it to the policy or free it. */
void buffer_settle(struct fw *fw, u32 slot)
{
    struct fw_buffer *b = fw->buffer;
    struct slot *s = &b->slots[slot];
    fw_charge(fw, FW_COST_BUFFER_SETTLE, 1);
    if (b->power_fail) { /* nobody is served; it stays where it is */
        save_slot(fw, slot);
        return;
    }
    while (s->waiting.head != FW_NONE) {
        const u32 r = s->waiting.head;
        fw_charge(fw, FW_COST_BUFFER_WAITED, 1);
        fw_charge(fw, FW_COST_BUFFER_FAR_REQUEST, b->requests_far);
        if (!serve(fw, slot, &b->requests[r])) {
            return;
        }
        request_take(b, &s->waiting);
        request_drop(b, r);
    }
    if (s->state != SLOT_STABLE || s->readers != 0) {
        return;
    }
    if (!s->dirty && (s->mask == 0 || (!b->retain && !s->fetched))) {
        slot_give(fw, slot);
        buffer_evict_ahead(fw);
    } else if (!s->idle) {
        s->idle = 1;
        ++b->idle_count;
        fw_charge(fw, FW_COST_BUFFER_IDLE, 1);
        if (b->policy->idle) {
            b->policy->idle(fw, slot);
        }
        if (b->policy->gathers && !b->evicting) {
            evict_some(fw);
        }
        if (slots_coming(b) < b->low_water || !fw_fifo_empty(&b->alloc_wait)) {
            buffer_evict_ahead(fw); /* until now there may have been no victim */
        }
    }
}

static void count(struct fw *fw, const struct page_request *q, bool hit)
{
    if (q->kind == FW_MSG_PAGE_READ) {
        ++*(hit ? &fw->stats.read_hits : &fw->stats.read_misses);
    } else if (q->kind == FW_MSG_PAGE_WRITE) {
        ++*(hit ? &fw->stats.write_hits : &fw->stats.write_misses);
    }
    if (!hit) {
        fw_probe(fw, FW_PROBE_PAGE_MISS, fw_page_id(q->tag, q->page));
    }
}

static void waits_at(struct fw *fw, u32 slot, u32 tag, u32 page)
{
    fw_probe(fw, FW_PROBE_PAGE_AT_SLOT, fw_page_id(tag, page));
    fw_probe(fw, FW_PROBE_SLOT, slot);
}

/* At a slot that exists: serve or wait there. */
static void at_slot(struct fw *fw, u32 slot, struct page_request *q)
{
    struct fw_buffer *b = fw->buffer;
    struct slot *s = &b->slots[slot];
    if (s->waiting.head == FW_NONE && serve(fw, slot, q)) {
        if (s->state == SLOT_STABLE && s->readers == 0) { /* a trim, or a read that failed */
            buffer_settle(fw, slot);
        }
        return;
    }
    const bool first = s->waiting.head == FW_NONE;
    fw_charge(fw, FW_COST_BUFFER_WAIT, 1);
    fw_charge(fw, FW_COST_BUFFER_FAR_REQUEST, b->requests_far);
    request_append(b, &s->waiting, request_keep(fw, q));
    waits_at(fw, slot, q->tag, q->page);
    if (b->queued && first && s->state == SLOT_PROGRAMMING && q->kind != FW_MSG_PAGE_READ) {
        queued_overwrite(fw, slot, q->kind == FW_MSG_PAGE_TRIM);
    }
}

/* No slot holds the page and one is free (or none is needed). */
static void at_new_slot(struct fw *fw, struct page_request *q)
{
    struct fw_buffer *b = fw->buffer;
    const u32 slot = slot_take(fw, q->lpn);
    use_for(&b->slots[slot], q);
    at_slot(fw, slot, q);
}

static void trim_unbuffered(struct fw *fw, const struct page_request *q)
{
    trim(fw, q->lpn);
    answer(fw, FW_MSG_PAGE_DONE, q->tag, q->page, 0, false);
}

static void page_request(struct fw *fw, const struct fw_message *m)
{
    struct fw_buffer *b = fw->buffer;
    struct page_request q = {.lpn = m->b, .page = m->a, .request = m->f, .tag = m->tag,
                             .kind = m->kind, .first = (u8)m->c, .count = (u8)m->d, .flags = (u8)m->e};
    fw_charge(fw, FW_COST_BUFFER_LOOKUP, 1);
    fw_charge(fw, FW_COST_BUFFER_FAR_HASH, b->hash_far);
    u16 *filter = &b->alloc_wait_filter[slot_hash(q.lpn) % SLOT_FILTER];
    const u32 slot = *filter == 0 ? slot_find(fw, q.lpn) : FW_NONE;
    if (slot != FW_NONE) {
        const struct slot *s = &b->slots[slot];
        fw_charge(fw, FW_COST_BUFFER_FOUND, 1);
        count(fw, &q, s->mask != 0 && (q.kind == FW_MSG_PAGE_WRITE ||
                                       ((fw_mask(q.first, q.count) & ~s->mask) == 0 &&
                                        (s->state != SLOT_PROGRAMMING || b->queue_hits))));
        at_slot(fw, slot, &q);
        return;
    }
    count(fw, &q, false);
    if (fw_fifo_empty(&b->alloc_wait) && b->free_count > 0) {
        if (q.kind == FW_MSG_PAGE_TRIM) {
            trim_unbuffered(fw, &q);
        } else {
            at_new_slot(fw, &q);
            buffer_evict_ahead(fw);
        }
        return;
    }
    fw_charge(fw, FW_COST_BUFFER_NO_SLOT, 1);
    fw_charge(fw, FW_COST_BUFFER_FAR_REQUEST, b->requests_far);
    ++*filter; /* at most FW_MAX_PAGE_REQUESTS wait */
    request_append(b, &b->alloc_wait, request_keep(fw, &q));
    ++b->alloc_waiters;
    fw_probe(fw, FW_PROBE_PAGE_NO_SLOT, fw_page_id(q.tag, q.page));
    buffer_evict_ahead(fw);
}

FW_APART static void page_requested(struct fw *fw, const struct fw_message *m)
{
    page_request(fw, m);
    if (fw->cfg.read_ahead != 0 && m->kind == FW_MSG_PAGE_READ) {
        fetch_ahead(fw, m->b, m->a == 0);
    }
    if (fw->buffer->prefetch && m->kind == FW_MSG_PAGE_READ) {
        prefetch_read(fw, m->b, m->e, m->a == 0);
    }
}

static void serve_alloc_wait(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    while (!fw_fifo_empty(&b->alloc_wait) && b->free_count > 0) {
        fw_charge(fw, FW_COST_BUFFER_NO_SLOT, 1);
        fw_charge(fw, FW_COST_BUFFER_FAR_REQUEST, b->requests_far);
        const u32 r = request_take(b, &b->alloc_wait);
        --b->alloc_waiters;
        struct page_request q = b->requests[r];
        request_drop(b, r);
        --b->alloc_wait_filter[slot_hash(q.lpn) % SLOT_FILTER];
        const u32 slot = slot_find(fw, q.lpn);
        if (slot != FW_NONE) {
            at_slot(fw, slot, &q);
        } else if (q.kind == FW_MSG_PAGE_TRIM) {
            trim_unbuffered(fw, &q);
        } else {
            at_new_slot(fw, &q);
        }
    }
}

/* Serve the requests that wait for a slot, and evict so that there are always a few free ones. */
void buffer_evict_ahead(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    if (fw_fifo_empty(&b->alloc_wait) && slots_coming(b) >= b->low_water) {
        return; /* the usual case */
    }
    if (b->evicting || b->power_fail) {
        return; /* called from inside: the loop below goes on */
    }
    b->evicting = true;
    for (;;) {
        fw_charge(fw, FW_COST_BUFFER_EVICT, 1);
        if (fw->cfg.page_padding) {
            fetch_pads(fw);
        }
        serve_alloc_wait(fw);
        const u32 coming = slots_coming(b);
        const u32 wanted = fw->cfg.evict_on_demand == 2 ? b->alloc_waiters : !fw_fifo_empty(&b->alloc_wait);
        if (coming >= b->low_water && coming >= wanted) {
            break;
        }
        if (!evict_some(fw)) {
            break;
        }
    }
    b->evicting = false;
}

/* `aborted`: without the data; the slot keeps what it had. */
FW_APART static void received(struct fw *fw, u32 slot, u32 tag, u32 page, bool aborted)
{
    struct fw_buffer *b = fw->buffer;
    struct slot *s = &b->slots[slot];
    if (s->state != SLOT_RECEIVING) {
        fw_panic(fw, FW_PANIC_SLOT_STATE, slot);
        return;
    }
    fw_charge(fw, FW_COST_BUFFER_RECEIVED, 1);
    if (b->power_fail && !s->dirty) { /* nobody was told that it came; what is saved may be complete */
        return;
    }
    if (aborted) {
        s->ack_tag = FW_NONE;
    } else {
        const u64 written = fw_mask(s->transfer_first, s->transfer_count);
        s->mask |= written;
        s->lost &= ~written;
        slot_set_dirty(fw, s, 1);
    }
    s->state = SLOT_STABLE;
    if (s->ack_tag != FW_NONE) {
        waits_at(fw, slot, tag, page);
    } else {
        answer(fw, FW_MSG_PAGE_DONE, tag, page, 0, false);
    }
    if (b->joins_writes && (s->ack_tag != FW_NONE || b->queued[slot].joined != FW_NONE)) {
        queued_program(fw, slot);
    } else if (s->ack_tag != FW_NONE) {
        buffer_program(fw, slot);
    } else {
        buffer_settle(fw, slot);
    }
}

/* A FLUSH has ended, or everything has been saved. */
FW_COLD static void flushed(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    if (b->flush_tag != FW_NONE) {
        answer(fw, FW_MSG_FLUSH_DONE, b->flush_tag, 0, 0, b->write_lost);
        b->flush_tag = FW_NONE;
    }
    if (b->saving) {
        fw->stats.power_saves = 1;
    } else if (b->power_fail) { /* that was for the FLUSH before */
        buffer_flush_more(fw);
    }
}

/* The supply has gone. Capacitors hold it up for a while. */
FW_COLD static void power_fail(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    const struct fw_message m = {.kind = FW_MSG_POWER_FAIL};
    b->power_fail = true;
    b->flush_cursor = 0;
    fw->stats.power_fails = 1;
    fw_send(fw, FW_ROOM_HIL, &m);
    buffer_flush_more(fw);
}

/* With capacitors everything that was acknowledged is durable already. Trims that no table page knows hold
   space, though: a FLUSH is when they are written down, behind the data as ever. `to_flash`: the supply is
   to go in order. */
FW_COLD static void flush(struct fw *fw, u32 tag, bool to_flash)
{
    struct fw_buffer *b = fw->buffer;
    if (b->power_fail) {
        return;
    }
    b->flush_tag = tag;
    if (fw->cfg.capacitors && !to_flash && (fw->cfg.recovery_span == 0 || !b->trims_kept)) {
        flushed(fw);
        return;
    }
    b->flush_cursor = 0; /* a background write-back that runs goes on with it */
    buffer_flush_more(fw);
}

void buffer_flush_more(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    if (b->flush_tag == FW_NONE && !b->background && !b->power_fail) {
        return;
    }
    while (b->flush_cursor < fw->cfg.slots && b->programming < FLUSH_DEPTH) {
        struct slot *s = &b->slots[b->flush_cursor];
        fw_charge(fw, FW_COST_BUFFER_FLUSH_LOOK, 1);
        if (s->state == SLOT_STABLE && s->dirty && (s->readers == 0 || b->power_fail)) {
            buffer_program(fw, b->flush_cursor);
        }
        ++b->flush_cursor;
    }
    if (b->background && b->flush_cursor == fw->cfg.slots) { /* younger pages wait for the next */
        b->background = false;
        buffer_arm_background(fw);
    }
    if (b->ftl_flushes || b->saving || (b->flush_tag == FW_NONE && !b->power_fail)) {
        return;
    }
    if (b->dirty_count == 0) {
        b->saving = b->power_fail;
        if (fw->cfg.recovery_span != 0) { /* trims are still volatile */
            const struct fw_message m = {.kind = FW_MSG_FTL_FLUSH};
            b->ftl_flushes = true;
            b->trims_kept = false;
            fw_send(fw, FW_ROOM_FTL, &m);
            return;
        }
        flushed(fw);
    }
}

void fw_buffer_message(struct fw *fw, const struct fw_message *message)
{
    struct fw_buffer *b = fw->buffer;
    switch (message->kind) {
    case FW_MSG_PAGE_READ:
    case FW_MSG_PAGE_WRITE:
    case FW_MSG_PAGE_TRIM:
        if (!b->power_fail) {
            page_requested(fw, message);
        }
        break;
    case FW_MSG_PAGE_RELEASE:
        --b->slots[message->a].readers;
        buffer_settle(fw, message->a);
        break;
    case FW_MSG_PAGE_RECEIVED:
        received(fw, message->a, message->tag, message->b, message->c != 0);
        break;
    case FW_MSG_FLUSH:
        flush(fw, message->tag, message->a != 0);
        break;
    case FW_MSG_POWER_FAIL:
        power_fail(fw);
        break;
    case FW_MSG_PAGE_RETURN:
        b->slots[message->a].state = SLOT_STABLE;
        buffer_settle(fw, message->a);
        break;
    case FW_MSG_FTL_FLUSHED:
        b->ftl_flushes = false;
        b->write_lost |= message->a != 0;
        flushed(fw);
        break;
    case FW_MSG_TIMER:
        b->timer_armed = false;
        b->background = true;
        b->flush_cursor = 0; /* a FLUSH that runs looks at all slots once more */
        buffer_flush_more(fw);
        break;
    case FW_MSG_PAGE_OP_DONE:
        buffer_op_done(fw, message->a, message->b);
        if (b->prefetch) {
            prefetch_pump(fw);
        }
        break;
    case FW_MSG_PACK_LOOK:
        pack_look(fw);
        break;
    default:
        fw_panic(fw, FW_PANIC_BAD_MESSAGE, message->kind);
    }
}
