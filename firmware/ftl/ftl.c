// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the FTL's messages: translate, bind, done, trim.
//
// The die of a write is chosen when the FTL first sees it (or at commit, for schedulers that
// translate late); block and page are bound when the scheduler dispatches it, and the map changes
// then. Reads of a page that is being programmed cannot happen: they hit its buffer.
#include "firmware/ftl/ftl.h"

#include "firmware/core/panic.h"
#include "firmware/core/sched_traits.h"
#include "firmware/ftl/gc/victim.h"
#include "firmware/ftl/map/dftl.h"
#include "firmware/ftl/recovery/recovery.h"

static u32 bits_for(u32 n)
{
    u32 bits = 0;
    while (((u64)1 << bits) < n) {
        ++bits;
    }
    return bits;
}

static u32 plane_count(const struct fw_config *cfg)
{
    return cfg->channels * cfg->ways * cfg->dies * cfg->planes;
}

static u64 block_entries(const struct fw_config *cfg)
{
    return (u64)plane_count(cfg) << bits_for(cfg->blocks);
}

u32 fw_ftl_dram_bytes(const struct fw_config *cfg) { return plane_count(cfg) * cfg->page_bytes; }

/* A block, to find victims. */
static u32 gc_index_bytes(const struct fw_config *cfg)
{
    const struct gc_policy *gc = ftl_gc_policies[cfg->gc_policy];
    return (gc->tree ? 4u : (u32)sizeof(struct gc_link)) + (gc->pool ? 4u : 0u);
}

/* Collection's, those that recovery and journal pages need, and translation pages'. */
u32 fw_ftl_ops(const struct fw_config *cfg)
{
    return 2 * plane_count(cfg) + 16 + (cfg->recovery_span != 0) +
           (cfg->journal != 0 ? plane_count(cfg) * FTL_JOURNALS : 0) + ftl_dftl_ops(cfg);
}

u64 fw_ftl_bytes(const struct fw_config *cfg, u32 ops)
{
    return sizeof(struct fw_ftl) + (cfg->map_entries != 0 ? 0 : (u64)ftl_map_entries(cfg) * 4) + ftl_dftl_bytes(cfg, ops) +
           ftl_recovery_bytes(cfg, ops) +
           ((block_entries(cfg) << (bits_for(cfg->pages) + cfg->unit_bits)) / 8 + 8) + ftl_units_bytes(cfg) +
           block_entries(cfg) * (sizeof(struct block) + gc_index_bytes(cfg)) +
           (u64)plane_count(cfg) * (sizeof(struct plane) + sizeof(struct plane_address) + 4) +
           cfg->channels * sizeof(struct gc_channel) +
           (cfg->gc_share == 0 ? 0 : (u64)plane_count(cfg) * sizeof(struct gc_die)) +
           (u64)plane_count(cfg) * cfg->pages * 4 +
           (cfg->queue_aware ? (u64)plane_count(cfg) * 8 : 0) + (cfg->gc_copyback != 0 ? block_entries(cfg) : 0) +
           512;
}

