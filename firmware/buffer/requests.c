// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: page requests: hits, misses, partial pages, what waits.
//
// Every page of a command passes through a line. Requests for one page are served in order of
// arrival: a request that cannot be served at once waits at the line, or in `alloc_wait` where there
// is no line. Sectors are tracked by a mask; a page is completed from flash ("merge", flash.c) only
// when a program or a read needs sectors that are missing.
#include "firmware/buffer/ahead/prefetch.h"
#include "firmware/buffer/requests.h"
#include "firmware/core/op.h"

static void trim(struct fw *fw, u32 lpn)
{
    const struct fw_message m = {.kind = FW_MSG_TRIM, .a = lpn};
    fw_charge(fw, FW_COST_BUFFER_TRIM, 1);
    fw_send(fw, FW_MODULE_FTL, &m);
    fw->buffer->trims_kept = true;
    if (fw->buffer->lost_pages) {
        lost_set(fw->buffer, lpn, 0);
    }
}

static void use_for(struct cache_line *s, const struct page_request *q)
{
    s->request = q->request;
    s->priority = (q->flags & HAL_HOST_PRIORITY_MASK) >> HAL_HOST_PRIORITY_SHIFT;
}

static bool readable(const struct fw_buffer *b, const struct cache_line *s)
{
    return s->state == LINE_STABLE || (s->state == LINE_PROGRAMMING && b->queue_hits);
}

/* Serve a request at its line; false: it has to wait. */
static bool serve(struct fw *fw, u32 line, struct page_request *q)
{
    struct fw_buffer *b = fw->buffer;
    struct cache_line *s = &b->lines[line];
    const u64 need = fw_mask(q->first, q->count);
    fw_charge(fw, FW_COST_BUFFER_SERVE, 1);
    switch (q->kind) {
    case FW_MSG_PAGE_READ:
        if (readable(b, s) && (need & ~s->mask) == 0) {
            line_use(fw, line);
            line_used(fw, line, false);
            use_for(s, q);
            ++s->readers;
            if (s->fetched) {
                read_ahead_used(fw, line);
            }
            fw_charge(fw, FW_COST_BUFFER_READ, 1);
            if (b->hit_manager && s->state == LINE_PROGRAMMING) {
                hit_manager_read(fw, line);
            }
            answer(fw, FW_MSG_PAGE_READY, q->tag, q->page, line, q->loads);
            return true;
        }
        if ((need & s->lost) && readable(b, s)) {
            answer(fw, FW_MSG_PAGE_FAILED, q->tag, q->page, 0, false);
            return true;
        }
        if (s->state == LINE_STABLE && s->readers == 0) {
            line_use(fw, line);
            use_for(s, q);
            if (s->mask == 0) {
                q->loads = 1;
                buffer_load(fw, line, q);
            } else {
                buffer_merge(fw, line, false);
            }
        }
        return false;
    case FW_MSG_PAGE_WRITE:
        if (s->state != LINE_STABLE || s->readers != 0) {
            return false;
        }
        line_use(fw, line);
        line_used(fw, line, true);
        use_for(s, q);
        fw_charge(fw, FW_COST_BUFFER_WRITE, 1);
        if (s->ack_tag != FW_NONE) {
            hit_manager_join(fw, line);
        }
        if (s->fetched) {
            read_ahead_useless(fw, line);
        }
        s->state = LINE_RECEIVING;
        s->transfer_first = q->first;
        s->transfer_count = q->count;
        s->ack_tag = ((q->flags & HAL_HOST_FUA) && !fw->cfg.capacitors) || !b->write_back ? q->tag : FW_NONE;
        s->ack_page = q->page;
        answer(fw, FW_MSG_PAGE_GRANT, q->tag, q->page, line, false);
        return true;
    default: { /* FW_MSG_PAGE_TRIM */
        if (s->state != LINE_STABLE || s->readers != 0) {
            return false;
        }
        line_use(fw, line);
        line_set_dirty(fw, s, 0);
        s->mask = s->lost = 0;
        trim(fw, q->lpn);
        answer(fw, FW_MSG_PAGE_DONE, q->tag, q->page, 0, false);
        return true;
    }
    }
}

