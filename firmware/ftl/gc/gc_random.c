// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random: any block with an invalid page, all with the same chance.
#include "firmware/ftl/gc/victim.h"

const struct gc_policy gc_random = {
    .enter = gc_pool_enter,
    .leave = gc_pool_leave,
    .choose = gc_pool_any,
    .pool = true,
};
