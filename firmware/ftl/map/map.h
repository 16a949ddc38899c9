// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the map from logical to physical pages, behind one table of functions.
//
// An entry is PPN + 1, so that zeroed memory is an empty map and a device of any size boots at once; FTL_LOST
// where the page could not be read when it had to move. With mapping units (units.c) an entry is a unit number
// + 1: PPN << unit_bits | unit in the page; so everywhere but in fw_op.ppn.
#pragma once

#include "firmware/ftl/core/state.h"

#define FTL_LOST 0xffffffffu

/* A page that GC is to move. */
struct map_copy {
    struct fw_oob oob; /* `lpn` is the LPN that the page belongs to */
    bool lost;         /* it cannot be read */
};

enum map_answer {
    MAP_READY, /* the entry is at hand until copy_over() */
    MAP_WAITS, /* ftl_waits.collect() is called when it may be */
    MAP_DEAD,  /* the page holds no live data */
    MAP_NEVER, /* the device is read-only */
    MAP_FAULT  /* the firmware has stopped */
};

/* The reasons why a device with failed blocks stops, or may still go on. */
struct map_waits {
    bool stuck;  /* somebody waits for the map, and none of its operations runs */
    bool busy;   /* its operations run */
    u32 copies;  /* planes whose GC waits for it */
};

/* The result of a read. Not in the op, which lies in DRAM. */
struct map_found {
    u32 entry; /* of the map; 0: not mapped, FTL_LOST: lost */
    u32 ppn;   /* where `entry` is mapped */
};

/* One const instance per kind, chosen at boot: map_ops_page, map_ops_cached (dftl), map_ops_units, map_ops_log. */
struct map_ops {
    void (*start)(struct fw *fw); /* bad blocks of the factory are known; the first command is next */

    /* A read: the entry of its LPN, and the page where it is mapped. False: it waits. */
    bool (*lookup)(struct fw *fw, u32 op, struct map_found *found);
    /* A write: its entry will be at hand when it is assigned. False: it waits, or the map has placed it itself. */
    bool (*prepare)(struct fw *fw, u32 op);
    /* A write has its page, o->ppn: the map points there. `from`: page that a copy was read from. Gives how
       many pages (units) are alive; a page that was overwritten since it was read is not. */
    u32 (*set)(struct fw *fw, u32 op, u32 from);
    void (*unset)(struct fw *fw, u32 op);   /* its program failed */
    void (*refuse)(struct fw *fw, u32 op);  /* a write of the host will never be programmed */
    void (*release)(struct fw *fw, u32 op); /* an operation of the host has ended or was taken back */
    void (*trim)(struct fw *fw, u32 lpn);

    /* The entry of an LPN that is at hand. */
    u32 *(*entry)(struct fw *fw, u32 lpn, bool changes);

    /* GC has read the page `from`. `read` null: it has waited, and asks again. */
    enum map_answer (*note_copy)(struct fw *fw, u32 plane, u32 from, const struct fw_op *read,
                                 struct map_copy *copy);
    void (*copy_over)(struct fw *fw, u32 plane);   /* the entry of the copy is not needed any more */
    void (*block_freed)(struct fw *fw, u32 plane); /* the plane may have a block for translation pages */

    /* The end of a message, where fw_ftl.map_work is not 0: those that waited go on. */
    void (*pump)(struct fw *fw);
    bool (*idle)(const struct fw *fw);
    struct map_waits (*waits)(const struct fw *fw);
    void (*read_only)(struct fw *fw); /* nothing is written any more: those that wait for that end */

    u8 **(*pages)(const struct fw *fw); /* where the address of its own pages is kept; null: it has none */
};
extern const struct map_ops map_ops_page, map_ops_cached, map_ops_units;

static inline bool ftl_is_mapped(u32 entry) { return entry - 1 < FTL_LOST - 1; }
static inline u32 ftl_entry(struct fw *fw, u32 lpn) { return *fw->ftl->map_ops->entry(fw, lpn, false); }
static inline void ftl_set_entry(struct fw *fw, u32 lpn, u32 entry)
{
    *fw->ftl->map_ops->entry(fw, lpn, true) = entry;
}

/* page_map.c: for all maps */
void ftl_invalidate(struct fw *fw, u32 ppn);       /* its page no longer holds live data */
void ftl_map_set(struct fw *fw, u32 lpn, u32 ppn); /* LPN moves to ppn; the old page is invalid */
/* The OOB record of a write: the sequence number is the version of its data. */
void ftl_stamp(const struct fw *fw, struct fw_op *o, u8 kind);

/* page_map.c: hooks of maps of whole pages */
u32 map_set_page(struct fw *fw, u32 op, u32 from);
void map_unset_page(struct fw *fw, u32 op);
void map_refuse_page(struct fw *fw, u32 op);

/* page_map.c: hooks of maps that are in DRAM as a whole: nobody waits for them */
u32 *map_dram_entry(struct fw *fw, u32 lpn, bool changes);
void map_dram_trim(struct fw *fw, u32 lpn);
bool map_dram_prepare(struct fw *fw, u32 op);
void map_dram_release(struct fw *fw, u32 op);
void map_dram_start(struct fw *fw);
void map_dram_plane(struct fw *fw, u32 plane);
bool map_dram_idle(const struct fw *fw);
struct map_waits map_dram_waits(const struct fw *fw);
u8 **map_dram_pages(const struct fw *fw);
