// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which plane the next page goes to: allocation order, promises.
#include "firmware/ftl/core/planes.h"

#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/queues.h"

/* The n-th host page goes to index(o1) = n mod s(o1), index(o2) = n div s(o1) mod s(o2), ...: the
   first letter of the order varies fastest. */
static u32 plane_at(const struct fw *fw, u32 n)
{
    const struct fw_config *cfg = &fw->cfg;
    const u32 size[4] = {cfg->channels, cfg->ways, cfg->dies, cfg->planes};
    u32 place[4];
    for (u32 i = 0; i < 4; ++i) {
        const u32 letter = cfg->allocation[i];
        place[letter] = n % size[letter];
        n /= size[letter];
    }
    return ((place[0] * cfg->ways + place[1]) * cfg->dies + place[2]) * cfg->planes + place[3];
}

/* The order repeats after each plane's turn: the divisions are done once. */
void ftl_fill_order(struct fw *fw)
{
    for (u32 n = 0; n < fw->ftl->plane_count; ++n) {
        fw->ftl->order[n] = (u16)plane_at(fw, n);
    }
}

static u32 next_position(const struct fw_ftl *f, u32 n) { return n + 1 == f->plane_count ? 0 : n + 1; }

/* Page in block of the next write that gets this plane: behind those that have it and are not assigned. */
static u32 coming_offset(const struct fw *fw, u32 plane)
{
    return (ftl_next_offset(fw, plane) + fw->ftl->planes[plane].unassigned) % fw->ftl->data_pages;
}

/* ftl.lockstep: whether a plane of the same die that can take a write is behind this one, by up to
   half a block: write points go round. */
static bool is_ahead(struct fw *fw, u32 plane)
{
    const struct fw_ftl *f = fw->ftl;
    const u32 pages = f->data_pages;
    const u32 first = plane - plane % fw->cfg.planes;
    const u32 at = coming_offset(fw, plane);
    for (u32 i = first; i < first + fw->cfg.planes; ++i) {
        const struct plane *p = &f->planes[i];
        fw_charge(fw, FW_COST_FTL_PLANE_LOOK, 1);
        const u32 ahead = (at + pages - coming_offset(fw, i)) % pages;
        if (p->valid < p->limit && ftl_host_has_page(fw, p) && ahead != 0 && ahead <= pages / 2) {
            return true;
        }
    }
    return false;
}

/* A plane that holds too much live data is passed over, or its garbage collection could not gain a
   page. FW_NONE: all do, as long as writes that have their place already have not been assigned and made
   the pages that they replace invalid. `position` is where to begin in the order; then behind the
   plane that was found. `channel`: planes of this one only; FW_NONE: all. */
static u32 plane_from(struct fw *fw, u32 *position, u32 channel)
{
    struct fw_ftl *f = fw->ftl;
    u32 n = *position;
    u32 ahead = FW_NONE; /* position of the first plane with room that is ahead of its die's others */
    for (u32 tries = 0; tries < f->plane_count; ++tries) {
        const u32 plane = f->order[n];
        const u32 here = n;
        n = next_position(f, n);
        if (channel != FW_NONE && f->planes[plane].channel != channel) {
            continue;
        }
        fw_charge(fw, FW_COST_FTL_ALLOCATE, 1);
        if (f->planes[plane].valid >= f->planes[plane].limit) {
            continue;
        }
        if (!fw->cfg.lockstep || !is_ahead(fw, plane)) {
            *position = n;
            return plane;
        }
        ahead = ahead == FW_NONE ? here : ahead;
    }
    if (ahead == FW_NONE) {
        *position = n; /* where it was */
        return FW_NONE;
    }
    *position = next_position(f, ahead);
    return f->order[ahead];
}

u32 ftl_next_plane(struct fw *fw) { return plane_from(fw, &fw->ftl->counter, FW_NONE); }

u32 ftl_choose_plane(struct fw *fw)
{
    const u32 plane = fw->ftl->queues ? ftl_queues_choose(fw) : FW_NONE;
    return plane != FW_NONE ? plane : ftl_next_plane(fw);
}

/* ftl.write_points: channel. The order has chosen a channel; there the block goes on that is being
   filled, and when it is full, the channel's next plane in the order has its turn. */
static u32 at_channel_point(struct fw *fw, u32 plane)
{
    struct fw_ftl *f = fw->ftl;
    struct gc_channel *c = &f->channels[f->planes[plane].channel];
    u32 n = c->writing == 0 ? f->plane_count - 1 : c->writing - 1;
    const u32 writing = f->order[n];
    if (c->writing != 0 && coming_offset(fw, writing) != 0 &&
        f->planes[writing].valid < f->planes[writing].limit) {
        return writing;
    }
    for (;;) { /* `plane` itself has room */
        n = next_position(f, n);
        const struct plane *p = &f->planes[f->order[n]];
        fw_charge(fw, FW_COST_FTL_ALLOCATE, 1);
        if (p->channel == f->planes[plane].channel && p->valid < p->limit) {
            c->writing = n + 1;
            return f->order[n];
        }
    }
}

