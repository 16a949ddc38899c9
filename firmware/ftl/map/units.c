// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: mapping units (docs/explanation/mapping-units.md): several logical pages in a flash page.
//
// A program carries the LPNs of its units in fw.units. Whose a unit in flash is, a table tells. How collection
// moves units: gc/copy_units.c.
#include "firmware/ftl/map/units.h"

static u32 bits_for(u32 n)
{
    u32 bits = 0;
    while (((u64)1 << bits) < n) {
        ++bits;
    }
    return bits;
}

static u64 unit_count(const struct fw_config *cfg)
{
    const u64 planes = cfg->channels * cfg->ways * cfg->dies * cfg->planes;
    return planes << (bits_for(cfg->blocks) + bits_for(cfg->pages) + cfg->unit_bits);
}

u64 ftl_units_bytes(const struct fw_config *cfg)
{
    const u64 planes = cfg->channels * cfg->ways * cfg->dies * cfg->planes;
    return cfg->unit_bits == 0 ? 0 : unit_count(cfg) * 4 + planes * sizeof(struct gc_page) + 128;
}

bool ftl_units_boot(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    if (f->unit_bits == 0) {
        return true;
    }
    f->owners = fw_table(fw, unit_count(&fw->cfg), 4);
    f->gc_pages = fw_table(fw, f->plane_count, sizeof(struct gc_page));
    return f->owners && f->gc_pages && ftl_units(f) <= FW_MAX_UNITS;
}

/* Where in its page the unit of a read is, and its buffer. A read that is done again may have been of another unit. */
static void place(struct fw *fw, struct fw_op *o, u32 unit)
{
    const u32 sectors = ftl_unit_sectors(fw);
    const u32 before = o->col / sectors;
    o->col = (u8)(o->col % sectors + unit * sectors);
    o->buf += (before - unit) * fw_unit_bytes(&fw->cfg);
}

static bool lookup(struct fw *fw, u32 op, struct map_found *found)
{
    const struct fw_ftl *f = fw->ftl;
    struct fw_op *o = &fw->ops[op];
    found->entry = f->map[o->lpn];
    if (ftl_is_mapped(found->entry)) {
        found->ppn = (found->entry - 1) >> f->unit_bits;
        place(fw, o, (found->entry - 1) & ftl_unit_mask(f));
    }
    return true;
}

static u32 set(struct fw *fw, u32 op, u32 page)
{
    struct fw_ftl *f = fw->ftl;
    struct fw_op *o = &fw->ops[op];
    const u32 *lpns = &fw->units[op << f->unit_bits];
    const u32 *from = o->flags & FW_OP_GC ? f->gc_pages[o->home_plane].from : 0;
    u32 alive = 0;
    (void)page; /* each of its units may be of another one */
    for (u32 i = 0; i < ftl_units(f) && lpns[i] != FW_NONE; ++i) {
        const u32 unit = o->ppn << f->unit_bits | i;
        f->owners[unit] = lpns[i];
        if (!from || ftl_is_valid(f, from[i])) { /* else overwritten since it was read */
            ftl_map_set(fw, lpns[i], unit);
            ++alive;
        }
    }
    ftl_stamp(fw, o, 2);
    return alive;
}

static void unset(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    const u32 *lpns = &fw->units[op << f->unit_bits];
    for (u32 i = 0; i < ftl_units(f) && lpns[i] != FW_NONE; ++i) {
        ftl_invalidate(fw, fw->ops[op].ppn << f->unit_bits | i);
        ftl_set_entry(fw, lpns[i], 0);
    }
}

static void refuse(struct fw *fw, u32 op)
{
    const u32 *lpns = &fw->units[op << fw->ftl->unit_bits];
    if (!(fw->ops[op].flags & FW_OP_REDO)) {
        return;
    }
    for (u32 i = 0; i < ftl_units(fw->ftl) && lpns[i] != FW_NONE; ++i) {
        if (ftl_entry(fw, lpns[i]) == 0) { /* it failed when it was the unit's only copy */
            ftl_set_entry(fw, lpns[i], FTL_LOST);
        }
    }
}

const struct map_ops map_ops_units = { /* no note_copy: gc/copy_units.c asks the table of owners */
    .start = map_dram_start,
    .lookup = lookup,
    .prepare = map_dram_prepare,
    .set = set,
    .unset = unset,
    .refuse = refuse,
    .release = map_dram_release,
    .trim = map_dram_trim,
    .entry = map_dram_entry,
    .copy_over = map_dram_plane,
    .block_freed = map_dram_plane,
    .pump = map_dram_start,
    .idle = map_dram_idle,
    .waits = map_dram_waits,
    .read_only = map_dram_start,
    .pages = map_dram_pages,
};
