// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the contract of the buffer's replacement policies.
#pragma once

#include "firmware/core/fw.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A page that leaves in a set, and the channel that it is to be written to; FW_NONE: any. */
struct buffer_leaving {
    u32 line, channel;
};

/* A replacement policy: which page leaves when a buffer is needed (docs/explanation/buffer-policies.md). One file a
   policy. A line is *idle* when no transfer, program or waiting request uses it; only idle lines are
   victims. The buffer reports each change to the policy; the policy keeps its lists in its own table. Any of
   the calls but `bytes`, `boot` and one of `victim` and `victims` may be null.

   A policy with `victims` evicts several pages at once: it fills `set` with idle lines, at most one a
   channel, and gives how many; the buffer takes them all, in this order. A clean page's line is free at once.
   0: nothing yet, though pages may be there: the set is not complete. With `must` somebody waits for a line
   and none is free or about to be: then it gives what it has. A dirty page leaves when its program has ended,
   unless a request has used it meanwhile; if it stays for another reason, `idle` comes without a use. */
struct buffer_policy_ops {
    bool retain;     /* false: a clean idle line is freed at once */
    bool write_back; /* true: a write is acknowledged when it is in DRAM */
    bool by_block;   /* its victims come block by block (blocks.h) */
    u64 (*bytes)(const struct fw_config *cfg);
    bool (*boot)(struct fw *fw);
    void (*enter)(struct fw *fw, u32 line); /* has taken a page that was not in the buffer */
    void (*use)(struct fw *fw, u32 line, bool write, bool hit); /* a page request is served; a read's data
                                                                    are present, a write's come */
    void (*idle)(struct fw *fw, u32 line);  /* became idle after a use */
    void (*busy)(struct fw *fw, u32 line);  /* is in use again, or gone */
    void (*leave)(struct fw *fw, u32 line); /* holds a page no more; it is busy by now */
    u32 (*victim)(struct fw *fw);           /* an idle line, or FW_NONE; the buffer takes it */
    u32 (*pad)(struct fw *fw);              /* the next LPN to be read and programmed with what leaves, in no
                                               line now, or FW_NONE; asked while a line is free */
    u32 (*victims)(struct fw *fw, struct buffer_leaving *set, bool must); /* instead of `victim` */
    bool gathers; /* victims() is asked whenever a line becomes idle, not only when lines run short */
};

const struct buffer_policy_ops *buffer_policy_of(u32 kind); /* fw_buffer_kind */

#define BUFFER_POLICY(id, name, text) extern const struct buffer_policy_ops buffer_policy_##name;
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY

#ifdef __cplusplus
}
#endif
