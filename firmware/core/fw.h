// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the firmware's one root: its state, messages, charging, tables.
#pragma once

#include "firmware/core/config.h"
#include "firmware/core/messages.h"
#include "firmware/core/stats.h"
#include "firmware/core/types.h"
#include "firmware/hal/hal.h"
#include "firmware/hal/mmio.h"

#ifdef __cplusplus
extern "C" {
#endif

enum fw_cost {
#define COST(id, cycles, text) FW_COST_##id,
#include "firmware/hal/costs.def"
#undef COST
    FW_COST_COUNT
};

/* How many cost points `tlmssd-lab calibrate` has fitted; results say whether it is all. */
enum fw_costs_fitted {
#define COST(id, cycles, text)
#define CALIBRATION(points) FW_COSTS_FITTED = points
#include "firmware/hal/costs.def"
#undef COST
};

static inline bool fw_costs_are_fitted(void)
{
    return (u32)FW_COSTS_FITTED == (u32)FW_COST_COUNT;
}

enum fw_probe {
#define PROBE(id, name, bits) FW_PROBE_##id,
#include "firmware/hal/probes.def"
#undef PROBE
    FW_PROBE_COUNT
};

/* Why hil does not ask for a command's next page (probe HIL_HELD). */
enum fw_held { FW_HELD_BY_FLUSH = 1, FW_HELD_BY_OVERLAP, FW_HELD_BY_PAGES };

/* A page of a host command and a page buffer on its way, as probes show them. */
static inline u32 fw_page_id(u32 tag, u32 page) { return tag << 16 | page; }
static inline u32 fw_line_module(u32 line, enum fw_module module) { return line << 3 | (u32)module; }
#define FW_FLASH_JOINED 0x80000000u /* of the probe FLASH_TAG */

/* Messages of one core. Empty rings start again at 0, so that they stay in the cache. */
enum { FW_RING_ENTRIES = 16384 }; /* a power of two; overflow is a panic, never a wrap */
enum { FW_FAST_BYTES = MMIO_DTCM_BASE + MMIO_DTCM_BYTES - MMIO_TABLES }; /* of fast memory */
enum { FW_RING_FAST = 128 };      /* the first entries of a ring are in fast memory, where there is some */
struct fw_core {
    struct fw_message *fast, *ring;
    u32 head, tail;
};

struct fw_hil;
struct fw_buffer;
struct fw_ftl;
struct fw_sched;
struct fw_op;

struct fw {
    struct fw_config cfg;
    struct hal *hal;
    u64 now_us;      /* simulated time at the start of the step */
    u64 step_cycles; /* charged so far in this step (native) */
    u64 module_began;  /* step_cycles when `module` was entered (native) */
    u32 core;        /* that runs the step */
    u32 module;        /* that is charged */
    u32 probing;     /* bit n: probe n is wanted; set from outside, changes nothing else */
    struct fw_core *cores;
    struct fw_core *here; /* cores[core] */
    struct fw_hil *hil;
    struct fw_buffer *buffer;
    struct fw_ftl *ftl;
    struct fw_sched *sched;
    struct fw_op *ops; /* shared descriptors; one module owns an op at a time */
    u32 op_free;       /* free list */
    u32 op_count;
    u32 *units;    /* 1 << unit_bits entries an op: LPNs that a program holds, then FW_NONE; null: one page, fw_op.lpn */
    u8 *oob; /* 64 bytes a flash tag: 16 for each plane */
    u32 sched_traits; /* what the scheduler does (core/sched_traits.h) */
    u32 gc_base; /* DRAM byte offset of GC's page buffers (boot/layout.h) */
    u8 *arena, *arena_end;
    u8 *fast, *fast_end; /* memory without wait states; empty where all memory is alike */
    struct fw_stats stats;
};

static const u16 fw_cycles_of[FW_COST_COUNT] = { /* in the header, so that a charge is one addition */
#define COST(id, cycles, text) cycles,
#include "firmware/hal/costs.def"
#undef COST
};

#ifdef FW_COUNT_COSTS /* tlmssd-costs only: what each point has been charged */
extern u64 fw_cost_counts[FW_COST_COUNT];
#endif

/* Charge `n` times a cost point. On a CPU that executes the code itself: nothing. */
static inline void fw_charge(struct fw *fw, enum fw_cost cost, u32 n)
{
#ifdef FW_NATIVE
    fw->step_cycles += (u64)fw_cycles_of[cost] * n;
#ifdef FW_COUNT_COSTS
    fw_cost_counts[cost] += n;
#endif
#else
    (void)fw;
    (void)cost;
    (void)n;
#endif
}

/* Charge cycles that no cost point stands for. */
static inline void fw_spend(struct fw *fw, u32 cycles)
{
#ifdef FW_NATIVE
    fw->step_cycles += cycles;
#else
    (void)fw;
    (void)cycles;
#endif
}

/* From here on cycles are of another module. */
static inline void fw_enter(struct fw *fw, u32 module)
{
#ifdef FW_NATIVE
    fw->stats.cycles[fw->module] += fw->step_cycles - fw->module_began;
    fw->module_began = fw->step_cycles;
#endif
    fw->module = module;
}

void fw_send_remote(struct fw *fw, const struct fw_message *message);
void fw_ring_overflow(struct fw *fw, u32 module);

/* The n-th message of a core since its ring was empty. */
static inline struct fw_message *fw_ring_at(const struct fw_core *core, u32 n)
{
    return n < FW_RING_FAST ? &core->fast[n] : &core->ring[n & (FW_RING_ENTRIES - 1)];
}

/* All but the module. By fields: a compiler then builds a message in its ring, and nowhere before. */
static inline void fw_message_copy(struct fw_message *to, const struct fw_message *from)
{
    to->kind = from->kind;
    to->tag = from->tag;
    to->a = from->a;
    to->b = from->b;
    to->c = from->c;
    to->d = from->d;
    to->e = from->e;
    to->f = from->f;
}

/* Send a message to a module, on whatever core it runs. */
FW_INLINE void fw_send(struct fw *fw, enum fw_module module, const struct fw_message *message)
{
    if (fw->cfg.core_of[module] != fw->core) {
        struct fw_message out;
        fw_message_copy(&out, message);
        out.module = module;
        fw_send_remote(fw, &out);
        return;
    }
    fw_charge(fw, FW_COST_MESSAGE_LOCAL, 1);
    struct fw_core *core = fw->here;
    const u32 at = core->tail++;
    struct fw_message *slot = fw_ring_at(core, at);
    fw_message_copy(slot, message);
    slot->module = module;
    if (at >= FW_RING_FAST && at - core->head > FW_RING_ENTRIES - 3) { /* the one being handled stays */
        fw_ring_overflow(fw, module);
    }
}

/* Show a value to those who look at it. */
static inline void fw_probe(struct fw *fw, enum fw_probe id, u32 value)
{
    if (fw->probing >> id & 1) {
        hal_probe(fw->hal, id, value);
    }
}

/* Have FW_MSG_TIMER sent to `module` at simulated time `at_us`, one-shot; arming again moves it. */
void fw_timer_arm(struct fw *fw, enum fw_module module, u64 at_us);

/* Of rings, operations and OOB records; `ops`: size of the pool. */
u64 fw_core_bytes(const struct fw_config *cfg, u32 ops);
bool fw_core_boot(struct fw *fw); /* before all modules; fw->op_count is the size of the pool */

/* DRAM byte offset of the FTL's own pages: behind the OOB records of all flash tags, at a whole page. */
u32 fw_table_base(const struct fw_config *cfg);

/* Zeroed table of `count` entries from the arena; 0 where it is exhausted (fw_boot fails). */
void *fw_table(struct fw *fw, u64 count, u32 entry_bytes);
/* The same for a table that most steps use: in fast memory, unless it needs more than half of what is
   left there, so that a large one leaves space for those that follow. */
void *fw_fast_table(struct fw *fw, u64 count, u32 entry_bytes);

/* 1 where a table is not in fast memory, so that accesses are charged more (native). */
static inline u32 fw_is_far(const struct fw *fw, const void *table)
{
#ifdef FW_NATIVE
    return (const u8 *)table >= fw->fast_end;
#else
    (void)fw;
    (void)table;
    return 0;
#endif
}

#ifdef __cplusplus
}
#endif