/* A line may have become usable: serve what waits at it, else hand it to the policy or free it. */
void buffer_settle(struct fw *fw, u32 line)
{
    struct fw_buffer *b = fw->buffer;
    struct cache_line *s = &b->lines[line];
    fw_charge(fw, FW_COST_BUFFER_SETTLE, 1);
    if (b->urgent) {
        buffer_save(fw, line);
        if (b->power_fail) { /* nobody is served; it stays where it is */
            return;
        }
    }
    while (s->waiting.head != FW_NONE) {
        const u32 r = s->waiting.head;
        fw_charge(fw, FW_COST_BUFFER_WAITED, 1);
        fw_charge(fw, FW_COST_BUFFER_FAR_REQUEST, b->requests_far);
        if (!serve(fw, line, &b->requests[r])) {
            return;
        }
        request_take(b, &s->waiting);
        request_drop(b, r);
    }
    if (s->state != LINE_STABLE || s->readers != 0) {
        return;
    }
    if (!s->dirty && (s->mask == 0 || (!b->retain && !s->fetched))) {
        line_give(fw, line);
        buffer_evict_ahead(fw);
    } else if (!s->idle) {
        s->idle = 1;
        ++b->idle_count;
        fw_charge(fw, FW_COST_BUFFER_IDLE, 1);
        if (b->policy->idle) {
            b->policy->idle(fw, line);
        }
        if (b->policy->gathers && !b->evicting) {
            buffer_evict_some(fw);
        }
        if (buffer_coming(b) < b->low_water || !fw_fifo_empty(&b->alloc_wait)) {
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

static void waits_at(struct fw *fw, u32 line, u32 tag, u32 page)
{
    fw_probe(fw, FW_PROBE_PAGE_AT_LINE, fw_page_id(tag, page));
    fw_probe(fw, FW_PROBE_LINE, line);
}

/* At a line that exists: serve or wait there. */
static void at_line(struct fw *fw, u32 line, struct page_request *q)
{
    struct fw_buffer *b = fw->buffer;
    struct cache_line *s = &b->lines[line];
    if (s->waiting.head == FW_NONE && serve(fw, line, q)) {
        if (s->state == LINE_STABLE && s->readers == 0) { /* a trim, or a read that failed */
            buffer_settle(fw, line);
        }
        return;
    }
    const bool first = s->waiting.head == FW_NONE;
    fw_charge(fw, FW_COST_BUFFER_WAIT, 1);
    fw_charge(fw, FW_COST_BUFFER_FAR_REQUEST, b->requests_far);
    request_append(b, &s->waiting, request_keep(fw, q));
    waits_at(fw, line, q->tag, q->page);
    if (b->hit_manager && first && s->state == LINE_PROGRAMMING && q->kind != FW_MSG_PAGE_READ) {
        hit_manager_overwrite(fw, line, q->kind == FW_MSG_PAGE_TRIM);
    }
}

/* No line holds the page and one is free (or none is needed). */
static void at_new_line(struct fw *fw, struct page_request *q)
{
    struct fw_buffer *b = fw->buffer;
    const u32 line = line_take(fw, q->lpn);
    use_for(&b->lines[line], q);
    at_line(fw, line, q);
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
                             .kind = m->kind, .first = (u8)m->c, .count = (u8)m->d, .flags = (u8)m->e,
                             .pages = (u8)(m->e >> FW_PAGE_COUNT_SHIFT)};
    fw_charge(fw, FW_COST_BUFFER_LOOKUP, 1);
    fw_charge(fw, FW_COST_BUFFER_FAR_HASH, b->hash_far);
    u16 *filter = &b->alloc_wait_filter[line_hash(q.lpn) % LINE_FILTER];
    const u32 line = *filter == 0 ? line_find(fw, q.lpn) : FW_NONE;
    if (line != FW_NONE) {
        const struct cache_line *s = &b->lines[line];
        fw_charge(fw, FW_COST_BUFFER_FOUND, 1);
        count(fw, &q, s->mask != 0 && (q.kind == FW_MSG_PAGE_WRITE ||
                                       ((fw_mask(q.first, q.count) & ~s->mask) == 0 &&
                                        (s->state != LINE_PROGRAMMING || b->queue_hits))));
        at_line(fw, line, &q);
        return;
    }
    count(fw, &q, false);
    if (fw_fifo_empty(&b->alloc_wait) && b->free_count > 0) {
        if (q.kind == FW_MSG_PAGE_TRIM) {
            trim_unbuffered(fw, &q);
        } else {
            at_new_line(fw, &q);
            buffer_evict_ahead(fw);
        }
        return;
    }
    fw_charge(fw, FW_COST_BUFFER_NO_LINE, 1);
    fw_charge(fw, FW_COST_BUFFER_FAR_REQUEST, b->requests_far);
    ++*filter; /* at most FW_MAX_PAGE_REQUESTS wait */
    request_append(b, &b->alloc_wait, request_keep(fw, &q));
    ++b->alloc_waiters;
    fw_probe(fw, FW_PROBE_PAGE_NO_LINE, fw_page_id(q.tag, q.page));
    buffer_evict_ahead(fw);
}

FW_APART void request_arrived(struct fw *fw, const struct fw_message *m)
{
    page_request(fw, m);
    if (fw->cfg.read_ahead != 0 && m->kind == FW_MSG_PAGE_READ) {
        read_ahead_read(fw, m->b, m->a == 0);
    }
    if (fw->buffer->prefetch && m->kind == FW_MSG_PAGE_READ) {
        prefetch_read(fw, m->b, m->e, m->a == 0);
    }
}

void request_serve_waiting(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    while (!fw_fifo_empty(&b->alloc_wait) && b->free_count > 0) {
        fw_charge(fw, FW_COST_BUFFER_NO_LINE, 1);
        fw_charge(fw, FW_COST_BUFFER_FAR_REQUEST, b->requests_far);
        const u32 r = request_take(b, &b->alloc_wait);
        --b->alloc_waiters;
        struct page_request q = b->requests[r];
        request_drop(b, r);
        --b->alloc_wait_filter[line_hash(q.lpn) % LINE_FILTER];
        const u32 line = line_find(fw, q.lpn);
        if (line != FW_NONE) {
            at_line(fw, line, &q);
        } else if (q.kind == FW_MSG_PAGE_TRIM) {
            trim_unbuffered(fw, &q);
        } else {
            at_new_line(fw, &q);
        }
    }
}

FW_APART void request_received(struct fw *fw, u32 line, u32 tag, u32 page, bool aborted)
{
    struct fw_buffer *b = fw->buffer;
    struct cache_line *s = &b->lines[line];
    if (s->state != LINE_RECEIVING) {
        fw_panic(fw, FW_PANIC_LINE_STATE, line);
        return;
    }
    fw_charge(fw, FW_COST_BUFFER_RECEIVED, 1);
    if (b->power_fail && !s->dirty) { /* its write is not acknowledged; what is saved may be complete */
        return;
    }
    if (aborted) {
        s->ack_tag = FW_NONE;
    } else {
        const u64 written = fw_mask(s->transfer_first, s->transfer_count);
        s->mask |= written;
        s->lost &= ~written;
        line_set_dirty(fw, s, 1);
    }
    s->state = LINE_STABLE;
    if (s->ack_tag != FW_NONE) {
        waits_at(fw, line, tag, page);
    } else {
        answer(fw, FW_MSG_PAGE_DONE, tag, page, 0, false);
    }
    if (b->joins_writes && (s->ack_tag != FW_NONE || b->hit_manager[line].joined != FW_NONE)) {
        hit_manager_program(fw, line);
    } else if (s->ack_tag != FW_NONE) {
        buffer_program(fw, line);
    } else {
        buffer_settle(fw, line);
    }
}
