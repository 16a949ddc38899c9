// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the scheduler: what is issued to the flash controller, and when.
#pragma once

#include "firmware/core/fw.h"
#include "firmware/core/op.h"
#include "firmware/core/sched_traits.h"

u32 fw_sched_ops(const struct fw_config *cfg);            /* that it has at once, of the pool */
u64 fw_sched_bytes(const struct fw_config *cfg, u32 ops); /* of its tables; `ops`: size of the pool */
bool fw_sched_boot(struct fw *fw);
bool fw_sched_idle(const struct fw *fw);
void fw_sched_message(struct fw *fw, const struct fw_message *message);
/* Native only: `writes` of the host have come and gone, each alone. False, and nothing has changed: they would have
   left more than their number. */
bool fw_sched_pass(struct fw *fw, u32 writes);
/* Native only: the operation of `tag` is a read that its owner takes the OOB record of. */
bool fw_sched_wants_oob(const struct fw *fw, u32 tag);
void fw_sched_completion(struct fw *fw, const struct flash_completion *completion);
void fw_sched_space(struct fw *fw);

/* A scheduler. One file each; state in its own table, reached through fw->sched->state.
   An op comes in by `add`: its die is known (FW_OP_TRANSLATED) unless the scheduler SCHED_TRANSLATES_LATE.
   A program must be assigned (sched_assign, answered by `assigned`) before it is submitted; the answer may
   come late, when the plane has no free block. sched_submit hands an op, or several joined by
   `mate`, to the controller; `done` reports each op's end before the op leaves the scheduler.
   `pump` is called after every change; it submits what may be submitted and returns. Functions that its
   row of hal/sched.def does not name may be null: `translated`, `late`, `cancel`, `read_hit`, `stays`. `boot` may
   take bits of fw->sched_traits away, where configuration has switched them off. */
struct sched_ops {
    u64 (*bytes)(const struct fw_config *cfg, u32 ops); /* of its tables; `ops`: size of the pool, as fw->op_count */
    bool (*boot)(struct fw *fw);
    bool (*idle)(const struct fw *fw);
    void (*add)(struct fw *fw, u32 op);
    void (*translated)(struct fw *fw, u32 op, bool unmapped); /* SCHED_TRANSLATES_LATE */
    void (*assigned)(struct fw *fw, u32 op);
    /* Do not wait for it with another. SCHED_HEARS_OF_WAITS; and SCHED_TRANSLATES_LATE on damaged devices. */
    void (*late)(struct fw *fw, u32 op, bool damaged);
    void (*done)(struct fw *fw, u32 op);
    void (*wake)(struct fw *fw, bool timer); /* where it sends FW_MSG_SCHED_WAKE or arms a timer */
    void (*pump)(struct fw *fw);
    /* SCHED_TAKES_BACK, SCHED_COUNTS_HITS. Messages may come late, for an op that has left or serves another
       page by now. */
    void (*cancel)(struct fw *fw, u32 op, u32 line);
    void (*read_hit)(struct fw *fw, u32 op, u32 line, u32 reads);
    /* SCHED_PLACES_WRITES: the answer to sched_move, where it is not `assigned`; `lacks`: a plane of the die has
       no page. */
    void (*stays)(struct fw *fw, u32 op, bool lacks);
#ifdef FW_NATIVE
    /* `writes` operations of the host have come and gone. Null: nothing counts them. The last one: a test that copies
       the operations is built without FW_NATIVE. */
    void (*passed)(struct fw *fw, u32 writes);
#endif
};

#define SCHED(id, name, mode, traits, text) extern const struct sched_ops sched_##name;
#include "firmware/hal/sched.def"
#undef SCHED

/* ---- services for schedulers ---- */

struct fw_sched {
    const struct sched_ops *ops;
    void *state;
    u32 *op_of_tag;  /* first op of the descriptor in flight under each flash tag */
    u16 *tag_free;   /* stack of free tags */
    u32 tags_free;
    u16 *die_busy;   /* descriptors in flight, by die over the device */
    u32 in_flight;   /* descriptors */
    u32 queued;      /* ops inside that are not submitted */
    u16 sequence[FLASH_STREAMS];
    bool joined;     /* this submission belongs to the last one: one for each package */
};

/* Submit op (and its mates, all of one die and opcode, on different planes). False: the controller
   or the tags are full; nothing happened; `pump` will be called again. */
bool sched_submit(struct fw *fw, u32 op, bool fence);
/* sched_submit with FLASH_FLAG_* and a stream below FLASH_STREAMS of the scheduler's choice, or
   FLASH_NO_STREAM. */
bool sched_submit_as(struct fw *fw, u32 op, u8 flags, u16 stream);
void sched_assign(struct fw *fw, u32 op);
void sched_translate(struct fw *fw, u32 op);
/* Late translation found no page: the op goes back to the buffer. */
void sched_drop_unmapped(struct fw *fw, u32 op);

/* A program that is not assigned leaves the scheduler and goes back to the buffer. */
void sched_drop_cancelled(struct fw *fw, u32 op);
/* Have a program that is not assigned assigned in `die`, and with it those joined by `mate` (OP_MOVE). */
void sched_move(struct fw *fw, u32 op, u32 die);

static inline bool sched_die_busy(const struct fw *fw, u32 die) { return fw->sched->die_busy[die] != 0; }
