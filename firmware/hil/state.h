// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: host interface layer: the state of its commands, and what its files share.
#pragma once

#include "firmware/core/fw.h"

enum { HIL_WINDOW = 64 }; /* pages of a command in the buffer at once */
enum { HIL_BEGUN = 1, HIL_HELD = 2 }; /* of an active command: it has begun; it waits for the end of a FLUSH */

struct hil_command {
    u64 lba;       /* first sector */
    u32 ready[HIL_WINDOW / 32]; /* bit (page % 64): the page may be transferred */
    u32 sectors;
    u32 first_page; /* LPN of the first page */
    u32 pages;       /* logical pages that it touches */
    u32 asked;       /* pages asked of the buffer */
    u32 transferred; /* transfers started */
    u32 done;        /* pages released (read), acknowledged (write), removed (trim) */
    u32 next;        /* in the list of commands that still ask, or that are held back */
    u8 opcode, flags;
    u8 active;     /* 0, or HIL_BEGUN or HIL_HELD between its arrival and its end */
    u8 from_flash; /* a page was read from flash for it */
    u8 failed;     /* it will end with an error */
    u16 serial;    /* FW_PAGE_SERIAL or 0 */
    u32 line[HIL_WINDOW]; /* by page modulo HIL_WINDOW: its line in the buffer */
};

struct fw_hil {
    u32 active;            /* commands that have begun and not ended */
    u32 pages_out;         /* pages asked for and not done, over all commands */
    bool read_only;        /* writes and trims end with an error */
    bool power_fail;       /* nothing new is begun */
    u32 barrier;           /* tag of a FLUSH that waits or runs, or FW_NONE */
    u32 changing;          /* earlier writes and trims that it waits for; 0: the buffer has it */
    struct fw_fifo asking; /* commands that have pages left to ask for, in order of arrival */
    struct fw_fifo held;   /* commands that wait for the end of the barrier, in order of arrival */
    u32 requests;          /* commands that have begun so far, a running number */
    u32 most_pages;        /* upper bound of pages_out */
    u32 sectors_per_page; /* a power of two */
    u32 page_shift; /* log2(sectors_per_page) */
    struct hil_command *commands;
    u32 request_of[]; /* by tag: running number of the command */
};

/* The sectors that page `i` of the command touches. */
struct hil_page_range {
    u32 first;  /* sector in the page */
    u32 count;  /* sectors */
    u32 offset; /* sectors of the command before it */
};

static inline struct hil_page_range hil_page_range(const struct fw_hil *hil, const struct hil_command *c, u32 i)
{
    const u32 skipped = (u32)c->lba & (hil->sectors_per_page - 1); /* of the first page */
    const u32 first = i == 0 ? skipped : 0;
    const u32 offset = i == 0 ? 0 : (i << hil->page_shift) - skipped;
    const u32 count = fw_min_u32(c->sectors - offset, hil->sectors_per_page - first);
    return (struct hil_page_range){first, count, offset};
}

static inline bool hil_is_ready(const struct hil_command *c, u32 page)
{
    return c->ready[page % HIL_WINDOW / 32] >> (page % 32) & 1;
}
static inline void hil_set_ready(struct hil_command *c, u32 page)
{
    c->ready[page % HIL_WINDOW / 32] |= 1u << (page % 32);
}
static inline void hil_clear_ready(struct hil_command *c, u32 page)
{
    c->ready[page % HIL_WINDOW / 32] &= ~(1u << (page % 32));
}

/* commands.c */
void hil_begin(struct fw *fw, u32 tag);   /* no FLUSH holds the command back */
void hil_ask_all(struct fw *fw);          /* let every command ask that no earlier one holds back */
void hil_finish(struct fw *fw, u32 tag, bool report); /* `report`: the port does not do it with the last of the data */

/* transfers.c */
void hil_transfer(struct fw *fw, u32 tag); /* start every transfer that is next in the command's order */
void hil_page_done(struct fw *fw, u32 tag);
void hil_page_failed(struct fw *fw, u32 tag);
void hil_release(struct fw *fw, u32 tag, u32 page); /* the host has read the page, or does not want it */
