// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the blocks that translation pages have for themselves: one log a plane, its collection, blocks
// that fail.
#include "firmware/ftl/map/dftl.h"

#include "firmware/core/panic.h"
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/planes.h"

u32 table_area_count(const struct fw_config *cfg) { return cfg->map_planes; }

u32 table_area_blocks(const struct fw_config *cfg)
{
    const u32 per_page = cfg->page_bytes / 4;
    const u32 pages = (cfg->logical_pages + per_page - 1) / per_page;
    const u32 here = (pages + cfg->map_planes - 1) / cfg->map_planes;
    return (here + cfg->pages - 1) / cfg->pages + 3;
}

static struct table_block *place(const struct ftl_dftl *d, const struct table_area *a, u32 at)
{
    return &d->blocks[(u32)(a - d->areas) * d->area_blocks + at];
}

static struct block *flash_block(const struct fw *fw, const struct table_area *a, u32 at)
{
    const struct fw_ftl *f = fw->ftl;
    return &f->blocks[a->plane << f->block_bits | place(f->dftl, a, at)->block];
}

static u32 *owner_of(const struct fw *fw, const struct table_area *a, u32 at, u32 page)
{
    const struct ftl_dftl *d = fw->ftl->dftl;
    return &d->owner[((u32)(a - d->areas) * d->area_blocks + at) * fw->cfg.pages + page];
}

static void give_block(struct fw *fw, struct table_area *a, u32 at)
{
    struct fw_ftl *f = fw->ftl;
    const u32 block = ftl_take_block(fw, a->plane, false);
    f->blocks[a->plane << f->block_bits | block].state = BLOCK_TABLE;
    *place(f->dftl, a, at) = (struct table_block){.block = block, .state = TABLE_FREE};
    ++a->free;
}

/* Before the first command, when all blocks that are bad from the factory are known. */
void table_areas_take(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_dftl *d = f->dftl;
    for (u32 i = 0; i < d->area_count; ++i) {
        struct table_area *a = &d->areas[i];
        struct plane *p = &f->planes[a->plane];
        for (u32 at = 0; at < d->area_blocks; ++at) {
            if (p->free_count == 0) {
                fw_panic(fw, FW_PANIC_MAP, a->plane); /* configuration has seen to it */
                return;
            }
            give_block(fw, a, at);
            --p->good;
        }
        ftl_set_limit(fw, a->plane);
    }
}

bool table_space(const struct fw *fw, const struct table_area *a, bool collect)
{
    const u32 pages = (a->open == FW_NONE ? 0 : fw->cfg.pages - a->page) + a->free * fw->cfg.pages;
    return pages > a->promised + (collect ? 0 : fw->cfg.pages);
}

/* False: there is no page. */
static bool assign(struct fw *fw, struct table_area *a, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_dftl *d = f->dftl;
    struct fw_op *o = &fw->ops[op];
    if (a->open == FW_NONE) {
        for (u32 at = 0; at < d->area_blocks; ++at) { /* the least worn */
            if (place(d, a, at)->state == TABLE_FREE &&
                (a->open == FW_NONE || flash_block(fw, a, at)->erases < flash_block(fw, a, a->open)->erases)) {
                a->open = at;
            }
        }
        fw_charge(fw, FW_COST_GC_SCAN, d->area_blocks);
        if (a->open == FW_NONE) {
            return false;
        }
        place(d, a, a->open)->state = TABLE_OPEN;
        a->page = 0;
        --a->free;
    }
    fw_charge(fw, FW_COST_FTL_ASSIGN, 1);
    o->ppn = ftl_ppn(f, a->plane, place(d, a, a->open)->block, a->page);
    *owner_of(fw, a, a->open, a->page) = d->jobs[o->map_job].page;
    if (++a->page == fw->cfg.pages) {
        a->open = FW_NONE;
    }
    --a->promised;
    ftl_row_op(fw, o);
    ++f->blocks[ftl_block_index(f, o->ppn)].pending;
    ++f->pending;
    ++fw->stats.flash_pages_written;
    ++fw->stats.map_writes;
    const struct fw_message m = {.kind = FW_MSG_OP_ASSIGNED, .a = op};
    fw_send(fw, FW_MODULE_SCHED, &m);
    return true;
}

void ftl_map_assign(struct fw *fw, u32 op)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    const u32 area = table_area_of(d, d->jobs[fw->ops[op].map_job].page);
    struct table_area *a = &d->areas[area];
    if (!fw_fifo_empty(&a->unassigned) || !assign(fw, a, op)) { /* programs have failed */
        fw_op_park(fw, &a->unassigned, op);
    }
    table_look(fw, area);
}

static void retire(struct fw *fw, struct table_area *a, u32 at)
{
    flash_block(fw, a, at)->state = BLOCK_BAD;
    place(fw->ftl->dftl, a, at)->state = TABLE_GONE;
    ++a->owed;
    ++fw->stats.blocks_retired;
}

static void choose_victim(struct fw *fw, struct table_area *a)
{
    const struct ftl_dftl *d = fw->ftl->dftl;
    u32 best = FW_NONE;
    fw_charge(fw, FW_COST_GC_SCAN, d->area_blocks);
    for (u32 at = 0; at < d->area_blocks; ++at) {
        const u32 state = place(d, a, at)->state;
        if (state == TABLE_FAILED) {
            best = at;
            break;
        }
        if (state == TABLE_FULL && a->free <= 1 && flash_block(fw, a, at)->valid < fw->cfg.pages &&
            (best == FW_NONE || flash_block(fw, a, at)->valid < flash_block(fw, a, best)->valid)) {
            best = at;
        }
    }
    a->victim = best;
    a->victim_page = 0;
}

