// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the smart controller: recognises sequences of reads that come again and brings their pages
// before the host asks for them (docs/prefetch.md). Part of the buffer room; works on its lines.
#pragma once

#include "firmware/buffer/lines.h"

/* An item of a sequence is a page that was read: its LPN and these bits. */
enum { PREFETCH_LPN = 0x3fffffff, PREFETCH_METADATA = 0x40000000 };

struct prefetch_sequence {
    u32 area;    /* of the items */
    u32 pages;   /* items; 0: unused */
    u32 anchors; /* in its row */
    u32 used;    /* a running number */
    u32 aborts;  /* in a row */
};

/* A window of prefetch_match commands of a sequence. */
struct prefetch_anchor {
    u32 hash;
    u32 next; /* of the same chain, plus 1 */
    u32 end;  /* the first item behind it */
};

struct fw_prefetch {
    struct prefetch_sequence *sequences;
    u32 *items;                      /* areas of prefetch_pages: one a sequence, one that is being recorded */
    struct prefetch_anchor *anchors; /* rows of prefetch_anchors, likewise; the last is being recorded */
    u32 *heads;                      /* of the anchors by hash, plus 1 */
    u32 head_mask;
    u32 items_far; /* fw_is_far() */
    u64 last_us;   /* when the last read came that is watched */
    u32 uses;
    /* recognition: the last prefetch_match commands */
    u32 *window;
    u32 window_at, window_count, hash, oldest_weight;
    u32 recognised; /* the launch that is under way, or FW_NONE */
    u32 banned;     /* it was that, but went elsewhere */
    /* recording */
    u32 area, pages, commands, row_used;
    /* playing */
    u32 playing; /* sequence or FW_NONE */
    u32 at;      /* the item that the host is expected to read next */
    u32 ahead;   /* the next to be brought */
    u32 misses;  /* reads in a row that are not in order */
    bool data;   /* two_phase: metadata have been asked for */
    u32 most_held;
    u32 held;     /* lines with a page that was brought, or is, and not used yet */
    u32 fetching; /* of them on their way */
    /* pages that are not wanted any more: items [0, clean) of an area are to be looked at */
    u32 clean_area, clean;
};

/* prefetch.c */
u64 prefetch_bytes(const struct fw_config *cfg);
bool prefetch_boot(struct fw *fw);
/* The host has asked for a page, `first` of its command. `flags`: as in FW_MSG_PAGE_READ. */
void prefetch_read(struct fw *fw, u32 lpn, u32 flags, bool first);

/* recognise.c */
u32 prefetch_slide(struct fw *fw, u32 lpn);   /* the window has a new command; a sequence that it is in, or FW_NONE */
void prefetch_forget_window(struct fw_prefetch *p);
void prefetch_link(struct fw *fw, u32 sequence);   /* its anchors can be found */
void prefetch_unlink(struct fw *fw, u32 sequence);

/* record.c */
void prefetch_note(struct fw *fw, u32 lpn, bool metadata);
void prefetch_note_window(struct fw *fw);
void prefetch_close(struct fw *fw); /* the launch is over */

/* play.c */
void prefetch_confirm(struct fw *fw, u32 lpn);
void prefetch_stop(struct fw *fw);
void prefetch_pump(struct fw *fw);           /* bring what may be brought */
void prefetch_clean(struct fw *fw, u32 most); /* let go of pages, looking at so many items at most */
