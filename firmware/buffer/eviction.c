// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: eviction: pages leave, so that requests find free lines.
#include "firmware/buffer/requests.h"
#include "firmware/core/op.h"

u32 buffer_coming(const struct fw_buffer *b)
{
    return b->free_count + (b->write_back ? b->programming : 0) + b->padding;
}

void buffer_evict(struct fw *fw, u32 line, u32 channel)
{
    struct cache_line *s = &fw->buffer->lines[line];
    if (s->dirty) {
        s->used |= LINE_LEAVES | LINE_EVICTED;
        buffer_program_at(fw, line, channel);
    } else {
        line_give(fw, line);
    }
}

/* Ask the policy, and take what it gives; false: nothing. */
bool buffer_evict_some(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    if (!b->policy->victims) {
        const u32 victim = b->policy->victim(fw);
        if (victim != FW_NONE) {
            buffer_evict(fw, victim, FW_NONE);
        }
        return victim != FW_NONE;
    }
    const bool must = buffer_coming(b) == 0 && !fw_fifo_empty(&b->alloc_wait);
    const u32 count = b->policy->victims(fw, b->set, must);
    for (u32 i = 0; i < count; ++i) {
        buffer_evict(fw, b->set[i].line, b->set[i].channel);
    }
    return count != 0;
}

static bool evicted_enough(const struct fw *fw)
{
    const struct fw_buffer *b = fw->buffer;
    const u32 coming = buffer_coming(b);
    const bool waits = !fw_fifo_empty(&b->alloc_wait);
    const u32 wanted = fw->cfg.evict_on_demand == 2 ? b->alloc_waiters : waits;
    return coming >= b->low_water && coming >= wanted && !(waits && b->programming < b->queue_pages);
}

/* Serve the requests that wait for a line, and evict so that there are always a few free ones. */
void buffer_evict_ahead(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    if (fw_fifo_empty(&b->alloc_wait) && buffer_coming(b) >= b->low_water) {
        return; /* the usual case */
    }
    if (b->evicting || b->power_fail) {
        return; /* called from inside: the loop below goes on */
    }
    b->evicting = true;
    for (;;) {
        fw_charge(fw, FW_COST_BUFFER_EVICT, 1);
        if (fw->cfg.page_padding) {
            read_ahead_pads(fw);
        }
        request_serve_waiting(fw);
        if (evicted_enough(fw) || !buffer_evict_some(fw)) {
            break;
        }
    }
    b->evicting = false;
}
