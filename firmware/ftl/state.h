// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tables of the FTL and the functions that its files share.
//
// PPN = plane number | block | page in bit fields (block_bits, page_bits); plane number counts over
// the device: ((channel * ways + way) * dies + die) * planes + plane. The map holds PPN + 1, so that
// zeroed memory is an empty map and a device of any size boots at once; FTL_LOST where the page could
// not be read when it had to move.
#pragma once

#include "firmware/core/fw.h"
#include "firmware/core/op.h"

#define FTL_LOST 0xffffffffu

enum block_state {
    BLOCK_FREE = 0,
    BLOCK_OPEN,
    BLOCK_FULL,
    BLOCK_VICTIM, /* being collected */
    BLOCK_FAILED, /* a program failed on it: takes no more pages, is emptied and then retired */
    BLOCK_BAD,    /* from the factory, or retired */
    BLOCK_TABLE   /* of translation pages (dftl.h) */
};

struct block {
    u16 valid;   /* pages (mapping units) whose data the map points to */
    u16 pending; /* operations placed on it that have not ended */
    u32 next;    /* free list */
    u16 erases;
    u8 state;
    u8 failed; /* a VICTIM that was FAILED: it will not be erased */
};

/* A block of the plane's pool or of its list of full blocks (victim.h). Places and blocks + 1; 0: none. */
struct gc_link {
    union {
        u32 place; /* in the pool; block + 1 */
        u32 older;
    };
    union {
        u32 filled; /* cost_benefit: pages of the plane that were written before it was full */
        u32 younger;
    };
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

enum gc_state {
    GC_IDLE = 0,
    GC_READING,
    GC_MAPPING, /* waits for an entry of the map (dftl.h) */
    GC_WRITING,
    GC_ERASING,
    GC_WAITING,
    GC_HELD
};

/* Of a channel: what ftl.gc.scope = channel looks at. */
struct gc_channel {
    u32 free;       /* blocks */
    u32 collecting; /* planes */
    u32 writing;    /* ftl.write_points: channel; position in the order + 1 of the plane that is filled */
    u32 directed;   /* where in the order writes that want the channel go on */
};

/* Of a die, with ftl.gc.share below 1 (gc_share.c). */
struct gc_die {
    u64 debt;    /* array time in ns / 256 */
    u32 host;    /* the host's operations that are placed on it */
    u32 held;    /* planes in GC_HELD */
    u32 touched; /* 1: in the list that begins at fw_ftl.touched */
    u32 next;    /* die + 1 */
};

struct plane {
    u32 free_head, free_tail; /* erased or erasable blocks in order of becoming free */
    u32 fresh;                /* blocks from here on have never been used; they are free too */
    u32 free_count;
    u32 valid; /* pages (units), and those promised to writes that are not bound yet */
    u32 unbound; /* of them, those promised */
    u32 limit; /* most valid pages (units), so that collection always gains a page */
    u32 good;  /* blocks that are neither bad nor failed */
    struct write_point host, gc;
    struct write_point level; /* of static wear levelling: cold data */
    struct fw_fifo waiting; /* writes that wait for a free block */
    u32 victim;             /* block being collected */
    u32 sweep;              /* after a mount: blocks from here on may be full without data */
    u32 victim_page;        /* next page to look at */
    u8 gc_state;
    u8 lpns_known; /* ftl_page_owner() has found out whose the victim's pages are */
    u16 failed;    /* blocks in state FAILED */
    u32 pool_count;               /* blocks in the pool of victims (victim.h) */
    u32 oldest, youngest, listed; /* full blocks in order of becoming full: block + 1, how many */
    u32 written;                  /* pages bound in it since boot; wraps */
    u32 channel;
    u64 held_since_us;            /* GC_HELD */
    u32 most_erases;              /* of a block; this and the next for static wear levelling */
    u32 least_erases;             /* of a full block, at most */
    u8 levelling;                 /* the round is for wear levelling */
    u32 worn_window;              /* journal pages: block whose erase count is noted next */
    u8 spoilt; /* journal pages: a page of the victim was lost, so that it is retired (docs/power-loss.md) */
};

struct fw_ftl {
    u32 *map;    /* LPN -> PPN + 1; 0: not mapped. With mapping units (units.c) unit number + 1:
                    PPN << unit_bits | unit in the page; so everywhere but in fw_op.ppn */
    /* Null map: demand-cached, see dftl. */
    struct ftl_dftl *dftl;
    u64 *valid;  /* bit a PPN, or a unit */
    struct block *blocks; /* plane << block_bits | block */
    struct plane *planes;
    u32 plane_count;
    u32 page_bits, block_bits, plane_bits; /* of the PPN and of the ONFI row */
    u32 data_pages; /* of a block: all, or all but its journal page (recovery.h) */
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
    u32 reserve;     /* free blocks of a plane that the host leaves: ftl.gc.hard_blocks, or 2 at least once a
                        block has failed */
    u64 *work_ns;    /* by die, of the operations that are placed on it; null: nobody looks at it */
    bool damaged;    /* a program or an erase has failed since boot */
    bool read_only;  /* nothing can be written any more */
    struct gc_channel *channels;
    u32 channel_threshold; /* free blocks of a channel at which collection starts */
    struct gc_die *dies;   /* null: collection is never held */
    u32 held;              /* planes in GC_HELD */
    u32 touched;           /* die + 1 of the first whose held planes are to be looked at */
    const struct gc_policy *gc; /* victim.h; of the next three only what it keeps */
    u32 *tree;                  /* `1 << block_bits` nodes a plane, block + 1 */
    u32 *pool;                  /* blocks, as many a plane */
    struct gc_link *links;      /* a block */
    u32 random;                 /* state of the generator that draws victims */
    u32 map_entries; /* logical pages, and behind them the FTL's own table pages */
    struct ftl_recovery *recovery; /* null: nothing is kept for power loss */
    u32 unit_bits;
    u32 units; /* in a flash page, at most 1 << unit_bits */
    u32 *owners;               /* mapping units: LPN that was written to each unit */
    struct gc_page *gc_pages;  /* mapping units: of each plane, what collection writes next */
    u8 *copies; /* a block: how often its pages may still be copied back, one after the other; null: never */
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
/* Whether the map points there: once a page is mapped, this tells until its block is erased whether it
   still is, without a look at the map. */
static inline bool ftl_is_valid(const struct fw_ftl *f, u32 ppn)
{
    return f->valid[ppn / 64] >> (ppn % 64) & 1;
}

/* All reads and writes of map entries of logical pages, but for recovery's and ftl_map_set(). */
u32 *ftl_cached_entry(struct fw *fw, u32 lpn, bool changes); /* translate.c: one that is pinned */
static inline u32 ftl_entry(struct fw *fw, u32 lpn)
{
    return fw->ftl->map ? fw->ftl->map[lpn] : *ftl_cached_entry(fw, lpn, false);
}
static inline void ftl_set_entry(struct fw *fw, u32 lpn, u32 entry)
{
    *(fw->ftl->map ? &fw->ftl->map[lpn] : ftl_cached_entry(fw, lpn, true)) = entry;
}

/* Mapping units: units of a page that collection has read and not programmed yet. */
enum { FW_MAX_UNITS = 8 };
struct gc_page {
    u32 count;
    u32 from[FW_MAX_UNITS]; /* unit numbers in the victim */
    u32 lpn[FW_MAX_UNITS];
};
static inline u32 ftl_units(const struct fw_ftl *f) { return f->units; }
static inline u32 ftl_unit_mask(const struct fw_ftl *f) { return (1u << f->unit_bits) - 1; }
/* More live data than its good blocks can serve. A page that was promised to it when it had room for one
   unit is no reason. */
static inline bool ftl_too_full(const struct fw_ftl *f, const struct plane *p)
{
    return p->valid > p->limit + ftl_units(f) - 1;
}
/* Unit (or page) that a read is of: its first. */
static inline u32 ftl_read_unit(const struct fw *fw, const struct fw_op *o)
{
    const struct fw_ftl *f = fw->ftl;
    return f->unit_bits == 0 ? o->ppn : o->ppn << f->unit_bits | o->col / (fw_unit_bytes(&fw->cfg) / 512);
}
/* Whether emptying a block with so many valid pages (units) gains a page. */
static inline bool ftl_gains(const struct fw *fw, u32 valid)
{
    return valid <= (fw->ftl->data_pages - 1) * ftl_units(fw->ftl);
}

/* units.c; all but the first two only with mapping units */
u64 ftl_units_bytes(const struct fw_config *cfg);
bool ftl_units_boot(struct fw *fw);
void ftl_units_place(struct fw *fw, struct fw_op *o, u32 unit); /* a read: where in its page, and its buffer */
u32 ftl_units_bind(struct fw *fw, u32 op, u32 ppn); /* the map points to its page; how many units were alive */
void ftl_units_unbind(struct fw *fw, u32 op);       /* its program failed */
void ftl_units_lost(struct fw *fw, u32 op);         /* it will never be programmed again */
/* Collection: the next run of units of the victim into the page buffer, or the page to flash; false: the
   victim is empty and nothing is left to program. */
bool ftl_units_next(struct fw *fw, u32 plane);
void ftl_units_read(struct fw *fw, u32 plane, const struct fw_op *read);
/* The program of copies has ended. False: it failed, and the copies are programmed again. */
bool ftl_units_written(struct fw *fw, u32 plane, const struct fw_op *write);

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
/* For a write of this LPN. Static placement: the LPN's place in the order, or where that has no room the
   next that has. */
u32 ftl_plane_for(struct fw *fw, u32 lpn);
/* The same for a write that may want a channel. That channel's planes have their turns in the order;
   where none has room, the page goes as if it wanted none. */
u32 ftl_plane_for_op(struct fw *fw, const struct fw_op *o);
/* ftl.placement = queue_aware: this operation's time is work of `plane`'s die from now on, or ends. */
u32 ftl_work_of(const struct fw *fw, const struct fw_op *o);
void ftl_share_add(struct fw *fw, const struct fw_op *o, u32 plane); /* gc_share.c */
void ftl_share_end(struct fw *fw, const struct fw_op *o, u32 plane);
static inline void ftl_add_work(struct fw *fw, const struct fw_op *o, u32 plane)
{
    if (fw->ftl->dies) {
        ftl_share_add(fw, o, plane);
    }
    if (fw->ftl->work_ns) {
        fw->ftl->work_ns[plane / fw->cfg.planes] += ftl_work_of(fw, o);
    }
}
static inline void ftl_end_work(struct fw *fw, const struct fw_op *o, u32 plane)
{
    if (fw->ftl->dies) {
        ftl_share_end(fw, o, plane);
    }
    if (fw->ftl->work_ns) {
        fw->ftl->work_ns[plane / fw->cfg.planes] -= ftl_work_of(fw, o);
    }
}
/* The only way to change a plane's free_count. */
static inline void gc_free_blocks(struct fw_ftl *f, u32 plane, i32 by)
{
    f->planes[plane].free_count += (u32)by;
    f->channels[f->planes[plane].channel].free += (u32)by;
}
/* Where collection's copies go: behind the host's pages, or to a block of their own; cold data always to
   one of their own, so that they stay together in a block that is worn. */
static inline struct write_point *ftl_gc_point(const struct fw *fw, struct plane *p)
{
    return p->levelling ? &p->level : fw->cfg.gc_mixed ? &p->host : &p->gc;
}
/* Whether the host can have a page at once. Where it shares the open block with collection, it leaves
   that alone while collection has opened a block that the host would have to leave. */
static inline bool ftl_host_has_page(const struct fw *fw, const struct plane *p)
{
    const u32 reserve = fw->ftl->reserve;
    return p->free_count > reserve ||
           (p->host.block != FW_NONE && (!fw->cfg.gc_mixed || p->free_count >= reserve));
}
bool ftl_write_point_take(struct fw *fw, u32 plane, bool gc, u32 *ppn); /* false: no free block */
u32 ftl_take_block(struct fw *fw, u32 plane, bool worn); /* the plane has a free one; `worn`: the most worn */
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
/* The page that was taken is in the map now, or dead on arrival: a block without further ones is FULL. */
void ftl_page_bound(struct fw *fw, u32 plane, u32 ppn);
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
void ftl_lost_block(struct fw *fw, u32 plane); /* it has a good block fewer */
void ftl_retire(struct fw *fw, u32 plane, u32 block);
u32 ftl_failed_victim(struct fw *fw, u32 plane); /* a FAILED block that may be emptied, or FW_NONE */
/* The write cannot be bound where it was promised, or collection has no block: find a page
   elsewhere. Gives its plane; FW_NONE: the write waits. */
u32 ftl_bind_elsewhere(struct fw *fw, u32 op, u32 *ppn);
u32 ftl_page_owner(struct fw *fw, u32 plane, u32 ppn); /* LPN of a page of the plane's victim */

/* wear.c */
u32 ftl_wear_before(struct fw *fw, u32 plane, bool most); /* of the free list: the block in front of the least
                                                             or most worn one, FW_NONE: that is the first */
void ftl_wear_erased(struct fw *fw, u32 plane, u32 block);
u32 ftl_wear_victim(struct fw *fw, u32 plane); /* a full block that is to be erased, or FW_NONE */

/* read_only.c */
void ftl_check_worn_out(struct fw *fw); /* read-only from then on where nothing can be written any more */
void ftl_refuse(struct fw *fw, u32 op); /* a write that would be bound now ends without the flash */
void ftl_promise_any(struct fw *fw, u32 op); /* a plane for such a write */

/* victim.c */
void gc_block_state(struct fw *fw, u32 plane, u32 block, enum block_state state); /* victim.h */
extern const struct gc_policy *const ftl_gc_policies[FW_GC_POLICY_COUNT];        /* gc.c */

/* gc_share.c */
bool ftl_share_allows(struct fw *fw, u32 plane); /* collection may go on to the next page */
void ftl_share_hold(struct fw *fw, u32 plane);
void ftl_share_release(struct fw *fw, u32 plane);
void ftl_share_look(struct fw *fw); /* at planes that are held in dies where the host has come further */

/* copyback.c; only with fw_ftl.copies */
/* The page `to` in the plane for a copy of `from`. False: it has been copied back too often, or the plane
   cannot take it. */
bool ftl_copyback_take(struct fw *fw, u32 plane, u32 from, u32 *to);
void ftl_copyback_address(struct fw *fw, struct fw_op *o); /* of collection's, with source and destination */
/* False: the page is still where it was, and must be read. */
bool ftl_copyback_done(struct fw *fw, u32 plane, const struct fw_op *o);

/* gc.c */
void ftl_gc_run(struct fw *fw, u32 plane);
void ftl_gc_submit(struct fw *fw, u32 plane, u32 op, u8 opcode);
void ftl_gc_lose(struct fw *fw, u32 ppn, u32 lpn); /* a page (unit) of a victim that cannot be read */
void ftl_gc_run_channel(struct fw *fw, u32 channel);
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
void ftl_gc_op_done(struct fw *fw, u32 op);
void ftl_gc_map(struct fw *fw, u32 plane); /* GC_MAPPING: asks for the entry once more */
void ftl_serve_waiting(struct fw *fw, u32 plane); /* writes that waited for a block (ftl.c) */
void ftl_bind(struct fw *fw, u32 op);             /* (ftl.c) */
void ftl_resume(struct fw *fw, u32 op);           /* an operation that waited for the map (ftl.c) */
void ftl_place_waiting(struct fw *fw);            /* writes that waited for a plane (ftl.c) */
