// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tables of the FTL and the functions that its files share.
//
// PPN = plane number | block | page in bit fields (block_bits, page_bits); plane number counts over
// the device: ((channel * ways + way) * dies + die) * planes + plane. The map holds PPN + 1, so that
// zeroed memory is an empty map and a device of any size boots at once; FTL_LOST where the page could
// not be read when it had to move.
#pragma once

#include "firmware/ftl/ftl.h"

#define FTL_LOST 0xffffffffu

enum block_state {
    BLOCK_FREE = 0,
    BLOCK_OPEN,
    BLOCK_FULL,
    BLOCK_VICTIM, /* being collected */
    BLOCK_FAILED, /* a program failed on it: takes no more pages, is emptied and then retired */
    BLOCK_BAD     /* from the factory, or retired */
};

struct block {
    u16 valid;   /* pages whose data the map points to */
    u16 pending; /* operations placed on it that have not ended */
    u32 next;    /* free list */
    u16 erases;
    u8 state;
    u8 failed; /* a VICTIM that was FAILED: it will not be erased */
};

/* Where a plane is, as operations name it. */
struct plane_address {
    u32 die; /* over the device */
    u8 channel, ce, lun, plane;
};

struct write_point {
    u32 block; /* in the plane, or FW_NONE */
    u32 page;  /* next page to program */
};

enum gc_state { GC_IDLE = 0, GC_READING, GC_WRITING, GC_WAITING, GC_ERASING };

struct plane {
    u32 free_head, free_tail; /* erased or erasable blocks in order of becoming free */
    u32 fresh;                /* blocks from here on have never been used; they are free too */
    u32 free_count;
    u32 valid; /* pages, and those promised to writes that are not bound yet */
    u32 limit; /* most valid pages, so that collection always gains a page */
    u32 good;  /* blocks that are neither bad nor failed */
    struct write_point host, gc;
    struct fw_fifo waiting; /* writes that wait for a free block */
    u32 victim;             /* block being collected */
    u32 victim_page;        /* next page to look at */
    u8 gc_state;
    u8 lpns_known; /* ftl_page_owner() has found out whose the victim's pages are */
    u16 failed;    /* blocks in state FAILED */
};

struct fw_ftl {
    u32 *map;    /* LPN -> PPN + 1; 0: not mapped */
    u64 *valid;  /* bit a PPN */
    struct block *blocks; /* plane << block_bits | block */
    struct plane *planes;
    u32 plane_count;
    u32 page_bits, block_bits, plane_bits; /* of the PPN and of the ONFI row */
    u32 luns_per_ce;
    u32 *order;      /* plane at each position of the allocation order */
    u32 counter;     /* the position in it of the next host page */
    struct plane_address *addresses; /* of each plane */
    u64 sequence;    /* pages programmed, for the OOB */
    u32 gc_active;   /* planes that collect */
    u32 gc_buffer_base;
    u32 waiting;     /* writes that wait for a free block */
    struct fw_fifo unplaced; /* writes that wait for a plane */
    u32 pending;     /* operations placed on a page that have not ended */
    u32 promised;    /* writes that have their plane and are not bound yet */
    u32 gc_parked;   /* of those that wait for a block or a plane, garbage collection's */
    u32 reserve;     /* free blocks of a plane that the host leaves: 1, or 2 once a block has failed */
    u64 *work_ns;    /* by die, of the operations that are placed on it; null: nobody looks at it */
    bool damaged;    /* a program or an erase has failed since boot */
    u32 map_entries; /* logical pages, and behind them the FTL's own table pages */
    struct ftl_recovery *recovery; /* null: nothing is kept for power loss */
    u32 *victim_lpns; /* `pages` entries a plane, see ftl_page_owner() */
};

static inline u32 ftl_block_index(const struct fw_ftl *f, u32 ppn) { return ppn >> f->page_bits; }
static inline u32 ftl_plane_index(const struct fw_ftl *f, u32 ppn)
{
    return ppn >> (f->page_bits + f->block_bits);
}
static inline u32 ftl_ppn(const struct fw_ftl *f, u32 plane, u32 block, u32 page)
{
    return ((plane << f->block_bits) | block) << f->page_bits | page;
}
static inline bool ftl_is_mapped(u32 entry) { return entry - 1 < FTL_LOST - 1; }
static inline u32 ftl_op_plane(const struct fw *fw, const struct fw_op *o)
{
    return o->die * fw->cfg.planes + o->plane;
}
/* Whether the plane counts a promised page for this write. */
static inline bool ftl_has_promise(const struct fw_op *o)
{
    return !(o->flags & FW_OP_GC) || (o->flags & FW_OP_AWAY);
}
static inline bool ftl_is_valid(const struct fw_ftl *f, u32 ppn)
{
    return f->valid[ppn / 64] >> (ppn % 64) & 1;
}

