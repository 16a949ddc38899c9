// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the ONFI address of a physical page.
#include "firmware/ftl/core/state.h"

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
    o->flags |= FW_OP_ASSIGNED;
}
