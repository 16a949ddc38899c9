// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: questions to the scheduler from other modules, answered without it.
#pragma once

#include "firmware/core/fw.h"
#include "firmware/hal/sched_traits.h"

static const u16 fw_sched_traits[FW_SCHED_COUNT] = {
#define SCHED(id, name, mode, traits, text) traits,
#include "firmware/hal/sched.def"
#undef SCHED
};

/* Whether the scheduler of this configuration has one of `traits` in its row: it can do it. */
static inline bool fw_sched_can(const struct fw_config *cfg, u32 traits)
{
    return (fw_sched_traits[cfg->scheduler] & traits) != 0;
}

/* Whether it does it, after boot: a scheduler's boot takes away what configuration has switched off. */
static inline bool fw_sched_does(const struct fw *fw, u32 traits) { return (fw->sched_traits & traits) != 0; }
