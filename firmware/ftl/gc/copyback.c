// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: pages that collection moves inside their die, in one operation (docs/explanation/gc.md). A page that has
// been copied often enough without ECC is read out on the way: ECC sees it, and it counts as new.
//
// The destination is taken when the operation is sent and is in the map when it has ended: only then the
// OOB record tells whose page it is. The source is valid until then.
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/gc/gc.h"
#include "firmware/ftl/map/map.h"

bool ftl_copyback_take(struct fw *fw, u32 plane, u32 from, u32 *to)
{
    struct fw_ftl *f = fw->ftl;
    const struct plane *p = &f->planes[plane];
    const u8 left = f->copies[ftl_block_index(f, from)];
    if (f->read_only || (f->damaged && p->valid > p->limit) ||
        !ftl_write_point_take(fw, plane, true, to)) {
        return false;
    }
    u8 *copies = &f->copies[ftl_block_index(f, *to)];
    *copies = left != 0 && left - 1 < *copies ? (u8)(left - 1) : *copies;
    fw_charge(fw, FW_COST_FTL_ASSIGN, 1);
    ++f->sequence;
    ++fw->stats.flash_pages_written;
    return true;
}

void ftl_copyback_address(struct fw *fw, struct fw_op *o)
{
    const u32 from = o->ppn;
    o->ppn = o->copy_ppn;
    ftl_row_op(fw, o);
    o->copy_row = o->row;
    o->ppn = from;
    if (fw->ftl->copies[ftl_block_index(fw->ftl, from)] != 0) {
        o->col = o->len; /* behind the last sector: the OOB record */
        o->len = 0;
    }
    ++fw->ftl->blocks[ftl_block_index(fw->ftl, o->copy_ppn)].pending;
}

/* The copy is in the map from now on. Its block may have been filled meanwhile. */
static void map_copy(struct fw *fw, u32 plane, u32 lpn, u32 to)
{
    struct fw_ftl *f = fw->ftl;
    const u32 block = ftl_block_index(f, to) & ((1u << f->block_bits) - 1);
    const bool full = gc_block(f, plane, block)->state == BLOCK_FULL;
    if (full) {
        gc_block_state(fw, plane, block, BLOCK_OPEN);
    }
    ++f->planes[plane].valid;
    ftl_map_set(fw, lpn, to);
    if (full) {
        gc_block_state(fw, plane, block, BLOCK_FULL);
    }
}

bool ftl_copyback_done(struct fw *fw, u32 plane, const struct fw_op *o)
{
    struct fw_ftl *f = fw->ftl;
    const struct fw_oob *oob = &o->oob;
    const u32 to = o->copy_ppn;
    fw_charge(fw, FW_COST_GC_COPY, 1);
    --f->blocks[ftl_block_index(f, to)].pending;
    const bool valid = ftl_is_valid(f, o->ppn); /* else overwritten meanwhile: dead on arrival */
    const bool known = o->status == FLASH_STATUS_OK && oob->check == fw_oob_check(oob) &&
                       oob->lpn < f->map_entries && ftl_entry(fw, oob->lpn) == o->ppn + 1;
    if (valid && known) {
        map_copy(fw, plane, oob->lpn, to);
    }
    ftl_page_assigned(fw, plane, to);
    if (o->status == FLASH_STATUS_UNCORRECTABLE) {
        return !valid; /* programmed as it was; the source may still be read with retries */
    }
    if (o->status != FLASH_STATUS_OK) {
        ++fw->stats.program_fails;
        ftl_block_failed(fw, to);
    } else if (!valid || known) {
        ++fw->stats.gc_pages_moved;
        ++fw->stats.gc_copybacks;
        fw->stats.wear_pages_moved += f->planes[plane].levelling;
    }
    return !valid || known;
}
