// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which plane the next page goes to, and the work of its die.
#pragma once

#include "firmware/ftl/core/queues.h"
#include "firmware/ftl/core/state.h"

/* Whether the plane counts a promised page for this write. */
static inline bool ftl_has_promise(const struct fw_op *o)
{
    return !(o->flags & FW_OP_GC) || (o->flags & FW_OP_AWAY);
}

/* planes.c */
void ftl_fill_order(struct fw *fw); /* at boot */
u32 ftl_next_plane(struct fw *fw);   /* of the order, with a free page; FW_NONE: none has one */
u32 ftl_choose_plane(struct fw *fw); /* for the next host page; FW_NONE: later */
/* For a write of this LPN. Static placement: the LPN's place in the order, or where that is full the
   next that is not. */
u32 ftl_plane_for(struct fw *fw, u32 lpn);
/* For a write that may want a channel. That channel's planes have their turns in the order; where none has
   a free page, the write is placed as if it wanted none. */
u32 ftl_plane_for_op(struct fw *fw, const struct fw_op *o);
void ftl_promise(struct fw *fw, u32 op, u32 plane); /* the write will go to this plane */
void ftl_break_promise(struct fw *fw, u32 op);
/* A plane of the die that can take a host page at once, the emptiest; FW_NONE: there is none. */
u32 ftl_plane_with_page(struct fw *fw, u32 die);
bool ftl_lacks_page(const struct fw *fw, u32 die); /* a plane of it has no page for the host */
u32 ftl_next_offset(const struct fw *fw, u32 plane); /* page in block of the next host page */
u32 ftl_copy_offset(const struct fw *fw, u32 plane); /* page in block of the next copy of GC */
/* As ftl_plane_with_page() for programs that are to share an operation: not one of `taken` (bit a
   plane of the die), and where `offset` is not FW_NONE one at that offset; else the plane whose write
   point is most behind, so that they go on in step. */
u32 ftl_plane_in_step(struct fw *fw, u32 die, u32 offset, u32 taken);

/* work.c: ftl.placement = queue_aware, and GC's share of a die */
u32 ftl_work_of(const struct fw *fw, const struct fw_op *o); /* array time in ns */
void ftl_share_add(struct fw *fw, const struct fw_op *o, u32 plane);
void ftl_share_end(struct fw *fw, const struct fw_op *o, u32 plane);
bool ftl_share_is_soft(const struct fw_ftl *f, const struct plane *p); /* the host has blocks to write */
static inline struct gc_die *ftl_share_die(struct fw *fw, u32 plane)
{
    return &fw->ftl->dies[plane / fw->cfg.planes];
}
/* From now on this operation's time is work of `plane`'s die. */
static inline void ftl_add_work(struct fw *fw, const struct fw_op *o, u32 plane)
{
    if (fw->ftl->dies) {
        ftl_share_add(fw, o, plane);
    }
    if (fw->ftl->queues) {
        ftl_queues_add(fw, o, plane);
    }
}
static inline void ftl_end_work(struct fw *fw, const struct fw_op *o, u32 plane)
{
    if (fw->ftl->dies) {
        ftl_share_end(fw, o, plane);
    }
    if (fw->ftl->queues) {
        ftl_queues_end(fw, o, plane);
    }
}
