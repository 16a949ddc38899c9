// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: page buffers ("slots"): their states, the hash by LPN, requests that wait for them.
#pragma once

#include "firmware/buffer/buffer.h"

enum slot_state {
    SLOT_FREE = 0,
    SLOT_LOADING,   /* flash read or clearing in flight; nobody else may use it */
    SLOT_STABLE,    /* sectors in `mask` are valid; `readers` transfers to the host */
    SLOT_RECEIVING, /* data come from the host */
    SLOT_MERGING,   /* missing sectors are being brought from flash */
    SLOT_PROGRAMMING /* being written to flash; reads are served */
};

struct slot {
    u64 mask; /* valid sectors */
    u32 lpn;
    u32 hash_next;
    u32 readers;      /* host transfers in flight from it */
    struct fw_fifo waiting; /* requests, in order of arrival */
    u32 wanted_first; /* LOADING: the sectors that the read brings */
    u32 wanted_count;
    u32 temp;         /* MERGING: buffer number of the temporary */
    u32 ack_tag;      /* write to report when programmed, or FW_NONE */
    u32 ack_page;
    u32 request;      /* host command that used it last */
    u8 state;
    u8 dirty;
    u8 idle;          /* known to the policy as idle */
    u8 program_next;  /* MERGING: program when complete */
};

/* A page request of a command that waits for a slot or for its turn at one. */
struct page_request {
    u32 next;
    u32 lpn;
    u32 page; /* number in the command */
    u32 request;
    u16 tag;
    u16 kind; /* FW_MSG_PAGE_READ, _WRITE, _TRIM */
    u8 first, count;
    u8 fua;
    u8 loads; /* a flash read was started for it */
};

struct fw_buffer {
    const struct buffer_policy_ops *policy;
    void *policy_state;
    struct slot *slots;
    u32 *hash;     /* first slot of each chain, plus 1 */
    u32 hash_mask;
    u32 free;      /* list of free slots, by hash_next */
    u32 free_count;
    u32 dirty_count;
    u32 programming; /* programs of slots in flight, merges before them included */
    u32 low_water;
    u64 full_mask;
    struct page_request *requests;
    u32 request_free;
    struct fw_fifo alloc_wait; /* requests that need a slot, in order of arrival */
    u16 *alloc_wait_filter;    /* how many of them by hash of LPN */
    u32 temp_free;             /* bit i: temporary i is free */
    struct fw_fifo temp_wait;  /* slots, linked by wanted_first, that wait for a temporary */
    u32 flush_tag;             /* FLUSH in progress, or FW_NONE */
    u32 flush_cursor;
    u32 sectors_per_page;
    bool evicting;             /* evict_ahead() runs */
    bool timer_armed;          /* background write-back is due */
    bool background;           /* it runs */
};

u32 slot_find(const struct fw_buffer *b, u32 lpn);
void slot_insert(struct fw_buffer *b, u32 slot, u32 lpn);
void slot_remove(struct fw_buffer *b, u32 slot);

enum { SLOT_FILTER = 1024 };
u32 slot_hash(u32 lpn);
