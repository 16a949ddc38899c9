// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: operations on their way through the FTL: translated, placed, assigned, refused.
#pragma once

#include "firmware/ftl/core/state.h"

/* A message takes the op to another module. */
static inline void ftl_send_op(struct fw *fw, enum fw_module room, u16 kind, u32 op, u32 unmapped)
{
    const struct fw_message m = {.kind = kind, .a = op, .b = unmapped};
    fw_send(fw, room, &m);
    fw_op_probe(fw, &fw->ops[op], room);
}

/* place.c */
enum translation { TRANSLATED, UNMAPPED, LATER };
/* Find the die of an op: of the page that a read wants, or for a page to be written. A lost page is
   UNMAPPED too, with a status that says so. */
enum translation ftl_translate(struct fw *fw, u32 op);
void ftl_begin(struct fw *fw, u32 op);
void ftl_resume(struct fw *fw, u32 op);  /* an operation that waited for the map */
void ftl_place_waiting(struct fw *fw);   /* writes that waited for a plane */

/* ftl.c */
void ftl_assign(struct fw *fw, u32 op);
void ftl_serve_waiting(struct fw *fw, u32 plane); /* writes that waited for a block */

/* elsewhere.c */
/* The write cannot be assigned where it was promised, or GC has no block: find a page
   elsewhere. Gives its plane; FW_NONE: the write waits. */
u32 ftl_assign_elsewhere(struct fw *fw, u32 op, u32 *ppn);

/* read_only.c */
void ftl_check_worn_out(struct fw *fw); /* read-only from then on where nothing can be written any more */
void ftl_refuse(struct fw *fw, u32 op); /* a write that would be assigned now ends without the flash */
void ftl_promise_any(struct fw *fw, u32 op); /* a plane for such a write */
