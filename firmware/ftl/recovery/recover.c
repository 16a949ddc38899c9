// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: mount: the map from what is in flash. Only reads, so that a cut during it changes nothing.
//
// SCAN (OOB record of every page, all planes at once) -> TABLES (trims, retired blocks) -> done. The
// page with the highest version wins. A block's journal page, where it has one, stands for its pages, but
// where it names a version that is found elsewhere too: such blocks may be half erased, and are read.
// Every block counts as full afterwards: an open one may have a
// page that was half programmed, and one that looks erased may be half erased, so that collection
// erases whatever holds no data before it is used.
#include "firmware/ftl/ftl.h"
#include "firmware/ftl/gc/victim.h"
#include "firmware/ftl/recovery/recovery.h"

#include "firmware/core/panic.h"

bool fw_ftl_mounted(const struct fw *fw)
{
    return !fw->ftl->recovery || !fw->ftl->recovery->mounting;
}

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
    fw_send(fw, FW_ROOM_SCHED, &m);
}

/* ---- the end: counts from the map ---- */

static bool table_bit(const struct fw *fw, u32 page, u32 i)
{
    return fw->ftl->recovery->pages[(u64)page * fw->cfg.page_bytes + i / 8] >> (i % 8) & 1;
}

FW_COLD static void drop_trimmed(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    for (u32 page = 0; page < r->trim_pages; ++page) {
        const u64 horizon = r->version[fw->cfg.logical_pages + page];
        for (u32 i = 0; i < r->span && page * r->span + i < fw->cfg.logical_pages; ++i) {
            const u32 lpn = page * r->span + i;
            if (table_bit(fw, page, i) && r->version[lpn] < horizon) {
                f->map[lpn] = 0;
            }
        }
    }
}

FW_COLD static void count_pages(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    fw_charge(fw, FW_COST_GC_SCAN, f->map_entries);
    for (u32 lpn = 0; lpn < f->map_entries; ++lpn) {
        f->sequence = f->recovery->version[lpn] > f->sequence ? f->recovery->version[lpn] : f->sequence;
        if (f->map[lpn] != 0) {
            const u32 ppn = f->map[lpn] - 1;
            f->valid[ppn / 64] |= (u64)1 << (ppn % 64);
            ++f->blocks[ftl_block_index(f, ppn)].valid;
            ++f->planes[ftl_plane_index(f, ppn)].valid;
        }
    }
}

/* A retired block may hold what a cut has left nowhere else, or twice: it is emptied once more. */
static void retire_again(struct fw *fw, u32 plane, u32 block)
{
    struct plane *p = &fw->ftl->planes[plane];
    const bool empty = gc_block(fw->ftl, plane, block)->valid == 0;
    --p->good;
    gc_block_state(fw, plane, block, empty ? BLOCK_BAD : BLOCK_FAILED);
    p->failed = (u16)(p->failed + !empty);
    fw->stats.blocks_retired += empty;
}

/* Whether a page that a journal page names was not there, and none that is as new: but for trims, which are
   durable before all copies of a page are erased, that is because one has been lost. */
FW_COLD static bool misses_page(struct fw *fw)
{
    const struct fw_ftl *f = fw->ftl;
    const struct ftl_recovery *r = f->recovery;
    fw_charge(fw, FW_COST_GC_SCAN, f->map_entries);
    for (u32 lpn = 0; lpn < f->map_entries; ++lpn) {
        if (f->map[lpn] != 0 || r->version[lpn] == 0) {
            continue;
        }
        const u32 page = lpn / r->span;
        if (lpn >= fw->cfg.logical_pages || !table_bit(fw, page, lpn % r->span) ||
            r->version[lpn] >= r->version[fw->cfg.logical_pages + page]) {
            return true;
        }
    }
    return false;
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

FW_COLD static void finish(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    const u32 bits = fw->cfg.page_bytes * 8;
    if (r->doubts && fw->stats.mount_scans == 0 && misses_page(fw)) {
        read_everything(fw);
        return;
    }
    drop_trimmed(fw);
    count_pages(fw);
    for (u32 plane = 0; plane < f->plane_count; ++plane) {
        struct plane *p = &f->planes[plane];
        for (u32 i = 0; i < fw->cfg.blocks; ++i) {
            const u32 index = plane << f->block_bits | i;
            struct block *b = &f->blocks[index];
            b->next = FW_NONE;
            ftl_wear_erased(fw, plane, i);
            if (b->state == BLOCK_BAD) {
                continue;
            }
            if (table_bit(fw, r->trim_pages + index / bits, index % bits)) {
                ftl_bit_set(r->retired, index);
                retire_again(fw, plane, i);
            } else {
                gc_block_state(fw, plane, i, BLOCK_FULL);
            }
        }
        p->fresh = fw->cfg.blocks;
        gc_free_blocks(f, plane, -(int)p->free_count);
        ftl_set_limit(fw, plane);
        p->victim_page = 0;
        p->sweep = 0;
    }
    r->phase = MOUNT_TABLES;
    f->damaged = true; /* that blocks have failed may be forgotten: always ready for a full plane */
    r->mounting = false;
    ++fw->stats.mounts;
    --f->gc_active;
    for (u32 plane = 0; plane < f->plane_count; ++plane) {
        ftl_gc_check(fw, plane);
    }
}

u32 ftl_swept_victim(struct fw *fw, u32 plane)
{
    struct plane *p = &fw->ftl->planes[plane];
    while (p->sweep < fw->cfg.blocks) {
        const u32 block = p->sweep++;
        const struct block *b = gc_block(fw->ftl, plane, block);
        fw_charge(fw, FW_COST_GC_SCAN, 1);
        if (b->state == BLOCK_FULL && b->valid == 0 && b->pending == 0) {
            return block;
        }
    }
    return FW_NONE;
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
        finish(fw);
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
    if (!f->recovery) {
        fw_panic(fw, FW_PANIC_BAD_MESSAGE, FW_MSG_FTL_MOUNT);
        return;
    }
    f->recovery->mounting = true;
    ++f->gc_active; /* the room is not idle */
    begin_phase(fw, f->recovery->journals ? MOUNT_JOURNALS : MOUNT_ALL);
    go_on(fw);
}

/* Of two copies with one version that in a block with all its pages written counts: the other block is
   the one that collection filled when the power went, and may be the last that it can get back. */
FW_COLD static void settle_ties(struct fw *fw, u32 plane)
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

/* The page of an LPN with this version. True: there is another one, and settle_ties() decides. */
FW_COLD static bool found_version(struct fw *fw, u32 lpn, u64 version, u32 ppn)
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

static void found(struct fw *fw, u32 plane, const struct fw_op *o)
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
    if (found_version(fw, lpn, version, o->ppn)) {
        f->victim_lpns[at] = lpn;
        f->recovery->tie_version[at] = version;
    }
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
        found(fw, plane, o);
        b->next = ++p->victim_page;
        if (p->victim_page < fw->cfg.pages) {
            read_page(fw, plane);
            return;
        }
    }
    if (p->victim_page >= f->data_pages) {
        settle_ties(fw, plane);
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
            found_version(fw, lpn, version, ftl_ppn(f, plane, p->victim, page));
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