FW_COLD bool fw_ftl_boot(struct fw *fw)
{
    const struct fw_config *cfg = &fw->cfg;
    struct fw_ftl *f = fw->ftl = fw_fast_table(fw, 1, sizeof *f);
    if (!f) {
        return false;
    }
    f->page_bits = bits_for(cfg->pages);
    f->block_bits = bits_for(cfg->blocks);
    f->plane_bits = bits_for(cfg->planes);
    f->data_pages = cfg->pages - (cfg->journal != 0);
    f->luns_per_ce = cfg->dies / cfg->chip_enables;
    f->plane_count = plane_count(cfg);
    f->map_entries = ftl_map_entries(cfg);
    f->map = cfg->map_entries != 0 ? 0 : fw_table(fw, f->map_entries, 4);
    f->unit_bits = cfg->unit_bits;
    f->units = fw_page_units(cfg);
    f->valid = fw_table(fw, ((block_entries(cfg) << (f->page_bits + f->unit_bits)) + 63) / 64, 8);
    f->blocks = fw_table(fw, block_entries(cfg), sizeof(struct block));
    f->planes = fw_fast_table(fw, f->plane_count, sizeof(struct plane));
    f->order = fw_fast_table(fw, f->plane_count, 4);
    f->addresses = fw_fast_table(fw, f->plane_count, sizeof(struct plane_address));
    f->victim_lpns = fw_table(fw, (u64)f->plane_count * cfg->pages, 4);
    f->copies = cfg->gc_copyback != 0 ? fw_table(fw, block_entries(cfg), 1) : 0;
    if ((!f->map && cfg->map_entries == 0) || !f->valid || !f->blocks || !f->planes || !f->order || !f->addresses ||
        !f->victim_lpns || (cfg->gc_copyback != 0 && !f->copies)) {
        return false;
    }
    if (!ftl_units_boot(fw)) {
        return false;
    }
    f->gc = ftl_gc_policies[cfg->gc_policy];
    f->channels = fw_fast_table(fw, cfg->channels, sizeof(struct gc_channel));
    f->dies = cfg->gc_share == 0 ? 0 : fw_fast_table(fw, f->plane_count / cfg->planes, sizeof(struct gc_die));
    if (!f->channels || (cfg->gc_share != 0 && !f->dies)) {
        return false;
    }
    f->tree = f->gc->tree ? fw_table(fw, block_entries(cfg), 4) : 0;
    f->pool = f->gc->pool ? fw_table(fw, block_entries(cfg), 4) : 0;
    f->links = f->gc->tree ? 0 : fw_table(fw, block_entries(cfg), sizeof(struct gc_link));
    if (f->gc->tree ? !f->tree : !f->links || (f->gc->pool && !f->pool)) {
        return false;
    }
    f->random = 2463534242u; /* any but 0 */
    ftl_fill_order(fw);
    ftl_fill_addresses(fw);
    if (cfg->queue_aware) {
        f->work_ns = fw_fast_table(fw, f->plane_count / cfg->planes, 8);
        if (!f->work_ns) {
            return false;
        }
    }
    if (!ftl_recovery_boot(fw) || !ftl_dftl_boot(fw)) {
        return false;
    }
    f->reserve = cfg->gc_hard > 1 ? cfg->gc_hard
                 : f->recovery    ? 2 /* a cut leaves open blocks behind: docs/power-loss.md */
                                  : 1;
    f->channel_threshold = cfg->gc_threshold * (f->plane_count / cfg->channels);
    f->gc_buffer_base = fw->gc_base;
    fw_fifo_init(&f->unplaced);
    for (u32 i = 0; i < f->plane_count; ++i) {
        struct plane *p = &f->planes[i];
        p->free_head = p->free_tail = FW_NONE;
        p->channel = i / (f->plane_count / cfg->channels);
        p->good = cfg->blocks;
        gc_free_blocks(f, i, (i32)cfg->blocks);
        p->sweep = cfg->blocks;
        ftl_set_limit(fw, i);
        p->host.block = p->gc.block = p->level.block = FW_NONE;
        fw_fifo_init(&p->waiting);
    }
    return true;
}

bool fw_ftl_idle(const struct fw *fw)
{
    const struct fw_ftl *f = fw->ftl;
    return f->gc_active == 0 && f->waiting == 0 && fw_fifo_empty(&f->unplaced) &&
           (!f->dftl || ftl_dftl_idle(fw)) && (!f->recovery || f->recovery->journals_out == 0);
}

static void send_op(struct fw *fw, enum fw_room room, u16 kind, u32 op, u32 unmapped)
{
    const struct fw_message m = {.kind = kind, .a = op, .b = unmapped};
    fw_send(fw, room, &m);
    fw_op_probe(fw, &fw->ops[op], room);
}

enum translation { TRANSLATED, UNMAPPED, LATER };

/* Find the die of an op: of the page that a read wants, or for a page to be written. A lost page is
   UNMAPPED too, with a status that says so. */
