// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: whole pages that the module reads from flash of its own accord: those that are missing in a
// block that leaves (page padding), and those that a sequential stream will want next (read-ahead).
#include "firmware/buffer/ahead/prefetch.h"
#include "firmware/buffer/requests.h"
#include "firmware/core/op.h"

enum { STREAMS = 8, CONTINUED = 2 }; /* commands that go on where another has ended, before pages are brought */

struct read_ahead_stream {
    u32 next;      /* LPN that continues it */
    u32 ahead;     /* first LPN that has not been brought for it */
    u32 continued; /* commands that went on where it had ended */
    u32 used;      /* fw_buffer.stream_uses at its last use */
};

u64 read_ahead_bytes(const struct fw_config *cfg)
{
    return cfg->read_ahead != 0 ? STREAMS * sizeof(struct read_ahead_stream) + 64 : 0;
}

bool read_ahead_boot(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    if (fw->cfg.read_ahead == 0) {
        return true;
    }
    b->streams = fw_fast_table(fw, STREAMS, sizeof(struct read_ahead_stream));
    for (u32 i = 0; b->streams && i < STREAMS; ++i) {
        b->streams[i].next = FW_NONE;
    }
    return b->streams != 0;
}

/* One line must be free. */
void read_ahead_begin(struct fw *fw, u32 lpn, u8 why)
{
    struct fw_buffer *b = fw->buffer;
    const u32 line = line_take(fw, lpn);
    struct cache_line *s = &b->lines[line];
    s->fetched = why;
    s->request = 0;
    s->priority = 0;
    ++b->fetching;
    b->padding += why == LINE_PADS;
    if (why == LINE_PREFETCH) {
        ++b->prefetch->held;
        ++b->prefetch->fetching;
    }
    fw_charge(fw, FW_COST_BUFFER_LOAD, 1);
    buffer_fetch(fw, line);
}

void read_ahead_used(struct fw *fw, u32 line)
{
    struct cache_line *s = &fw->buffer->lines[line];
    if (s->fetched == LINE_PREFETCH) {
        ++fw->stats.prefetch_hits;
        --fw->buffer->prefetch->held;
    } else {
        ++fw->stats.read_ahead_hits;
    }
    s->fetched = 0;
}

void read_ahead_useless(struct fw *fw, u32 line)
{
    struct cache_line *s = &fw->buffer->lines[line];
    if (s->fetched == LINE_PREFETCH) {
        ++fw->stats.prefetch_unused;
        --fw->buffer->prefetch->held;
    } else {
        fw->stats.read_ahead_unused += s->fetched == LINE_AHEAD;
    }
    s->fetched = 0;
}

/* A page that cannot be had, or holds nothing, is given up; who waits for it looks for himself. */
void read_ahead_done(struct fw *fw, u32 line, bool good)
{
    struct fw_buffer *b = fw->buffer;
    struct cache_line *s = &b->lines[line];
    fw_charge(fw, FW_COST_BUFFER_LOADED, 1);
    --b->fetching;
    s->state = LINE_STABLE;
    s->mask = good ? b->full_mask & ~s->lost : 0;
    if (s->fetched == LINE_PADS) {
        --b->padding;
        s->fetched = 0;
        if (s->mask == b->full_mask && s->waiting.head == FW_NONE) {
            ++fw->stats.padded_pages;
            s->used |= LINE_LEAVES | LINE_EVICTED;
            buffer_program(fw, line);
            return;
        }
    }
    if (s->fetched == LINE_PREFETCH) {
        --b->prefetch->fetching;
        fw->stats.prefetch_late += s->waiting.head != FW_NONE;
        s->mask = b->prefetch->playing == FW_NONE && s->waiting.head == FW_NONE ? 0 : s->mask; /* too late */
    }
    buffer_settle(fw, line);
    buffer_evict_ahead(fw);
}

void read_ahead_pads(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    while (b->free_count != 0) {
        const u32 lpn = b->policy->pad(fw);
        if (lpn == FW_NONE) {
            return;
        }
        read_ahead_begin(fw, lpn, LINE_PADS);
    }
}

/* Nothing dirty leaves for a page that nobody has asked for. */
static bool line_for_ahead(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    if (b->free_count > b->low_water) {
        return true;
    }
    const u32 victim = b->policy->victims ? FW_NONE : b->policy->victim(fw);
    if (victim == FW_NONE || b->lines[victim].dirty) {
        return false;
    }
    line_give(fw, victim);
    return true;
}

/* The stream that a page of a command continues; else the least recently used one, which begins again.
   Null: the page is not the first of its command, and no stream has the pages before it. */
static struct read_ahead_stream *stream_of(struct fw *fw, u32 lpn, bool first)
{
    struct read_ahead_stream *streams = fw->buffer->streams;
    struct read_ahead_stream *oldest = &streams[0];
    for (u32 i = 0; i < STREAMS; ++i) {
        struct read_ahead_stream *t = &streams[i];
        fw_charge(fw, FW_COST_BUFFER_STREAM, 1);
        if (t->next == lpn || (t->next == lpn + 1 && first)) { /* the next page, or the rest of the last */
            t->continued += first && t->next == lpn;
            t->next = lpn + 1;
            return t;
        }
        oldest = t->used < oldest->used ? t : oldest;
    }
    if (!first) {
        return 0;
    }
    *oldest = (struct read_ahead_stream){.next = lpn + 1, .ahead = lpn + 1};
    return oldest;
}

void read_ahead_read(struct fw *fw, u32 lpn, bool first)
{
    struct fw_buffer *b = fw->buffer;
    struct read_ahead_stream *t = stream_of(fw, lpn, first);
    if (!t) {
        return;
    }
    t->used = ++b->stream_uses;
    if (t->continued < CONTINUED) {
        return;
    }
    const u32 end = fw_min_u32(t->next + fw->cfg.read_ahead, fw->cfg.logical_pages);
    t->ahead = t->ahead < t->next ? t->next : t->ahead;
    for (; t->ahead < end && fw_fifo_empty(&b->alloc_wait); ++t->ahead) {
        fw_charge(fw, FW_COST_BUFFER_LOOKUP, 1);
        if (line_find(fw, t->ahead) == FW_NONE) {
            if (!line_for_ahead(fw)) {
                return;
            }
            ++fw->stats.read_ahead_pages;
            read_ahead_begin(fw, t->ahead, LINE_AHEAD);
        }
    }
}
