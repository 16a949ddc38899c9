// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: `hybrid`: its parts (reads, writes, GC), for hybrid.c and for each other.
#pragma once

#include "firmware/sched/hybrid/hybrid_table.h"

/* hybrid_read.c: false: the controller is full */
bool hybrid_serve_reads(struct fw *fw, u32 channel);
bool hybrid_read_in(struct fw *fw, u32 op); /* true: it may be able to go now */
bool hybrid_read_at_once(struct fw *fw, u32 op); /* to the controller; false: it has to wait */

/* hybrid_write.c */
void hybrid_write_in(struct fw *fw, u32 op, bool youngest); /* false: to its place in the queue */
void hybrid_write_out(struct fw *fw, u32 op);
bool hybrid_some_die_takes(struct fw *fw); /* a write: it is free, not full, without reads */
void hybrid_not_placed(struct fw *fw, u32 die); /* a write that was given to the die has come back: no page */
void hybrid_place_writes(struct fw *fw);   /* give waiting writes to such dies */
void hybrid_place_aged(struct fw *fw);     /* where there is none: aged ones to dies with younger reads */

/* hybrid_gc.c */
void hybrid_gc_in(struct fw *fw, u32 op);
/* The pages that the host can write in a plane of the die have run out since the operations were placed. */
void hybrid_gc_needed(struct fw *fw, u32 die);
static inline bool hybrid_quiet(const struct hybrid *h) /* nothing of the host runs or can run */
{
    return h->host_flying == 0 && h->reads_queued == 0;
}
bool hybrid_collect(struct fw *fw, u32 channel); /* false: the controller is full */