/* Live pages of the victim are written elsewhere, one after the other; then it is erased. */
static void collect(struct fw *fw, struct table_area *a)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_dftl *d = f->dftl;
    while (!a->erasing && !f->read_only) {
        if (a->victim == FW_NONE) {
            choose_victim(fw, a);
        }
        if (a->victim == FW_NONE) {
            return;
        }
        struct table_block *b = place(d, a, a->victim);
        for (; a->victim_page < fw->cfg.pages; ++a->victim_page) {
            const u32 page = *owner_of(fw, a, a->victim, a->victim_page);
            fw_charge(fw, FW_COST_GC_PAGE, 1);
            if (d->directory[page] == ftl_ppn(f, a->plane, b->block, a->victim_page) + 1) {
                map_want_write(fw, page, true);
                return;
            }
        }
        if (flash_block(fw, a, a->victim)->valid != 0) { /* a program on it has ended meanwhile */
            a->victim_page = 0;
            continue;
        }
        if (flash_block(fw, a, a->victim)->pending != 0) {
            return;
        }
        if (b->state == TABLE_FAILED) {
            retire(fw, a, a->victim);
            a->victim = FW_NONE;
            continue;
        }
        a->erasing = true;
        map_submit(fw, a->plane, FLASH_OP_ERASE, FTL_MAP_ERASE,
                   (u32)(a - d->areas) * d->area_blocks + a->victim, ftl_ppn(f, a->plane, b->block, 0));
    }
}

/* The write-back that has waited longest, collection's before others; FW_NONE: none may go. */
static u32 next_job(const struct fw *fw, const struct table_area *a)
{
    const struct ftl_dftl *d = fw->ftl->dftl;
    u32 best = FW_NONE;
    for (u32 job = 0; job < d->job_count; ++job) {
        const struct map_job *j = &d->jobs[job];
        if (j->state != JOB_SPACE || table_area_of(d, j->page) != (u32)(a - d->areas) ||
            !table_space(fw, a, j->collect)) {
            continue;
        }
        if (best == FW_NONE || j->collect > d->jobs[best].collect ||
            (j->collect == d->jobs[best].collect && j->ticket < d->jobs[best].ticket)) {
            best = job;
        }
    }
    return best;
}

void table_look(struct fw *fw, u32 area)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_dftl *d = f->dftl;
    struct table_area *a = &d->areas[area];
    for (u32 at = 0; a->owed != 0 && at < d->area_blocks; ++at) {
        /* Collection of data may wait for this area: where it cannot go on, it leaves that one block only. */
        if (f->planes[a->plane].free_count <= (table_space(fw, a, true) ? f->reserve : 1)) {
            break;
        }
        if (place(d, a, at)->state == TABLE_GONE) {
            give_block(fw, a, at);
            --a->owed;
            ftl_lost_block(fw, a->plane);
        }
    }
    while (!fw_fifo_empty(&a->unassigned) && (a->open != FW_NONE || a->free != 0)) {
        assign(fw, a, fw_op_unpark(fw, &a->unassigned));
    }
    collect(fw, a);
    if (f->read_only) {
        return;
    }
    for (u32 job; (job = next_job(fw, a)) != FW_NONE;) {
        map_job_space(fw, job);
    }
}

void table_programmed(struct fw *fw, u32 page, u32 ppn, bool good)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_dftl *d = f->dftl;
    struct table_area *a = &d->areas[table_area_of(d, page)];
    const u32 block = ftl_block_index(f, ppn) & ((1u << f->block_bits) - 1);
    u32 at = 0;
    while (place(d, a, at)->block != block || place(d, a, at)->state == TABLE_GONE) {
        ++at;
    }
    struct table_block *b = place(d, a, at);
    if (good) {
        if (d->directory[page] != 0) {
            --f->blocks[ftl_block_index(f, d->directory[page] - 1)].valid;
        }
        d->directory[page] = ppn + 1;
        ++f->blocks[ftl_block_index(f, ppn)].valid;
        fw->stats.map_moved += d->jobs[d->job_of[page] - 1].collect;
    } else if (b->state != TABLE_FAILED) {
        f->damaged = true;
        b->state = TABLE_FAILED;
        if (a->open == at) {
            a->open = FW_NONE;
        }
    }
    if (++b->ended == fw->cfg.pages && b->state == TABLE_OPEN) {
        b->state = TABLE_FULL;
    }
}

void table_erased(struct fw *fw, u32 owner, bool good)
{
    struct fw_ftl *f = fw->ftl;
    struct ftl_dftl *d = f->dftl;
    const u32 area = owner / d->area_blocks;
    struct table_area *a = &d->areas[area];
    const u32 at = a->victim;
    a->erasing = false;
    a->victim = FW_NONE;
    if (good) {
        struct table_block *b = place(d, a, at);
        b->state = TABLE_FREE;
        b->ended = 0;
        ++a->free;
        ++flash_block(fw, a, at)->erases;
        ++fw->stats.map_erases;
        ftl_wear_erased(fw, a->plane, b->block);
    } else {
        ++fw->stats.erase_fails;
        f->damaged = true;
        retire(fw, a, at);
    }
    table_look(fw, area);
}

void table_block_freed(struct fw *fw, u32 plane)
{
    struct ftl_dftl *d = fw->ftl->dftl;
    for (u32 area = 0; fw->ftl->damaged && area < d->area_count; ++area) {
        if (d->areas[area].plane == plane && d->areas[area].owed != 0) {
            table_look(fw, area);
        }
    }
}
