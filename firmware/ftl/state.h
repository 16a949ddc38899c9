// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tables of the FTL and the functions that its files share.
//
// PPN = plane number | block | page in bit fields (block_bits, page_bits); plane number counts over
// the device: ((channel * ways + way) * dies + die) * planes + plane. The map holds PPN + 1, so that
// zeroed memory is an empty map and a device of any size boots at once.
#pragma once

#include "firmware/ftl/ftl.h"

enum block_state { BLOCK_FREE = 0, BLOCK_OPEN, BLOCK_FULL, BLOCK_VICTIM };

struct block {
    u16 valid;   /* pages whose data the map points to */
    u16 pending; /* operations placed on it that have not ended */
    u32 next;    /* free list */
    u16 erases;
    u8 state;
    u8 reserved;
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
    struct write_point host, gc;
    struct fw_fifo waiting; /* writes that wait for a free block */
    u32 victim;             /* block being collected */
    u32 victim_page;        /* next page to look at */
    u8 gc_state;
};

struct fw_ftl {
    u32 *map;    /* LPN -> PPN + 1; 0: not mapped */
    u64 *valid;  /* bit a PPN */
    struct block *blocks; /* plane << block_bits | block */
    struct plane *planes;
    u32 plane_count;
    u32 page_bits, block_bits, plane_bits; /* of the PPN and of the ONFI row */
    u32 luns_per_ce;
    u32 plane_limit; /* most valid pages of a plane, so that collection always gains a page */
    u64 counter;     /* host pages placed: the position in the allocation order */
    u64 sequence;    /* pages programmed, for the OOB */
    u32 gc_active;   /* planes that collect */
    u32 gc_buffer_base;
    u32 waiting;     /* writes that wait for a free block */
    struct fw_fifo unplaced; /* writes that wait for a plane */
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
static inline bool ftl_is_valid(const struct fw_ftl *f, u32 ppn)
{
    return f->valid[ppn / 64] >> (ppn % 64) & 1;
}

/* map.c */
void ftl_invalidate(struct fw *fw, u32 ppn);         /* its page no longer holds live data */
void ftl_map_set(struct fw *fw, u32 lpn, u32 ppn);   /* LPN moves to ppn; the old page is invalid */
void ftl_address_op(struct fw *fw, struct fw_op *o, u32 plane); /* channel, ce, lun, plane, die */
void ftl_row_op(struct fw *fw, struct fw_op *o);     /* ONFI row from o->ppn */

/* alloc.c */
u32 ftl_choose_plane(struct fw *fw); /* for the next host page; FW_NONE: later */
bool ftl_write_point_take(struct fw *fw, u32 plane, bool gc, u32 *ppn); /* false: no free block */
void ftl_block_freed(struct fw *fw, u32 plane, u32 block);

/* gc.c */
void ftl_gc_check(struct fw *fw, u32 plane); /* start or go on where blocks are scarce */
void ftl_gc_op_done(struct fw *fw, u32 op);
void ftl_serve_waiting(struct fw *fw, u32 plane); /* writes that waited for a block (ftl.c) */
void ftl_bind(struct fw *fw, u32 op);             /* (ftl.c) */