static enum translation translate(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    struct fw_op *o = &fw->ops[op];
    if (o->opcode == FLASH_OP_READ) {
        fw_charge(fw, FW_COST_FTL_LOOKUP, 1);
        u32 entry;
        if (!f->dftl) {
            entry = f->map[o->lpn];
        } else if (!ftl_map_read(fw, op, &entry)) {
            return LATER;
        }
        if (f->recovery && ftl_is_trimmed(f->recovery, o->lpn)) {
            return UNMAPPED;
        }
        if (!ftl_is_mapped(entry)) {
            o->status = entry == FTL_LOST ? FLASH_STATUS_UNCORRECTABLE : FLASH_STATUS_OK;
            return UNMAPPED;
        }
        o->ppn = (entry - 1) >> f->unit_bits;
        if (f->unit_bits != 0) {
            ftl_units_place(fw, o, (entry - 1) & ftl_unit_mask(f));
        }
        ftl_address_op(fw, o, ftl_plane_index(f, o->ppn));
        ftl_row_op(fw, o);
        ftl_add_work(fw, o, ftl_op_plane(fw, o));
        ++f->blocks[ftl_block_index(f, o->ppn)].pending;
        ++f->pending;
    } else if (!(o->flags & FW_OP_TRANSLATED)) {
        if (f->read_only) {
            ftl_promise_any(fw, op);
            return TRANSLATED;
        }
        if (f->dftl && !ftl_map_write(fw, op)) {
            return LATER;
        }
        const u32 plane = fw_fifo_empty(&f->unplaced) ? ftl_plane_for_op(fw, o) : FW_NONE;
        if (plane == FW_NONE) {
            ftl_wait_in(fw, &f->unplaced, op);
            return LATER;
        }
        ftl_promise(fw, op, plane);
    }
    return TRANSLATED;
}

/* A page has become invalid: writes that waited for a plane may have one now. Some were promised one
   before that can no longer take them: those are asked for by OP_BIND already. */
FW_APART void ftl_place_waiting(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    while (!fw_fifo_empty(&f->unplaced)) {
        const u32 plane = ftl_plane_for_op(fw, &fw->ops[f->unplaced.head]);
        if (plane == FW_NONE) {
            return;
        }
        const u32 op = fw_op_unpark(fw, &f->unplaced);
        fw_charge(fw, FW_COST_FTL_PARKED, 1);
        struct fw_op *o = &fw->ops[op];
        if (o->flags & FW_OP_TRANSLATED) {
            if (o->flags & FW_OP_GC) {
                o->flags |= FW_OP_AWAY;
                --f->gc_parked;
            }
            ftl_promise(fw, op, plane);
            send_op(fw, FW_ROOM_FTL, FW_MSG_OP_BIND, op, 0);
            continue;
        }
        ftl_promise(fw, op, plane);
        send_op(fw, FW_ROOM_SCHED,
                fw_sched_does(fw, SCHED_TRANSLATES_LATE) ? FW_MSG_OP_TRANSLATED : FW_MSG_OP_PLACED, op, 0);
    }
}

FW_APART void ftl_bind(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    struct fw_op *o = &fw->ops[op];
    u32 plane = ftl_op_plane(fw, o);
    const bool gc = (o->flags & FW_OP_GC) != 0;
    u32 ppn;
    if (gc && o->purpose == FTL_MAP_WRITE) {
        ftl_map_bind(fw, op);
        return;
    }
    if (gc && o->purpose == FTL_JOURNAL_WRITE) {
        ftl_journal_bind(fw, op);
        return;
    }
    if (f->read_only) {
        ftl_refuse(fw, op);
        return;
    }
    if ((f->damaged && ftl_too_full(f, &f->planes[plane])) ||
        !ftl_page_take(fw, o, plane, &ppn)) {
        plane = ftl_bind_elsewhere(fw, op, &ppn);
        if (plane == FW_NONE) {
            return;
        }
    }
    const u32 from = o->ppn;
    const bool promise = ftl_has_promise(o);
    fw_charge(fw, FW_COST_FTL_BIND, 1);
    o->ppn = ppn;
    ftl_row_op(fw, o);
    ++f->blocks[ftl_block_index(f, ppn)].pending;
    ++f->pending;
    f->promised -= promise;
    f->planes[plane].unbound -= promise;
    if (fw->units) {
        const u32 alive = ftl_units_bind(fw, op, ppn);
        f->planes[plane].valid += alive - (promise ? ftl_units(f) : 0u);
    } else if (!gc || ftl_is_valid(f, from)) {
        f->planes[plane].valid += !promise; /* else counted when it was promised */
        if (f->recovery && !gc) {
            ftl_hold(fw, op);
        }
        ftl_map_set(fw, o->lpn, ppn);
        if (f->dftl && !gc) {
            ftl_map_written(fw, o->lpn);
        }
    } else { /* overwritten since it was read: programmed all the same, dead on arrival */
        f->planes[plane].valid -= promise;
    }
    ftl_page_bound(fw, plane, ppn);
    if (!gc || fw->units) { /* a copy has the record of what it copies: the sequence number is the data's version */
        o->oob.lpn = o->lpn;
        o->oob.sequence_low = (u32)f->sequence;
        o->oob.sequence_high = (u16)(f->sequence >> 32);
        o->oob.kind = fw->units ? 2 : 1;
        o->oob.reserved = 0;
        o->oob.check = fw_oob_check(&o->oob);
    }
    ++f->sequence;
    ++fw->stats.flash_pages_written;
    fw->stats.host_pages_written += !(o->flags & (FW_OP_GC | FW_OP_REDO));
    send_op(fw, FW_ROOM_SCHED, FW_MSG_OP_BOUND, op, 0);
    ftl_gc_check(fw, plane);
    ftl_place_waiting(fw);
}