u32 ftl_plane_for(struct fw *fw, u32 lpn)
{
    if (!fw->cfg.static_placement) {
        const u32 plane = ftl_choose_plane(fw);
        return fw->cfg.channel_points && plane != FW_NONE ? at_channel_point(fw, plane) : plane;
    }
    u32 position = lpn % fw->ftl->plane_count;
    return plane_from(fw, &position, FW_NONE);
}

u32 ftl_plane_for_op(struct fw *fw, const struct fw_op *o)
{
    const u32 wanted = (o->flags & FW_OP_TRANSLATED) ? FW_NONE : o->wanted_channel;
    if (wanted == FW_NONE) {
        return ftl_plane_for(fw, o->lpn);
    }
    const u32 plane = plane_from(fw, &fw->ftl->channels[wanted].directed, wanted);
    if (plane != FW_NONE) {
        return fw->cfg.channel_points ? at_channel_point(fw, plane) : plane;
    }
    const u32 other = ftl_plane_for(fw, o->lpn);
    fw->stats.directed_elsewhere += other != FW_NONE;
    return other;
}

void ftl_promise(struct fw *fw, u32 op, u32 plane)
{
    fw_charge(fw, FW_COST_FTL_PROMISE, 1);
    fw->ftl->planes[plane].valid += ftl_units(fw->ftl);
    ++fw->ftl->planes[plane].unassigned;
    ++fw->ftl->promised;
    ftl_address_op(fw, &fw->ops[op], plane);
    ftl_add_work(fw, &fw->ops[op], plane);
}

void ftl_break_promise(struct fw *fw, u32 op)
{
    struct fw_op *o = &fw->ops[op];
    fw_charge(fw, FW_COST_FTL_BREAK_PROMISE, 1);
    fw->ftl->planes[ftl_op_plane(fw, o)].valid -= ftl_units(fw->ftl);
    --fw->ftl->planes[ftl_op_plane(fw, o)].unassigned;
    --fw->ftl->promised;
    ftl_end_work(fw, o, ftl_op_plane(fw, o));
    o->flags &= (u8)~FW_OP_AWAY;
}

u32 ftl_plane_with_page(struct fw *fw, u32 die)
{
    const struct fw_ftl *f = fw->ftl;
    u32 best = FW_NONE;
    for (u32 i = 0; i < fw->cfg.planes; ++i) {
        const u32 plane = die * fw->cfg.planes + i;
        const struct plane *p = &f->planes[plane];
        fw_charge(fw, FW_COST_FTL_PLANE_LOOK, 1);
        if (p->valid < p->limit && ftl_host_has_page(fw, p) &&
            (best == FW_NONE || p->valid < f->planes[best].valid)) {
            best = plane;
        }
    }
    return best;
}

u32 ftl_next_offset(const struct fw *fw, u32 plane)
{
    const struct write_point *w = &fw->ftl->planes[plane].host;
    return w->block == FW_NONE ? 0 : w->page;
}

u32 ftl_copy_offset(const struct fw *fw, u32 plane)
{
    const struct write_point *w = ftl_gc_point(fw, &fw->ftl->planes[plane]);
    return w->block == FW_NONE ? 0 : w->page;
}

bool ftl_lacks_page(const struct fw *fw, u32 die)
{
    for (u32 i = 0; i < fw->cfg.planes; ++i) {
        if (!ftl_host_has_page(fw, &fw->ftl->planes[die * fw->cfg.planes + i])) {
            return true;
        }
    }
    return false;
}

u32 ftl_plane_in_step(struct fw *fw, u32 die, u32 offset, u32 taken)
{
    const struct fw_ftl *f = fw->ftl;
    const u32 first = die * fw->cfg.planes;
    const u32 reference = ftl_next_offset(fw, first);
    const u32 pages = f->data_pages;
    u32 best = FW_NONE;
    u32 best_ahead = 0;
    for (u32 i = 0; i < fw->cfg.planes; ++i) {
        const struct plane *p = &f->planes[first + i];
        const u32 at = ftl_next_offset(fw, first + i);
        fw_charge(fw, FW_COST_FTL_ALLOCATE, 1);
        if ((taken >> i & 1) || (offset != FW_NONE && at != offset) || p->valid >= p->limit ||
            !ftl_host_has_page(fw, p)) {
            continue;
        }
        /* Write points go round: ahead of plane 0's by up to half a block, or behind it. */
        const u32 ahead = (at + pages + pages / 2 - reference) % pages;
        if (best == FW_NONE || ahead < best_ahead) {
            best = first + i;
            best_ahead = ahead;
        }
    }
    return best;
}
