// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the clump table: tags, entries, counters; what comes in and what has ended.
#include "firmware/sched/paq/paq.h"

#include "firmware/core/panic.h"

static u32 package_count(const struct fw_config *cfg) { return cfg->channels * cfg->ways; }
static u32 die_count(const struct fw_config *cfg) { return package_count(cfg) * cfg->dies; }
/* One word more than needed, so that a package's bits can be read across a word's end. */
static u32 words(const struct fw_config *cfg) { return die_count(cfg) / 32 + 2; }

u64 paq_bytes(const struct fw_config *cfg, u32 ops)
{
    return sizeof(struct paq) + (u64)ops * (sizeof(struct paq_link) + sizeof(struct paq_tag)) +
           (u64)die_count(cfg) * sizeof(struct paq_die) + (u64)package_count(cfg) * 8 +
           (u64)cfg->channels * 4 + (u64)words(cfg) * 16 + paq_age_bytes(cfg, words(cfg), die_count(cfg)) +
           11 * 64;
}

bool paq_boot(struct fw *fw, bool clumps, bool packs)
{
    const struct fw_config *cfg = &fw->cfg;
    struct paq *p = fw->sched->state = fw_fast_table(fw, 1, sizeof *p);
    if (!p) {
        return false;
    }
    p->die_count = die_count(cfg);
    p->link = fw_fast_table(fw, fw->op_count, sizeof(struct paq_link));
    p->tags = fw_fast_table(fw, fw->op_count, sizeof(struct paq_tag)); /* each has an op inside */
    p->dies = fw_fast_table(fw, p->die_count, sizeof(struct paq_die));
    p->package_reads = fw_fast_table(fw, package_count(cfg), 4);
    p->package_flying = fw_fast_table(fw, package_count(cfg), 4);
    p->channel_reads = fw_fast_table(fw, cfg->channels, 4);
    p->reads = fw_fast_table(fw, words(cfg), 4);
    p->passing = fw_fast_table(fw, words(cfg), 4);
    p->idle = fw_fast_table(fw, words(cfg), 4);
    p->open = fw_fast_table(fw, words(cfg), 4);
    if (!p->link || !p->tags || !p->dies || !p->package_reads || !p->package_flying ||
        !p->channel_reads || !p->reads || !p->passing || !p->idle || !p->open) {
        return false;
    }
    for (u32 i = 0; i < p->die_count; ++i) {
        struct paq_die *d = &p->dies[i];
        d->head = d->tail = FW_NONE;
        fw_fifo_init(&d->writes);
        fw_fifo_init(&d->gc);
        paq_set_bit(p->idle, i);
        paq_set_bit(p->open, i);
    }
    for (u32 i = 0; i < fw->op_count; ++i) {
        p->tags[i].next = i + 1 < fw->op_count ? i + 1 : FW_NONE;
    }
    for (u32 i = 0; i < PAQ_TAG_BUCKETS; ++i) {
        p->bucket[i] = FW_NONE;
    }
    p->tag_head = p->tag_tail = p->served = p->young = p->oldest = p->newest = p->last = FW_NONE;
    while (p->page_mask + 1 < cfg->pages) {
        p->page_mask = 2 * p->page_mask + 1;
    }
    p->far = fw_is_far(fw, p->link) + fw_is_far(fw, p->tags);
    p->clumps = clumps;
    p->packs = packs;
    return paq_age_boot(fw, words(cfg));
}

bool paq_idle(const struct fw *fw)
{
    const struct paq *p = paq_of(fw);
    return p->tag_head == FW_NONE && !p->woken;
}

/* ---- tags ---- */

static u32 tag_of(struct fw *fw, u32 request)
{
    struct paq *p = paq_of(fw);
    u32 *bucket = &p->bucket[request % PAQ_TAG_BUCKETS];
    for (u32 t = request ? *bucket : FW_NONE; t != FW_NONE; t = p->tags[t].chain) {
        fw_charge(fw, FW_COST_PAQ_TAG_LOOK, 1);
        if (p->tags[t].request == request) {
            return t;
        }
    }
    const u32 t = p->tag_free;
    struct paq_tag *tag = &p->tags[t];
    p->tag_free = tag->next;
    fw_charge(fw, FW_COST_PAQ_TAG, 1); /* and its release */
    *tag = (struct paq_tag){.arrival_us = fw->now_us, .request = request, .order = p->orders++,
                            .prev = p->tag_tail, .next = FW_NONE, .chain = FW_NONE};
    if (request) {
        tag->chain = *bucket;
        *bucket = t;
    }
    *(p->tag_tail == FW_NONE ? &p->tag_head : &p->tags[p->tag_tail].next) = t;
    p->tag_tail = t;
    paq_age_opened(p, t);
    return t;
}

