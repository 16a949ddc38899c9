// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `hybrid`: its tables and lists, below all of its parts (docs/explanation/hybrid.md).
#pragma once

#include "firmware/core/panic.h"
#include "firmware/sched/sched.h"

enum hybrid_state {
    HYBRID_OUTSIDE = 0, /* not in the scheduler */
    HYBRID_QUEUED,      /* a read or an operation of GC at its die; a write at no die */
    HYBRID_ASSIGNING,     /* a program; its die waits for the FTL's answer */
    HYBRID_LATE,        /* a program that waits in the FTL; no die waits for it */
    HYBRID_ASSIGNED,       /* a program that has its page; next on its die */
    HYBRID_SERVICE,     /* in the controller */
    HYBRID_JOINED       /* in the controller, in the operation of another op */
};

enum {
    HYBRID_PRIORITIES = 4,
    HYBRID_NEEDS = FW_GC_NOW + 1,
    HYBRID_COMMANDS = 256,
    HYBRID_NEAR = 1024, /* entries in fast memory: the pool gives low numbers first */
    HYBRID_NOWHERE = 0xffff
};

/* Of each op. */
struct hybrid_entry {
    u32 next, previous; /* QUEUED: neighbours in its list; for a read the list of its die */
    u32 behind, before; /* QUEUED read: neighbours in the list of its channel */
    u32 order;          /* order of arrival; beyond the age limit the order of the command's first page */
    u32 added_us;       /* time of arrival, modulo 2^32 */
    u16 die;            /* its die; a write without one: the die that the order of allocation gives */
    u16 home;           /* ASSIGNING: the die that waits, or HYBRID_NOWHERE */
    u8 state;           /* hybrid_state */
    u8 list;            /* QUEUED: priority; of GC: fw_gc_need */
};

struct hybrid_list {
    u32 head, tail;
};

struct hybrid_die {
    struct hybrid_list reads[HYBRID_PRIORITIES]; /* of the host; all lists: in order of arrival */
    struct hybrid_list gc[HYBRID_NEEDS];
    struct fw_fifo assigned; /* programs, joined by `mate`; they go before all else */
    u32 group;            /* of the programs being assigned, those that have their page: the first, joined by `mate` */
    u32 group_tail;       /* the last op of `group` */
    u8 awaited;           /* answers of the FTL still to come; the die is reserved until then */
    u8 filled;            /* bit per priority: `reads` of that priority is not empty */
    i32 placed; /* pages of the host that it has got in this turn; below 0: some of the last turn came back */
    u8 for_gc;    /* the programs being assigned are garbage collection's */
    u8 channel;
};

/* Of commands, by their number modulo HYBRID_COMMANDS. */
struct hybrid_command {
    u32 request;
    u32 order, added_us; /* hybrid_entry.order and .added_us of its first page here */
    u32 last;            /* its write that came last, or FW_NONE */
};

struct hybrid_channel {
    struct hybrid_list waiting[HYBRID_PRIORITIES]; /* reads of the host, by arrival */
    u32 filled;     /* bit per priority: `waiting` of that priority is not empty */
    u32 reads;      /* reads of the host in flight */
    u32 sectors;    /* sectors that the host's reads in flight move; joined reads count none */
    u32 programs;   /* programs of the host in flight or being assigned */
    u32 gc; /* operations of garbage collection in flight or being assigned */
    u32 gc_queued; /* operations of garbage collection that wait here */
};

struct hybrid {
    struct hybrid_entry *near, *far; /* one an op: the first HYBRID_NEAR, the others */
    struct hybrid_die *dies;
    struct hybrid_channel *channels;
    struct hybrid_command *commands; /* HYBRID_COMMANDS */
    struct hybrid_list writes[HYBRID_PRIORITIES]; /* of the host, without a die */
    u32 writes_filled, writes_queued;
    u32 mates[FLASH_MAX_PLANES]; /* of the planes but the first: the write that is taken next, or FW_NONE */
    /* Bit a die. free: nothing in flight, being assigned or assigned. reading_last: nothing but one read of the host
       in flight. full: has no page for a write. served: has had its pages of this turn. */
    u32 *free, *reading_last, *reads, *assigned, *full, *served;
    u32 *gc[HYBRID_NEEDS];
    u32 dies_count, dies_a_channel, words;
    u32 full_count;
    u32 late;       /* ops in state LATE */
    u32 look;       /* bit per channel: its reads or its GC may have something to do */
    u32 reading, collecting; /* bit per channel: reads, GC are queued there */
    u32 dies_assigned; /* with programs that have their page */
    u32 arrivals;   /* ops so far */
    u32 reads_queued;
    u32 host_flying; /* descriptors of the host in flight or being assigned */
    u32 page_mask;
    u32 lone_pages; /* a read of at most these has no two pages in planes of one die */
    u32 served_count; /* bits in `served` */
    bool woken;      /* a message to itself is on its way */
    bool decide;     /* something has changed on which decisions depend */
};

