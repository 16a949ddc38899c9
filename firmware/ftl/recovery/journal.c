// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: journal pages: the last page of a block lists the pages written to it (docs/explanation/recovery-journal.md).
//
// It is filled as programs of the block end and written when the last of them has ended. A block that has
// none is right too: mount reads its pages one by one.
#include "firmware/core/panic.h"
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/planes.h"
#include "firmware/ftl/gc/gc.h"
#include "firmware/ftl/recovery/recovery.h"

enum {
    MAGIC = 0x4a524e4c,
    /* words of the page, from ftl_journal_words() on */
    WORD_MAGIC = 0,
    WORD_CHECK,
    WORD_BLOCK, /* in the FTL's table */
    WORD_COUNT, /* entries */
    WORD_ERASES, /* of this block */
    WORD_WORN,   /* a block of the plane | its erases << 16, or FW_NONE */
    WORD_WINDOW = WORD_WORN + FTL_JOURNAL_WORN, /* a block: of this one and those behind it erases follow, two a word */
    WORD_ENTRIES = WORD_WINDOW + 1 + FTL_JOURNAL_WINDOW /* LPN or FW_NONE, sequence number low and high */
};

u32 ftl_journal_sectors(const struct fw_config *cfg)
{
    return (4 * (WORD_ENTRIES + 3 * (cfg->pages - 1)) + 511) / 512;
}

u32 ftl_journal_buffer(const struct fw *fw, u32 plane, u32 slot)
{
    return fw->ftl->recovery->table_pages + plane * FTL_JOURNALS + slot;
}

/* What counts lies at the page's end, where the OOB record is read with it. */
u32 *ftl_journal_words(const struct fw *fw, u32 plane, u32 slot)
{
    const u64 end = ((u64)ftl_journal_buffer(fw, plane, slot) + 1) * fw->cfg.page_bytes;
    return (u32 *)(fw->ftl->recovery->pages + end - 512 * ftl_journal_sectors(&fw->cfg));
}

/* The slot of the plane that collects what is written to `block`, or FW_NONE: a free one. */
static u32 slot_of(const struct fw *fw, u32 plane, u32 block)
{
    const struct ftl_journal *j = &fw->ftl->recovery->journals[plane * FTL_JOURNALS];
    for (u32 slot = 0; slot < FTL_JOURNALS; ++slot) {
        if (j[slot].block == block) {
            return slot;
        }
    }
    return FW_NONE;
}

static struct ftl_journal *journal_at(const struct fw *fw, u32 plane, u32 slot)
{
    return &fw->ftl->recovery->journals[plane * FTL_JOURNALS + slot];
}

static void open_slot(struct fw *fw, u32 plane, u32 block)
{
    const u32 slot = slot_of(fw, plane, FW_NONE);
    if (slot != FW_NONE) {
        *journal_at(fw, plane, slot) = (struct ftl_journal){.block = block};
    }
}

/* The block gets no journal page. */
static void drop_slot(struct fw *fw, u32 plane, u32 block)
{
    const u32 slot = slot_of(fw, plane, block);
    if (slot != FW_NONE) {
        journal_at(fw, plane, slot)->block = FW_NONE;
    }
}

static u32 check_of(struct fw *fw, const u32 *words)
{
    const u32 count = WORD_ENTRIES + 3 * fw->ftl->data_pages;
    u32 check = 2166136261u; /* FNV-1a, by words */
    fw_charge(fw, FW_COST_GC_SCAN, count);
    for (u32 i = 0; i < count; ++i) {
        check = i == WORD_CHECK ? check : (check ^ words[i]) * 16777619u;
    }
    return check;
}

static u32 worn_word(const struct fw *fw, u32 plane, u32 block)
{
    return block >= fw->cfg.blocks ? FW_NONE : block | (u32)gc_block(fw->ftl, plane, block)->erases << 16;
}

