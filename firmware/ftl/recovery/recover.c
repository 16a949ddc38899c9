// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: mount: the map from what is in flash. Only reads, so that a cut during it changes nothing.
//
// SCAN (OOB record of every page, all planes at once) -> TABLES (trims, retired blocks) -> done. Where a block
// has a journal page, that is read instead of its pages. Which page of an LPN counts: versions.c. What is made
// of the map: rebuild.c.
#include "firmware/core/panic.h"
#include "firmware/ftl/core/planes.h"
#include "firmware/ftl/recovery/recovery.h"

bool recovery_is_mounted(const struct fw *fw) { return !fw->ftl->recovery->mounting; }

/* The OOB record comes with the last sectors of the page: it lies behind them. */
FW_COLD static void read(struct fw *fw, u32 plane, u32 ppn, u8 purpose, u32 buf, u32 sectors)
{
    struct fw_ftl *f = fw->ftl;
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    o->opcode = FLASH_OP_READ;
    o->purpose = purpose;
    o->home_plane = plane;
    o->lpn = FW_NONE;
    o->ppn = ppn;
    o->flags = FW_OP_GC | FW_OP_WITH_OOB;
    o->buf = buf;
    o->col = (u8)(fw->cfg.page_bytes / 512 - sectors);
    o->len = (u8)sectors;
    o->gc_need = FW_GC_NOW;
    ftl_address_op(fw, o, plane);
    ftl_add_work(fw, o, plane);
    ftl_row_op(fw, o);
    ++f->blocks[ftl_block_index(f, ppn)].pending;
    ++f->pending;
    ++fw->stats.mount_reads;
    const struct fw_message m = {.kind = FW_MSG_OP_PLACED, .a = op};
    fw_send(fw, FW_MODULE_SCHED, &m);
}

static void begin_phase(struct fw *fw, u8 phase);

/* From the beginning, without journal pages. */
FW_COLD static void read_everything(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    ++fw->stats.mount_scans;
    memset(f->map, 0, (size_t)f->map_entries * 4);
    memset(r->version, 0, (size_t)f->map_entries * 8);
    memset(r->claims, 0, ((f->plane_count << f->block_bits) / 64 + 1) * (size_t)8);
    begin_phase(fw, MOUNT_ALL);
}

/* ---- TABLES ---- */

FW_COLD static void read_table(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    while (r->cursor < r->table_pages && f->map[fw->cfg.logical_pages + r->cursor] == 0) {
        ++r->cursor;
    }
    if (r->cursor == r->table_pages) {
        if (!mount_rebuild(fw)) {
            read_everything(fw);
        }
        return;
    }
    const u32 ppn = f->map[fw->cfg.logical_pages + r->cursor] - 1;
    read(fw, ftl_plane_index(f, ppn), ppn, FTL_TABLE_READ,
         fw_table_base(&fw->cfg) + r->cursor * fw->cfg.page_bytes, fw->cfg.page_bytes / 512);
}

/* ---- SCAN ---- */

static u32 index_of(const struct fw *fw, u32 plane)
{
    return plane << fw->ftl->block_bits | fw->ftl->planes[plane].victim;
}

static void read_page(struct fw *fw, u32 plane)
{
    const struct fw_ftl *f = fw->ftl;
    const struct plane *p = &f->planes[plane];
    read(fw, plane, ftl_ppn(f, plane, p->victim, p->victim_page), FTL_MOUNT_READ,
         f->gc_buffer_base + plane * fw->cfg.page_bytes, 1);
}

static void read_journal(struct fw *fw, u32 plane)
{
    const struct fw_ftl *f = fw->ftl;
    read(fw, plane, ftl_ppn(f, plane, f->planes[plane].victim, f->data_pages), FTL_JOURNAL_READ,
         fw_table_base(&fw->cfg) + ftl_journal_buffer(fw, plane, 0) * fw->cfg.page_bytes,
         ftl_journal_sectors(&fw->cfg));
}

FW_COLD static void next_block(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    struct plane *p = &f->planes[plane];
    while (p->victim < fw->cfg.blocks && (f->blocks[index_of(fw, plane)].state == BLOCK_BAD ||
                                          (r->phase == MOUNT_DOUBTS && !ftl_bit(r->doubt, index_of(fw, plane))))) {
        ++p->victim;
    }
    p->victim_page = 0;
    if (p->victim == fw->cfg.blocks) {
        --r->planes_left;
        return;
    }
    f->blocks[index_of(fw, plane)].next = 0;
    if (r->phase == MOUNT_JOURNALS) {
        read_journal(fw, plane);
    } else {
        fw->stats.mount_doubts += r->phase == MOUNT_DOUBTS;
        read_page(fw, plane);
    }
}

