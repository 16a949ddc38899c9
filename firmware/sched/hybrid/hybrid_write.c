// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: `hybrid`: where writes of the host go: they wait at no die; a die that is free takes the
// oldest, and as many behind it as it has planes, at one page offset.
#include "firmware/sched/hybrid/hybrid_parts.h"

enum { READS_LOOK = 16 }; /* dies with reads that are looked at for an aged write */

/* Behind the last of its command where that waits, else from the front: most of what has a place there
   is among the oldest. */
static void insert(struct fw *fw, struct hybrid_list *list, u32 op)
{
    struct hybrid *h = hybrid_of(fw);
    struct hybrid_entry *e = hybrid_at(h, op);
    const u32 request = fw->ops[op].request;
    const u32 last = h->commands[request % HYBRID_COMMANDS].last;
    u32 previous = FW_NONE;
    if (last != FW_NONE && last != op && fw->ops[last].request == request && request != 0 &&
        hybrid_at(h, last)->state == HYBRID_QUEUED && hybrid_is_write(&fw->ops[last]) &&
        hybrid_at(h, last)->list == e->list && !hybrid_older(e->order, hybrid_at(h, last)->order)) {
        previous = last;
    }
    u32 next = previous == FW_NONE ? list->head : hybrid_at(h, previous)->next;
    u32 looks = 1;
    for (; next != FW_NONE && !hybrid_older(e->order, hybrid_at(h, next)->order); ++looks) {
        previous = next;
        next = hybrid_at(h, next)->next;
    }
    fw_charge(fw, FW_COST_HYBRID_LOOK, looks);
    e->previous = previous;
    e->next = next;
    *(next == FW_NONE ? &list->tail : &hybrid_at(h, next)->previous) = op;
    *(previous == FW_NONE ? &list->head : &hybrid_at(h, previous)->next) = op;
    e->state = HYBRID_QUEUED;
}

void hybrid_write_in(struct fw *fw, u32 op, bool youngest)
{
    struct hybrid *h = hybrid_of(fw);
    struct hybrid_entry *e = hybrid_at(h, op);
    if (!fw->cfg.hybrid_place_late) { /* in the plane of the allocation order, as it comes */
        e->state = HYBRID_ASSIGNING;
        sched_assign(fw, op);
        return;
    }
    if (youngest) {
        hybrid_append(fw, &h->writes[e->list], op);
    } else {
        insert(fw, &h->writes[e->list], op);
    }
    h->commands[fw->ops[op].request % HYBRID_COMMANDS].last = op;
    h->writes_filled |= 1u << e->list;
    ++h->writes_queued;
}

void hybrid_write_out(struct fw *fw, u32 op)
{
    struct hybrid *h = hybrid_of(fw);
    const u32 list = hybrid_at(h, op)->list;
    hybrid_unlink(fw, &h->writes[list], op);
    if (h->writes[list].head == FW_NONE) {
        h->writes_filled &= ~(1u << list);
    }
    --h->writes_queued;
}

/* The oldest of the highest priority; what has waited for the age limit goes before. */
static u32 next_write(struct fw *fw)
{
    const struct hybrid *h = hybrid_of(fw);
    u32 best = FW_NONE;
    bool best_aged = false;
    for (u32 filled = h->writes_filled; filled != 0; filled &= filled - 1) {
        const u32 op = h->writes[__builtin_ctz(filled)].head;
        const bool aged = hybrid_aged(fw, op);
        if (best == FW_NONE || aged >= best_aged) {
            best = aged && best_aged && hybrid_older(hybrid_at(h, best)->order, hybrid_at(h, op)->order)
                       ? best : op;
            best_aged = best_aged || aged;
        }
    }
    fw_charge(fw, FW_COST_HYBRID_LOOK, 1);
    return best;
}

/* Dies of word `w` that can take a write now. */
static u32 takers(const struct hybrid *h, u32 w) { return h->free[w] & ~h->full[w] & ~h->reads[w]; }

/* Each die gets QUOTA pages a plane in its turn, then those first that have had fewer. Without a count the order
   comes back to the same dies: those that are joined take the turns of others. */
enum { QUOTA = 4 };

static i32 quota(const struct fw *fw) { return (i32)(QUOTA * fw->cfg.planes); }

