// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: mount: of two pages of an LPN the one that counts. The page with the highest version wins. A block's
// journal page stands for its pages, but where it names a version that is found elsewhere too: such blocks may be
// half erased, and are read.
#include "firmware/core/panic.h"
#include "firmware/ftl/recovery/recovery.h"

/* Of two copies with one version that in a block with all its pages written counts: the other block is
   the one that collection filled when the power went, and may be the last that it can get back. */
FW_COLD void mount_settle_ties(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    const struct plane *p = &f->planes[plane];
    const u32 *lpns = &f->victim_lpns[(u64)plane * fw->cfg.pages];
    const u64 *versions = &r->tie_version[(u64)plane * fw->cfg.pages];
    for (u32 page = 0; page < p->victim_page; ++page) {
        const u32 lpn = lpns[page];
        if (lpn != FW_NONE && r->version[lpn] == versions[page] &&
            f->blocks[ftl_block_index(f, f->map[lpn] - 1)].next < f->data_pages) {
            f->map[lpn] = ftl_ppn(f, plane, p->victim, page) + 1;
        }
    }
}

/* A version is claimed by a journal page and found elsewhere too. True: the map now has what was found. */
static bool doubted(struct fw *fw, u32 lpn, u32 ppn)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    const u32 holder = ftl_block_index(f, f->map[lpn] - 1);
    const u32 block = ftl_block_index(f, ppn);
    if (!ftl_bit(r->claims, holder) && !ftl_bit(r->claims, block)) {
        return false;
    }
    r->doubts = true;
    if (ftl_bit(r->claims, block)) {
        ftl_bit_set(r->doubt, block);
    } else {
        f->map[lpn] = ppn + 1;
    }
    if (ftl_bit(r->claims, holder)) {
        ftl_bit_set(r->doubt, holder);
    }
    return true;
}

FW_COLD bool mount_found_version(struct fw *fw, u32 lpn, u64 version, u32 ppn)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    if (version > r->version[lpn] || (version == r->version[lpn] && f->map[lpn] == 0)) {
        r->version[lpn] = version;
        f->map[lpn] = ppn + 1;
        return false;
    }
    return version == r->version[lpn] && !(r->journals && doubted(fw, lpn, ppn));
}

void mount_found(struct fw *fw, u32 plane, const struct fw_op *o)
{
    struct fw_ftl *f = fw->ftl;
    const u64 at = (u64)plane * fw->cfg.pages + f->planes[plane].victim_page;
    f->victim_lpns[at] = FW_NONE;
    if (o->status != FLASH_STATUS_OK || o->oob.check != fw_oob_check(&o->oob)) {
        return; /* torn, failed, or unreadable */
    }
    if (o->oob.kind == FTL_OOB_JOURNAL) {
        return;
    }
    const u32 lpn = o->oob.lpn;
    if (lpn >= f->map_entries) {
        fw_panic(fw, FW_PANIC_MOUNT, o->ppn);
        return;
    }
    const u64 version = ((u64)o->oob.sequence_high << 32 | o->oob.sequence_low) + 1;
    if (mount_found_version(fw, lpn, version, o->ppn)) {
        f->victim_lpns[at] = lpn;
        f->recovery->tie_version[at] = version;
    }
}
