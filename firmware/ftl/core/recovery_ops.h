// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the FTL reports to recovery, and asks of it. One const instance per kind, chosen at boot: none
// (recovery/none.c), scan (recovery/recovery_tables.c), journal (recovery/journal.c).
#pragma once

#include "firmware/core/fw.h"
#include "firmware/core/op.h"

struct recovery_ops {
    u32 reserve; /* free blocks of a plane that the host leaves at least */

    /* commands */
    void (*trim)(struct fw *fw, u32 lpn);
    void (*flush)(struct fw *fw); /* answered by FTL_FLUSHED; no write of the host is in flight */
    void (*mount)(struct fw *fw);
    bool (*mounted)(const struct fw *fw);
    bool (*idle)(const struct fw *fw);

    /* operations */
    /* The program of this op is about to replace the page that its LPN maps to. */
    void (*replaced)(struct fw *fw, u32 op);
    /* The program failed: the LPN maps to the old page again. False: there was none. */
    bool (*revert)(struct fw *fw, u32 op);
    void (*op_ended)(struct fw *fw, const struct fw_op *o);
    /* An operation that is not GC's has ended for good. True: it was the FTL's own. */
    bool (*release)(struct fw *fw, u32 op);
    /* The program of a copy failed, and the page has been overwritten; GC has it from `from`. */
    void (*copy_failed)(struct fw *fw, u32 copy, u32 from);
    void (*page_lost)(struct fw *fw, u32 ppn, u32 lpn); /* it could not be read */

    /* blocks */
    void (*block_opened)(struct fw *fw, u32 plane, u32 block); /* its first page is next */
    void (*block_failed)(struct fw *fw, u32 plane, u32 block);
    void (*block_retired)(struct fw *fw, u32 index); /* in the FTL's table */

    u8 **(*pages)(const struct fw *fw); /* where the address of its pages is kept; null: it has none */
};