FW_COLD static void begin_phase(struct fw *fw, u8 phase)
{
    struct fw_ftl *f = fw->ftl;
    f->recovery->phase = phase;
    f->recovery->planes_left = f->plane_count;
    for (u32 plane = 0; plane < f->plane_count; ++plane) {
        f->planes[plane].victim = 0;
        next_block(fw, plane);
    }
}

/* What journal pages in doubt have claimed is void. Their versions stay: pages that are read now are as new. */
FW_COLD static void void_claims(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    fw_charge(fw, FW_COST_GC_SCAN, f->map_entries);
    for (u32 lpn = 0; lpn < f->map_entries; ++lpn) {
        if (f->map[lpn] != 0 && ftl_bit(r->doubt, ftl_block_index(f, f->map[lpn] - 1))) {
            f->map[lpn] = 0;
        }
    }
    for (u32 i = 0; i <= (f->plane_count << f->block_bits) / 64; ++i) {
        r->claims[i] &= ~r->doubt[i];
    }
}

/* Where all planes have come to the end of a phase, the next begins. */
FW_COLD static void go_on(struct fw *fw)
{
    struct ftl_recovery *r = fw->ftl->recovery;
    while (r->planes_left == 0 && r->phase != MOUNT_TABLES) {
        if (r->phase == MOUNT_JOURNALS && r->doubts) {
            void_claims(fw);
            begin_phase(fw, MOUNT_DOUBTS);
        } else {
            r->phase = MOUNT_TABLES;
            r->cursor = 0;
            read_table(fw);
        }
    }
}

FW_COLD void ftl_mount(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    f->recovery->mounting = true;
    ++f->gc_active; /* the FTL is not idle */
    begin_phase(fw, f->recovery->journals ? MOUNT_JOURNALS : MOUNT_ALL);
    go_on(fw);
}

static bool is_erased(const struct fw_op *o)
{
    return o->status == FLASH_STATUS_OK && (o->oob.lpn & o->oob.sequence_low & o->oob.check) == ~0u;
}

FW_COLD static void page_found(struct fw *fw, u32 plane, const struct fw_op *o)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    struct block *b = &f->blocks[index_of(fw, plane)];
    if (!is_erased(o)) {
        mount_found(fw, plane, o);
        b->next = ++p->victim_page;
        if (p->victim_page < fw->cfg.pages) {
            read_page(fw, plane);
            return;
        }
    }
    if (p->victim_page >= f->data_pages) {
        mount_settle_ties(fw, plane);
    }
    ++p->victim;
    next_block(fw, plane);
}

FW_COLD static void journal_found(struct fw *fw, u32 plane, const struct fw_op *o)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    if (!ftl_journal_whole(fw, o)) {
        read_page(fw, plane);
        return;
    }
    ++fw->stats.mount_journals;
    ftl_bit_set(f->recovery->claims, index_of(fw, plane));
    f->blocks[index_of(fw, plane)].next = f->data_pages;
    fw_charge(fw, FW_COST_GC_PAGE, f->data_pages);
    for (u32 page = 0; page < f->data_pages; ++page) {
        u64 version;
        const u32 lpn = ftl_journal_entry(fw, plane, page, &version);
        if (lpn < f->map_entries) {
            mount_found_version(fw, lpn, version, ftl_ppn(f, plane, p->victim, page));
        }
    }
    ++p->victim;
    next_block(fw, plane);
}

FW_COLD void ftl_mount_read_done(struct fw *fw, u32 op)
{
    const struct fw_op o = fw->ops[op];
    struct ftl_recovery *r = fw->ftl->recovery;
    fw_charge(fw, FW_COST_GC_DONE, 1);
    fw_op_free(fw, op);
    if (o.status == FLASH_STATUS_ILLEGAL) {
        fw_panic(fw, FW_PANIC_FLASH_FAILED, o.ppn);
    } else if (o.purpose == FTL_MOUNT_READ) {
        page_found(fw, o.home_plane, &o);
        go_on(fw);
    } else if (o.purpose == FTL_JOURNAL_READ) {
        journal_found(fw, o.home_plane, &o);
        go_on(fw);
    } else if (o.status == FLASH_STATUS_OK && o.oob.lpn == fw->cfg.logical_pages + r->cursor) {
        ++r->cursor;
        read_table(fw);
        go_on(fw);
    } else if (r->journals && fw->stats.mount_scans == 0) {
        read_everything(fw);
        go_on(fw);
    } else {
        fw_panic(fw, FW_PANIC_MOUNT, o.ppn);
    }
}
