// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the launch-recognising prefetcher: brings the pages of a recognised sequence, follows the host through it.
#include "firmware/buffer/ahead/prefetch.h"
#include "firmware/core/op.h"
#include "firmware/core/panic.h"

enum { AHEAD_OF_ORDER = 16, LOOKED_AT_ONCE = 64 }; /* items */
enum { BEGUN_AT_ONCE = 2 }; /* pages of a step: the host's next event waits for it */

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
    p->clean = p->data ? p->sequences[p->playing].pages : fw_max_u32(p->ahead, p->soon);
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

/* The first item that is not brought by the mode's order, at p->ahead. */
static u32 order_end(const struct fw *fw)
{
    const struct fw_prefetch *p = fw->buffer->prefetch;
    const u32 pages = p->sequences[p->playing].pages;
    return fw->cfg.prefetch_mode == FW_PREFETCH_FAST ? fw_min_u32(p->at + fw->cfg.prefetch_lead, pages) : pages;
}

/* The cursor whose item is to be looked at next; null: there is none. two_phase: the pages that the host will read
   soon have their turn first, then metadata, then the others. */
static u32 *next_item(struct fw *fw)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    const u32 end = order_end(fw);
    p->ahead = fw_max_u32(p->ahead, p->at); /* the host was faster */
    if (fw->cfg.prefetch_mode != FW_PREFETCH_TWO_PHASE) {
        return p->ahead < end ? &p->ahead : 0;
    }
    p->soon = fw_max_u32(p->soon, p->at);
    p->ahead = fw_max_u32(p->ahead, p->soon);
    if (p->soon < fw_min_u32(p->at + AHEAD_OF_ORDER, end)) {
        return &p->soon;
    }
    if (p->ahead == end && !p->data) {
        p->data = true;
        p->ahead = p->soon;
    }
    return p->ahead < end ? &p->ahead : 0;
}

/* Is it its turn? An item of the later phase is passed over. */
static bool has_turn(const struct fw *fw, const u32 *cursor, u32 item)
{
    const struct fw_prefetch *p = fw->buffer->prefetch;
    return fw->cfg.prefetch_mode != FW_PREFETCH_TWO_PHASE || cursor == &p->soon ||
           ((item & PREFETCH_METADATA) != 0) != p->data;
}

/* Begins the page, unless it is in a line; false: it has to wait for one. */
static bool bring(struct fw *fw, u32 lpn)
{
    fw_charge(fw, FW_COST_BUFFER_LOOKUP, 1);
    const u32 line = line_find(fw, lpn);
    if (line != FW_NONE) {
        fw->stats.prefetch_present += fw->buffer->lines[line].fetched != LINE_PREFETCH;
        return true;
    }
    if (!find_line(fw)) {
        return false;
    }
    ++fw->stats.prefetch_pages;
    read_ahead_begin(fw, lpn, LINE_PREFETCH);
    return true;
}

void prefetch_wake(struct fw *fw)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    if (p->playing == FW_NONE || p->looks || fw->buffer->power_fail || !may_begin(fw) || !next_item(fw)) {
        return;
    }
    p->looks = true;
    const struct fw_message m = {.kind = FW_MSG_PREFETCH_LOOK, .module = FW_MODULE_BUFFER};
    fw_send_remote(fw, &m); /* an event, so that those that are waiting go first */
}

void prefetch_look(struct fw *fw)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    p->looks = false;
    if (p->playing == FW_NONE || fw->buffer->power_fail) {
        return;
    }
    const u32 *items = items_of(fw, p->playing);
    const u64 begun = fw->stats.prefetch_pages;
    for (u32 looked = 0; looked < LOOKED_AT_ONCE && may_begin(fw); ++looked) {
        u32 *cursor = next_item(fw);
        if (!cursor || fw->stats.prefetch_pages - begun == BEGUN_AT_ONCE) {
            break;
        }
        const u32 item = items[*cursor];
        fw_charge(fw, FW_COST_PREFETCH_ITEM, 1);
        fw_charge(fw, FW_COST_PREFETCH_FAR, p->items_far);
        if (has_turn(fw, cursor, item) && !bring(fw, item & PREFETCH_LPN)) {
            return;
        }
        ++*cursor;
    }
    prefetch_wake(fw);
}
