// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: garbage collection: what others ask of it, and what a round asks of the way in which pages move.
#pragma once

#include "firmware/ftl/core/state.h"

enum gc_state {
    GC_IDLE = 0,
    GC_READING,
    GC_MAPPING, /* waits for an entry of the map (map/dftl.h) */
    GC_WRITING,
    GC_ERASING,
    GC_NEVER,   /* merges of log blocks give blocks back (map/log.h) */
    GC_WAITING,
    GC_HELD
};

/* How the live data of a victim move. One const instance per kind, chosen at boot: gc_copies_pages
   (copy_page.c), gc_copies_units (copy_units.c). */
struct gc_copy_ops {
    void (*begin)(struct fw *fw, u32 plane); /* a victim has been chosen */
    /* Sends the next operation. False: the victim is empty, and nothing is left to program. */
    bool (*next)(struct fw *fw, u32 plane);
    void (*read)(struct fw *fw, u32 plane, const struct fw_op *read);       /* it has ended */
    void (*written)(struct fw *fw, u32 plane, const struct fw_op *write);   /* it has ended */
    void (*copied_back)(struct fw *fw, u32 plane, const struct fw_op *op);  /* it has ended */
};
extern const struct gc_copy_ops gc_copies_pages, gc_copies_units;

/* rounds.c: for the FTL */
extern const struct gc_policy *const ftl_gc_policies[FW_GC_POLICY_COUNT];
void ftl_gc_run(struct fw *fw, u32 plane);
void ftl_gc_run_channel(struct fw *fw, u32 channel);
void ftl_gc_op_done(struct fw *fw, u32 op);
/* Blocks are scarce in the plane, or one has failed. */
static inline bool ftl_gc_wanted(const struct fw *fw, const struct plane *p)
{
    return p->free_count <= (fw->cfg.gc_channel ? fw->ftl->reserve : fw->cfg.gc_threshold) || p->failed != 0;
}
/* ftl.gc.scope = channel: blocks are scarce in the channel, and nobody collects there. */
static inline bool ftl_gc_channel_wanted(const struct fw *fw, u32 channel)
{
    const struct gc_channel *c = &fw->ftl->channels[channel];
    return fw->cfg.gc_channel && c->collecting == 0 && c->free <= fw->ftl->channel_threshold;
}
static inline void ftl_gc_check(struct fw *fw, u32 plane) /* start or go on where blocks are scarce */
{
    const struct plane *p = &fw->ftl->planes[plane];
    if (p->gc_state == GC_IDLE ? ftl_gc_wanted(fw, p) : p->gc_state >= GC_WAITING) {
        ftl_gc_run(fw, plane);
    }
    if (ftl_gc_channel_wanted(fw, p->channel)) {
        ftl_gc_run_channel(fw, p->channel);
    }
}

/* rounds.c: for the ways in which pages move */
/* Sends an operation; its page, its place in the page buffer and the sectors are known. */
void gc_submit(struct fw *fw, u32 plane, u32 op, u8 opcode);
void gc_submit_page(struct fw *fw, u32 plane, u32 op, u8 opcode); /* of a whole page; its page is known */
void gc_moved(struct fw *fw, u32 plane, bool good); /* the program of copies has ended, and the round goes on */
void gc_go_on(struct fw *fw, u32 plane);
void gc_give_up(struct fw *fw, u32 plane);

/* copy_page.c */
void gc_lose(struct fw *fw, u32 ppn, u32 lpn); /* a page (unit) of a victim that cannot be read */
void gc_map_answers(struct fw *fw, u32 plane); /* ftl_waits.collect */

/* copyback.c; only with fw_ftl.copies */
/* The page `to` in the plane for a copy of `from`. False: the plane cannot take it. */
bool ftl_copyback_take(struct fw *fw, u32 plane, u32 from, u32 *to);
void ftl_copyback_address(struct fw *fw, struct fw_op *o); /* of an op of GC, with source and destination */
/* False: the page is still where it was, and must be read. */
bool ftl_copyback_done(struct fw *fw, u32 plane, const struct fw_op *o);

/* gc_share.c */
bool ftl_share_allows(struct fw *fw, u32 plane); /* GC may go on to the next page */
void ftl_share_hold(struct fw *fw, u32 plane);
void ftl_share_release(struct fw *fw, u32 plane);
void ftl_share_look(struct fw *fw); /* at planes that are held in dies where the host has come further */
