// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: Algorithm 2 of the PAQ paper, corrected: which read goes to which package next.
#include "firmware/sched/paq/paq.h"

#include "firmware/core/panic.h"

u32 paq_next_die(struct fw *fw, const u32 *a, const u32 *b, const u32 *c, u32 from)
{
    const struct paq *p = paq_of(fw);
    u32 skip = ~0u << (from % 32);
    for (u32 w = from / 32; w * 32 < p->die_count; ++w) {
        const u32 bits = a[w] & b[w] & c[w] & skip;
        fw_charge(fw, FW_COST_PAQ_WORD, 1);
        if (bits != 0) {
            return w * 32 + (u32)__builtin_ctz(bits);
        }
        skip = ~0u;
    }
    return FW_NONE;
}

/* Bits of `n` dies (at most 16) from `first` on. */
static u32 bits_of(const u32 *bits, u32 first, u32 n)
{
    const u64 two = bits[first / 32] | (u64)bits[first / 32 + 1] << 32;
    return (u32)(two >> (first % 32)) & ((1u << n) - 1);
}

/* The tag that is served: the oldest with an uncommitted read. */
static u32 served_tag(struct paq *p)
{
    while (p->served != FW_NONE && p->tags[p->served].uncommitted == 0) {
        p->served = p->tags[p->served].next;
    }
    return p->served;
}

/* The read that package `first / dies` gets. Each die's first read is of its oldest tag: of the
   served tag where that has one there. Of these the one with the nearest conflict (node, cluster,
   domain, none); else any, the oldest tag's first. */
static u32 choose(struct fw *fw, u32 first)
{
    struct paq *p = paq_of(fw);
    const u32 n = fw->cfg.dies;
    const u32 served = served_tag(p);
    fw_charge(fw, FW_COST_PAQ_ENTRY, 1);
    u32 best = FW_NONE;
    u32 best_rank = 0;
    for (u32 dies = bits_of(p->reads, first, n) & bits_of(p->idle, first, n) &
                    bits_of(p->open, first, n);
         dies != 0; dies &= dies - 1) {
        const u32 op = p->dies[first + (u32)__builtin_ctz(dies)].head;
        const struct paq_link *l = &p->link[op];
        const u32 rank = l->tag == served ? 1 + (u32)paq_level(fw, op) : 0;
        fw_charge(fw, FW_COST_PAQ_CHOOSE, 1);
        fw_charge(fw, FW_COST_PAQ_FAR, p->far);
        if (best == FW_NONE || rank > best_rank ||
            (rank == best_rank &&
             (l->order == p->link[best].order
                  ? paq_is_older(l->stamp, p->link[best].stamp)
                  : paq_is_older(l->order, p->link[best].order)))) {
            best = op;
            best_rank = rank;
        }
    }
    return best;
}

/* Visit the next entry. False: nothing can be committed now. */
static bool visit(struct fw *fw)
{
    struct paq *p = paq_of(fw);
    /* check_and_wait(): go to the next entry that can take a read, or stay at the next that has one
       pending until its package can. Empty entries are skipped. */
    const bool block = fw->cfg.paq_wait_block != 0;
    const u32 *idle = block ? p->reads : p->idle;
    const u32 *open = block ? p->reads : p->open;
    fw_charge(fw, FW_COST_PAQ_VISIT, 1);
    u32 die = paq_next_die(fw, p->reads, idle, open, p->cursor);
    if (die == FW_NONE) {
        die = paq_next_die(fw, p->reads, idle, open, 0);
        if (die == FW_NONE) {
            return false;
        }
    }
    p->cursor = die - die % fw->cfg.dies;
    const u32 op = choose(fw, p->cursor);
    if (op == FW_NONE || !paq_commit(fw, op)) {
        return false;
    }
    p->cursor += fw->cfg.dies;
    return true;
}

void paq_clump(struct fw *fw)
{
    if (paq_of(fw)->woken) {
        return; /* the message to itself is on its way */
    }
    if (paq_serve_aged(fw) && paq_pass(fw)) {
        while (visit(fw)) {
        }
    }
    paq_age_arm(fw);
}