void ftl_serve_waiting(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct plane *p = &f->planes[plane];
    while (!fw_fifo_empty(&p->waiting) &&
           (p->free_count > f->reserve ||
            (ftl_host_has_page(fw, p) && !(fw->ops[p->waiting.head].flags & FW_OP_GC)))) {
        const u32 op = fw_op_unpark(fw, &p->waiting);
        fw_charge(fw, FW_COST_FTL_PARKED, 1);
        --f->waiting;
        f->gc_parked -= (fw->ops[op].flags & FW_OP_GC) != 0;
        ftl_bind(fw, op);
    }
}

FW_APART static void begin(struct fw *fw, u32 op)
{
    switch (translate(fw, op)) {
    case TRANSLATED:
        send_op(fw, FW_ROOM_SCHED, FW_MSG_OP_PLACED, op, 0);
        break;
    case UNMAPPED:
        send_op(fw, FW_ROOM_BUFFER, FW_MSG_PAGE_OP_DONE, op, 1);
        break;
    case LATER:
        break;
    }
}

void ftl_resume(struct fw *fw, u32 op)
{
    const enum translation t = translate(fw, op);
    if (t == LATER) {
        return;
    }
    if (fw_sched_does(fw, SCHED_TRANSLATES_LATE)) {
        send_op(fw, FW_ROOM_SCHED, FW_MSG_OP_TRANSLATED, op, t == UNMAPPED);
    } else if (t == UNMAPPED) {
        send_op(fw, FW_ROOM_BUFFER, FW_MSG_PAGE_OP_DONE, op, 1);
    } else {
        send_op(fw, FW_ROOM_SCHED, FW_MSG_OP_PLACED, op, 0);
    }
}

/* A host operation failed, or was a read in a block where a program failed. True: it is done again.
   A program's data are still in their buffer; writes of the page wait there, reads are served from
   it, so that nobody misses the map entry. A read is done again where collection has moved the page
   meanwhile: what was read may be a copy whose program failed. */
FW_APART static bool done_again(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    struct fw_op *o = &fw->ops[op];
    if (o->status == FLASH_STATUS_ILLEGAL) {
        fw_panic(fw, FW_PANIC_FLASH_FAILED, o->ppn);
        return false;
    }
    if (o->opcode == FLASH_OP_PROGRAM) {
        if (o->status == FLASH_STATUS_OK) {
            return false;
        }
        ++fw->stats.program_fails;
        ftl_block_failed(fw, o->ppn);
        if (fw->units) {
            ftl_units_unbind(fw, op);
        } else if (!f->recovery || !ftl_revert(fw, op)) {
            ftl_invalidate(fw, o->ppn);
            ftl_set_entry(fw, o->lpn, 0);
        }
        o->flags = (u8)((o->flags & FW_OP_PRIORITY) | FW_OP_REDO);
        o->wanted_channel = FW_NONE; /* wherever there is room */
    } else if (ftl_is_valid(f, ftl_read_unit(fw, o))) {
        fw->stats.read_errors += o->status != FLASH_STATUS_OK;
        return false;
    } else {
        o->flags &= FW_OP_PRIORITY;
    }
    o->status = FLASH_STATUS_OK;
    if (fw_sched_does(fw, SCHED_TRANSLATES_LATE)) {
        send_op(fw, FW_ROOM_SCHED, FW_MSG_OP_NEW, op, 0);
    } else {
        begin(fw, op);
    }
    return true;
}

