// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the FTL's root: planes, blocks, and pointers to what map, garbage collection and recovery keep.
//
// PPN = plane number | block | page in bit fields (block_bits, page_bits); plane number counts over
// the device: ((channel * ways + way) * dies + die) * planes + plane.
#pragma once

#include "firmware/core/fw.h"
#include "firmware/core/op.h"

enum block_state {
    BLOCK_FREE = 0,
    BLOCK_OPEN,
    BLOCK_FULL,
    BLOCK_VICTIM, /* being collected */
    BLOCK_FAILED, /* a program failed on it: takes no more pages, is emptied and then retired */
    BLOCK_BAD,    /* from the factory, or retired */
    BLOCK_TABLE,  /* of translation pages (map/dftl.h) */
    BLOCK_LOG     /* a data block or a log block of the log-block map (map/log.h) */
};

struct block {
    u16 valid;   /* pages (mapping units) whose data the map points to */
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

struct plane {
    u32 free_head, free_tail; /* erased or erasable blocks in order of becoming free */
    u32 fresh;                /* blocks from here on have never been used; they are free too */
    u32 free_count;
    u32 valid; /* pages (units), and those promised to writes that are not assigned yet */
    u32 unassigned; /* of them, those promised */
    u32 limit; /* most valid pages (units), so that GC always gains a page */
    u32 good;  /* blocks that are neither bad nor failed */
    struct write_point host, gc;
    struct write_point level; /* of static wear levelling: cold data */
    struct fw_fifo waiting; /* writes that wait for a free block */
    u32 victim;             /* block being collected */
    u32 sweep;              /* after a mount: blocks from here on may be full without data */
    u32 victim_page;        /* next page to look at */
    u8 gc_state;            /* enum gc_state */
    u8 lpns_known; /* owner_of() (map/page_map.c) has found out whose the victim's pages are */
    u16 failed;    /* blocks in state FAILED */
    u32 pool_count;               /* blocks in the pool of victims (gc/victim.h) */
    u32 oldest, youngest, listed; /* full blocks in order of becoming full: block + 1, how many */
    u32 written;                  /* pages assigned in it since boot; wraps */
    u32 channel;
    u64 held_since_us;            /* GC_HELD */
    u32 most_erases;              /* of a block, for static wear levelling */
    u32 least_erases;             /* of a full block, at most, for static wear levelling */
    u8 levelling;                 /* the round is for wear levelling */
    u8 copy_placed;               /* the program of its copy is with the scheduler, which has not asked for a page yet */
    u32 worn_window;              /* journal pages: block whose erase count is noted next */
    u8 spoilt; /* journal pages: a lost page of the victim retires it (docs/explanation/recovery-journal.md) */
};

/* Of a channel: what ftl.gc.scope = channel looks at. */
struct gc_channel {
    u32 free;       /* blocks */
    u32 collecting; /* planes */
    u32 writing;    /* ftl.write_points: channel; position in the order + 1 of the plane that is filled */
    u32 directed;   /* where in the order writes that want the channel go on */
};

/* Of a die, with ftl.gc.share below 1 (gc/gc_share.c). */
struct gc_die {
    u64 debt;    /* array time in ns / 256 */
    u32 host;    /* the host's operations that are placed on it */
    u32 held;    /* planes in GC_HELD */
    u32 touched; /* 1: in the list that begins at fw_ftl.touched */
    u32 next;    /* die + 1 */
};

/* How operations go on that have waited for what a lower folder gives them. */
struct ftl_waits {
    void (*translate)(struct fw *fw, u32 op);  /* for an entry of the map */
    void (*place)(struct fw *fw);              /* a page has become invalid: writes that wait for a plane */
    void (*assign)(struct fw *fw, u32 plane);    /* a block is free: writes that wait for one */
    void (*collect)(struct fw *fw, u32 plane); /* GC, for an entry of the map */
};

struct fw_ftl {
    /* planes, blocks */
    struct block *blocks; /* plane << block_bits | block */
    struct plane *planes;
    u64 *valid;  /* bit a PPN, or a unit */
    u32 plane_count;
    u32 page_bits, block_bits, plane_bits; /* of the PPN and of the ONFI row */
    u32 unit_bits;
    u32 units;      /* in a flash page, at most 1 << unit_bits; 1: pages are mapped */
    u32 data_pages; /* of a block: all, or all but its journal page (recovery/recovery.h) */
    u32 luns_per_ce;
    u32 *order;      /* plane at each position of the allocation order */
    u32 counter;     /* the position in it of the next host page */
    struct plane_address *addresses; /* of each plane */
    u64 sequence;    /* pages programmed, for the OOB */
    u32 reserve;     /* free blocks of a plane that the host leaves: ftl.gc.hard_blocks, or 2 at least once a
                        block has failed */
    struct ftl_queues *queues; /* core/queues.h; null: ftl.placement is not queue_aware */
    u8 *copies; /* a block: how often its pages may still be copied back, one after the other; null: never */

