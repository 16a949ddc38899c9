// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `vaq`: its state, and what its two files share.
#pragma once

#include "firmware/sched/sched.h"

struct vaq {
    struct fw_fifo queue;   /* host transactions; the head may be translated or assigned */
    struct fw_fifo gc;      /* reads and erases, and programs that are assigned */
    u32 asked;              /* op whose translation or assignment is outstanding, or FW_NONE */
    u32 late;               /* `asked`, where the FTL has said that its answer is far off; else FW_NONE */
    u16 *gc_waiting;        /* by die: operations in `gc` */
    bool stalled;           /* vaq.block = request: wait until earlier requests have ended */
    u32 conflict;           /* die + 1 of the head that a conflict holds; 0: none does */
    /* Used with vaq.join_window above 1. */
    struct fw_fifo out;     /* committed, not submitted yet: first ops, with their mates */
    u32 *first_of_die;      /* by die: its first op that is gathered or in `out`; FW_NONE: none */
    u32 gathered;           /* ops at the head of the queue that may be committed together */
    u32 gathered_last;      /* the last of the gathered ops */
    bool out_joined;        /* some op of what is in `out` has been submitted */
};

/* vaq.join_window: the die has operations that are gathered or committed. That ends soon: what waits in
   the FTL ends the gathering (`late`). */
static inline bool vaq_is_taken(const struct vaq *v, u32 die)
{
    return v->first_of_die && v->first_of_die[die] != FW_NONE;
}

static inline u32 vaq_page_offset(struct fw *fw, const struct fw_op *o)
{
    fw_charge(fw, FW_COST_VAQ_OFFSET, 1);
    u32 bits = 0;
    while ((1u << bits) < fw->cfg.pages) {
        ++bits;
    }
    return o->row & ((1u << bits) - 1);
}

/* Whether the die has work. Garbage collection goes first: the map may already name a page whose program
   waits in `gc`. */
static inline bool vaq_die_busy(const struct fw *fw, u32 die)
{
    const struct vaq *v = fw->sched->state;
    return sched_die_busy(fw, die) || v->gc_waiting[die] != 0;
}

bool vaq_any_busy(struct fw *fw, u32 die); /* any die of the package or channel of `die` has work */

/* Whether the die, or its package or channel (vaq.conflict), has work. */
static inline bool vaq_is_busy(struct fw *fw, u32 die)
{
    return vaq_die_busy(fw, die) || (fw->cfg.vaq_conflict_dies > 1 && vaq_any_busy(fw, die));
}

/* Make `op` ready to be committed: translated, with `assign` assigned too. False: an answer of the FTL is awaited. */
bool vaq_ready(struct fw *fw, u32 op, bool assign);
bool vaq_head_ready(struct fw *fw); /* the head of the queue may be committed now */

/* vaq_window.c, with vaq.join_window above 1 */
bool vaq_window_boot(struct fw *fw);
void vaq_pump_window(struct fw *fw);
