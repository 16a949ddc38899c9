// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: blocks of a plane: which page of which block is next, and what becomes of a block.
#include "firmware/ftl/core/blocks.h"

#include "firmware/ftl/core/recovery_ops.h"

void gc_block_state(struct fw *fw, u32 plane, u32 block, enum block_state state)
{
    struct fw_ftl *f = fw->ftl;
    struct block *b = gc_block(f, plane, block);
    const u8 before = b->state;
    b->state = (u8)state;
    if (before == BLOCK_FULL) {
        f->gc->leave(fw, plane, block);
    }
    if (state == BLOCK_FULL) {
        f->planes[plane].least_erases = fw_min_u32(f->planes[plane].least_erases, b->erases);
        f->gc->enter(fw, plane, block);
    }
}

/* Good blocks that have never been used; `fresh` goes on to the first of them. */
static bool has_fresh(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    while (p->fresh < fw->cfg.blocks && f->blocks[plane << f->block_bits | p->fresh].state == BLOCK_BAD) {
        ++p->fresh;
    }
    return p->fresh < fw->cfg.blocks;
}

u32 ftl_take_block(struct fw *fw, u32 plane, bool worn)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    fw_charge(fw, FW_COST_FTL_BLOCK, 1);
    struct block *blocks = &f->blocks[plane << f->block_bits];
    const bool level = worn || fw->cfg.wear_dynamic;
    const u32 before = level ? ftl_wear_before(fw, plane, worn) : FW_NONE;
    u32 block = before == FW_NONE ? p->free_head : blocks[before].next;
    const bool levels = fw->cfg.wear_dynamic || fw->cfg.wear_static != 0;
    if (levels && !worn && has_fresh(fw, plane)) { /* without erases */
        block = FW_NONE;
    }
    if (block != FW_NONE) {
        if (before == FW_NONE) {
            p->free_head = blocks[block].next;
        } else {
            blocks[before].next = blocks[block].next;
        }
        if (p->free_tail == block) {
            p->free_tail = before;
        }
    } else {
        while (f->blocks[plane << f->block_bits | p->fresh].state == BLOCK_BAD) {
            ++p->fresh; /* free_count leaves bad blocks out, so that a good one follows */
        }
        block = p->fresh++;
    }
    gc_free_blocks(f, plane, -1);
    f->blocks[plane << f->block_bits | block].state = BLOCK_OPEN;
    if (f->copies) {
        f->copies[plane << f->block_bits | block] = (u8)fw->cfg.gc_copyback;
    }
    return block;
}

bool ftl_write_point_take(struct fw *fw, u32 plane, bool gc, u32 *ppn)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    struct write_point *w = gc ? ftl_gc_point(fw, p) : &p->host;
    fw_charge(fw, FW_COST_FTL_WRITE_POINT, 1);
    if (!gc && !ftl_host_has_page(fw, p)) { /* the last free blocks belong to collection */
        return false;
    }
    if (w->block == FW_NONE) {
        if (p->free_count == 0) {
            return false;
        }
        w->block = ftl_take_block(fw, plane, gc && p->levelling);
        w->page = 0;
        f->recovery_ops->block_opened(fw, plane, w->block);
    }
    *ppn = ftl_ppn(f, plane, w->block, w->page);
    if (++w->page == f->data_pages) {
        w->block = FW_NONE; /* FULL when the page is assigned: ftl_page_assigned() */
    }
    return true;
}

void ftl_page_assigned(struct fw *fw, u32 plane, u32 ppn)
{
    struct fw_ftl *f = fw->ftl;
    const u32 block = ftl_block_index(f, ppn) & ((1u << f->block_bits) - 1);
    ++f->planes[plane].written;
    if ((ppn & ((1u << f->page_bits) - 1)) == f->data_pages - 1 &&
        f->blocks[plane << f->block_bits | block].state == BLOCK_OPEN) {
        gc_block_state(fw, plane, block, BLOCK_FULL);
    }
}

void ftl_block_freed(struct fw *fw, u32 plane, u32 block)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    struct block *b = &f->blocks[plane << f->block_bits | block];
    fw_charge(fw, FW_COST_FTL_BLOCK, 1);
    b->state = BLOCK_FREE;
    b->next = FW_NONE;
    ++b->erases;
    ftl_wear_erased(fw, plane, block);
    if (p->free_tail == FW_NONE) {
        p->free_head = block;
    } else {
        f->blocks[plane << f->block_bits | p->free_tail].next = block;
    }
    p->free_tail = block;
    gc_free_blocks(f, plane, 1);
}
