// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the page map: one entry per LPN in DRAM; and the steps that all maps share.
#include "firmware/core/panic.h"
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/recovery_ops.h"
#include "firmware/ftl/map/map.h"

/* ---- all maps ---- */

void ftl_invalidate(struct fw *fw, u32 ppn)
{
    struct fw_ftl *f = fw->ftl;
    if (!ftl_is_valid(f, ppn)) {
        fw_panic(fw, FW_PANIC_MAP, ppn);
        return;
    }
    fw_charge(fw, FW_COST_FTL_INVALIDATE, 1);
    f->valid[ppn / 64] &= ~((u64)1 << (ppn % 64));
    const u32 page = ppn >> f->unit_bits;
    struct block *b = &f->blocks[ftl_block_index(f, page)];
    --b->valid;
    --f->planes[ftl_plane_index(f, page)].valid;
    if (b->state == BLOCK_FULL && f->gc->less) {
        f->gc->less(fw, ftl_plane_index(f, page), ftl_block_index(f, page) & ((1u << f->block_bits) - 1));
    }
}

void ftl_map_set(struct fw *fw, u32 lpn, u32 ppn)
{
    struct fw_ftl *f = fw->ftl;
    fw_charge(fw, FW_COST_FTL_UPDATE, 1);
    u32 *entry = f->map_ops->entry(fw, lpn, true);
    const u32 old = *entry;
    *entry = ppn + 1;
    f->valid[ppn / 64] |= (u64)1 << (ppn % 64);
    ++f->blocks[ftl_block_index(f, ppn >> f->unit_bits)].valid;
    if (ftl_is_mapped(old)) {
        ftl_invalidate(fw, old - 1);
    }
}

void ftl_stamp(const struct fw *fw, struct fw_op *o, u8 kind)
{
    o->oob.lpn = o->lpn;
    o->oob.sequence_low = (u32)fw->ftl->sequence;
    o->oob.sequence_high = (u16)(fw->ftl->sequence >> 32);
    o->oob.kind = kind;
    o->oob.reserved = 0;
    o->oob.check = fw_oob_check(&o->oob);
}

/* ---- maps of whole pages ---- */

u32 map_set_page(struct fw *fw, u32 op, u32 from)
{
    struct fw_op *o = &fw->ops[op];
    if (o->flags & FW_OP_GC) { /* it has the OOB record of the page that it is a copy of */
        if (!ftl_is_valid(fw->ftl, from)) {
            return 0; /* overwritten since it was read: programmed all the same, dead on arrival */
        }
        ftl_map_set(fw, o->lpn, o->ppn);
        return 1;
    }
    fw->ftl->recovery_ops->replaced(fw, op);
    ftl_map_set(fw, o->lpn, o->ppn);
    ftl_stamp(fw, o, 1);
    return 1;
}

void map_unset_page(struct fw *fw, u32 op)
{
    const struct fw_op *o = &fw->ops[op];
    if (!fw->ftl->recovery_ops->revert(fw, op)) {
        ftl_invalidate(fw, o->ppn);
        ftl_set_entry(fw, o->lpn, 0);
    }
}

void map_refuse_page(struct fw *fw, u32 op)
{
    const struct fw_op *o = &fw->ops[op];
    if ((o->flags & FW_OP_REDO) && ftl_entry(fw, o->lpn) == 0) {
        ftl_set_entry(fw, o->lpn, FTL_LOST); /* it failed when it was the page's only copy */
    }
}

/* ---- maps that are in DRAM as a whole ---- */

u32 *map_dram_entry(struct fw *fw, u32 lpn, bool changes)
{
    (void)changes;
    return &fw->ftl->map[lpn];
}

void map_dram_trim(struct fw *fw, u32 lpn)
{
    u32 *entry = &fw->ftl->map[lpn];
    if (*entry == 0) {
        return;
    }
    if (ftl_is_mapped(*entry)) {
        ftl_invalidate(fw, *entry - 1);
    }
    *entry = 0;
    ++fw->stats.pages_trimmed;
    fw->ftl->waits->place(fw);
}

