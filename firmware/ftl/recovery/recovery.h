// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the FTL keeps so that the map can be rebuilt after power loss (docs/explanation/power-loss.md).
#pragma once

#include "firmware/ftl/core/recovery_ops.h"
#include "firmware/ftl/core/state.h"

/* fw_op.purpose, after the buffer's and GC's. */
enum {
    FTL_PURPOSE_RECOVERY = 32,
    FTL_TABLE_WRITE = 32,
    FTL_MOUNT_READ,
    FTL_TABLE_READ,
    FTL_JOURNAL_WRITE,
    FTL_JOURNAL_READ
};

/* Journal pages: slots of a plane for blocks that are being written (a block that finds none free gets no
   journal page); words for erase counts of blocks that have no journal page, and of others in turn. */
enum { FTL_JOURNALS = 6, FTL_JOURNAL_WORN = 16, FTL_JOURNAL_WINDOW = 32, FTL_OOB_JOURNAL = 3 };
#define FTL_JOURNAL_LPN 0xfffffffeu
struct ftl_journal {
    u32 block; /* in the plane; FW_NONE: the slot is free */
    u32 ended; /* programs */
};

/* The reads of a mount: journal pages, and blocks that have none; then blocks whose journal page may say too
   much; all blocks, where that was not enough; table pages. */
enum ftl_mount_phase { MOUNT_JOURNALS, MOUNT_DOUBTS, MOUNT_ALL, MOUNT_TABLES };

/* Table pages are LPNs from logical_pages on. The first ones have a bit a logical page, `span` of them
   each: 1 where it was trimmed or never written when the page went to flash. The others have a bit a
   block of the FTL's table: 1 where it has been retired. */
struct ftl_recovery {
    u64 *retired;      /* bit a block */
    u8 *pages;         /* the table pages as they go to flash and come from it */
    u8 *dirty;         /* one a table page: flash has an older state */
    u32 *held;         /* by op: PPN that its program replaces and that must not be erased; FW_NONE */
    u64 *untrims;      /* bit an op: its program ends a trim that no table page in flash contains */
    u64 *version;      /* by map entry, while mounting: sequence number + 1; 0: no page found */
    u64 *tie_version;  /* plane x page in block, while mounting: of a page found twice */
    u32 span;
    u32 trim_pages;    /* table pages of trims */
    u32 table_pages;   /* all of them */
    u32 cursor;        /* table page that is being written or read */
    u32 planes_left;   /* that are still being scanned */
    bool mounting;
    u8 phase;                     /* ftl_mount_phase */
    bool doubts;                  /* a bit of `doubt` is set */
    u64 *claims;                  /* bit a block, while mounting: what is known of it is from its journal page */
    u64 *doubt;                   /* the same: its pages must be read */
    struct ftl_journal *journals; /* FTL_JOURNALS a plane; null: no journal pages */
    u32 journals_out;             /* on their way to flash */
};

u32 ftl_map_entries(const struct fw_config *cfg);
u64 ftl_recovery_bytes(const struct fw_config *cfg, u32 ops);
bool ftl_recovery_boot(struct fw *fw); /* chooses the kind; true, and nothing is kept, without fw_config.recovery_span */
u32 ftl_recovery_pages(const struct fw_config *cfg); /* table pages and buffers of journal pages */
extern const struct recovery_ops recovery_none, recovery_scan, recovery_journal;

/* none.c: empty hooks of more than one kind */
bool recovery_is_idle(const struct fw *fw);
void recovery_no_op(struct fw *fw, const struct fw_op *o);
void recovery_no_block(struct fw *fw, u32 plane, u32 block);

static inline bool ftl_bit(const u64 *bits, u32 i) { return bits[i / 64] >> (i % 64) & 1; }
static inline void ftl_bit_set(u64 *bits, u32 i) { bits[i / 64] |= (u64)1 << (i % 64); }
static inline void ftl_bit_clear(u64 *bits, u32 i) { bits[i / 64] &= ~((u64)1 << (i % 64)); }


/* recovery_tables.c: hooks of scan and journal, see core/recovery_ops.h */
void ftl_trim_later(struct fw *fw, u32 lpn); /* it reads as trimmed; durable after ftl_flush() */
void ftl_flush(struct fw *fw);
void ftl_hold(struct fw *fw, u32 op);
bool ftl_revert(struct fw *fw, u32 op);
bool ftl_release(struct fw *fw, u32 op);
void ftl_hold_instead(struct fw *fw, u32 copy, u32 from);
void ftl_lost(struct fw *fw, u32 ppn, u32 lpn);
void ftl_note_retired(struct fw *fw, u32 block);
u8 **recovery_pages(const struct fw *fw);
/* A table page cannot be written: the device is read-only. */
void ftl_table_refused(struct fw *fw, u32 op);

/* journal.c; only with journal pages */
u32 ftl_journal_sectors(const struct fw_config *cfg); /* of a journal page; they have to fit into a page */
u32 ftl_journal_buffer(const struct fw *fw, u32 plane, u32 slot); /* page of `pages` */
u32 *ftl_journal_words(const struct fw *fw, u32 plane, u32 slot);
void ftl_journal_assign(struct fw *fw, u32 op);
void ftl_journal_done(struct fw *fw, u32 op);
bool ftl_journal_whole(struct fw *fw, const struct fw_op *o); /* what was read is the block's journal page */
u32 ftl_journal_entry(const struct fw *fw, u32 plane, u32 page, u64 *version); /* of what was read: LPN */

/* recover.c */
void ftl_mount(struct fw *fw);
bool recovery_is_mounted(const struct fw *fw);
void ftl_mount_read_done(struct fw *fw, u32 op);

/* versions.c: of two pages of an LPN the one that counts */
/* A page that the scan has read. */
void mount_found(struct fw *fw, u32 plane, const struct fw_op *o);
/* The page of an LPN with this version. True: there is another one, and mount_settle_ties() decides. */
bool mount_found_version(struct fw *fw, u32 lpn, u64 version, u32 ppn);
void mount_settle_ties(struct fw *fw, u32 plane); /* all pages of the block have been read */

/* rebuild.c: planes and blocks from the map. False: a page is missing, so that all pages must be read. */
bool mount_rebuild(struct fw *fw);
