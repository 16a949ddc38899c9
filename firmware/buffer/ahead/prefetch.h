// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the launch-recognising prefetcher: recognises sequences of reads that come again and brings their pages
// before the host asks for them (docs/explanation/prefetch.md). Part of the buffer module; works on its lines.
#pragma once

#include "firmware/buffer/lines.h"

/* An item of a sequence is a page that was read: its LPN and these bits. */
enum { PREFETCH_LPN = 0x3fffffff, PREFETCH_METADATA = 0x40000000 };

struct prefetch_sequence {
    u32 area;    /* number of the area in fw_prefetch.items that has its items */
    u32 pages;   /* items; 0: the sequence is unused */
    u32 anchors; /* windows in its row of fw_prefetch.anchors */
    u32 used;    /* fw_prefetch.uses at its last use */
    u32 aborts;  /* launches in a row that were aborted */
};

/* A window of prefetch_match commands of a sequence. */
struct prefetch_anchor {
    u32 hash; /* of the commands of the window */
    u32 next; /* next anchor of the hash chain, plus 1 */
    u32 end;  /* the first item after the window */
};

struct fw_prefetch {
    struct prefetch_sequence *sequences;
    u32 *items;                      /* areas of prefetch_pages items: one per sequence, one that is being recorded */
    struct prefetch_anchor *anchors; /* rows of prefetch_anchors anchors: one per sequence; the last is being recorded */
    u32 *heads;                      /* by hash: first anchor of the chain, plus 1 */
    u32 head_mask; /* entries of `heads`, minus 1 */
    u32 items_far; /* fw_is_far() of `items` */
    u64 last_us;   /* when the last read came that is watched */
    u32 uses;      /* uses of sequences so far, a running number */
    /* recognition: the last prefetch_match commands */
    u32 *window;
    u32 window_at, window_count, hash, oldest_weight;
    u32 recognised; /* sequence of the launch that is running, or FW_NONE */
    u32 banned;     /* sequence that this launch left after it was recognised, or FW_NONE */
    /* recording */
    u32 area, pages, commands, row_used;
    /* playing */
    u32 playing; /* sequence that is played, or FW_NONE */
    u32 at;      /* the item that the host is expected to read next */
    u32 ahead;   /* the next item to be brought */
    u32 misses;  /* reads in a row that are not in order */
    bool data;   /* two_phase: metadata have been asked for */
    u32 soon;    /* two_phase: the next of the items that the host will read soon */
    bool looks;  /* a PREFETCH_LOOK is on its way */
    u32 most_held; /* upper bound of `held` */
    u32 held;      /* lines whose page was brought for a launch, or is on its way, and was not used yet */
    u32 fetching;  /* lines whose page is on its way for a launch */
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
void prefetch_wake(struct fw *fw); /* perhaps pages may be brought: look in a step of its own */
void prefetch_look(struct fw *fw); /* FW_MSG_PREFETCH_LOOK */
void prefetch_clean(struct fw *fw, u32 most); /* let go of pages, looking at `most` items at most */
