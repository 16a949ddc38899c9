// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which line of a set has the lowest stamp: a tournament over all lines, O(log n) a change.
#pragma once

#include "firmware/core/panic.h"

struct line_oldest {
    u64 *winners;      /* nodes 1 .. leaves - 1: oldest_key() of the winner; only these are compared on the way */
    const u64 *stamps; /* of each line */
    u8 *members;
    u32 leaves; /* a power of two */
};

static inline u32 oldest_leaves(u32 lines)
{
    u32 n = 2;
    while (n < lines) {
        n *= 2;
    }
    return n;
}

static inline u64 oldest_bytes(u32 lines) { return (u64)oldest_leaves(lines) * 9 + 128; }

#define OLDEST_LINE_BITS 24
#define OLDEST_NONE (~(u64)0)

/* Ascending with the stamp: 2^40 stamps, 2^24 - 1 lines. */
static inline u64 oldest_key(u64 stamp, u32 line) { return stamp << OLDEST_LINE_BITS | line; }

static inline bool oldest_boot(struct fw *fw, struct line_oldest *o, const u64 *stamps, u32 lines)
{
    o->leaves = oldest_leaves(lines);
    o->stamps = stamps;
    o->winners = fw_fast_table(fw, o->leaves, 8);
    o->members = fw_fast_table(fw, o->leaves, 1);
    if (!o->winners || !o->members || lines >> OLDEST_LINE_BITS) {
        return false;
    }
    for (u32 i = 0; i < o->leaves; ++i) {
        o->winners[i] = OLDEST_NONE;
    }
    return true;
}

static inline u64 oldest_at(const struct line_oldest *o, u32 node)
{
    if (node < o->leaves) {
        return o->winners[node];
    }
    const u32 line = node - o->leaves;
    return o->members[line] ? oldest_key(o->stamps[line], line) : OLDEST_NONE;
}

static inline void oldest_change(struct fw *fw, struct line_oldest *o, u32 line, bool member)
{
    u32 levels = 0;
    o->members[line] = member;
    for (u32 node = (o->leaves | line) >> 1; node != 0; node >>= 1, ++levels) {
        const u64 a = oldest_at(o, 2 * node);
        const u64 b = oldest_at(o, 2 * node + 1);
        const u64 winner = a < b ? a : b;
        if (o->winners[node] == winner) {
            break; /* nothing changes above */
        }
        o->winners[node] = winner;
    }
    fw_charge(fw, FW_COST_BUFFER_TREE, levels);
}

/* The oldest member, or FW_NONE. */
static inline u32 oldest_first(const struct line_oldest *o)
{
    return o->winners[1] == OLDEST_NONE ? FW_NONE : (u32)o->winners[1] & ((1u << OLDEST_LINE_BITS) - 1);
}
