// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the launch-recognising prefetcher: which recorded sequence do the last commands belong to?
//
// The window's hash is a polynomial of its LPNs modulo 2^32, so that a new command costs two multiplications.
// A wrong match does no harm: the reads that follow confirm it or end it.
#include "firmware/buffer/ahead/prefetch.h"
#include "firmware/core/panic.h"

enum { WEIGHT = 0x01000193 };

static u32 term(u32 lpn) { return lpn * 0x9e3779b1u + 1; }

static u32 bucket(const struct fw_prefetch *p, u32 hash) { return (hash ^ hash >> 15) & p->head_mask; }

void prefetch_forget_window(struct fw_prefetch *p)
{
    p->window_at = p->window_count = p->hash = 0;
    p->oldest_weight = 1;
}

u32 prefetch_slide(struct fw *fw, u32 lpn)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    const u32 length = fw->cfg.prefetch_match;
    if (p->window_count == length) {
        p->hash -= p->oldest_weight * term(p->window[p->window_at]);
    } else {
        p->oldest_weight *= p->window_count != 0 ? WEIGHT : 1; /* in the end WEIGHT^(length - 1) */
        ++p->window_count;
    }
    p->hash = p->hash * WEIGHT + term(lpn);
    p->window[p->window_at] = lpn;
    p->window_at = p->window_at + 1 == length ? 0 : p->window_at + 1;
    if (p->window_count < length || p->playing != FW_NONE || p->recognised != FW_NONE) {
        return FW_NONE;
    }
    for (u32 a = p->heads[bucket(p, p->hash)]; a != 0; a = p->anchors[a - 1].next) {
        fw_charge(fw, FW_COST_PREFETCH_ANCHOR, 1);
        const u32 sequence = (a - 1) / fw->cfg.prefetch_anchors;
        if (p->anchors[a - 1].hash == p->hash && sequence != p->banned &&
            p->anchors[a - 1].end < p->sequences[sequence].pages) {
            return a - 1;
        }
    }
    return FW_NONE;
}

void prefetch_link(struct fw *fw, u32 sequence)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    const u32 first = sequence * fw->cfg.prefetch_anchors;
    for (u32 i = p->sequences[sequence].anchors; i-- != 0;) { /* the earliest is found first */
        struct prefetch_anchor *a = &p->anchors[first + i];
        u32 *head = &p->heads[bucket(p, a->hash)];
        fw_charge(fw, FW_COST_PREFETCH_LINK, 1);
        a->next = *head;
        *head = first + i + 1;
    }
}

void prefetch_unlink(struct fw *fw, u32 sequence)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    const u32 first = sequence * fw->cfg.prefetch_anchors;
    for (u32 i = 0; i < p->sequences[sequence].anchors; ++i) {
        u32 *link = &p->heads[bucket(p, p->anchors[first + i].hash)];
        fw_charge(fw, FW_COST_PREFETCH_LINK, 1);
        while (*link != first + i + 1) {
            fw_charge(fw, FW_COST_PREFETCH_ANCHOR, 1);
            link = &p->anchors[*link - 1].next;
        }
        *link = p->anchors[first + i].next;
    }
}
