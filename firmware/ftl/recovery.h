// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the FTL keeps so that the map can be rebuilt after power loss (docs/power-loss.md).
#pragma once

#include "firmware/ftl/state.h"

/* fw_op.purpose, behind the buffer's and collection's. */
enum { FTL_PURPOSE_RECOVERY = 32, FTL_TABLE_WRITE = 32, FTL_MOUNT_READ, FTL_TABLE_READ };

/* Table pages are LPNs from logical_pages on. The first ones have a bit a logical page, `span` of them
   each: 1 where it was trimmed or never written when the page went to flash. The others have a bit a
   block of the FTL's table: 1 where it has been retired. */
struct ftl_recovery {
    u64 *trimmed;      /* bit an LPN: trimmed, but no table page in flash says so; the map still has it */
    u64 *retired;      /* bit a block */
    u8 *pages;         /* the table pages as they go to flash and come from it */
    u8 *dirty;         /* one a table page: flash has an older state */
    u32 *held;         /* by op: PPN that its program replaces and that must not be erased; FW_NONE */
    u64 *version;      /* by map entry, while mounting: sequence number + 1; 0: no page found */
    u64 *tie_version;  /* plane x page in block, while mounting: of a page found twice */
    u32 span;
    u32 trim_pages;    /* table pages of trims */
    u32 table_pages;   /* all of them */
    u32 cursor;        /* table page that is being written or read */
    u32 planes_left;   /* that are still being scanned */
    bool mounting;
};

u32 ftl_map_entries(const struct fw_config *cfg);
u64 ftl_recovery_bytes(const struct fw_config *cfg);
bool ftl_recovery_boot(struct fw *fw); /* true, and nothing is kept, without fw_config.recovery_span */

static inline bool ftl_bit(const u64 *bits, u32 i) { return bits[i / 64] >> (i % 64) & 1; }
static inline void ftl_bit_set(u64 *bits, u32 i) { bits[i / 64] |= (u64)1 << (i % 64); }
static inline void ftl_bit_clear(u64 *bits, u32 i) { bits[i / 64] &= ~((u64)1 << (i % 64)); }

static inline bool ftl_is_trimmed(const struct ftl_recovery *r, u32 lpn) { return ftl_bit(r->trimmed, lpn); }

/* tables.c: holds. An op's program is about to replace what its LPN maps to: that must stay. */
void ftl_hold(struct fw *fw, u32 op);
/* Its program failed: the LPN maps to the old page again. False: there was none. */
bool ftl_revert(struct fw *fw, u32 op);
/* The operation has ended. True: it was the FTL's own. */
bool ftl_release(struct fw *fw, u32 op);
/* A table page cannot be written: the device is read-only. */
void ftl_table_refused(struct fw *fw, u32 op);
/* A copy failed that an op's program was to replace; collection has it from `from`. */
void ftl_hold_instead(struct fw *fw, u32 copy, u32 from);

/* tables.c: trims and retired blocks */
void ftl_trim_later(struct fw *fw, u32 lpn); /* it reads as trimmed; durable after ftl_flush() */
void ftl_lost(struct fw *fw, u32 lpn);       /* a page could not be read */
void ftl_note_retired(struct fw *fw, u32 block);
void ftl_flush(struct fw *fw); /* answered by FTL_FLUSHED; no write of the host is under way */

/* recover.c */
/* After a mount, before any policy is asked: a block without data, or FW_NONE. */
u32 ftl_swept_victim(struct fw *fw, u32 plane);
void ftl_mount(struct fw *fw);
void ftl_mount_read_done(struct fw *fw, u32 op);