    /* operations */
    const struct ftl_waits *waits;
    u32 waiting;     /* writes that wait for a free block */
    struct fw_fifo unplaced; /* writes that wait for a plane */
    u32 pending;     /* operations placed on a page that have not ended */
    u32 promised;    /* writes that have their plane and are not assigned yet */
    u32 gc_parked;   /* garbage collection's writes that wait for a block or a plane */
    bool started;    /* a message has come that uses blocks */
    bool damaged;    /* a program or an erase has failed since boot */
    bool read_only;  /* nothing can be written any more */

    /* map (map/map.h) */
    const struct map_ops *map_ops;
    u32 *map;        /* LPN -> entry; null: demand-cached, see dftl */
    u64 *trimmed;    /* bit an LPN: trimmed, but no table page in flash says so, and `map` still has it;
                        null: a trim takes effect at once */
    u32 map_entries; /* logical pages, and behind them the FTL's own table pages */
    u32 map_work;    /* what the map goes on with at the end of the message; 0: nothing */
    struct ftl_dftl *dftl;
    struct ftl_log *log; /* null: every page may be anywhere */
    u32 *owners;      /* mapping units: LPN that was written to each unit */
    u32 *victim_lpns; /* `pages` entries per plane, see owner_of() in map/page_map.c */

    /* garbage collection (gc/gc.h) */
    const struct gc_copy_ops *copy_ops;
    const struct gc_policy *gc; /* core/blocks.h */
    u32 *tree;                  /* of the policy: `1 << block_bits` nodes a plane, block + 1 */
    u32 *pool;                  /* of the policy: blocks, as many a plane */
    struct gc_link *links;      /* of the policy: a block */
    u32 random;                 /* state of the generator that draws victims */
    u32 gc_active;         /* planes that collect */
    u32 gc_buffer_base;
    struct gc_channel *channels;
    u32 channel_threshold; /* free blocks of a channel at which GC starts */
    struct gc_die *dies;   /* null: GC is never held */
    u32 held;              /* planes in GC_HELD */
    u32 touched;           /* die + 1 of the first whose held planes are to be looked at */
    struct gc_page *gc_pages; /* mapping units: of each plane, the next page of GC */

    /* recovery (core/recovery_ops.h) */
    const struct recovery_ops *recovery_ops;
    struct ftl_recovery *recovery; /* null: nothing is kept for power loss */
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
static inline u32 ftl_op_plane(const struct fw *fw, const struct fw_op *o)
{
    return o->die * fw->cfg.planes + o->plane;
}
static inline u32 ftl_units(const struct fw_ftl *f) { return f->units; }
/* Whether the map points there: once a page is mapped, this says until its block is erased whether it
   still is, without a look at the map. */
static inline bool ftl_is_valid(const struct fw_ftl *f, u32 ppn)
{
    return f->valid[ppn / 64] >> (ppn % 64) & 1;
}

static inline bool ftl_is_trimmed(const struct fw_ftl *f, u32 lpn)
{
    return f->trimmed[lpn / 64] >> (lpn % 64) & 1;
}

/* address.c */
void ftl_fill_addresses(struct fw *fw);              /* at boot */
void ftl_address_op(struct fw *fw, struct fw_op *o, u32 plane); /* channel, ce, lun, plane, die */
void ftl_row_op(struct fw *fw, struct fw_op *o);     /* ONFI row from o->ppn */
