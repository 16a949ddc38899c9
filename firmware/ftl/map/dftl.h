// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the demand-cached map: cached mapping table (CMT), buffers of translation pages, and the blocks
// that translation pages have for themselves (docs/explanation/dftl.md).
#pragma once

#include "firmware/ftl/map/map.h"

/* fw_op.purpose, behind recovery's. */
enum { FTL_PURPOSE_MAP = 48, FTL_MAP_READ = 48, FTL_MAP_WRITE, FTL_MAP_ERASE };

enum { CMT_USED = 1, CMT_LOADED = 2, CMT_DIRTY = 4 };

/* 28 bytes; with its place in the hash an entry takes 32 bytes. */
struct cmt_entry {
    u32 lpn, entry;
    u32 prev, next; /* LRU list of those that nobody has pinned; `next` of the free list */
    u32 chain;      /* of the hash, slot + 1 */
    u32 dirty_next; /* of the dirty entries of its translation page, slot + 1 */
    u16 pins;
    u16 state; /* CMT_* */
};

enum map_job_state { JOB_FREE = 0, JOB_FETCH, JOB_CONTENT, JOB_SPACE, JOB_PROGRAM };

/* A buffer, and what is done with the translation page in it. */
struct map_job {
    u32 page;              /* number of the translation page */
    u32 ticket;            /* order of coming into JOB_SPACE */
    struct fw_fifo waiting; /* operations of the host that want an entry of it (FETCH) */
    u8 state;
    u8 write;   /* it is to be written */
    u8 collect; /* because its block is collected */
    u8 again;   /* it is to be written once more */
};

enum table_block_state { TABLE_FREE = 0, TABLE_OPEN, TABLE_FULL, TABLE_FAILED, TABLE_GONE };

struct table_block {
    u32 block; /* in the plane */
    u32 ended; /* programs on it that have ended */
    u32 state; /* table_block_state */
};

/* The translation pages of a plane. */
struct table_area {
    u32 plane;
    u32 open, page;   /* place in its blocks, or FW_NONE; next page */
    u32 free;         /* blocks in TABLE_FREE */
    u32 promised;     /* programs that have no page yet */
    u32 owed;         /* blocks that were lost and not replaced */
    u32 victim;       /* place, or FW_NONE */
    u32 victim_page;
    bool erasing;
    struct fw_fifo unassigned; /* programs for which there was no page */
};

/* The request of a plane's GC to the map. */
struct map_gc {
    struct fw_oob oob;
    u32 next;  /* plane in the queue */
    u8 lost;   /* the page cannot be read */
    u8 found;  /* whose it was has been looked for: 1: oob.lpn, 2: in vain */
    u8 queued;
    u32 pin;   /* slot + 1 of the copy's entry */
};

struct ftl_dftl {
    struct cmt_entry *cmt;
    u32 *hash; /* slot + 1 */
    u32 count, hash_mask;
    u32 free;            /* list of unused entries; FW_NONE */
    u32 newest, oldest;  /* LRU list */
    u32 host_pins, most_host_pins;
    u32 *pin_of;         /* by operation: slot + 1 */
    u32 pages, per_page; /* translation pages; entries of each */
    u32 *directory;      /* by translation page: PPN + 1; 0: never written */
    u32 *dirty;          /* its dirty entries, slot + 1 */
    u32 *trims;          /* trims that are not in it yet */
    u32 *queue_next;     /* pages that are to be written and have no buffer */
    u8 *queued;
    u16 *job_of;         /* job + 1 */
    u64 *trimmed;        /* bit a logical page */
    u32 queue_head, queue_tail;
    struct map_job *jobs;
    u32 job_count, jobs_busy;
    u8 *buffers;
    struct fw_fifo no_entry, no_job; /* operations that wait for an entry of the CMT, for a buffer */
    u32 ops_out;         /* own operations */
    u32 ticket;
    bool resuming;       /* an operation that has waited */
    bool orphans;        /* a translation page was lost: pages may be valid that the map does not know */
    struct map_gc *gc;   /* by plane */
    u32 gc_head, gc_tail, gc_waiting;
    u32 search_plane, search_page; /* whose a page is that cannot be read */
    struct table_area *areas;
    struct table_block *blocks; /* area_blocks an area */
    u32 *owner;          /* translation page in each page of the areas */
    u32 area_count, area_blocks;
};

