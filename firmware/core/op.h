// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a transaction: one page (or block) operation on its way through ftl and sched.
#pragma once

#include "firmware/core/fw.h"

enum fw_op_flags {
    FW_OP_GC = 1,          /* garbage collection's, not the host's */
    FW_OP_WITH_OOB = 2,    /* read: bring the OOB record too */
    FW_OP_TRANSLATED = 4,  /* the die is known */
    FW_OP_ASSIGNED = 8,       /* block and page are known */
    FW_OP_AWAY = 16,       /* garbage collection's, on its way to another plane than its own */
    FW_OP_REDO = 32,       /* a program that failed before */
    FW_OP_PRIORITY = 0xc0  /* two bits: priority of the host command that waits for the op, 3 the highest */
};
enum { FW_OP_PRIORITY_SHIFT = 6 };

/* FW_STREAM_REQUEST: the first stream of requests, where each request has its own. */
enum fw_op_stream { FW_STREAM_HOST = 0, FW_STREAM_GC = 1, FW_STREAM_REQUEST = 2 };

/* The pages that the host can still write in the plane that collects, when the operation was placed. */
enum fw_gc_need {
    FW_GC_EARLY = 0, /* a whole block */
    FW_GC_SOON,      /* the rest of the open block */
    FW_GC_NOW        /* nothing */
};

/* Firmware metadata of a page, 16 bytes, stored with it. */
struct fw_oob {
    u32 lpn;
    u32 sequence_low;
    u16 sequence_high;
    u8 kind; /* 1: user data */
    u8 reserved;
    u32 check; /* fw_oob_check() over the 12 bytes before */
};

/* A union holds names of which only one has a meaning, by the op's kind. */
struct fw_op {
    u32 next; /* in the queue of the module that owns it, or in the free list */
    union {
        u32 lpn;      /* logical page; FW_NONE: not known */
        u32 copy_ppn; /* copyback: PPN of the destination. The LPN is known from the OOB record only */
    };
    u32 ppn; /* physical page; copyback: the source */
    u32 row; /* ONFI row address of `ppn` */
    u32 buf; /* DRAM byte offset of the page buffer */
    union {               /* for whom the op runs */
        u32 line;         /* the host's: cache line of the buffer; an index past all lines: none */
        u32 home_plane;   /* garbage collection's, recovery's: plane over the device that it works for */
        u32 map_job;      /* demand-cached map, read and program: index of the job */
        u32 table_block;  /* demand-cached map, erase: the block, as table_area.c numbers it */
    };
    u32 request;  /* running number of the host command that caused it; 0: none */
    u8 opcode;    /* FLASH_OP_* */
    u8 flags;     /* fw_op_flags */
    u8 channel, ce, lun, plane;
    u8 col, len;  /* sectors */
    union {
        u32 die;            /* number over the device; known with FW_OP_TRANSLATED */
        u32 wanted_channel; /* a write without FW_OP_TRANSLATED: the channel it is to go to; FW_NONE: any */
    };
    u32 mate;     /* next op joined to the same descriptor */
    union {
        struct fw_oob oob;
        u32 copy_row; /* copyback, until it has ended and its record is known: row of the destination */
    };
    u8 status;    /* FLASH_STATUS_* */
    u8 purpose;   /* a note of the module that made the op */
    union {
        u8 read_hits; /* program of the host: reads of the page's data while it was queued (saturates) */
        u8 gc_valid;  /* garbage collection's: valid pages that the victim still has (saturates) */
    };
    union {
        u8 hits;    /* program of the host: reads and overwrites of the page while it was queued (saturates) */
        u8 gc_need; /* garbage collection's: fw_gc_need */
        u8 command_pages; /* read of the host: pages of its command (saturates); 0: not known */
    };
    u32 parked;   /* next in a queue of the FTL, while a scheduler that asked keeps the op in its own queue */
};
#ifdef __cplusplus
static_assert(sizeof(fw_op) == 68, "one layout on lp64 and ilp32");
#else
_Static_assert(sizeof(struct fw_op) == 68, "one layout on lp64 and ilp32");
#endif

/* Take an op from the pool (never exhausted: sized for all owners) with its links cleared. */
u32 fw_op_alloc(struct fw *fw);
void fw_op_free(struct fw *fw, u32 op);

static inline void fw_fifo_init(struct fw_fifo *fifo) { fifo->head = fifo->tail = FW_NONE; }
static inline bool fw_fifo_empty(const struct fw_fifo *fifo) { return fifo->head == FW_NONE; }

/* FIFOs of ops, linked by fw_op.next. */
static inline void fw_op_push(struct fw *fw, struct fw_fifo *fifo, u32 op)
{
    fw->ops[op].next = FW_NONE;
    if (fifo->tail == FW_NONE) {
        fifo->head = op;
    } else {
        fw->ops[fifo->tail].next = op;
    }
    fifo->tail = op;
}

static inline u32 fw_op_pop(struct fw *fw, struct fw_fifo *fifo)
{
    const u32 op = fifo->head;
    fifo->head = fw->ops[op].next;
    if (fifo->head == FW_NONE) {
        fifo->tail = FW_NONE;
    }
    return op;
}

/* FIFOs of the FTL, linked by fw_op.parked: the op may stand in a queue of the scheduler too. */
static inline void fw_op_park(struct fw *fw, struct fw_fifo *fifo, u32 op)
{
    fw->ops[op].parked = FW_NONE;
    if (fifo->tail == FW_NONE) {
        fifo->head = op;
    } else {
        fw->ops[fifo->tail].parked = op;
    }
    fifo->tail = op;
}

static inline u32 fw_op_unpark(struct fw *fw, struct fw_fifo *fifo)
{
    const u32 op = fifo->head;
    fifo->head = fw->ops[op].parked;
    if (fifo->head == FW_NONE) {
        fifo->tail = FW_NONE;
    }
    return op;
}

/* A write that was assigned when the device was read-only: it ends without the flash. */
static inline bool fw_op_refused(const struct fw_op *o)
{
    return o->opcode == FLASH_OP_PROGRAM && o->ppn == FW_NONE && (o->flags & FW_OP_ASSIGNED);
}

/* A message has taken the op to `module`. */
static inline void fw_op_probe(struct fw *fw, const struct fw_op *o, enum fw_module module)
{
    if (!(o->flags & FW_OP_GC)) {
        fw_probe(fw, FW_PROBE_LINE_MODULE, fw_line_module(o->line, module));
    }
}

u32 fw_oob_check(const struct fw_oob *oob);
