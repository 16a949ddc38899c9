// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the end of a mount: planes and blocks from the map.
//
// Every block counts as full afterwards: an open one may have a page that was half programmed, and one that
// looks erased may be half erased, so that collection erases whatever holds no data before it is used.
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/gc/gc.h"
#include "firmware/ftl/recovery/recovery.h"

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

FW_COLD bool mount_rebuild(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_recovery *r = f->recovery;
    const u32 bits = fw->cfg.page_bytes * 8;
    if (r->doubts && fw->stats.mount_scans == 0 && misses_page(fw)) {
        return false;
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
    return true;
}
