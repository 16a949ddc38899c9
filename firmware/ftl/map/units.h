// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: mapping units (docs/explanation/mapping-units.md): their numbers, and those that GC moves.
#pragma once

#include "firmware/ftl/map/map.h"

/* Units of a page that GC has read and not programmed yet. */
enum { FW_MAX_UNITS = 8 };
struct gc_page {
    u32 count;
    u32 from[FW_MAX_UNITS]; /* unit numbers in the victim */
    u32 lpn[FW_MAX_UNITS];
};

static inline u32 ftl_unit_mask(const struct fw_ftl *f) { return (1u << f->unit_bits) - 1; }
static inline u32 ftl_unit_sectors(const struct fw *fw) { return fw_unit_bytes(&fw->cfg) / 512; }
/* Unit (or page) that a read is of: its first. */
static inline u32 ftl_read_unit(const struct fw *fw, const struct fw_op *o)
{
    const struct fw_ftl *f = fw->ftl;
    return f->unit_bits == 0 ? o->ppn : o->ppn << f->unit_bits | o->col / ftl_unit_sectors(fw);
}

u64 ftl_units_bytes(const struct fw_config *cfg);
bool ftl_units_boot(struct fw *fw);