/* Of fw_ftl.map_work. */
enum { MAP_WORK_CONTENT = 1, MAP_WORK_ENTRIES = 2, MAP_WORK_JOBS = 4, MAP_WORK_PLACE = 8 };

u64 ftl_dftl_bytes(const struct fw_config *cfg, u32 ops);
bool ftl_dftl_boot(struct fw *fw);
/* Own operations, or places for them, of the pool. */
u32 ftl_dftl_ops(const struct fw_config *cfg);

/* cmt.c */
u32 cmt_find(const struct ftl_dftl *d, u32 lpn); /* slot, or FW_NONE */
/* An entry for this LPN, used and neither loaded nor in the LRU list; FW_NONE: none is clean, and a
   write-back has been started. */
u32 cmt_take(struct fw *fw, u32 lpn);
void cmt_touch(struct ftl_dftl *d, u32 slot);
void cmt_into_list(struct ftl_dftl *d, u32 slot); /* newest */
void cmt_dirty(struct ftl_dftl *d, u32 slot);
void cmt_pin(struct ftl_dftl *d, u32 slot);
void cmt_unpin(struct fw *fw, u32 slot); /* one that is not loaded is dropped with its last pin */
void cmt_boot(struct ftl_dftl *d);

/* translate.c: those that wait, and the table of hooks */
static inline bool ftl_map_is_trimmed(const struct ftl_dftl *d, u32 lpn)
{
    return d->trimmed[lpn / 64] >> (lpn % 64) & 1;
}

/* map_copies.c: the side of GC */
enum map_answer map_note_copy(struct fw *fw, u32 plane, u32 from, const struct fw_op *read, struct map_copy *copy);
void map_copy_over(struct fw *fw, u32 plane);
void map_ask_for_copies(struct fw *fw); /* who waits may go on */

/* map_jobs.c: buffers of translation pages */
u32 *map_content(const struct fw *fw, u32 job);
/* The buffer that has what flash has, or will have, of this page; FW_NONE: none. */
u32 map_job_with(const struct ftl_dftl *d, u32 page);
/* A free buffer; the first one is for GC of translation pages only, or on a read-only device. */
u32 map_free_job(const struct fw *fw, bool collect);
bool map_start(struct fw *fw, u32 page, bool write, bool collect); /* false: no buffer is free */
void map_job_space(struct fw *fw, u32 job); /* there is a page of the area for it: merge, program */
void map_job_over(struct fw *fw, u32 job);
void map_want_write(struct fw *fw, u32 page, bool collect);
u32 map_submit(struct fw *fw, u32 plane, u8 opcode, u8 purpose, u32 owner, u32 ppn);
void ftl_map_done(struct fw *fw, u32 op);

/* table_area.c */
u32 table_area_blocks(const struct fw_config *cfg);
u32 table_area_count(const struct fw_config *cfg);
void table_areas_take(struct fw *fw);
bool table_space(const struct fw *fw, const struct table_area *a, bool collect);
void table_look(struct fw *fw, u32 area);
void table_block_freed(struct fw *fw, u32 plane); /* the plane may have a block for its area */
void ftl_map_assign(struct fw *fw, u32 op);
void table_programmed(struct fw *fw, u32 page, u32 ppn, bool good); /* the program of a translation page has ended */
void table_erased(struct fw *fw, u32 owner, bool good);
static inline u32 table_area_of(const struct ftl_dftl *d, u32 page) { return page % d->area_count; }
