// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: windowed greedy (Hu et al., SYSTOR 2009): greedy among those that have been full longest.
#include "firmware/ftl/gc/victim.h"

static u32 choose(struct fw *fw, u32 plane) { return gc_list_best(fw, plane, fw->cfg.gc_window); }

const struct gc_policy gc_windowed_greedy = {
    .enter = gc_list_enter,
    .leave = gc_list_leave,
    .choose = choose,
    .list = true,
};