bool map_dram_prepare(struct fw *fw, u32 op)
{
    (void)fw;
    (void)op;
    return true;
}

void map_dram_release(struct fw *fw, u32 op)
{
    (void)fw;
    (void)op;
}

void map_dram_start(struct fw *fw) { (void)fw; }

void map_dram_plane(struct fw *fw, u32 plane)
{
    (void)fw;
    (void)plane;
}

bool map_dram_idle(const struct fw *fw)
{
    (void)fw;
    return true;
}

struct map_waits map_dram_waits(const struct fw *fw)
{
    const struct map_waits nobody = {false, false, 0};
    (void)fw;
    return nobody;
}

u8 **map_dram_pages(const struct fw *fw)
{
    (void)fw;
    return 0;
}

/* ---- the page map ---- */

static bool lookup(struct fw *fw, u32 op, struct map_found *found)
{
    const struct fw_ftl *f = fw->ftl;
    const u32 lpn = fw->ops[op].lpn;
    found->entry = f->trimmed != NULL && ftl_is_trimmed(f, lpn) ? 0 : f->map[lpn];
    found->ppn = found->entry - 1;
    return true;
}

/* LPN of a page of the plane's victim, whose OOB record does not tell. */
static u32 owner_of(struct fw *fw, u32 plane, u32 ppn)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    const u32 block = ftl_block_index(f, ppn);
    const u32 page_mask = (1u << f->page_bits) - 1;
    u32 *lpns = &f->victim_lpns[(u64)plane * fw->cfg.pages];
    if (!p->lpns_known) { /* once a victim: nothing is written to it any more */
        fw_charge(fw, FW_COST_GC_SCAN, f->map_entries);
        for (u32 i = 0; i < fw->cfg.pages; ++i) {
            lpns[i] = FW_NONE;
        }
        for (u32 lpn = 0; lpn < f->map_entries; ++lpn) {
            const u32 at = ftl_entry(fw, lpn) - 1; /* not mapped, lost: larger than any PPN */
            if (at >> f->page_bits == block) {
                lpns[at & page_mask] = lpn;
            }
        }
        p->lpns_known = 1;
    }
    return lpns[ppn & page_mask];
}

static bool is_at(struct fw *fw, u32 lpn, u32 ppn)
{
    return lpn < fw->ftl->map_entries && ftl_entry(fw, lpn) == ppn + 1;
}

static enum map_answer note_copy(struct fw *fw, u32 plane, u32 from, const struct fw_op *read,
                                 struct map_copy *copy)
{
    if (!ftl_is_valid(fw->ftl, from)) {
        return MAP_DEAD; /* overwritten meanwhile */
    }
    copy->oob = read->oob;
    copy->lost = read->status != FLASH_STATUS_OK;
    if (copy->lost) {
        if (!is_at(fw, copy->oob.lpn, from)) { /* the OOB record is right where the map agrees */
            copy->oob.lpn = owner_of(fw, plane, from);
        }
        if (is_at(fw, copy->oob.lpn, from)) {
            return MAP_READY;
        }
        fw_panic(fw, FW_PANIC_MAP, from);
        return MAP_FAULT;
    }
    if (copy->oob.check != fw_oob_check(&copy->oob) || !is_at(fw, copy->oob.lpn, from)) {
        fw_panic(fw, FW_PANIC_OOB, from);
        return MAP_FAULT;
    }
    return MAP_READY;
}

const struct map_ops map_ops_page = {
    .start = map_dram_start,
    .lookup = lookup,
    .prepare = map_dram_prepare,
    .set = map_set_page,
    .unset = map_unset_page,
    .refuse = map_refuse_page,
    .release = map_dram_release,
    .trim = map_dram_trim,
    .entry = map_dram_entry,
    .note_copy = note_copy,
    .copy_over = map_dram_plane,
    .block_freed = map_dram_plane,
    .pump = map_dram_start,
    .idle = map_dram_idle,
    .waits = map_dram_waits,
    .read_only = map_dram_start,
    .pages = map_dram_pages,
};