/* Erase counts of blocks that have no journal page now (free, open, being collected), and of others in turn. */
static void note_worn(struct fw *fw, u32 plane, u32 *words)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    const u32 none[4] = {p->host.block, p->gc.block, p->level.block, p->gc_state == GC_IDLE ? FW_NONE : p->victim};
    u32 at = p->free_head;
    for (u32 i = 0; i < FTL_JOURNAL_WORN; ++i) {
        words[WORD_WORN + i] = worn_word(fw, plane, i < 4 ? none[i] : at);
        at = i < 4 || at == FW_NONE ? at : gc_block(f, plane, at)->next;
    }
    words[WORD_WINDOW] = p->worn_window;
    for (u32 i = 0; i < 2 * FTL_JOURNAL_WINDOW; ++i) {
        const u32 erases = gc_block(f, plane, p->worn_window)->erases;
        u32 *word = &words[WORD_WINDOW + 1 + i / 2];
        *word = i % 2 == 0 ? erases : *word | erases << 16;
        p->worn_window = p->worn_window + 1 == fw->cfg.blocks ? 0 : p->worn_window + 1;
    }
    fw_charge(fw, FW_COST_GC_SCAN, FTL_JOURNAL_WORN + 2 * FTL_JOURNAL_WINDOW);
}

FW_COLD static void write_page(struct fw *fw, u32 plane, u32 slot)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    const u32 block = journal_at(fw, plane, slot)->block;
    const u32 ppn = ftl_ppn(f, plane, block, f->data_pages);
    u32 *words = ftl_journal_words(fw, plane, slot);
    words[WORD_MAGIC] = MAGIC;
    words[WORD_BLOCK] = ftl_block_index(f, ppn);
    words[WORD_COUNT] = f->data_pages;
    words[WORD_ERASES] = gc_block(f, plane, block)->erases;
    note_worn(fw, plane, words);
    words[WORD_CHECK] = check_of(fw, words);
    const u32 op = fw_op_alloc(fw);
    struct fw_op *o = &fw->ops[op];
    fw_charge(fw, FW_COST_GC_SUBMIT, 1);
    o->opcode = FLASH_OP_PROGRAM;
    o->purpose = FTL_JOURNAL_WRITE;
    o->flags = FW_OP_GC;
    o->home_plane = plane;
    o->lpn = FTL_JOURNAL_LPN;
    o->ppn = ppn;
    o->buf = fw_table_base(&fw->cfg) + ftl_journal_buffer(fw, plane, slot) * fw->cfg.page_bytes;
    o->col = 0;
    o->len = (u8)(fw->cfg.page_bytes / 512);
    o->gc_need = FW_GC_SOON;
    o->oob = (struct fw_oob){.lpn = FTL_JOURNAL_LPN,
                             .sequence_low = (u32)f->sequence,
                             .sequence_high = (u16)(f->sequence >> 32),
                             .kind = FTL_OOB_JOURNAL};
    o->oob.check = fw_oob_check(&o->oob);
    ftl_address_op(fw, o, plane);
    ftl_add_work(fw, o, plane);
    ++f->blocks[ftl_block_index(f, ppn)].pending; /* no victim until it has ended */
    ++f->pending;
    ++r->journals_out;
    const struct fw_message m = {.kind = FW_MSG_OP_PLACED, .a = op};
    fw_send(fw, FW_MODULE_SCHED, &m);
}

/* A program has ended well, of a page with this OOB record. */
static void note_program(struct fw *fw, u32 ppn, const struct fw_oob *oob)
{
    struct fw_ftl *f = fw->ftl;
    const u32 plane = ftl_plane_index(f, ppn);
    const u32 slot = slot_of(fw, plane, ftl_block_index(f, ppn) & ((1u << f->block_bits) - 1));
    fw_charge(fw, FW_COST_FTL_UPDATE, 1);
    if (slot == FW_NONE) {
        return; /* none was free, or a program of the block has failed */
    }
    const bool good = oob->check == fw_oob_check(oob) && oob->lpn < f->map_entries;
    u32 *entry = ftl_journal_words(fw, plane, slot) + WORD_ENTRIES + 3 * (ppn & ((1u << f->page_bits) - 1));
    entry[0] = good ? oob->lpn : FW_NONE;
    entry[1] = oob->sequence_low;
    entry[2] = oob->sequence_high;
    if (++journal_at(fw, plane, slot)->ended == f->data_pages) {
        write_page(fw, plane, slot);
    }
}

static void op_ended(struct fw *fw, const struct fw_op *o)
{
    if (o->status != FLASH_STATUS_OK || o->purpose == FTL_JOURNAL_WRITE) {
        return;
    }
    if (o->opcode == FLASH_OP_PROGRAM || o->opcode == FLASH_OP_COPYBACK) {
        note_program(fw, o->opcode == FLASH_OP_PROGRAM ? o->ppn : o->copy_ppn, &o->oob);
    }
}

