// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: garbage collection of mapping units (docs/explanation/mapping-units.md).
//
// Collection reads runs of adjacent live units straight to where they will be in the page that it writes
// next; that goes to flash when it is full, or when the victim has no more.
#include "firmware/core/panic.h"
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/gc/gc.h"
#include "firmware/ftl/map/units.h"

static void begin(struct fw *fw, u32 plane) { fw->ftl->gc_pages[plane].count = 0; }

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
    o->ppn = g->from[0] >> f->unit_bits; /* until assigned */
    o->buf = f->gc_buffer_base + plane * fw->cfg.page_bytes;
    o->col = 0;
    o->len = (u8)(fw->cfg.page_bytes / 512);
    f->planes[plane].gc_state = GC_WRITING;
    gc_submit(fw, plane, op, FLASH_OP_PROGRAM);
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
    o->col = (u8)(at * ftl_unit_sectors(fw));
    o->len = (u8)(count * ftl_unit_sectors(fw));
    f->planes[plane].gc_state = GC_READING;
    gc_submit(fw, plane, op, FLASH_OP_READ);
}

/* The next run of units of the victim into the page buffer, or the page to flash. */
static bool next(struct fw *fw, u32 plane)
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

/* What a read has brought belongs to the page that is programmed next. */
static void take_units(struct fw *fw, u32 plane, const struct fw_op *read)
{
    struct fw_ftl *f = fw->ftl;
    struct gc_page *g = &f->gc_pages[plane];
    const u32 first = ftl_read_unit(fw, read);
    const u32 count = read->len / ftl_unit_sectors(fw);
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
            gc_lose(fw, unit, lpn);
        } else {
            ++alive;
        }
    }
    for (u32 i = 0; i < count && alive != 0; ++i) { /* what is dead by now keeps its place */
        g->from[g->count] = first + i;
        g->lpn[g->count++] = f->owners[first + i];
    }
}

static void units_read(struct fw *fw, u32 plane, const struct fw_op *read)
{
    take_units(fw, plane, read);
    gc_go_on(fw, plane);
}

static void written(struct fw *fw, u32 plane, const struct fw_op *write)
{
    struct fw_ftl *f = fw->ftl;
    struct gc_page *g = &f->gc_pages[plane];
    if (write->status == FLASH_STATUS_OK) {
        fw->stats.gc_units_moved += g->count;
        g->count = 0;
        gc_moved(fw, plane, true);
        return;
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
        return;
    }
    g->count = 0;
    gc_moved(fw, plane, false);
}

const struct gc_copy_ops gc_copies_units = { /* no copyback */
    .begin = begin,
    .next = next,
    .read = units_read,
    .written = written,
};