static void release(struct paq *p, u32 t)
{
    struct paq_tag *tag = &p->tags[t];
    paq_age_released(p, t);
    if (tag->request) {
        u32 *at = &p->bucket[tag->request % PAQ_TAG_BUCKETS];
        while (*at != t) {
            at = &p->tags[*at].chain;
        }
        *at = tag->chain;
    }
    *(tag->prev == FW_NONE ? &p->tag_head : &p->tags[tag->prev].next) = tag->next;
    *(tag->next == FW_NONE ? &p->tag_tail : &p->tags[tag->next].prev) = tag->prev;
    if (p->served == t) {
        p->served = tag->next;
    }
    tag->next = p->tag_free;
    p->tag_free = t;
}

/* ---- entries ---- */

static void read_in(struct fw *fw, u32 op)
{
    struct paq *p = paq_of(fw);
    struct fw_op *o = &fw->ops[op];
    struct paq_link *l = &p->link[op];
    struct paq_die *d = &p->dies[o->die];
    l->tag = tag_of(fw, o->request);
    struct paq_tag *tag = &p->tags[l->tag];
    fw_charge(fw, FW_COST_PAQ_READ_IN, 1);
    fw_charge(fw, FW_COST_PAQ_FAR, 4 * p->far);
    l->order = tag->order;
    l->state = PAQ_PENDING;
    l->newer = FW_NONE;
    l->older = p->newest;
    *(p->newest == FW_NONE ? &p->oldest : &p->link[p->newest].newer) = op;
    p->newest = op;
    u32 before = d->tail; /* nearly always: tags come one after the other */
    while (before != FW_NONE && paq_is_older(l->order, p->link[before].order)) {
        fw_charge(fw, FW_COST_PAQ_INSERT, 1);
        before = p->link[before].prev;
    }
    u32 *link = before == FW_NONE ? &d->head : &fw->ops[before].next;
    l->prev = before;
    o->next = *link;
    *(o->next == FW_NONE ? &d->tail : &p->link[o->next].prev) = op;
    *link = op;
    ++d->reads;
    ++p->package_reads[o->die / fw->cfg.dies];
    ++p->channel_reads[o->channel];
    paq_set_bit(p->reads, o->die);
    if (tag->uncommitted++ == 0 &&
        (p->served == FW_NONE || paq_is_older(tag->order, p->tags[p->served].order))) {
        p->served = l->tag;
    }
    paq_age_head(fw, o->die);
}

void paq_read_out(struct fw *fw, u32 op)
{
    struct paq *p = paq_of(fw);
    const struct fw_op *o = &fw->ops[op];
    struct paq_link *l = &p->link[op];
    struct paq_die *d = &p->dies[o->die];
    fw_charge(fw, FW_COST_PAQ_READ_OUT, 1);
    fw_charge(fw, FW_COST_PAQ_FAR, 4 * p->far);
    *(l->older == FW_NONE ? &p->oldest : &p->link[l->older].newer) = l->newer;
    *(l->newer == FW_NONE ? &p->newest : &p->link[l->newer].older) = l->older;
    *(l->prev == FW_NONE ? &d->head : &fw->ops[l->prev].next) = o->next;
    *(o->next == FW_NONE ? &d->tail : &p->link[o->next].prev) = l->prev;
    l->state = PAQ_OUT;
    --p->package_reads[o->die / fw->cfg.dies];
    --p->channel_reads[o->channel];
    if (--d->reads == 0) {
        paq_clear_bit(p->reads, o->die);
    }
    --p->tags[l->tag].uncommitted;
    ++p->tags[l->tag].in_flight;
    ++p->package_flying[o->die / fw->cfg.dies];
    paq_age_head(fw, o->die);
}

