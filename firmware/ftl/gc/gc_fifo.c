// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: FIFO: the block that has been full longest (LRU in Desnoyers 2012, whose uniform case it is).
#include "firmware/ftl/gc/victim.h"

static u32 choose(struct fw *fw, u32 plane) { return gc_list_best(fw, plane, 1); }

const struct gc_policy gc_fifo = {
    .enter = gc_list_enter,
    .leave = gc_list_leave,
    .choose = choose,
    .list = true,
};
