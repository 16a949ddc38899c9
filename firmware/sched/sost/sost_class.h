// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the user-defined priority handler of `sost`: an operation's class.
#pragma once

#include "firmware/core/op.h"

/* Priority classes: by priority; in each, reads (reads_first), others, hot writes. */
enum { SOST_HOT = 2, SOST_KINDS = 3, SOST_CLASSES = 4 * SOST_KINDS };

static inline bool sost_is_write(const struct fw_op *o) /* of the host */
{
    return o->opcode == FLASH_OP_PROGRAM && !(o->flags & FW_OP_GC);
}

u32 sost_class(struct fw *fw, const struct fw_op *o); /* the lowest number goes first */
