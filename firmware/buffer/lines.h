// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: cache lines, a page buffer in DRAM each: their states, the hash by LPN, requests that wait for them; and what
// the files of the buffer share.
#pragma once

#include "firmware/buffer/policy.h"

enum { FW_BUFFER_TEMPS = 16 }; /* page buffers for completing partial pages */

enum line_state {
    LINE_FREE = 0,
    LINE_LOADING,   /* flash read or clearing in flight; nobody else may use it */
    LINE_STABLE,    /* sectors in `mask` are valid; `readers` transfers to the host */
    LINE_RECEIVING, /* data come from the host */
    LINE_MERGING,   /* missing sectors are being brought from flash */
    LINE_PROGRAMMING /* being written to flash; reads are served */
};

struct cache_line {
    u64 mask; /* valid sectors */
    u64 lost; /* sectors that the flash could not give back; never in `mask` */
    u32 lpn;
    union {
        u32 hash_next; /* holds a page: next line of the hash chain, plus 1; 0: the last */
        u32 free_next; /* FREE: next line of the free list, or FW_NONE */
    };
    u32 readers;      /* host transfers in flight from it */
    struct fw_fifo waiting; /* requests, in order of arrival */
    union {
        u32 transfer_first; /* LOADING, RECEIVING: first sector that flash or the host brings */
        u32 temp_next;      /* MERGING, without a temporary: next line in fw_buffer.temp_wait, or FW_NONE */
    };
    u32 temp;         /* MERGING: buffer number of the temporary */
    u32 ack_tag;      /* tag of the write to report when the page is programmed, or FW_NONE */
    u32 ack_page;     /* number of the page in the command of ack_tag */
    u32 request;      /* host command that used it last */
    u8 state;         /* line_state */
    u8 dirty;
    u8 idle;          /* known to the policy as idle */
    u8 program_next;  /* MERGING: program when complete */
    union {
        u8 transfer_count;  /* LOADING, RECEIVING: sectors from transfer_first on */
        u8 program_channel; /* MERGING for a program, PROGRAMMING: channel to write to, plus 1; 0: any */
    };
    u8 ack_failed;    /* the write in ack_tag ends with an error */
    u8 priority;      /* of the command in `request` */
    u8 used;          /* line_use_bits */
    u8 fetched;       /* line_fetch: the module has read the page of its own accord */
};
#ifdef __cplusplus
static_assert(sizeof(cache_line) == 72, "one layout on lp64 and ilp32");
#else
_Static_assert(sizeof(struct cache_line) == 72, "one layout on lp64 and ilp32");
#endif

enum line_fetch {
    LINE_PADS = 1, /* being read, to be programmed with its block */
    LINE_AHEAD,    /* brought for a stream; nobody has used it yet */
    LINE_PREFETCH  /* brought for a launch; nobody has used it yet */
};

enum line_use_bits {
    LINE_USED = 1,   /* a request has been served since it took its page */
    LINE_LEAVES = 2, /* it was evicted and nobody has used it since */
    LINE_CHOSEN = 4, /* a policy that evicts in sets has put it aside: not idle, but nobody uses it */
    LINE_EVICTED = 8, /* it was a victim, and its program has not ended */
    LINE_CLEARED = 16 /* its lost sectors hold zeros */
};

/* Of a line, where the hit manager works: what happens to its page while a program of it is queued. */
struct hit_manager_page {
    u32 op;        /* the program */
    u32 joined;    /* list of writes that are acknowledged with the line's own (ack_tag), or FW_NONE */
    u8 reads;      /* reads of the page since the line took it; saturates */
    u8 overwrites; /* overwrites of the page since the line took it; saturates */
    u8 reads_now;  /* reads of the page since `op` began; saturates */
    u8 asked;      /* OP_CANCEL has been sent for it */
};

/* A page request of a command that waits for a line or for its turn at one. */
struct page_request {
    u32 next;    /* in the list that it waits in, or in the free list; FW_NONE: the last */
    u32 lpn;
    u32 page;    /* number in the command */
    u32 request; /* running number of the command */
    u16 tag;     /* of the command */
    u8 kind;     /* FW_MSG_PAGE_READ, _WRITE, _TRIM */
    u8 pages;    /* of the command (saturates) */
    u8 first, count; /* sectors of the page */
    u8 flags;    /* HAL_HOST_FUA, priority */
    u8 loads;    /* a flash read was started for it */
};

