// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a transaction: one page (or block) operation on its way through ftl and sched.
#pragma once

#include "firmware/core/fw.h"

enum fw_op_flags {
    FW_OP_GC = 1,          /* garbage collection's, not the host's */
    FW_OP_WITH_OOB = 2,    /* read: bring the OOB record too */
    FW_OP_TRANSLATED = 4,  /* die known */
    FW_OP_BOUND = 8,       /* block and page known */
    FW_OP_AWAY = 16,       /* garbage collection's, on its way to another plane than its own */
    FW_OP_REDO = 32,       /* a program that failed before */
    FW_OP_PRIORITY = 0xc0  /* two bits: of the host command that waits for it, 3 the highest */
};
enum { FW_OP_PRIORITY_SHIFT = 6 };

/* FW_STREAM_REQUEST: the first of those that requests get where each has its own. */
enum fw_op_stream { FW_STREAM_HOST = 0, FW_STREAM_GC = 1, FW_STREAM_REQUEST = 2 };

/* What the host can still write in the plane that collects, when the operation was placed. */
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

struct fw_op {
    u32 next;     /* in the queue of the room that owns it */
    u32 lpn;      /* copyback: PPN of the destination, the LPN being known from the OOB record only */
    u32 ppn;      /* copyback: of the source; row, too */
    u32 row;      /* ONFI row address */
    u32 buf;      /* DRAM byte offset of the page buffer; copyback, which has none: row of the destination */
    u32 owner;    /* buffer: slot; gc: plane */
    u32 request;  /* running number of the host command that caused it; 0: none */
    u8 opcode;    /* FLASH_OP_* */
    u8 flags;     /* fw_op_flags */
    u8 channel, ce, lun, plane;
    u8 col, len;  /* sectors */
    u32 die;      /* over the device; of a write that has no die yet: the channel it wants, or FW_NONE */
    u32 mate;     /* next op joined to the same descriptor */
    struct fw_oob oob;
    u8 status;    /* FLASH_STATUS_* */
    u8 purpose;   /* buffer's or gc's own note */
    u8 read_hits; /* program: reads of the page's data while it was queued (saturates); collection's:
                     valid pages that its victim still has (saturates) */
    u8 hits;      /* the same with overwrites; collection's: fw_gc_need */
    u32 parked;   /* in a queue of the FTL, while a scheduler that asked keeps it in its own */
};

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

/* A write that was bound when the device was read-only: it ends without the flash. */
static inline bool fw_op_refused(const struct fw_op *o)
{
    return o->opcode == FLASH_OP_PROGRAM && o->ppn == FW_NONE && (o->flags & FW_OP_BOUND);
}

/* A message has taken the op to `room`. */
static inline void fw_op_probe(struct fw *fw, const struct fw_op *o, enum fw_room room)
{
    if (!(o->flags & FW_OP_GC)) {
        fw_probe(fw, FW_PROBE_SLOT_ROOM, fw_slot_room(o->owner, room));
    }
}

u32 fw_oob_check(const struct fw_oob *oob);
