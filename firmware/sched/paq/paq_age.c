// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: paq.age_limit_us: reads of tags beyond the limit go before all else of their die.
//
// docs/explanation/paq-age.md derives the longest wait that is left. Tags age in the order in which they came, so
// all before `young` have: to age one is to look once at the dies that wait for their first aged read.
#include "firmware/sched/paq/paq.h"

u64 paq_age_bytes(const struct fw_config *cfg, u32 words, u32 dies)
{
    return cfg->paq_age_limit_us == 0 ? 0 : (u64)words * 4 + dies + 2 * 64;
}

bool paq_age_boot(struct fw *fw, u32 words)
{
    struct paq *p = paq_of(fw);
    if (fw->cfg.paq_age_limit_us == 0) {
        return true;
    }
    p->aged = fw_fast_table(fw, words, 4);
    p->passes = fw_fast_table(fw, p->die_count, 1);
    return p->aged && p->passes;
}

void paq_age_opened(struct paq *p, u32 tag)
{
    if (p->young == FW_NONE) {
        p->young = tag;
    }
}

void paq_age_released(struct paq *p, u32 tag)
{
    if (p->young == tag) {
        p->young = p->tags[tag].next;
    }
}

void paq_age_head(struct fw *fw, u32 die)
{
    struct paq *p = paq_of(fw);
    if (!p->aged) {
        return;
    }
    const u32 head = p->dies[die].head;
    if (head != FW_NONE &&
        (p->young == FW_NONE || paq_is_older(p->link[head].order, p->tags[p->young].order))) {
        paq_set_bit(p->aged, die);
    } else {
        paq_clear_bit(p->aged, die);
    }
}

static u64 limit_of(const struct fw *fw, u32 tag)
{
    return paq_of(fw)->tags[tag].arrival_us + fw->cfg.paq_age_limit_us;
}

/* Tags that have reached the limit since the last look. A die's first read is its oldest. */
static void age(struct fw *fw)
{
    struct paq *p = paq_of(fw);
    const u32 before = p->young;
    while (p->young != FW_NONE && fw->now_us >= limit_of(fw, p->young)) {
        fw_charge(fw, FW_COST_PAQ_AGED, 1);
        p->young = p->tags[p->young].next;
    }
    if (p->young == before) {
        return;
    }
    for (u32 w = 0; w * 32 < p->die_count; ++w) {
        fw_charge(fw, FW_COST_PAQ_WORD, 1);
        for (u32 bits = p->reads[w] & ~p->aged[w]; bits != 0; bits &= bits - 1) {
            fw_charge(fw, FW_COST_PAQ_AGED, 1);
            paq_age_head(fw, w * 32 + (u32)__builtin_ctz(bits));
        }
    }
}

/* The first read of an idle die, or what it has passed for PAQ_AGED_PASSES times. */
static bool serve(struct fw *fw, u32 die)
{
    struct paq *p = paq_of(fw);
    const bool passes = paq_is_passed(fw, die);
    fw_charge(fw, FW_COST_PAQ_AGED, 1);
    if (passes && (p->passes[die] >= PAQ_AGED_PASSES || paq_is_moving(fw, p->dies[die].head))) {
        return paq_pass_one(fw, die);
    }
    if (!paq_commit(fw, p->dies[die].head)) {
        return false;
    }
    ++fw->stats.aged_reads;
    p->passes[die] = passes ? (u8)(p->passes[die] + 1) : 0;
    return true;
}

bool paq_serve_aged(struct fw *fw)
{
    struct paq *p = paq_of(fw);
    if (!p->aged) {
        return true;
    }
    age(fw);
    /* Once round: where the controller is short of tags, each die is passed by each other one once. */
    u32 die = paq_next_die(fw, p->aged, p->idle, p->idle, p->aged_from);
    while (die != FW_NONE) {
        if (!serve(fw, die)) {
            p->aged_from = die;
            return false;
        }
        die = paq_next_die(fw, p->aged, p->idle, p->idle, die + 1);
        if (die == FW_NONE && p->aged_from != 0) {
            p->aged_from = 0;
            die = paq_next_die(fw, p->aged, p->idle, p->idle, 0);
        }
    }
    return true;
}

void paq_age_arm(struct fw *fw)
{
    struct paq *p = paq_of(fw);
    if (!p->aged || p->armed || p->young == FW_NONE) { /* armed: for an older tag */
        return;
    }
    p->armed = true;
    fw_timer_arm(fw, FW_MODULE_SCHED, limit_of(fw, p->young));
}