struct fw_buffer {
    const struct buffer_policy_ops *policy;
    void *policy_state;          /* the table of the policy */
    void *set_state;             /* the table of a policy that works over another one */
    struct buffer_leaving *set;  /* one entry per channel; null: pages leave one by one */
    bool exact;                  /* a page leaves after its program if it was evicted, and never otherwise */
    struct cache_line *lines;
    u32 *hash;     /* first line of each chain, plus 1 */
    u32 hash_mask; /* entries of `hash`, minus 1 */
    u32 hash_far, requests_far; /* fw_is_far() of `hash` and of `requests` */
    u32 free;      /* first of the free lines, linked by free_next */
    u32 free_count;  /* free lines */
    u32 dirty_count; /* dirty lines */
    u32 programming; /* lines whose program is in flight, or the merge before it */
    u32 idle_count;  /* lines that are idle */
    u32 low_water;   /* free lines that eviction ahead of requests keeps */
    u32 queue_pages; /* programs in flight up to which pages are evicted while a request waits for a line */
    u64 full_mask;   /* all sectors of a page */
    bool retain, write_back;   /* the fields of the policy, unless buffer.reads or buffer.write switches them off */
    u32 fetching;              /* reads in flight that read_ahead.c has started */
    u32 padding;               /* reads in flight that complete a block before it leaves (bplru) */
    struct read_ahead_stream *streams; /* read_ahead.c; null: no read-ahead */
    u32 stream_uses;           /* uses of streams so far, a running number */
    struct fw_prefetch *prefetch; /* ahead/prefetch.h; null: off */
    u32 reading;               /* flash reads in flight that a request or a program waits for */
    struct page_request *requests;
    u32 request_free;          /* first of the free entries of `requests` */
    struct fw_fifo alloc_wait; /* requests that need a line, in order of arrival */
    u32 alloc_waiters;         /* requests in alloc_wait */
    u16 *alloc_wait_filter;    /* requests in alloc_wait, by hash of LPN */
    u32 temp_free;             /* bit i: temporary page buffer i is free */
    struct fw_fifo temp_wait;  /* lines that wait for a temporary, linked by temp_next */
    u32 flush_tag;             /* tag of the FLUSH in progress, or FW_NONE */
    u32 flush_cursor;          /* the line that FLUSH or write-back looks at next */
    u32 sectors_per_page;
    struct unit_packing *packing; /* null: a logical page is a flash page */
    struct hit_manager_page *hit_manager; /* one per line; null: no hit manager */
    bool joins_writes;         /* what waits at a line goes into the program of the write before it */
    bool queue_hits;           /* reads of a page whose program is queued or runs are answered */
    bool write_lost;           /* data that were acknowledged could not be written: FLUSH fails */
    bool ftl_flushes;          /* the FLUSH waits for the FTL only */
    bool trims_kept;           /* capacitors: since the FTL was last asked to make trims durable */
    bool power_fail;           /* capacitors: the supply has gone */
    bool urgent;               /* power_fail, or a FLUSH runs: what is dirty is written as soon as it can be */
    bool saving;               /* after power_fail everything dirty is in flash: the FTL saves */
    bool evicting;             /* buffer_evict_ahead() runs */
    bool timer_armed;          /* background write-back is due */
    bool background;           /* background write-back runs */
    u8 *lost;                  /* lost.c: bits of lost sectors, lost_bytes per logical page */
    u32 lost_bytes;
    u32 lost_pages;            /* pages with lost sectors in flash; 0: nobody looks at `lost` */
};

/* lines.c */
u32 line_dram_bytes(const struct fw_config *cfg); /* of all lines and temporaries, from offset 0: whole flash pages */
u32 line_find(struct fw *fw, u32 lpn);
void line_insert(struct fw_buffer *b, u32 line, u32 lpn);
void line_remove(struct fw *fw, u32 line);
u32 line_take(struct fw *fw, u32 lpn); /* for the page; a line must be free */
void line_give(struct fw *fw, u32 line);
void line_set_dirty(struct fw *fw, struct cache_line *s, u8 dirty);

enum { LINE_FILTER = 1024 };
u32 line_hash(u32 lpn);

FW_INLINE void line_use(struct fw *fw, u32 line) /* no longer idle */
{
    struct cache_line *s = &fw->buffer->lines[line];
    if (s->idle || (s->used & LINE_CHOSEN)) {
        fw->buffer->idle_count -= s->idle;
        s->idle = 0;
        s->used &= (u8)~LINE_CHOSEN;
        fw_charge(fw, FW_COST_BUFFER_BUSY, 1);
        if (fw->buffer->policy->busy) {
            fw->buffer->policy->busy(fw, line);
        }
    }
}

static inline void line_used(struct fw *fw, u32 line, bool write) /* for a request; it is busy */
{
    struct cache_line *s = &fw->buffer->lines[line];
    if (fw->buffer->policy->use && (write || fw->buffer->retain)) { /* else reads are not its business */
        fw->buffer->policy->use(fw, line, write, s->used & LINE_USED);
        s->used |= LINE_USED;
    }
    s->used &= (u8)~LINE_LEAVES;
}

/* lost.c: sectors of a page in flash that are known to be lost, until they are written or trimmed */
u64 lost_table_bytes(const struct fw_config *cfg);
bool lost_boot(struct fw *fw);
u64 lost_get(const struct fw_buffer *b, u32 lpn);
void lost_set(struct fw_buffer *b, u32 lpn, u64 sectors);

