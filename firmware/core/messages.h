// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the modules of the firmware and every message between them.
#pragma once

#include "firmware/core/types.h"

enum fw_module { FW_MODULE_HIL, FW_MODULE_BUFFER, FW_MODULE_FTL, FW_MODULE_SCHED, FW_MODULE_CORE, FW_MODULE_COUNT };

/* PAGE_READ, in e, with the flags. */
enum {
    FW_PAGE_SERIAL = 0x100,   /* its command has one page, and was alone when it came */
    FW_PAGE_COUNT_SHIFT = 16, /* from this bit: pages of its command, at most FW_PAGE_COUNT_MOST */
    FW_PAGE_COUNT_MOST = 255
};

/* kind: what the fields a..f mean. `op` is an index into fw->ops; ownership passes with the message. */
enum fw_message_kind {
    /* hil -> buffer: tag, a = page number in the command, b = LPN, c = first sector, d = sectors */
    FW_MSG_PAGE_READ,
    FW_MSG_PAGE_WRITE, /* PAGE_READ, _WRITE and _TRIM: e = flags of the command: force unit access, priority */
    FW_MSG_PAGE_TRIM,
    FW_MSG_PAGE_RELEASE,  /* a = line: the host has its data */
    FW_MSG_PAGE_RECEIVED, /* a = line: the host's data are in it; c: they are not, the command was aborted */
    FW_MSG_FLUSH,
    /* buffer -> hil: tag, a = page number, b = line */
    FW_MSG_PAGE_READY,   /* data may go to the host; c = 1: they were read from flash for it */
    FW_MSG_PAGE_GRANT,   /* data may come from the host */
    FW_MSG_PAGE_DONE,    /* write acknowledged, or trim done; c = 1: the write failed */
    FW_MSG_FLUSH_DONE,   /* c = 1: data that were acknowledged before it could not be written */
    /* buffer -> ftl (or sched, which asks ftl later): a = op */
    FW_MSG_OP_NEW,
    /* buffer -> ftl: a = LPN */
    FW_MSG_TRIM,
    /* ftl -> sched: a = op, its die is known */
    FW_MSG_OP_PLACED,
    /* sched -> ftl: a = op */
    FW_MSG_OP_TRANSLATE, /* find the die (late translation) */
    FW_MSG_OP_ASSIGN,      /* choose block and page now */
    FW_MSG_OP_DONE,      /* the flash has finished it */
    /* ftl -> sched: a = op */
    FW_MSG_OP_TRANSLATED, /* b = 1: the page is not mapped */
    FW_MSG_OP_ASSIGNED,
    /* ftl or sched -> buffer: a = op, b = 1: there is no page to read: never written, or lost where
       the op's status is not OK; b = 2: a program that was taken back (OP_CANCEL);
       b = 3: a program that was refused: the device is read-only */
    FW_MSG_PAGE_OP_DONE,
    /* core -> the module that armed the timer */
    FW_MSG_TIMER,
    /* buffer -> hil: tag, a = page number: what the host wants of it cannot be read */
    FW_MSG_PAGE_FAILED,
    /* ftl -> sched: a = op: the answer to OP_TRANSLATE or OP_ASSIGN is far off; others go on without
       it. b = 1: blocks have failed, and it may never come; to most schedulers only then. */
    FW_MSG_OP_LATER,
    /* sched -> sched: all that came in before this message is queued, decide now */
    FW_MSG_SCHED_WAKE,
    /* buffer -> sched: a = op of a program, b = its line: take it back if it is still in the queue */
    FW_MSG_OP_CANCEL,
    /* buffer -> sched: a = op of a program, b = its line, c = reads of the line's data so far */
    FW_MSG_OP_READ_HIT,
    /* sched -> ftl: a = op */
    FW_MSG_OP_CANCELLED, /* it has left the queue; ftl takes its promise back and notifies buffer */
    /* sched -> ftl: a = op, b = die: assign the op in that die, and the ops joined to it by `mate` with the same
       page offset in other planes. Each op is answered by OP_ASSIGNED or OP_STAYS, in the order of `mate`.
       Of garbage collection's programs each keeps its plane, and all are in that die: those get their pages that
       are furthest behind, or none where the program of a further plane is on its way to the scheduler. */
    FW_MSG_OP_MOVE,
    /* ftl -> sched: a = op: the die of OP_MOVE has no page for it (for a mate: no page at the first op's
       offset); b = 1: a plane of the die has no page at all */
    FW_MSG_OP_STAYS,
    /* platform -> ftl, before the first command: a = die, b = plane, c = block: bad from the factory */
    FW_MSG_MARK_BAD,
    /* ftl -> hil: nothing can be written any more */
    FW_MSG_READ_ONLY,
    /* sched -> sched: a = flash tag of programs that were refused. They have ended */
    FW_MSG_SCHED_REFUSED,
    /* FTL_FLUSH, _FLUSHED and _MOUNT: only where the FTL recovers (fw_config.recovery_span) */
    FW_MSG_FTL_FLUSH,   /* buffer -> ftl: no write is in flight; make trims durable */
    FW_MSG_FTL_FLUSHED, /* ftl -> buffer: trims are durable; a = 1: they are not, the device is read-only */
    FW_MSG_FTL_MOUNT,   /* platform -> ftl, after MARK_BAD and before the first command: find out what
                           is in flash; fw_mounted() says when that has been done */
    /* buffer -> buffer, mapping units: no more units come now for the page that is being filled */
    FW_MSG_PACK_LOOK,
    /* buffer -> buffer, as an event: bring pages of a recognised launch */
    FW_MSG_PREFETCH_LOOK,
    /* platform -> buffer -> hil: the supply has gone. Nothing new is begun; what is dirty goes to flash, then
       what the FTL keeps; fw_stats.power_saves counts when that has been done (fw_config.capacitors) */
    FW_MSG_POWER_FAIL,
    /* hil -> buffer, after POWER_FAIL: a = line: no data come for what was granted */
    FW_MSG_PAGE_RETURN
};

struct fw_message {
    u16 kind; /* fw_message_kind */
    u16 tag;
    u32 a, b, c, d, e, f;
    u32 module; /* destination; set by fw_send */
};

#ifdef __cplusplus
static_assert(sizeof(fw_message) == 32, "messages are 32 bytes");
#else
_Static_assert(sizeof(struct fw_message) == 32, "messages are 32 bytes");
#endif
