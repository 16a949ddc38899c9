// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which slot of a set has the lowest stamp: a tournament over all slots, O(log n) a change.
#pragma once

#include "firmware/core/core.h"

struct slot_oldest {
    u32 *winners;      /* nodes 1 .. leaves - 1: slot + 1, 0 for none */
    const u64 *stamps; /* of each slot */
    u8 *members;
    u32 leaves; /* a power of two */
};

static inline u32 oldest_leaves(u32 slots)
{
    u32 n = 2;
    while (n < slots) {
        n *= 2;
    }
    return n;
}

static inline u64 oldest_bytes(u32 slots) { return (u64)oldest_leaves(slots) * 5 + 128; }

static inline bool oldest_boot(struct fw *fw, struct slot_oldest *o, const u64 *stamps, u32 slots)
{
    o->leaves = oldest_leaves(slots);
    o->stamps = stamps;
    o->winners = fw_fast_table(fw, o->leaves, 4);
    o->members = fw_fast_table(fw, o->leaves, 1);
    return o->winners && o->members;
}

static inline u32 oldest_at(const struct slot_oldest *o, u32 node)
{
    if (node < o->leaves) {
        return o->winners[node];
    }
    return o->members[node - o->leaves] ? node - o->leaves + 1 : 0;
}

static inline void oldest_change(struct fw *fw, struct slot_oldest *o, u32 slot, bool member)
{
    u32 levels = 0;
    o->members[slot] = member;
    for (u32 node = (o->leaves | slot) >> 1; node != 0; node >>= 1, ++levels) {
        const u32 a = oldest_at(o, 2 * node);
        const u32 b = oldest_at(o, 2 * node + 1);
        const u32 winner = a == 0 || (b != 0 && o->stamps[b - 1] < o->stamps[a - 1]) ? b : a;
        if (o->winners[node] == winner && winner != slot + 1) {
            break; /* nothing changes above */
        }
        o->winners[node] = winner;
    }
    fw_charge(fw, FW_COST_BUFFER_TREE, levels);
}

/* The oldest member, or FW_NONE. */
static inline u32 oldest_first(const struct slot_oldest *o) { return o->winners[1] - 1; }
