// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the log-block map: a block map of data blocks, and in each plane a few log blocks with a page map
// (docs/explanation/log-block.md).
//
// A logical block is `pages` LPNs that follow each other. All of it lives in one plane: in its data block, page
// by page at its own offset, and in log blocks, in order of writing. At most one copy of an LPN is valid.
#pragma once

#include "firmware/ftl/map/dftl.h"

/* fw_op.purpose: those of the other map that has operations of its own. */
enum { FTL_LOG_READ = FTL_MAP_READ, FTL_LOG_WRITE = FTL_MAP_WRITE, FTL_LOG_ERASE = FTL_MAP_ERASE };

enum log_kind {
    LOG_UNUSED = 0,
    LOG_OWN,        /* bast: of one logical block */
    LOG_SEQUENTIAL, /* fast: of one logical block, from its first page on */
    LOG_RANDOM      /* fast: of all others */
};

struct log_block {
    u32 block;    /* in the plane */
    u32 owner;    /* logical block of the plane; FW_NONE: LOG_RANDOM */
    u32 used;     /* pages that have been taken */
    u32 programs; /* of them, those that are not in flash yet */
    u32 live;
    u32 stamp;    /* of its last write; LOG_RANDOM: of its first */
    u8 kind;      /* log_kind */
    u8 in_order;  /* page i holds offset i of the owner, or has held it */
};

struct log_page {
    u32 lpn;  /* FW_NONE: dead */
    u32 next; /* of its hash chain: page + 1 */
    u32 busy; /* its program runs */
};

enum log_state {
    LOG_IDLE = 0,
    LOG_HELD,    /* the next page to copy is being programmed */
    LOG_READING,
    LOG_WRITING,
    LOG_ERASING
};

enum log_merge { MERGE_SWITCH, MERGE_PARTIAL, MERGE_FULL };

/* Blocks that wait for their erase: of one merge, or a target that failed. */
enum { LOG_GARBAGE = 3, LOG_MOST = 64 };

struct log_plane {
    u64 due;                /* bit a log block: is to be merged */
    u32 used, randoms;      /* log blocks; of them LOG_RANDOM */
    u32 sequential, open;   /* fast: log block, or FW_NONE; LOG_RANDOM that is being filled */
    u32 stamp;
    u32 position;           /* of the plane in the allocation order */
    u8 state;               /* log_state */
    u8 merge;               /* log_merge */
    u8 filler;              /* the page that is being written holds no data */
    u8 looks;               /* the next block to erase is still read */
    u32 victim;             /* log block that is being merged */
    u32 owner;              /* logical block that is being merged, or FW_NONE: its writes wait */
    u32 target;             /* block that becomes its data block */
    u32 page, end;          /* next offset to copy; behind the last one */
    u32 garbage[LOG_GARBAGE], garbage_count;
};

struct ftl_log {
    struct log_plane *planes;
    struct log_block *blocks; /* `count` a plane */
    struct log_page *pages;   /* `pages` of each */
    u32 *hash;                /* `hash_mask` + 1 a plane: page of the plane + 1 */
    u32 *data;                /* `data_blocks` a plane: block + 1 by logical block; 0: none */
    u64 *lost;                /* bit an LPN: it could not be read when it had to move */
    u32 count, data_blocks, hash_mask;
    u32 active;               /* planes that are not LOG_IDLE */
    u32 looks;                /* planes with `looks` */
    u32 entry;                /* what map_ops.entry gives */
};

/* Where a logical page belongs. */
struct log_home {
    u32 plane, logical, offset; /* logical block of the plane */
};

u64 ftl_log_bytes(const struct fw_config *cfg);
bool ftl_log_boot(struct fw *fw);
extern const struct map_ops map_ops_log;

/* log_map.c */
struct log_home log_home_of(const struct fw *fw, u32 lpn);
u32 log_lpn(const struct fw *fw, u32 plane, u32 logical, u32 offset);
u32 log_find(const struct fw *fw, u32 plane, u32 lpn); /* live page among those of the plane's log blocks; FW_NONE */
u32 log_page_ppn(const struct fw *fw, u32 plane, u32 page);
u32 log_data_ppn(const struct fw *fw, u32 plane, u32 logical, u32 offset); /* live page of the data block; FW_NONE */
u32 log_locate(const struct fw *fw, u32 lpn); /* PPN of the live copy; FW_NONE */
void log_forget(struct fw *fw, u32 plane, u32 page); /* it is not in the page map any more; its valid bit stays */
bool log_drop(struct fw *fw, u32 lpn); /* its live copy is dead; false: there is none */
static inline struct log_plane *log_plane_of(const struct fw *fw, u32 plane) { return &fw->ftl->log->planes[plane]; }
static inline struct log_block *log_block_at(const struct fw *fw, u32 plane, u32 at)
{
    return &fw->ftl->log->blocks[plane * fw->ftl->log->count + at];
}
static inline struct log_page *log_page_at(const struct fw *fw, u32 plane, u32 page)
{
    return &fw->ftl->log->pages[(u64)plane * fw->ftl->log->count * fw->cfg.pages + page];
}
static inline u32 *log_data_of(const struct fw *fw, u32 plane, u32 logical)
{
    return &fw->ftl->log->data[(u64)plane * fw->ftl->log->data_blocks + logical];
}

/* log_take.c */
/* A page for a write. False: it waits in the plane, until it is to be assigned again. */
bool ftl_log_take(struct fw *fw, u32 op, u32 *ppn);
void log_serve(struct fw *fw, u32 plane); /* writes that wait are assigned again */
void log_programmed(struct fw *fw, const struct fw_op *o, bool good); /* a program of the host has ended */
void log_free(struct fw *fw, u32 plane, u32 at); /* the log block is none any more */

/* log_merge.c */
void log_run(struct fw *fw, u32 plane); /* erase, merge, go on, where there is something to do */
void ftl_log_assign(struct fw *fw, u32 op);
void ftl_log_done(struct fw *fw, u32 op);
