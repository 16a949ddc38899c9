// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: mapping units (docs/mapping-units.md): several logical pages in a flash page.
//
// A program carries the LPNs of its units in fw.units. Whose a unit in flash is, a table tells.
// Collection reads runs of adjacent live units straight to where they will be in the page that it
// writes next; that goes to flash when it is full, or when the victim has no more.
#include "firmware/core/panic.h"
#include "firmware/ftl/recovery/recovery.h"
#include "firmware/ftl/state.h"

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

static u32 unit_sectors(const struct fw *fw) { return fw_unit_bytes(&fw->cfg) / 512; }

/* A read that is done again may have been of another unit. */
void ftl_units_place(struct fw *fw, struct fw_op *o, u32 unit)
{
    const u32 sectors = unit_sectors(fw);
    const u32 before = o->col / sectors;
    o->col = (u8)(o->col % sectors + unit * sectors);
    o->buf += (before - unit) * fw_unit_bytes(&fw->cfg);
}

u32 ftl_units_bind(struct fw *fw, u32 op, u32 ppn)
{
    struct fw_ftl *f = fw->ftl;
    const struct fw_op *o = &fw->ops[op];
    const u32 *lpns = &fw->units[op << f->unit_bits];
    const u32 *from = o->flags & FW_OP_GC ? f->gc_pages[o->home_plane].from : 0;
    u32 alive = 0;
    for (u32 i = 0; i < ftl_units(f) && lpns[i] != FW_NONE; ++i) {
        const u32 unit = ppn << f->unit_bits | i;
        f->owners[unit] = lpns[i];
        if (!from || ftl_is_valid(f, from[i])) { /* else overwritten since it was read */
            ftl_map_set(fw, lpns[i], unit);
            ++alive;
        }
    }
    return alive;
}

void ftl_units_unbind(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    const u32 *lpns = &fw->units[op << f->unit_bits];
    for (u32 i = 0; i < ftl_units(f) && lpns[i] != FW_NONE; ++i) {
        ftl_invalidate(fw, fw->ops[op].ppn << f->unit_bits | i);
        ftl_set_entry(fw, lpns[i], 0);
    }
}

void ftl_units_lost(struct fw *fw, u32 op)
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

static void write_page(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    const struct gc_page *g = &f->gc_pages[plane];
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    for (u32 i = 0; i <= ftl_unit_mask(f); ++i) {
        fw->units[op << f->unit_bits | i] = i < g->count ? g->lpn[i] : FW_NONE;
    }
    o->lpn = g->lpn[0];
    o->ppn = g->from[0] >> f->unit_bits; /* until bound */
    o->buf = f->gc_buffer_base + plane * fw->cfg.page_bytes;
    o->col = 0;
    o->len = (u8)(fw->cfg.page_bytes / 512);
    f->planes[plane].gc_state = GC_WRITING;
    ftl_gc_submit(fw, plane, op, FLASH_OP_PROGRAM);
}

static void read_run(struct fw *fw, u32 plane, u32 unit, u32 count)
{
    struct fw_ftl *f = fw->ftl;
    const u32 at = unit & ftl_unit_mask(f);
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    o->ppn = unit >> f->unit_bits;
    o->buf = f->gc_buffer_base + plane * fw->cfg.page_bytes +
             (f->gc_pages[plane].count - at) * fw_unit_bytes(&fw->cfg);
    o->col = (u8)(at * unit_sectors(fw));
    o->len = (u8)(count * unit_sectors(fw));
    f->planes[plane].gc_state = GC_READING;
    ftl_gc_submit(fw, plane, op, FLASH_OP_READ);
}

bool ftl_units_next(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    const u32 room = ftl_units(f) - f->gc_pages[plane].count;
    const u32 end = fw->cfg.pages << f->unit_bits;
    const u32 first = ftl_ppn(f, plane, p->victim, 0) << f->unit_bits;
    if (room == 0) {
        write_page(fw, plane);
        return true;
    }
    while (p->victim_page < end) {
        const u32 unit = first + p->victim_page++;
        if ((unit & ftl_unit_mask(f)) >= ftl_units(f)) { /* a number that no unit has */
            continue;
        }
        fw_charge(fw, FW_COST_GC_PAGE, 1);
        if (ftl_is_valid(f, unit)) {
            u32 count = 1;
            while (count < room && ((unit + count) & ftl_unit_mask(f)) != 0 && ftl_is_valid(f, unit + count)) {
                ++count;
            }
            p->victim_page += count - 1;
            read_run(fw, plane, unit, count);
            return true;
        }
    }
    if (room != ftl_units(f)) {
        write_page(fw, plane);
        return true;
    }
    return false;
}

void ftl_units_read(struct fw *fw, u32 plane, const struct fw_op *read)
{
    struct fw_ftl *f = fw->ftl;
    struct gc_page *g = &f->gc_pages[plane];
    const u32 first = ftl_read_unit(fw, read);
    const u32 count = read->len / unit_sectors(fw);
    u32 alive = 0;
    fw_charge(fw, FW_COST_GC_COPY, 1);
    for (u32 i = 0; i < count; ++i) {
        const u32 unit = first + i;
        const u32 lpn = f->owners[unit];
        if (!ftl_is_valid(f, unit)) { /* overwritten meanwhile */
            continue;
        }
        if (lpn >= f->map_entries || ftl_entry(fw, lpn) != unit + 1) {
            fw_panic(fw, FW_PANIC_MAP, unit);
            return;
        }
        if (read->status != FLASH_STATUS_OK) {
            ftl_gc_lose(fw, unit, lpn);
        } else {
            ++alive;
        }
    }
    for (u32 i = 0; i < count && alive != 0; ++i) { /* what is dead by now keeps its place */
        g->from[g->count] = first + i;
        g->lpn[g->count++] = f->owners[first + i];
    }
}

bool ftl_units_written(struct fw *fw, u32 plane, const struct fw_op *write)
{
    struct fw_ftl *f = fw->ftl;
    struct gc_page *g = &f->gc_pages[plane];
    if (write->status == FLASH_STATUS_OK) {
        fw->stats.gc_units_moved += g->count;
        g->count = 0;
        return true;
    }
    ++fw->stats.program_fails;
    ftl_block_failed(fw, write->ppn);
    u32 alive = 0;
    for (u32 i = 0; i < g->count; ++i) { /* the victim still has them */
        if (ftl_is_valid(f, write->ppn << f->unit_bits | i)) {
            ++f->planes[plane].valid;
            ftl_map_set(fw, g->lpn[i], g->from[i]);
            ++alive;
        }
    }
    if (alive != 0) {
        write_page(fw, plane);
        return false;
    }
    g->count = 0;
    return true;
}