/* hit_manager.c; all but bytes and boot only where fw_buffer.hit_manager is not null */
u64 hit_manager_bytes(const struct fw_config *cfg);
bool hit_manager_boot(struct fw *fw);
void hit_manager_new_page(struct fw_buffer *b, u32 line);
void hit_manager_begin(struct fw *fw, u32 line, u32 op); /* the line's program goes out */
void hit_manager_read(struct fw *fw, u32 line);          /* a read was answered from the line */
void hit_manager_overwrite(struct fw *fw, u32 line, bool trim); /* a write or trim is the first to wait at the line */
void hit_manager_join(struct fw *fw, u32 line);          /* the line's write is acknowledged with a younger one */
void hit_manager_program(struct fw *fw, u32 line);       /* program the line's write, with those that wait after it */
void hit_manager_acknowledge(struct fw *fw, u32 line, bool failed); /* acknowledge all writes that were joined */
void hit_manager_taken_back(struct fw *fw, u32 line);    /* the scheduler has given the line's program back */

/* requests.c */
void request_arrived(struct fw *fw, const struct fw_message *m); /* FW_MSG_PAGE_READ, _WRITE, _TRIM */
/* The host's data have come. `aborted`: without the data; the line keeps what it had. */
void request_received(struct fw *fw, u32 line, u32 tag, u32 page, bool aborted);
void request_serve_waiting(struct fw *fw); /* those that wait for a line, while one is free */
void buffer_settle(struct fw *fw, u32 line); /* it may have become usable */

/* eviction.c */
u32 buffer_coming(const struct fw_buffer *b); /* free lines, and those that will be free by themselves */
bool buffer_evict_some(struct fw *fw); /* ask the policy, and take what it gives; false: nothing */
void buffer_evict_ahead(struct fw *fw); /* serve who waits for a line, and keep a few lines free */
void buffer_evict(struct fw *fw, u32 line, u32 channel); /* an idle one; it goes to that channel */

/* flush.c */
void buffer_arm_background(struct fw *fw); /* write-back, where there is something dirty */
void buffer_flush(struct fw *fw, u32 tag, bool to_flash); /* FLUSH; `to_flash`: the supply is to go in order */
void buffer_flush_more(struct fw *fw); /* go on with what is to be written */
void buffer_flushed(struct fw *fw); /* the FTL has flushed, too */
void buffer_power_fail(struct fw *fw);
void buffer_save(struct fw *fw, u32 line); /* it is to be written and may have become usable */

/* read_ahead.c */
u64 read_ahead_bytes(const struct fw_config *cfg);
bool read_ahead_boot(struct fw *fw);
void read_ahead_begin(struct fw *fw, u32 lpn, u8 why);    /* bring a page; `why`: line_fetch. One line must be free */
void read_ahead_used(struct fw *fw, u32 line);            /* a read uses a page that was brought */
void read_ahead_useless(struct fw *fw, u32 line);         /* a page that was brought is overwritten or gone */
void read_ahead_done(struct fw *fw, u32 line, bool good); /* the read has ended; good: all that is not lost has come */
void read_ahead_pads(struct fw *fw);                      /* the policy has `pad` */
void read_ahead_read(struct fw *fw, u32 lpn, bool first); /* the host reads a page; the first of its command? */

/* flash.c */
void buffer_fetch(struct fw *fw, u32 line); /* bring the whole page; read_ahead_done() follows */
void buffer_load(struct fw *fw, u32 line, const struct page_request *q);
void buffer_merge(struct fw *fw, u32 line, bool then_program);
void buffer_program(struct fw *fw, u32 line);
void buffer_program_at(struct fw *fw, u32 line, u32 channel); /* FW_NONE: any */
void buffer_op_done(struct fw *fw, u32 op, u32 how); /* as in FW_MSG_PAGE_OP_DONE */
void buffer_programmed(struct fw *fw, u32 line);
void buffer_refused(struct fw *fw, u32 line);

/* unit_packing.c; all but bytes, boot and pages only where fw_buffer.packing is not null */
enum { BUFFER_PURPOSE_PACK = 8, COOKIE_PACK = 0x40000000 }; /* fw_op.purpose; bit of the cookie of a copy */
u64 unit_packing_bytes(const struct fw_config *cfg);
bool unit_packing_boot(struct fw *fw);
u32 unit_packing_pages(const struct fw_config *cfg);  /* page buffers that are filled from lines */
void unit_packing_add(struct fw *fw, u32 line);       /* the line is to be programmed */
void unit_packing_copied(struct fw *fw, u32 line);    /* the line's data are in the page */
void unit_packing_look(struct fw *fw);                /* FW_MSG_PACK_LOOK */
void unit_packing_done(struct fw *fw, u32 line, bool refused); /* the program that began with this line has ended */
