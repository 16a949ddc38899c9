// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the launch-recognising prefetcher: what a launch reads is written down, and kept where it is new.
#include "firmware/buffer/ahead/prefetch.h"
#include "firmware/core/panic.h"

enum { ABORTS = 3 }; /* so many in a row, and the sequence is recorded anew */

void prefetch_note(struct fw *fw, u32 lpn, bool metadata)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    if (p->pages == fw->cfg.prefetch_pages) {
        return; /* the beginning counts */
    }
    fw_charge(fw, FW_COST_PREFETCH_FAR, p->items_far);
    p->items[p->area * fw->cfg.prefetch_pages + p->pages++] = lpn | (metadata ? PREFETCH_METADATA : 0);
}

/* The window has moved by a command, whose first page has just been noted. */
void prefetch_note_window(struct fw *fw)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    ++p->commands;
    if (p->window_count == fw->cfg.prefetch_match && p->row_used < fw->cfg.prefetch_anchors &&
        p->pages < fw->cfg.prefetch_pages) {
        p->anchors[fw->cfg.prefetch_sequences * fw->cfg.prefetch_anchors + p->row_used++] =
            (struct prefetch_anchor){.hash = p->hash, .end = p->pages};
    }
}

/* A place for what was recorded: an unused one, or the one that was used least recently. */
static u32 place(struct fw *fw)
{
    const struct fw_prefetch *p = fw->buffer->prefetch;
    u32 best = 0;
    for (u32 i = 0; i < fw->cfg.prefetch_sequences; ++i) {
        fw_charge(fw, FW_COST_PREFETCH_ANCHOR, 1);
        if (p->sequences[i].pages == 0) {
            return i;
        }
        best = p->sequences[i].used < p->sequences[best].used ? i : best;
    }
    return best;
}

static void keep(struct fw *fw, u32 sequence)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    struct prefetch_sequence *s = &p->sequences[sequence];
    const u32 width = fw->cfg.prefetch_anchors;
    if (p->clean != 0 && p->clean_area == s->area) {
        prefetch_clean(fw, p->clean); /* its items go */
    }
    prefetch_unlink(fw, sequence);
    const u32 area = s->area;
    *s = (struct prefetch_sequence){
        .area = p->area, .pages = p->pages, .anchors = p->row_used, .used = ++p->uses};
    p->area = area;
    for (u32 i = 0; i < p->row_used; ++i) {
        p->anchors[sequence * width + i] = p->anchors[fw->cfg.prefetch_sequences * width + i];
    }
    prefetch_link(fw, sequence);
    ++fw->stats.prefetch_recorded;
}

void prefetch_close(struct fw *fw)
{
    struct fw_prefetch *p = fw->buffer->prefetch;
    if (p->row_used != 0) { /* else too short to be known again */
        if (p->recognised == FW_NONE && p->banned == FW_NONE) {
            keep(fw, place(fw));
        } else if (p->recognised == FW_NONE && p->sequences[p->banned].aborts >= ABORTS) {
            keep(fw, p->banned);
        }
    }
    p->pages = p->commands = p->row_used = 0;
    p->recognised = p->banned = FW_NONE;
    prefetch_forget_window(p);
}
