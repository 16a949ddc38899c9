// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: queue-aware placement: the work of each die, and the first position of the order that is worth taking.
#include "firmware/ftl/core/queues.h"

enum { UNIT_BITS = 8 };
/* At least 1: what is placed on a die is never nothing. */
static u32 units_of(u32 ns)
{
    const u32 units = (ns + (1u << (UNIT_BITS - 1))) >> UNIT_BITS;
    return units != 0 ? units : 1;
}

u64 ftl_queues_bytes(const struct fw_config *cfg)
{
    const u64 dies = (u64)cfg->channels * cfg->ways * cfg->dies;
    return sizeof(struct ftl_queues) + dies * 4 + dies * cfg->planes * 4 + (dies * cfg->planes + 31) / 32 * 4 + 64;
}

static void mark(struct fw *fw, u32 die, bool idle)
{
    struct ftl_queues *q = fw->ftl->queues;
    const u32 planes = fw->cfg.planes;
    fw_charge(fw, FW_COST_FTL_LENGTH, planes);
    for (u32 plane = die * planes; plane < (die + 1) * planes; ++plane) {
        const u32 at = q->turns[plane];
        q->idle[at / 32] ^= 1u << (at % 32);
    }
    q->idle_dies += idle ? 1u : ~0u;
}

bool ftl_queues_boot(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    const struct fw_config *cfg = &fw->cfg;
    if (!cfg->queue_aware) {
        return true;
    }
    struct ftl_queues *q = f->queues = fw_fast_table(fw, 1, sizeof *q);
    if (!q) {
        return false;
    }
    q->dies = f->plane_count / cfg->planes;
    q->words = (f->plane_count + 31) / 32;
    q->work = fw_fast_table(fw, q->dies, 4);
    q->idle = fw_fast_table(fw, q->words, 4);
    q->turns = fw_fast_table(fw, f->plane_count, 4);
    if (!q->work || !q->idle || !q->turns) {
        return false;
    }
    for (u32 n = 0; n < f->plane_count; ++n) {
        q->turns[f->order[n]] = n;
        q->idle[n / 32] |= 1u << (n % 32);
    }
    q->idle_dies = q->dies;
    q->read = units_of(cfg->t_read_ns);
    q->program = units_of(cfg->t_program_ns + cfg->page_bytes / 512 * cfg->t_sector_ns);
    q->erase = units_of(cfg->t_erase_ns);
    q->sector = (cfg->t_sector_ns + (1u << (UNIT_BITS - 1))) >> UNIT_BITS;
    return true;
}

static u32 work_of(const struct fw *fw, const struct fw_op *o)
{
    const struct ftl_queues *q = fw->ftl->queues;
    switch (o->opcode) {
    case FLASH_OP_READ:
        return q->read + o->len * q->sector;
    case FLASH_OP_PROGRAM:
        return q->program;
    case FLASH_OP_ERASE:
        return q->erase;
    default:
        return q->read + q->program;
    }
}

void ftl_queues_add(struct fw *fw, const struct fw_op *o, u32 plane)
{
    struct ftl_queues *q = fw->ftl->queues;
    const u32 die = fw->ftl->addresses[plane].die;
    const u32 work = work_of(fw, o);
    fw_charge(fw, FW_COST_FTL_WORK, 1);
    if (q->work[die] == 0) {
        mark(fw, die, false);
    }
    q->work[die] += work;
    q->all += work;
}

void ftl_queues_end(struct fw *fw, const struct fw_op *o, u32 plane)
{
    struct ftl_queues *q = fw->ftl->queues;
    const u32 die = fw->ftl->addresses[plane].die;
    const u32 work = work_of(fw, o);
    fw_charge(fw, FW_COST_FTL_WORK, 1);
    q->work[die] -= work;
    q->all -= work;
    if (q->work[die] == 0) {
        mark(fw, die, true);
    }
}

static bool takes_page(const struct fw_ftl *f, u32 plane) { return f->planes[plane].valid < f->planes[plane].limit; }

/* The first position from `n` on, once around, whose die is idle and whose plane can take a page; FW_NONE: none. */
static u32 next_idle(struct fw *fw, u32 n)
{
    const struct fw_ftl *f = fw->ftl;
    const struct ftl_queues *q = f->queues;
    u32 word = n / 32;
    u32 left = q->idle[word] & ~0u << (n % 32);
    for (u32 i = 0;; ++i) {
        fw_charge(fw, FW_COST_FTL_LENGTH, 1);
        while (left != 0) {
            fw_charge(fw, FW_COST_FTL_LENGTH, 2);
            const u32 at = word * 32 + (u32)__builtin_ctz(left);
            if (takes_page(f, f->order[at])) {
                return at;
            }
            left &= left - 1;
        }
        if (i == q->words) {
            return FW_NONE;
        }
        word = word + 1 == q->words ? 0 : word + 1;
        left = q->idle[word];
    }
}

/* The first position from `n` on whose die has at most one program more than the mean. */
static u32 next_short(struct fw *fw, u32 n)
{
    const struct fw_ftl *f = fw->ftl;
    const struct ftl_queues *q = f->queues;
    const u64 most = q->all + (u64)q->program * q->dies;
    for (u32 i = 0; i < f->plane_count; ++i) {
        const u32 plane = f->order[n];
        fw_charge(fw, FW_COST_FTL_LENGTH, 1);
        if ((u64)q->work[f->addresses[plane].die] * q->dies <= most && takes_page(f, plane)) {
            return n;
        }
        n = n + 1 == f->plane_count ? 0 : n + 1;
    }
    return FW_NONE;
}

/* docs/explanation/queue-aware.md has the rule, and why it is right. */
u32 ftl_queues_choose(struct fw *fw)
{
    struct fw_ftl *f = fw->ftl;
    const struct ftl_queues *q = f->queues;
    u32 at = f->counter;
    fw_charge(fw, FW_COST_FTL_LENGTH, 1);
    if (q->work[f->addresses[f->order[at]].die] != 0 || !takes_page(f, f->order[at])) {
        at = q->idle_dies != 0 ? next_idle(fw, at) : FW_NONE;
        at = at != FW_NONE ? at : next_short(fw, f->counter);
        if (at == FW_NONE) {
            return FW_NONE;
        }
    }
    fw->stats.turns_passed += at != f->counter;
    f->counter = at + 1 == f->plane_count ? 0 : at + 1;
    return f->order[at];
}
