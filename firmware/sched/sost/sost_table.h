// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler `sost`: its queues, one for each die (docs/explanation/sost.md).
#pragma once

#include "firmware/sched/sched.h"
#include "firmware/sched/sost/sost_class.h"

enum sost_state {
    SOST_OUTSIDE = 0, /* not in the scheduler */
    SOST_QUEUED,      /* in its die's queue; host programs may move or be taken back */
    SOST_ASSIGNING,     /* its die waits for the FTL's answer */
    SOST_LATE,        /* the answer may be far off: its die goes on without it */
    SOST_ASSIGNED,       /* a program that has its page; next on its die */
    SOST_SERVICE      /* in the controller */
};

/* Of each op. */
struct sost_entry {
    u32 next, previous; /* QUEUED: neighbours in the list of its class. Bound ops are linked by fw_op.next */
    u32 serial;         /* order of arrival */
    u32 added_us;       /* time of arrival, modulo 2^32 */
    u32 die;            /* whose work it counts as */
    u32 home;           /* ASSIGNING, LATE: the die that has it in `reserved` or `late` */
    u8 state;           /* sost_state */
    u8 plane;           /* LATE: the plane that has no page */
    u8 moving;          /* ASSIGNING: away from `die` */
    u8 list;            /* QUEUED: class */
};

struct sost_list {
    u32 head, tail;
};

struct sost_die {
    struct sost_list lists[SOST_CLASSES]; /* the queue: a list a class, in order of arrival */
    struct fw_fifo assigned; /* assigned programs, which go before the queue */
    u32 reserved;        /* op that is being assigned for it, or FW_NONE */
    u32 queued;          /* ops in the queue */
    u32 ops;             /* all ops of the die, from the queue to their end */
    u32 movable;         /* host programs in the queue */
    u32 writes;          /* host programs in the queue, being assigned, assigned and in service */
    u64 work_ns;         /* array time of all ops of the die, from the queue to their end */
    u16 filled;          /* bit a class: its list is not empty */
    u16 late;            /* ops in state LATE */
    u8 late_planes;      /* bit per plane: an op in state LATE waits for a page of it */
    u8 no_space;          /* the FTL refused a move to it; until an op of it has ended */
};

struct sost {
    struct sost_entry *entries; /* one an op */
    struct sost_die *die;
    u64 *ready; /* bit a die: look at it */
    u64 *empty; /* bit a die: free, with an empty queue */
    u32 dies, words, empties;
    u32 donors; /* dies that may give a write away */
    u32 serial;
    u32 far;    /* fw_is_far(entries) */
};

static inline bool sost_may_give(const struct sost_die *c) { return c->movable != 0 && c->writes > 1; }

void sost_enqueue(struct fw *fw, u32 op); /* by its place in the order of arrival */
void sost_unlink(struct fw *fw, u32 op);
void sost_account(struct fw *fw, u32 op, u32 die); /* the op is work of this die from now on; FW_NONE: of none */
void sost_mark(struct sost *s, u32 die);  /* have the pump look at it */
void sost_set_empty(struct fw *fw, u32 die);