static void note_in_journal(struct fw *fw, const struct fw_op *o)
{
    if (o->status != FLASH_STATUS_OK || o->purpose == FTL_JOURNAL_WRITE) {
        return;
    }
    if (o->opcode == FLASH_OP_PROGRAM || o->opcode == FLASH_OP_COPYBACK) {
        ftl_journal_ended(fw, o->opcode == FLASH_OP_PROGRAM ? o->ppn : o->lpn, &o->oob);
    }
}

FW_APART static void done(struct fw *fw, u32 op)
{
    struct fw_ftl *f = fw->ftl;
    const struct fw_op *o = &fw->ops[op];
    const u32 plane = ftl_op_plane(fw, o);
    if (fw_op_refused(o)) {
        if (o->flags & FW_OP_GC) {
            ftl_gc_op_done(fw, op);
        } else if (f->recovery && o->purpose == FTL_TABLE_WRITE) {
            ftl_table_refused(fw, op);
        } else {
            if (f->dftl) {
                ftl_map_unpin(fw, op);
            }
            send_op(fw, FW_ROOM_BUFFER, FW_MSG_PAGE_OP_DONE, op, 3);
        }
        return;
    }
    struct block *b = &f->blocks[ftl_block_index(f, o->ppn)];
    fw_charge(fw, FW_COST_FTL_DONE, 1);
    --b->pending;
    --f->pending;
    ftl_end_work(fw, o, plane);
    if (f->recovery && f->recovery->journals) {
        note_in_journal(fw, o);
    }
    if (o->flags & FW_OP_GC) {
        if (o->purpose >= FTL_PURPOSE_MAP) {
            ftl_map_done(fw, op);
            return;
        }
        if (o->purpose == FTL_JOURNAL_WRITE) {
            ftl_journal_done(fw, op);
        } else if (o->purpose >= FTL_PURPOSE_RECOVERY) {
            ftl_mount_read_done(fw, op);
            return;
        } else {
            if (o->flags & FW_OP_AWAY) { /* counted where it began, too */
                ftl_end_work(fw, o, o->home_plane);
            }
            ftl_gc_op_done(fw, op);
            if (!f->damaged) {
                return;
            } /* it may have been in another plane than its own */
        }
    } else if ((o->status == FLASH_STATUS_OK && b->state != BLOCK_FAILED && !b->failed) ||
               !done_again(fw, op)) {
        if (f->dftl) {
            ftl_map_unpin(fw, op);
        }
        if (!f->recovery || !ftl_release(fw, op)) {
            send_op(fw, FW_ROOM_BUFFER, FW_MSG_PAGE_OP_DONE, op, 0);
        }
    }
    ftl_gc_check(fw, plane);
    if (f->damaged) {
        ftl_place_waiting(fw);
    }
}

/* The scheduler took it out of its queue: nothing of it remains. */
static void cancelled(struct fw *fw, u32 op)
{
    ftl_break_promise(fw, op);
    if (fw->ftl->dftl) {
        ftl_map_unpin(fw, op);
    }
    send_op(fw, FW_ROOM_BUFFER, FW_MSG_PAGE_OP_DONE, op, 2);
    ftl_place_waiting(fw);
}

static void move_to(struct fw *fw, u32 op, u32 die, u32 plane)
{
    if (plane == FW_NONE) {
        send_op(fw, FW_ROOM_SCHED, FW_MSG_OP_STAYS, op, ftl_lacks_page(fw, die));
        return;
    }
    ftl_break_promise(fw, op);
    ftl_promise(fw, op, plane);
    ftl_bind(fw, op);
}

