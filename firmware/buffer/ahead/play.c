// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the launch-recognising prefetcher: brings the pages of a recognised sequence, follows the host through it.
#include "firmware/buffer/ahead/prefetch.h"
#include "firmware/core/op.h"
#include "firmware/core/panic.h"

enum { AHEAD_OF_ORDER = 16, LOOKED_AT_ONCE = 64 }; /* items */

static u32 *items_of(struct fw *fw, u32 sequence)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    return &p->items[p->sequences[sequence].area * fw->cfg.prefetch_pages];
}

/* What was brought, or is, and has not been used is let go of. */
void prefetch_stop(struct fw *fw)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    if (p->playing == FW_NONE) {
        return;
    }
    if (p->clean != 0) { /* of the one before; seldom anything is left */
        prefetch_clean(fw, p->clean);
    }
    p->clean_area = p->sequences[p->playing].area;
    p->clean = p->data ? p->sequences[p->playing].pages : p->ahead;
    p->playing = FW_NONE;
}

/* Is the read the one that is expected, or one soon behind it? */
void prefetch_confirm(struct fw *fw, u32 lpn)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    struct prefetch_sequence *s = &p->sequences[p->playing];
    const u32 *items = items_of(fw, p->playing);
    const u32 end = fw_min_u32(p->at + AHEAD_OF_ORDER, s->pages);
    for (u32 i = p->at; i < end; ++i) {
        fw_charge(fw, FW_COST_PREFETCH_ITEM, 1);
        fw_charge(fw, FW_COST_PREFETCH_FAR, p->items_far);
        if ((items[i] & PREFETCH_LPN) == lpn) {
            p->at = i + 1;
            p->misses = 0;
            if (p->at == s->pages) {
                s->aborts = 0;
                ++fw->stats.prefetch_finished;
                prefetch_stop(fw);
            }
            return;
        }
    }
    if (++p->misses == fw->cfg.prefetch_misses) {
        ++s->aborts;
        ++fw->stats.prefetch_aborted;
        p->banned = p->playing;
        p->recognised = FW_NONE;
        prefetch_stop(fw);
    }
}

void prefetch_clean(struct fw *fw, u32 most)
{
    struct fw_buffer *b = fw->buffer;
    struct fw_prefetch *p = b->prefetch;
    const u32 *items = &p->items[p->clean_area * fw->cfg.prefetch_pages];
    for (; p->clean != 0 && most != 0; --most) {
        if (p->held == p->fetching) { /* those on their way go when they come */
            p->clean = 0;
            return;
        }
        const u32 line = line_find(fw, items[--p->clean] & PREFETCH_LPN);
        fw_charge(fw, FW_COST_BUFFER_LOOKUP, 1);
        fw_charge(fw, FW_COST_PREFETCH_FAR, p->items_far);
        if (line != FW_NONE && b->lines[line].fetched == LINE_PREFETCH && b->lines[line].idle) {
            line_give(fw, line);
            buffer_evict_ahead(fw); /* perhaps somebody waits for a line */
        }
    }
}

/* Reads that may be under way. An operation of the host keeps one die busy. */
static u32 depth(const struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    const struct fw_buffer *b = fw->buffer;
    if (cfg->prefetch_mode == FW_PREFETCH_BASELINE) {
        return 1;
    }
    const u32 dies = cfg->channels * cfg->ways * cfg->dies;
    const u32 busy = b->reading + b->programming;
    return cfg->prefetch_depth != 0 ? cfg->prefetch_depth : busy < dies ? dies - busy : 0;
}

static bool may_begin(const struct fw *fw)
{
    const struct fw_buffer *b = fw->buffer;
    const struct fw_prefetch *p = b->prefetch;
    return p->fetching < depth(fw) && p->held < p->most_held && fw_fifo_empty(&b->alloc_wait) &&
           (fw->cfg.prefetch_yield == 0 || b->reading == 0);
}

/* One line is free, or a clean page leaves for it: neither a dirty one nor one that was brought and waits. */
static bool find_line(struct fw *fw)
{
    struct fw_buffer *b = fw->buffer;
    if (b->free_count > b->low_water) {
        return true;
    }
    const u32 victim = fw->cfg.prefetch_clean_victims ? b->policy->victim(fw) : FW_NONE;
    if (victim == FW_NONE || b->lines[victim].dirty || b->lines[victim].fetched == LINE_PREFETCH) {
        return false;
    }
    line_give(fw, victim);
    return true;
}

void prefetch_pump(struct fw *fw)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    if (p->playing == FW_NONE || fw->buffer->power_fail) {
        return;
    }
    const bool phases = fw->cfg.prefetch_mode == FW_PREFETCH_TWO_PHASE;
    const u32 *items = items_of(fw, p->playing);
    const u32 pages = p->sequences[p->playing].pages;
    const u32 end = fw->cfg.prefetch_mode == FW_PREFETCH_FAST ? fw_min_u32(p->at + fw->cfg.prefetch_lead, pages) : pages;
    for (u32 looked = 0; looked < LOOKED_AT_ONCE && may_begin(fw); ++looked) {
        p->ahead = p->ahead < p->at ? p->at : p->ahead; /* the host was faster */
        if (p->ahead >= end) {
            if (!phases || p->data) {
                return;
            }
            p->data = true;
            p->ahead = p->at;
            continue;
        }
        const u32 item = items[p->ahead];
        fw_charge(fw, FW_COST_PREFETCH_ITEM, 1);
        fw_charge(fw, FW_COST_PREFETCH_FAR, p->items_far);
        if (!phases || ((item & PREFETCH_METADATA) != 0) != p->data) {
            const u32 lpn = item & PREFETCH_LPN;
            fw_charge(fw, FW_COST_BUFFER_LOOKUP, 1);
            if (line_find(fw, lpn) == FW_NONE) {
                if (!find_line(fw)) {
                    return;
                }
                ++fw->stats.prefetch_pages;
                read_ahead_begin(fw, lpn, LINE_PREFETCH);
            }
        }
        ++p->ahead;
    }
}