FW_COLD void ftl_journal_assign(struct fw *fw, u32 op)
{
    fw_charge(fw, FW_COST_FTL_ASSIGN, 1);
    ftl_row_op(fw, &fw->ops[op]);
    ++fw->stats.flash_pages_written;
    ++fw->stats.journal_pages_written;
    const struct fw_message m = {.kind = FW_MSG_OP_ASSIGNED, .a = op};
    fw_send(fw, FW_MODULE_SCHED, &m);
}

FW_COLD void ftl_journal_done(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    const struct fw_op o = fw->ops[op];
    const u32 plane = o.home_plane;
    fw_charge(fw, FW_COST_GC_DONE, 1);
    fw_op_free(fw, op);
    --f->recovery->journals_out;
    drop_slot(fw, plane, ftl_block_index(f, o.ppn) & ((1u << f->block_bits) - 1));
    if (o.status == FLASH_STATUS_ILLEGAL) {
        fw_panic(fw, FW_PANIC_FLASH_FAILED, o.ppn);
    } else if (o.status != FLASH_STATUS_OK) {
        ++fw->stats.program_fails;
        ftl_block_failed(fw, o.ppn);
    }
}

/* ---- mount ---- */

static void at_least(struct fw *fw, u32 plane, u32 block, u32 erases)
{
    if (block < fw->cfg.blocks) {
        struct block *b = gc_block(fw->ftl, plane, block);
        b->erases = erases > b->erases ? (u16)erases : b->erases;
    }
}

FW_COLD bool ftl_journal_whole(struct fw *fw, const struct fw_op *o)
{
    const struct fw_ftl *f = fw->ftl;
    const u32 *words = ftl_journal_words(fw, o->home_plane, 0);
    if (o->status != FLASH_STATUS_OK || o->oob.kind != FTL_OOB_JOURNAL || o->oob.check != fw_oob_check(&o->oob) ||
        words[WORD_MAGIC] != MAGIC || words[WORD_BLOCK] != ftl_block_index(f, o->ppn) ||
        words[WORD_COUNT] != f->data_pages || words[WORD_CHECK] != check_of(fw, words)) {
        return false;
    }
    at_least(fw, o->home_plane, words[WORD_BLOCK] & ((1u << f->block_bits) - 1), words[WORD_ERASES]);
    for (u32 i = 0; i < FTL_JOURNAL_WORN; ++i) { /* counts only grow: the highest is the newest */
        if (words[WORD_WORN + i] != FW_NONE) {
            at_least(fw, o->home_plane, words[WORD_WORN + i] & 0xffff, words[WORD_WORN + i] >> 16);
        }
    }
    for (u32 i = 0, block = words[WORD_WINDOW]; i < 2 * FTL_JOURNAL_WINDOW; ++i) {
        at_least(fw, o->home_plane, block, words[WORD_WINDOW + 1 + i / 2] >> (i % 2 * 16) & 0xffff);
        block = block + 1 == fw->cfg.blocks ? 0 : block + 1;
    }
    return true;
}

u32 ftl_journal_entry(const struct fw *fw, u32 plane, u32 page, u64 *version)
{
    const u32 *entry = ftl_journal_words(fw, plane, 0) + WORD_ENTRIES + 3 * page;
    *version = ((u64)entry[2] << 32 | entry[1]) + 1;
    return entry[0];
}

/* ---- the table of hooks ---- */

static bool is_idle(const struct fw *fw) { return fw->ftl->recovery->journals_out == 0; }

static void page_lost(struct fw *fw, u32 ppn, u32 lpn)
{
    ftl_lost(fw, ppn, lpn);
    fw->ftl->planes[ftl_plane_index(fw->ftl, ppn)].spoilt = 1;
}

const struct recovery_ops recovery_journal = {
    .reserve = 2, /* a cut leaves open blocks behind: docs/explanation/power-loss.md */
    .trim = ftl_trim_later,
    .flush = ftl_flush,
    .mount = ftl_mount,
    .mounted = recovery_is_mounted,
    .idle = is_idle,
    .replaced = ftl_hold,
    .revert = ftl_revert,
    .op_ended = op_ended,
    .release = ftl_release,
    .copy_failed = ftl_hold_instead,
    .page_lost = page_lost,
    .block_opened = open_slot,
    .block_failed = drop_slot,
    .block_retired = ftl_note_retired,
    .pages = recovery_pages,
};
