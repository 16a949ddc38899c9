// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: greedy: fewest valid pages, lowest number among equals; O(log blocks) by the tree.
#include "firmware/ftl/gc/victim.h"

const struct gc_policy gc_greedy = {
    .enter = gc_tree_climb,
    .leave = gc_tree_leave,
    .less = gc_tree_climb,
    .choose = gc_tree_best,
    .tree = true,
};