enum paq_conflict paq_level(const struct fw *fw, u32 op)
{
    const struct paq *p = paq_of(fw);
    const struct fw_op *o = &fw->ops[op];
    return p->dies[o->die].reads > 1                       ? PAQ_NODE
           : p->package_reads[o->die / fw->cfg.dies] > 1 ? PAQ_CLUSTER
           : p->channel_reads[o->channel] > 1              ? PAQ_DOMAIN
                                                           : PAQ_FREE;
}

/* ---- what comes in ---- */

/* Decide when everything that came in with this page is inside: the pages of a tag are looked at
   together, as Algorithm 1 translates them together. */
static void wake_later(struct fw *fw)
{
    struct paq *p = paq_of(fw);
    if (!p->woken) {
        p->woken = true;
        const struct fw_message m = {.kind = FW_MSG_SCHED_WAKE};
        fw_send(fw, FW_MODULE_SCHED, &m);
    }
}

static void pass_in(struct fw *fw, struct fw_fifo *fifo, u32 op)
{
    fw_charge(fw, FW_COST_PAQ_PASS_IN, 1);
    fw_op_push(fw, fifo, op);
    paq_set_bit(paq_of(fw)->passing, fw->ops[op].die);
    wake_later(fw);
}

#ifdef FW_NATIVE
void paq_passed(struct fw *fw, u32 writes) { paq_of(fw)->stamps += writes; }
#endif

void paq_add(struct fw *fw, u32 op)
{
    struct paq *p = paq_of(fw);
    const struct fw_op *o = &fw->ops[op];
    fw_charge(fw, FW_COST_PAQ_ADD, 1);
    fw_charge(fw, FW_COST_PAQ_FAR, p->far);
    if (!(o->flags & FW_OP_GC)) {
        struct paq_link *l = &p->link[op];
        l->stamp = p->stamps++;
        l->order = p->orders;
        l->follow = FW_NONE;
        l->state = PAQ_OUT;
        if (p->last != FW_NONE) {
            p->link[p->last].follow = op;
        }
        p->last = op;
    }
    if (o->opcode == FLASH_OP_PROGRAM) {
        sched_assign(fw, op);
    } else if (o->flags & FW_OP_GC) {
        pass_in(fw, &p->dies[o->die].gc, op);
    } else {
        read_in(fw, op);
        wake_later(fw);
    }
}

void paq_assigned(struct fw *fw, u32 op)
{
    struct paq *p = paq_of(fw);
    const struct fw_op *o = &fw->ops[op]; /* its die may have changed */
    struct paq_die *d = &p->dies[o->die];
    if (!(o->flags & FW_OP_GC)) {
        p->link[op].state = PAQ_PENDING;
    }
    pass_in(fw, o->flags & FW_OP_GC ? &d->gc : &d->writes, op);
}

void paq_translated(struct fw *fw, u32 op, bool unmapped)
{
    (void)unmapped;
    fw_panic(fw, FW_PANIC_BAD_MESSAGE, op); /* never asked for */
}

void paq_wake(struct fw *fw, bool timer)
{
    struct paq *p = paq_of(fw);
    *(timer ? &p->armed : &p->woken) = false;
}

void paq_done(struct fw *fw, u32 op)
{
    struct paq *p = paq_of(fw);
    const struct fw_op *o = &fw->ops[op];
    paq_set_bit(p->idle, o->die);
    if (o->opcode != FLASH_OP_READ || (o->flags & FW_OP_GC)) {
        return;
    }
    const u32 package = o->die / fw->cfg.dies;
    fw_charge(fw, FW_COST_PAQ_DONE, 1);
    fw_charge(fw, FW_COST_PAQ_FAR, 2 * p->far);
    if (--p->package_flying[package] == 0) {
        fw_charge(fw, FW_COST_PAQ_DIE_BIT, fw->cfg.dies);
        for (u32 i = 0; i < fw->cfg.dies; ++i) {
            paq_set_bit(p->open, package * fw->cfg.dies + i);
        }
    }
    const u32 t = p->link[op].tag;
    if (--p->tags[t].in_flight == 0 && p->tags[t].uncommitted == 0) {
        release(p, t);
    }
}