static u32 candidates(const struct hybrid *h, u32 w, bool all)
{
    return takers(h, w) & ~(all ? 0 : h->served[w]);
}

/* What a die has had too much counts in the next turn. */
static void next_turn(struct fw *fw)
{
    struct hybrid *h = hybrid_of(fw);
    h->served_count = 0;
    fw_charge(fw, FW_COST_HYBRID_COUNT, h->dies_count);
    for (u32 die = 0; die < h->dies_count; ++die) {
        h->dies[die].placed -= quota(fw);
        if (h->dies[die].placed >= quota(fw)) {
            ++h->served_count;
        } else {
            hybrid_clear(h->served, die);
        }
    }
}

static void count_pages(struct fw *fw, u32 die, u32 n)
{
    struct hybrid *h = hybrid_of(fw);
    fw_charge(fw, FW_COST_HYBRID_COUNT, 3); /* with the bits of candidates, and the call from each choice */
    h->dies[die].placed += (i32)n;
    if (h->dies[die].placed < quota(fw) || hybrid_bit(h->served, die)) {
        return;
    }
    hybrid_set(h->served, die);
    ++h->served_count;
    while (h->served_count == h->dies_count) {
        next_turn(fw);
    }
}

void hybrid_not_placed(struct fw *fw, u32 die)
{
    struct hybrid *h = hybrid_of(fw);
    if (--h->dies[die].placed < quota(fw) && hybrid_bit(h->served, die)) {
        hybrid_clear(h->served, die);
        --h->served_count;
    }
}

/* The first of a channel's candidates at or behind its `start`-th die, or the first; FW_NONE. */
static u32 taker_of(const struct hybrid *h, u32 channel, u32 start, bool all)
{
    const u32 first = channel * h->dies_a_channel;
    u32 before = FW_NONE;
    for (u32 w = first / 32; w * 32 < first + h->dies_a_channel; ++w) {
        const u32 bits = hybrid_channel_bits(h, candidates(h, w, all), w * 32, channel);
        const u32 from = first + start > w * 32 ? first + start - w * 32 : 0;
        const u32 behind = from < 32 ? bits & ~0u << from : 0;
        if (behind != 0) {
            return w * 32 + (u32)__builtin_ctz(behind);
        }
        if (bits != 0 && before == FW_NONE) {
            before = w * 32 + (u32)__builtin_ctz(bits);
        }
    }
    return before;
}

/* Of the candidates the die of the allocation order; else one of the channel with the fewest programs on their
   way, so that their bursts do not meet. */
static u32 choose_of(struct fw *fw, u32 own, bool all)
{
    const struct hybrid *h = hybrid_of(fw);
    if (candidates(h, own / 32, all) >> (own % 32) & 1) {
        return own;
    }
    const u32 start = own % h->dies_a_channel;
    u32 best = FW_NONE;
    u32 fewest = FW_NONE;
    for (u32 i = 0; i < fw->cfg.channels; ++i) {
        const u32 channel = (hybrid_channel_of(fw, own) + i) % fw->cfg.channels;
        if (h->channels[channel].programs < fewest) {
            const u32 die = taker_of(h, channel, start, all);
            if (die != FW_NONE) {
                best = die;
                fewest = h->channels[channel].programs;
            }
        }
    }
    fw_charge(fw, FW_COST_HYBRID_COUNT, fw->cfg.channels);
    return best;
}

static u32 choose_die(struct fw *fw, u32 op)
{
    const u32 die = choose_of(fw, fw->ops[op].die, false);
    return die != FW_NONE ? die : choose_of(fw, fw->ops[op].die, true);
}

/* More writes wait than dies could take one. (Else each gets its own: side by side they end sooner.) */
static bool more_than_takers(struct fw *fw)
{
    const struct hybrid *h = hybrid_of(fw);
    u32 left = h->writes_queued;
    u32 w = 0;
    for (; w < h->words && left != 0; ++w) {
        for (u32 bits = takers(h, w); bits != 0 && left != 0; bits &= bits - 1) {
            --left;
        }
    }
    fw_charge(fw, FW_COST_HYBRID_COUNT, w);
    return left != 0;
}

static bool waits(const struct fw *fw, u32 op, u32 list)
{
    const struct hybrid_entry *e = op == FW_NONE ? 0 : hybrid_at(hybrid_of(fw), op);
    return e && e->state == HYBRID_QUEUED && e->list == list && hybrid_is_write(&fw->ops[op]);
}