static inline struct hybrid *hybrid_of(const struct fw *fw) { return (struct hybrid *)fw->sched->state; }
static inline struct hybrid_entry *hybrid_at(const struct hybrid *h, u32 op)
{
    return op < HYBRID_NEAR ? &h->near[op] : &h->far[op - HYBRID_NEAR];
}
static inline bool hybrid_bit(const u32 *bits, u32 i) { return bits[i / 32] >> (i % 32) & 1; }
static inline void hybrid_set(u32 *bits, u32 i) { bits[i / 32] |= 1u << (i % 32); }
static inline void hybrid_clear(u32 *bits, u32 i) { bits[i / 32] &= ~(1u << (i % 32)); }
static inline bool hybrid_is_write(const struct fw_op *o) /* of the host */
{
    return o->opcode == FLASH_OP_PROGRAM && !(o->flags & FW_OP_GC);
}
static inline bool hybrid_older(u32 order, u32 than) { return (int32_t)(order - than) < 0; }
static inline bool hybrid_aged(const struct fw *fw, u32 op)
{
    return (u32)fw->now_us - hybrid_at(hybrid_of(fw), op)->added_us >= fw->cfg.hybrid_age_limit_us;
}
static inline u32 hybrid_channel_of(const struct fw *fw, u32 die)
{
    return hybrid_of(fw)->dies[die].channel;
}
/* Those bits of a word of dies that lie in `channel`; `first`: die of bit 0. */
static inline u32 hybrid_channel_bits(const struct hybrid *h, u32 bits, u32 first, u32 channel)
{
    const u32 from = channel * h->dies_a_channel;
    const u32 to = from + h->dies_a_channel;
    bits &= from > first ? ~0u << (from - first) : ~0u;
    return to - first < 32 ? bits & ((1u << (to - first)) - 1) : bits;
}

/* Dies of word `w` that can get a read: the free ones; where nothing else waits for it also a die that reads, so that
   its array has the next one while the data of the last go through ECC and the firmware. */
static inline u32 hybrid_read_takers(const struct hybrid *h, u32 w)
{
    if (h->writes_queued != 0) {
        return h->free[w];
    }
    u32 others = 0;
    for (u32 need = 0; h->collecting != 0 && need < HYBRID_NEEDS; ++need) {
        others |= h->gc[need][w];
    }
    return h->free[w] | (h->reading_last[w] & ~others);
}
static inline bool hybrid_takes_read(const struct hybrid *h, u32 die)
{
    return hybrid_read_takers(h, die / 32) >> (die % 32) & 1;
}

void hybrid_append(struct fw *fw, struct hybrid_list *list, u32 op); /* by its order */
void hybrid_unlink(struct fw *fw, struct hybrid_list *list, u32 op);
/* To the controller, with its mates; the die is no longer free. False: the controller is full. */
bool hybrid_submit(struct fw *fw, u32 op);
void hybrid_set_free(struct fw *fw, u32 die); /* where nothing of it is left */

/* The die waits for `n` programs to be assigned; one of its answers has come. */
void hybrid_reserve(struct fw *fw, u32 die, u32 n, bool gc);
void hybrid_answered(struct fw *fw, u32 die);
void hybrid_push_assigned(struct fw *fw, u32 die, u32 op); /* a program that has its page in the die */
/* An operation of the host goes out (`one` is 1) or is done (-1). */
void hybrid_count_host(struct hybrid_channel *c, const struct fw_op *o, u32 one);
bool hybrid_before_reads(const struct fw *fw, u32 op, u32 die); /* all reads of the die came after it */
