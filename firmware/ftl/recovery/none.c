// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: recovery that keeps nothing: a page that is replaced may go, a trim is in the map at once.
#include "firmware/ftl/recovery/recovery.h"

#include "firmware/core/panic.h"
#include "firmware/ftl/map/map.h"

static void trim(struct fw *fw, u32 lpn) { fw->ftl->map_ops->trim(fw, lpn); }

static void flush(struct fw *fw)
{
    const struct fw_message m = {.kind = FW_MSG_FTL_FLUSHED};
    fw_send(fw, FW_MODULE_BUFFER, &m);
}

static void mount(struct fw *fw) { fw_panic(fw, FW_PANIC_BAD_MESSAGE, FW_MSG_FTL_MOUNT); }

static bool is_mounted(const struct fw *fw)
{
    (void)fw;
    return true;
}

static void replaced(struct fw *fw, u32 op)
{
    (void)fw;
    (void)op;
}

static bool no_old_page(struct fw *fw, u32 op)
{
    (void)fw;
    (void)op;
    return false;
}

static void no_page(struct fw *fw, u32 ppn, u32 other)
{
    (void)fw;
    (void)ppn;
    (void)other;
}

static void block_retired(struct fw *fw, u32 index)
{
    (void)fw;
    (void)index;
}

static u8 **no_pages(const struct fw *fw)
{
    (void)fw;
    return 0;
}

bool recovery_is_idle(const struct fw *fw)
{
    (void)fw;
    return true;
}

void recovery_no_op(struct fw *fw, const struct fw_op *o)
{
    (void)fw;
    (void)o;
}

void recovery_no_block(struct fw *fw, u32 plane, u32 block)
{
    (void)fw;
    (void)plane;
    (void)block;
}

const struct recovery_ops recovery_none = {
    .reserve = 1,
    .trim = trim,
    .flush = flush,
    .mount = mount,
    .mounted = is_mounted,
    .idle = recovery_is_idle,
    .replaced = replaced,
    .revert = no_old_page,
    .op_ended = recovery_no_op,
    .release = no_old_page,
    .copy_failed = no_page,
    .page_lost = no_page,
    .block_opened = recovery_no_block,
    .block_failed = recovery_no_block,
    .block_retired = block_retired,
    .pages = no_pages,
};