/* The write for a further plane, of those behind `from` in its list: not the next one but one a stride behind it.
   Pages that come one after the other are then in different dies, where they can be read side by side. Where it was
   taken from is remembered: the next die takes the one behind. */
static u32 next_mate(struct fw *fw, u32 from, u32 number, u32 stride)
{
    struct hybrid *h = hybrid_of(fw);
    const u32 list = hybrid_at(h, from)->list;
    u32 op = h->mates[number];
    if (op == from || !waits(fw, op, list)) {
        u32 looks = 0;
        op = hybrid_at(h, from)->next;
        for (u32 next = op; next != FW_NONE && looks < stride; ++looks) {
            op = next;
            next = hybrid_at(h, op)->next;
        }
        fw_charge(fw, FW_COST_HYBRID_LOOK, looks);
    }
    h->mates[number] = op == FW_NONE ? FW_NONE : hybrid_at(h, op)->next;
    return op;
}

static void take(struct fw *fw, u32 op, u32 die)
{
    struct hybrid_entry *e = hybrid_at(hybrid_of(fw), op);
    hybrid_write_out(fw, op);
    e->state = HYBRID_ASSIGNING;
    e->home = (u16)die;
}

/* `op` to `die`, and where too many wait one of those behind it for each further plane. */
static void place(struct fw *fw, u32 op, u32 die)
{
    struct hybrid *h = hybrid_of(fw);
    const bool joins = fw->cfg.hybrid_pack && h->writes_queued > 1 && more_than_takers(fw);
    const u32 most = joins ? fw->cfg.planes : 1;
    const u32 share = h->writes_queued / fw->cfg.planes;
    const u32 stride = share < h->dies_count ? share : h->dies_count;
    u32 n = 1;
    u32 last = op;
    for (u32 mate; n < most && (mate = next_mate(fw, last, n, stride)) != FW_NONE; ++n) {
        take(fw, last, die); /* after its successor is known */
        fw->ops[last].mate = mate;
        last = mate;
    }
    take(fw, last, die);
    fw_charge(fw, FW_COST_HYBRID_PLACE, n);
    count_pages(fw, die, n);
    hybrid_reserve(fw, die, n, false);
    sched_move(fw, op, die);
}

bool hybrid_some_die_takes(struct fw *fw)
{
    const struct hybrid *h = hybrid_of(fw);
    u32 any = 0;
    for (u32 w = 0; w < h->words; ++w) {
        any |= takers(h, w);
    }
    fw_charge(fw, FW_COST_HYBRID_COUNT, h->words);
    return any != 0;
}

/* For an aged write where no die is without reads: one whose reads all came after it. */
static u32 choose_before_reads(struct fw *fw, u32 op)
{
    const struct hybrid *h = hybrid_of(fw);
    u32 looks = 0;
    for (u32 w = 0; w < h->words; ++w) {
        for (u32 left = h->free[w] & ~h->full[w] & h->reads[w]; left != 0 && looks < READS_LOOK;
             left &= left - 1) {
            const u32 die = w * 32 + (u32)__builtin_ctz(left);
            ++looks;
            if (hybrid_before_reads(fw, op, die)) {
                fw_charge(fw, FW_COST_HYBRID_COUNT, looks);
                return die;
            }
        }
    }
    fw_charge(fw, FW_COST_HYBRID_COUNT, looks);
    return FW_NONE;
}

void hybrid_place_aged(struct fw *fw)
{
    const struct hybrid *h = hybrid_of(fw);
    while (h->writes_queued != 0) {
        const u32 op = next_write(fw);
        const u32 die = hybrid_aged(fw, op) ? choose_before_reads(fw, op) : FW_NONE;
        if (die == FW_NONE) {
            return;
        }
        place(fw, op, die);
    }
}

void hybrid_place_writes(struct fw *fw)
{
    const struct hybrid *h = hybrid_of(fw);
    while (h->writes_queued != 0 && hybrid_some_die_takes(fw)) {
        const u32 op = next_write(fw);
        const u32 die = choose_die(fw, op);
        if (die == FW_NONE) {
            return;
        }
        place(fw, op, die);
    }
}
