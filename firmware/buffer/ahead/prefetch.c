// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the launch-recognising prefetcher: tables, and what a read of the host sets off.
#include "firmware/buffer/ahead/prefetch.h"

#include "firmware/core/panic.h"

enum { CLEANED_AT_ONCE = 64 };

static u32 head_entries(const struct fw_config *cfg)
{
    u32 n = 16;
    while (n < cfg->prefetch_sequences * cfg->prefetch_anchors) {
        n *= 2;
    }
    return n;
}

u64 prefetch_bytes(const struct fw_config *cfg)
{
    if (cfg->prefetch_mode == FW_PREFETCH_NONE) {
        return 0;
    }
    const u64 rows = cfg->prefetch_sequences + 1;
    return sizeof(struct fw_prefetch) + cfg->prefetch_sequences * sizeof(struct prefetch_sequence) +
           rows * cfg->prefetch_pages * 4 + rows * cfg->prefetch_anchors * sizeof(struct prefetch_anchor) +
           (u64)head_entries(cfg) * 4 + cfg->prefetch_match * 4 + 6 * 64;
}

bool prefetch_boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    if (cfg->prefetch_mode == FW_PREFETCH_NONE) {
        return true;
    }
    struct fw_prefetch *p = fw->buffer->prefetch = fw_fast_table(fw, 1, sizeof *p);
    if (!p) {
        return false;
    }
    const u32 rows = cfg->prefetch_sequences + 1;
    p->sequences = fw_fast_table(fw, cfg->prefetch_sequences, sizeof *p->sequences);
    p->window = fw_fast_table(fw, cfg->prefetch_match, 4);
    p->heads = fw_fast_table(fw, head_entries(cfg), 4);
    p->anchors = fw_fast_table(fw, rows * cfg->prefetch_anchors, sizeof *p->anchors);
    p->items = fw_fast_table(fw, (u64)rows * cfg->prefetch_pages, 4);
    if (!p->sequences || !p->window || !p->heads || !p->anchors || !p->items) {
        return false;
    }
    p->items_far = fw_is_far(fw, p->items);
    p->head_mask = head_entries(cfg) - 1;
    for (u32 i = 0; i < cfg->prefetch_sequences; ++i) {
        p->sequences[i].area = i;
    }
    p->area = cfg->prefetch_sequences;
    p->most_held = cfg->prefetch_held;
    p->playing = p->recognised = p->banned = FW_NONE;
    prefetch_forget_window(p);
    return true;
}

/* A launch begins with the first read behind a pause. */
static void look_for_pause(struct fw *fw)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    if (fw->now_us - p->last_us > fw->cfg.prefetch_gap_us && p->pages != 0) {
        prefetch_stop(fw);
        prefetch_close(fw);
    }
    p->last_us = fw->now_us;
}

void prefetch_read(struct fw *fw, u32 lpn, u32 flags, bool first)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    if ((flags & HAL_HOST_PRIORITY_MASK) >> HAL_HOST_PRIORITY_SHIFT < fw->cfg.prefetch_priority) {
        return;
    }
    fw_charge(fw, FW_COST_PREFETCH_READ, 1);
    look_for_pause(fw);
    prefetch_note(fw, lpn, (flags & FW_PAGE_SERIAL) != 0);
    if (p->playing != FW_NONE) {
        prefetch_confirm(fw, lpn);
    }
    if (first) {
        const u32 found = prefetch_slide(fw, lpn);
        prefetch_note_window(fw);
        if (found != FW_NONE) {
            const u32 row = found / fw->cfg.prefetch_anchors;
            p->recognised = p->playing = row;
            p->sequences[row].used = ++p->uses;
            p->at = p->ahead = p->soon = p->anchors[found].end;
            p->misses = 0;
            p->data = false;
            ++fw->stats.prefetch_recognised;
        }
    }
    prefetch_clean(fw, CLEANED_AT_ONCE);
    prefetch_wake(fw);
}
