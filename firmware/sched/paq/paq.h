// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the clump table that paq0, paq1 and paq2 share, and the loop over its entries.
//
// The device queue below the FTL (PAQ paper 4.2 to 4.5): reads come in with their physical address
// and wait in the table; what writes is assigned at once and passes. An operation goes to the
// controller only when its die is idle. docs/explanation/paq.md has the algorithms and what was mended in them.
#pragma once

#include "firmware/core/op.h"
#include "firmware/sched/sched.h"

enum {
    PAQ_TAG_BUCKETS = 256,
    PAQ_AGED_PASSES = 8 /* aged reads in a row that pass a die's writes and GC */
};

/* The part that a pending read shares with another pending read: a die, a package, a channel. */
enum paq_conflict { PAQ_FREE = 0, PAQ_DOMAIN, PAQ_CLUSTER, PAQ_NODE };

enum paq_state { PAQ_OUT = 0, PAQ_PENDING };

/* By op, beside fw_op. The reads of a die are linked by fw_op.next and `prev`, oldest tag first;
   those of the device queue by `older` and `newer`, in order of arrival. */
struct paq_link {
    u32 prev, older, newer;
    u32 follow; /* the host transaction that arrived next */
    u32 stamp;  /* number of this arrival */
    u32 tag;    /* read: in paq.tags */
    u32 order;  /* read: of its tag; write: of the tag that comes next */
    u32 state;  /* paq_state */
};

/* A request with reads inside: released when both counters are 0. */
struct paq_tag {
    u64 arrival_us;
    u32 request; /* 0: a read of the device's own, a tag for itself */
    u32 order;   /* rises with arrival */
    u32 uncommitted, in_flight; /* reads of the request that are not in flight yet, that are */
    u32 prev, next; /* neighbours by age, oldest first; in the free list only `next` */
    u32 chain;      /* next tag of its bucket */
};

struct paq_die {
    u32 head, tail, reads;      /* pending reads */
    struct fw_fifo writes, gc;  /* assigned writes in order of arrival; garbage collection's operations */
};

struct paq {
    struct paq_link *link; /* by op */
    struct paq_tag *tags;
    struct paq_die *dies;
    u32 *package_reads, *channel_reads; /* pending reads, by package and by channel */
    u32 *package_flying;                /* reads in flight, by package */
    /* A bit per die: pending reads; writes or GC waiting; nothing in flight; the package takes
       a read of this clump. */
    u32 *reads, *passing, *idle, *open;
    u32 bucket[PAQ_TAG_BUCKETS];
    u32 tag_free, tag_head, tag_tail;
    u32 served;          /* no older tag has an uncommitted read */
    u32 oldest, newest;  /* device queue */
    u32 stamps, orders;  /* stamps of arrivals and orders of tags given so far */
    u32 last;            /* host transaction that arrived last */
    u32 cursor;          /* first die of the package that is looked at next */
    u32 die_count, page_mask;
    u32 far;             /* fw_is_far() of links and tags together */
    u32 young;           /* first tag that has not reached the age limit; FW_NONE: all have */
    u32 *aged;           /* a bit per die: its first read has reached the limit; null: there is none */
    u8 *passes;          /* by die: aged reads that have passed its writes and GC in a row */
    u32 aged_from;       /* die at which the next look for aged reads begins */
    bool clumps;         /* one read in flight a package */
    bool packs;          /* partners from the whole entry, not only neighbours */
    bool woken, armed;   /* a message to itself, an armed timer */
};

u64 paq_bytes(const struct fw_config *cfg, u32 ops);
bool paq_boot(struct fw *fw, bool clumps, bool packs);
bool paq_idle(const struct fw *fw);
void paq_add(struct fw *fw, u32 op);
void paq_passed(struct fw *fw, u32 writes); /* native only */
void paq_translated(struct fw *fw, u32 op, bool unmapped);
void paq_assigned(struct fw *fw, u32 op);
void paq_done(struct fw *fw, u32 op);
void paq_wake(struct fw *fw, bool timer);

/* A pending read is in flight from now on. */
void paq_read_out(struct fw *fw, u32 op);
enum paq_conflict paq_level(const struct fw *fw, u32 op);

/* Submit writes and GC's operations to idle dies. False: the controller is full. */
bool paq_pass(struct fw *fw);
/* The same for one idle die with something to submit. */
bool paq_pass_one(struct fw *fw, u32 die);
/* A write or GC waits that the die's first read, an aged one, has passed: not a younger write. */
bool paq_is_passed(const struct fw *fw, u32 die);
/* Submit a pending read, whose die is idle, with the partners that this scheduler joins to it. */
bool paq_commit(struct fw *fw, u32 op);
/* GC has still to program the page that this read wants: its copy, which the map has already. */
bool paq_is_moving(const struct fw *fw, u32 op);
/* Algorithm 2: visit the entries, one read or packed read from each. */
void paq_clump(struct fw *fw);
/* First die from `from` on that is in all three sets, or FW_NONE. */
u32 paq_next_die(struct fw *fw, const u32 *a, const u32 *b, const u32 *c, u32 from);

/* paq_age.c: the age limit. Each may be called where there is none. */
u64 paq_age_bytes(const struct fw_config *cfg, u32 words, u32 dies);
bool paq_age_boot(struct fw *fw, u32 words);
void paq_age_opened(struct paq *p, u32 tag);   /* the youngest tag */
void paq_age_released(struct paq *p, u32 tag); /* still in the list */
void paq_age_head(struct fw *fw, u32 die);     /* its first read may have changed */
/* Submit what an idle die's aged reads, or their passes, give. False: the controller is full. */
bool paq_serve_aged(struct fw *fw);
void paq_age_arm(struct fw *fw); /* wake when the next tag reaches the limit */

static inline struct paq *paq_of(const struct fw *fw)
{
    return (struct paq *)fw->sched->state;
}
/* Orders and stamps, which wrap around. */
static inline bool paq_is_older(u32 order, u32 than) { return (int32_t)(order - than) < 0; }
static inline void paq_set_bit(u32 *bits, u32 i) { bits[i / 32] |= 1u << (i % 32); }
static inline void paq_clear_bit(u32 *bits, u32 i) { bits[i / 32] &= ~(1u << (i % 32)); }
static inline bool paq_bit(const u32 *bits, u32 i) { return bits[i / 32] >> (i % 32) & 1; }
