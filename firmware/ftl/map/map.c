// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: page map, valid bits, and the ONFI address of a physical page.
#include "firmware/ftl/gc/victim.h"

#include "firmware/core/panic.h"

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
    u32 *entry = f->map ? &f->map[lpn] : ftl_cached_entry(fw, lpn, true);
    const u32 old = *entry;
    *entry = ppn + 1;
    f->valid[ppn / 64] |= (u64)1 << (ppn % 64);
    ++f->blocks[ftl_block_index(f, ppn >> f->unit_bits)].valid;
    if (ftl_is_mapped(old)) {
        ftl_invalidate(fw, old - 1);
    }
}

/* Divisions take long on small CPUs: once a plane is enough. */
void ftl_fill_addresses(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    const u32 luns_per_ce = fw->ftl->luns_per_ce;
    for (u32 plane = 0; plane < fw->ftl->plane_count; ++plane) {
        const u32 die = plane / cfg->planes;
        const u32 package = die / cfg->dies;
        const u32 lun_in_package = die % cfg->dies;
        fw->ftl->addresses[plane] = (struct plane_address){
            .die = die,
            .plane = (u8)(plane % cfg->planes),
            .channel = (u8)(package / cfg->ways),
            .ce = (u8)(package % cfg->ways * cfg->chip_enables + lun_in_package / luns_per_ce),
            .lun = (u8)(lun_in_package % luns_per_ce),
        };
    }
}

void ftl_address_op(struct fw *fw, struct fw_op *o, u32 plane)
{
    const struct plane_address a = fw->ftl->addresses[plane];
    fw_charge(fw, FW_COST_FTL_ADDRESS, 1);
    o->die = a.die;
    o->plane = a.plane;
    o->channel = a.channel;
    o->ce = a.ce;
    o->lun = a.lun;
    o->flags |= FW_OP_TRANSLATED;
}

void ftl_row_op(struct fw *fw, struct fw_op *o)
{
    const struct fw_ftl *f = fw->ftl;
    fw_charge(fw, FW_COST_FTL_ROW, 1);
    const u32 page = o->ppn & ((1u << f->page_bits) - 1);
    const u32 block = ftl_block_index(f, o->ppn) & ((1u << f->block_bits) - 1);
    o->row = (((((u32)o->lun << f->block_bits) | block) << f->plane_bits) | o->plane) << f->page_bits |
             page;
    o->flags |= FW_OP_BOUND;
}