/* map.c */
void ftl_invalidate(struct fw *fw, u32 ppn);         /* its page no longer holds live data */
void ftl_map_set(struct fw *fw, u32 lpn, u32 ppn);   /* LPN moves to ppn; the old page is invalid */
void ftl_fill_addresses(struct fw *fw);              /* at boot */
void ftl_address_op(struct fw *fw, struct fw_op *o, u32 plane); /* channel, ce, lun, plane, die */
void ftl_row_op(struct fw *fw, struct fw_op *o);     /* ONFI row from o->ppn */

/* alloc.c */
void ftl_fill_order(struct fw *fw); /* at boot */
u32 ftl_next_plane(struct fw *fw);   /* of the order, with room; FW_NONE: there is none */
u32 ftl_choose_plane(struct fw *fw); /* for the next host page; FW_NONE: later */
/* ftl.placement = queue_aware: this operation's time is work of `plane`'s die from now on, or ends. */
u32 ftl_work_of(const struct fw *fw, const struct fw_op *o);
static inline void ftl_add_work(struct fw *fw, const struct fw_op *o, u32 plane)
{
    if (fw->ftl->work_ns) {
        fw->ftl->work_ns[plane / fw->cfg.planes] += ftl_work_of(fw, o);
    }
}
static inline void ftl_end_work(struct fw *fw, const struct fw_op *o, u32 plane)
{
    if (fw->ftl->work_ns) {
        fw->ftl->work_ns[plane / fw->cfg.planes] -= ftl_work_of(fw, o);
    }
}
bool ftl_write_point_take(struct fw *fw, u32 plane, bool gc, u32 *ppn); /* false: no free block */
/* The same for an op: collection's that goes to another plane leaves the blocks there alone that the
   plane's own collection may need. */
static inline bool ftl_page_take(struct fw *fw, const struct fw_op *o, u32 plane, u32 *ppn)
{
    const struct fw_ftl *f = fw->ftl;
    if ((o->flags & FW_OP_AWAY) && f->planes[plane].free_count <= f->reserve) {
        return false;
    }
    return ftl_write_point_take(fw, plane, (o->flags & FW_OP_GC) != 0, ppn);
}
void ftl_block_freed(struct fw *fw, u32 plane, u32 block);
void ftl_promise(struct fw *fw, u32 op, u32 plane); /* the write will go to this plane */
void ftl_break_promise(struct fw *fw, u32 op);
/* A plane of the die that can take a host page at once, the emptiest; FW_NONE: there is none. */
u32 ftl_plane_with_page(struct fw *fw, u32 die);

bool ftl_lacks_page(const struct fw *fw, u32 die); /* a plane of it has no page for the host */
u32 ftl_next_offset(const struct fw *fw, u32 plane); /* page in block of the next host page */
/* As ftl_plane_with_page() for programs that are to share an operation: not one of `taken` (bit a
   plane of the die), and where `offset` is not FW_NONE one that is there; else the plane whose write
   point is most behind, so that they go on in step. */
u32 ftl_plane_in_step(struct fw *fw, u32 die, u32 offset, u32 taken);

/* badblock.c */
void ftl_wait_in(struct fw *fw, struct fw_fifo *fifo, u32 op); /* of the FTL, for a block or a plane */
void ftl_set_limit(struct fw *fw, u32 plane); /* from its good blocks */
void ftl_block_failed(struct fw *fw, u32 ppn); /* a program failed there */
void ftl_retire(struct fw *fw, u32 plane, u32 block);
u32 ftl_failed_victim(struct fw *fw, u32 plane); /* a FAILED block that may be emptied, or FW_NONE */
/* The write cannot be bound where it was promised, or collection has no block: find a page
   elsewhere. Gives its plane; FW_NONE: the write waits. */
u32 ftl_bind_elsewhere(struct fw *fw, u32 op, u32 *ppn);
u32 ftl_page_owner(struct fw *fw, u32 plane, u32 ppn); /* LPN of a page of the plane's victim */
void ftl_check_worn_out(struct fw *fw); /* panic where nothing can go on */

/* gc.c */
void ftl_gc_run(struct fw *fw, u32 plane);
static inline void ftl_gc_check(struct fw *fw, u32 plane) /* start or go on where blocks are scarce */
{
    const struct plane *p = &fw->ftl->planes[plane];
    if (p->gc_state == GC_IDLE
            ? p->free_count <= fw->cfg.gc_threshold || p->failed != 0
            : p->gc_state == GC_WAITING) {
        ftl_gc_run(fw, plane);
    }
}
void ftl_gc_op_done(struct fw *fw, u32 op);
void ftl_serve_waiting(struct fw *fw, u32 plane); /* writes that waited for a block (ftl.c) */
void ftl_bind(struct fw *fw, u32 op);             /* (ftl.c) */
void ftl_place_waiting(struct fw *fw);            /* writes that waited for a plane (ftl.c) */