/* Bind it in that die, and those joined to it beside it: other planes, same page offset. */
static void move(struct fw *fw, u32 op, u32 die)
{
    const bool together = fw_sched_does(fw, SCHED_BINDS_TOGETHER);
    u32 offset = FW_NONE;
    const struct fw_ftl *f = fw->ftl;
    u32 taken = 0; /* bit a plane */
    u32 count = 0;
    while (op != FW_NONE) {
        const u32 mate = fw->ops[op].mate;
        const u32 plane = f->read_only ? die * fw->cfg.planes + (count++ & (fw->cfg.planes - 1))
                          : together ? ftl_plane_in_step(fw, die, offset, taken)
                                     : ftl_plane_with_page(fw, die);
        if (plane != FW_NONE) {
            offset = ftl_next_offset(fw, plane);
            taken |= 1u << (plane % fw->cfg.planes);
        }
        move_to(fw, op, die, plane);
        op = mate;
    }
}

void fw_ftl_message(struct fw *fw, const struct fw_message *message)
{
    const u32 op = message->a;
    if (fw->ftl->dftl && !fw->ftl->dftl->ready && message->kind != FW_MSG_MARK_BAD) {
        table_areas_take(fw);
    }
    switch (message->kind) {
    case FW_MSG_OP_NEW:
        begin(fw, op);
        break;
    case FW_MSG_OP_TRANSLATE: {
        const enum translation t = translate(fw, op);
        if (t != LATER) {
            send_op(fw, FW_ROOM_SCHED, FW_MSG_OP_TRANSLATED, op, t == UNMAPPED);
        }
        break;
    }
    case FW_MSG_OP_BIND:
        ftl_bind(fw, op);
        break;
    case FW_MSG_OP_DONE:
        done(fw, op);
        break;
    case FW_MSG_OP_CANCELLED:
        cancelled(fw, op);
        break;
    case FW_MSG_OP_MOVE:
        move(fw, op, message->b);
        break;
    case FW_MSG_TRIM: {
        struct fw_ftl *f = fw->ftl;
        fw_charge(fw, FW_COST_FTL_TRIM, 1);
        if (f->recovery) {
            ftl_trim_later(fw, op);
        } else if (f->dftl) {
            ftl_map_trim(fw, op);
        } else if (ftl_entry(fw, op) != 0) { /* here `a` is the LPN */
            if (ftl_is_mapped(ftl_entry(fw, op))) {
                ftl_invalidate(fw, ftl_entry(fw, op) - 1);
            }
            ftl_set_entry(fw, op, 0);
            ++fw->stats.pages_trimmed;
            ftl_place_waiting(fw);
        }
        break;
    }
    case FW_MSG_FTL_FLUSH:
        ftl_flush(fw);
        break;
    case FW_MSG_FTL_MOUNT:
        ftl_mount(fw);
        break;
    case FW_MSG_MARK_BAD:
        fw_ftl_mark_bad(fw, message->a, message->b, message->c);
        break;
    default:
        fw_panic(fw, FW_PANIC_BAD_MESSAGE, message->kind);
    }
    if (fw->ftl->dftl) {
        ftl_map_pump(fw);
    }
    if (fw->ftl->touched != 0 || (fw->ftl->held != 0 && fw->ftl->pending == 0)) {
        ftl_share_look(fw);
    }
    if (fw->ftl->damaged) {
        ftl_check_worn_out(fw);
    }
}

void fw_ftl_hint(const struct fw *fw, u64 lba)
{
    const u32 lpn = (u32)(lba / (fw_unit_bytes(&fw->cfg) / 512));
    if (fw->ftl->map && lpn < fw->cfg.logical_pages) {
        hal_prefetch(&fw->ftl->map[lpn]);
    }
}

void fw_ftl_wear(const struct fw *fw, u32 *least, u32 *most, u64 *sum, u64 *sum_of_squares)
{
    const struct fw_ftl *f = fw->ftl;
    *least = ~0u;
    *most = 0;
    *sum = *sum_of_squares = 0;
    for (u32 plane = 0; plane < f->plane_count; ++plane) {
        for (u32 i = 0; i < fw->cfg.blocks; ++i) {
            const u32 e = f->blocks[plane << f->block_bits | i].erases;
            *least = e < *least ? e : *least;
            *most = e > *most ? e : *most;
            *sum += e;
            *sum_of_squares += (u64)e * e;
        }
    }
}
