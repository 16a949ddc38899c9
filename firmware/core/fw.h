// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the firmware's one root: its state, boot, the step, messages, charging.
#pragma once

#include "firmware/core/config.h"
#include "firmware/core/messages.h"
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

/* How many of them `tlmssd-lab calibrate` has fitted; results say whether it is all. */
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
static inline u32 fw_slot_room(u32 slot, enum fw_room room) { return slot << 3 | (u32)room; }
#define FW_FLASH_JOINED 0x80000000u /* of the probe FLASH_TAG */

/* Counters for results.json. */
struct fw_stats {
    u64 host_pages_written;  /* pages programmed for the host */
    u64 flash_pages_written; /* all pages programmed */
    u64 gc_runs, gc_pages_moved, gc_blocks_erased;
    u64 gc_copybacks;                /* of the pages moved: those that did not leave their die */
    u64 gc_held, gc_held_us;         /* times that a round waited for its share of the die; for how long */
    u64 wear_runs, wear_pages_moved; /* rounds for wear levelling; they and their pages count above too */
    u64 read_only, read_only_us;     /* 1: worn out, since when */
    u64 read_hits, read_misses, write_hits, write_misses; /* pages */
    u64 merges;            /* partial pages completed from flash */
    u64 packed_pages, packed_units; /* mapping units: page programs for the host, and the units in them */
    u64 gc_units_moved;    /* mapping units: that collection copied */
    u64 evicted_sets;      /* of pages that left the buffer for all channels at once */
    u64 partial_sets;      /* for some of the channels */
    u64 directed_elsewhere; /* pages whose channel had no room */
    u64 multi_plane_ops;   /* flash operations with more than one plane */
    u64 flash_transactions; /* descriptors submitted */
    u64 pages_trimmed;
    u64 reordered; /* transactions submitted before an older one of the same queue */
    u64 reads_from_flash; /* read commands that waited for a flash read of their own */
    u64 program_fails, erase_fails; /* pages, blocks; a die that did not answer is a failure too */
    u64 read_errors;    /* pages that could not be read, garbage collection's included */
    u64 pages_lost;     /* pages that garbage collection could not move because of that */
    u64 blocks_retired; /* taken out of use since boot */
    u64 factory_bad;    /* blocks marked bad at boot */
    u64 table_pages_written; /* of the FTL's own, trims and retired blocks (recovery) */
    u64 journal_pages_written; /* of the FTL's own: what was written to a block (recovery) */
    u64 mount_journals;      /* blocks whose journal page was enough for a mount */
    u64 mount_doubts;        /* blocks that were read because what their journal page says was not certain */
    u64 mount_scans;         /* 1: then all were read */
    u64 mounts;              /* 1: what was in flash has been found out since boot */
    u64 map_hits, map_misses;     /* operations of the host that found their map entry, or waited for it (dftl) */
    u64 map_evictions;            /* entries that left for others */
    u64 map_reads, map_writes;    /* translation pages read and programmed */
    u64 map_merged;               /* dirty entries that went into these */
    u64 map_moved, map_erases;    /* translation pages that were written because their block was collected; blocks */
    u64 mount_reads;         /* pages read to find out what is in flash */
    u64 power_fails;         /* 1: the supply has gone, and the device lives on its capacitors */
    u64 power_saves;         /* 1: since then all that was acknowledged has come into flash */
    u64 reallocated;       /* queued writes that went to another chip */
    u64 hit_manager_reads; /* page reads answered from a write that is queued or runs */
    u64 cancelled_writes;  /* queued writes taken back because the host overwrote or trimmed them */
    u64 padded_pages;      /* read and programmed to complete a block that left the buffer */
    u64 read_ahead_pages, read_ahead_hits, read_ahead_unused; /* brought; used; gone without a use */
    u64 prefetch_recorded, prefetch_recognised, prefetch_finished, prefetch_aborted; /* sequences */
    u64 prefetch_pages, prefetch_hits, prefetch_late, prefetch_unused; /* brought; used; of these on their way when
                                                                          the host asked; gone without a use */
    u64 joined_writes;     /* page writes that went to flash in the program of a younger one */
    u64 returned_pages;    /* queued writes taken back into the cache because they are read */
    u64 cycles[FW_ROOM_COUNT]; /* charged, by room */
};

/* Messages of one core. Empty rings start again at 0, so that they stay in the cache. */
enum { FW_RING_ENTRIES = 16384 }; /* a power of two; overflow is a panic, never a wrap */
enum { FW_FAST_BYTES = MMIO_DTCM_BASE + MMIO_DTCM_BYTES - MMIO_TABLES }; /* of fast memory */
enum { FW_RING_FAST = 128 };      /* the first of them are in fast memory, where there is some */
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
    u64 room_began;  /* step_cycles when `room` was entered (native) */
    u32 core;        /* that runs the step */
    u32 room;        /* that is charged */
    u32 probing;     /* bit n: probe n is wanted; set from outside, changes nothing else */
    struct fw_core *cores;
    struct fw_core *here; /* cores[core] */
    struct fw_hil *hil;
    struct fw_buffer *buffer;
    struct fw_ftl *ftl;
    struct fw_sched *sched;
    struct fw_op *ops; /* shared descriptors; one room owns an op at a time */
    u32 op_free;       /* free list */
    u32 op_count;
    u32 *units;    /* 1 << unit_bits entries an op: LPNs that a program holds, then FW_NONE; null: one page, fw_op.lpn */
    u8 *oob; /* 64 bytes a flash tag: 16 for each plane */
    u8 *arena, *arena_end;
    u8 *fast, *fast_end; /* memory without wait states; empty where all memory is alike */
    struct fw_stats stats;
};

/* Bytes of zeroed memory that fw_boot needs for `cfg`. */
u64 fw_arena_bytes(const struct fw_config *cfg);

/* DRAM bytes of all page buffers, from offset 0: the buffer room's, then garbage collection's. */
u64 fw_page_buffer_bytes(const struct fw_config *cfg);

/* Lay out all tables in `arena` (zeroed, 64-byte aligned). Returns false where it is too small. */
bool fw_boot(struct fw *fw, const struct fw_config *cfg, struct hal *hal, void *arena, u64 bytes);

/* The same with `fast_bytes` of memory without wait states for what is used most (zeroed, 64-byte
   aligned); what does not fit goes to the arena. */
bool fw_boot_with(struct fw *fw, const struct fw_config *cfg, struct hal *hal, void *arena, u64 bytes,
                  void *fast, u64 fast_bytes);

/* One step of one core: take every visible event, run all messages that follow, return. */
void fw_step(struct fw *fw, u32 core, u64 now_us);

/* Prefetch what a command will need; native only, no effect on results. */
void fw_hint_command(const struct fw *fw, u64 lba);

/* At boot, before the first command: a block of die `die` (over the device) is bad from the factory
   and is never used. The same as FW_MSG_MARK_BAD. */
void fw_mark_bad(struct fw *fw, u32 die, u32 plane, u32 block);

/* DRAM byte offset at which the FTL's own pages appear (recovery's table pages, or the buffers of translation
   pages), fw_table_bytes() of them at fw_table_pages(); their size is 0 without either. */
u32 fw_table_base(const struct fw_config *cfg);
u32 fw_table_bytes(const struct fw_config *cfg);
u32 fw_journal_sectors(const struct fw_config *cfg); /* of a journal page; they have to fit into a page */
u8 *fw_table_pages(const struct fw *fw);
u8 **fw_table_place(struct fw *fw); /* where the firmware keeps that address; null: there are none */

/* No mount is under way: commands may come. */
bool fw_mounted(const struct fw *fw);

/* True when no command, operation or message is inside. */
bool fw_idle(const struct fw *fw);

/* Smallest, largest, sum and sum of squares of the blocks' erase counts. */
void fw_wear(const struct fw *fw, u32 *least, u32 *most, u64 *sum, u64 *sum_of_squares);

/* ---- inside the firmware ---- */

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

/* From here on cycles are of another room. */
static inline void fw_enter(struct fw *fw, u32 room)
{
#ifdef FW_NATIVE
    fw->stats.cycles[fw->room] += fw->step_cycles - fw->room_began;
    fw->room_began = fw->step_cycles;
#endif
    fw->room = room;
}

void fw_send_remote(struct fw *fw, const struct fw_message *message);
void fw_ring_overflow(struct fw *fw, u32 room);

/* The n-th message of a core since its ring was empty. */
static inline struct fw_message *fw_ring_at(const struct fw_core *core, u32 n)
{
    return n < FW_RING_FAST ? &core->fast[n] : &core->ring[n & (FW_RING_ENTRIES - 1)];
}

/* All but the room. By fields: a compiler then builds a message in its ring, and nowhere before. */
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

/* Send a message to a room, on whatever core it runs. */
static inline void fw_send(struct fw *fw, enum fw_room room, const struct fw_message *message)
{
    if (fw->cfg.core_of[room] != fw->core) {
        struct fw_message out;
        fw_message_copy(&out, message);
        out.room = room;
        fw_send_remote(fw, &out);
        return;
    }
    fw_charge(fw, FW_COST_MESSAGE_LOCAL, 1);
    struct fw_core *core = fw->here;
    const u32 at = core->tail++;
    struct fw_message *slot = fw_ring_at(core, at);
    fw_message_copy(slot, message);
    slot->room = room;
    if (at >= FW_RING_FAST && at - core->head > FW_RING_ENTRIES - 3) { /* the one being handled stays */
        fw_ring_overflow(fw, room);
    }
}

/* Show a value to those who look at it. */
static inline void fw_probe(struct fw *fw, enum fw_probe id, u32 value)
{
    if (fw->probing >> id & 1) {
        hal_probe(fw->hal, id, value);
    }
}

/* Have FW_MSG_TIMER sent to `room` at simulated time `at_us`, one-shot; arming again moves it. */
void fw_timer_arm(struct fw *fw, enum fw_room room, u64 at_us);

/* Zeroed table of `count` entries from the arena; 0 where it is exhausted (fw_boot fails). */
void *fw_table(struct fw *fw, u64 count, u32 entry_bytes);
/* The same for a table that most steps use: in fast memory, unless it needs more than half of what is
   left there, so that a large one leaves room for those that follow. */
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

void fw_panic(struct fw *fw, u32 code, u32 detail);

#ifdef __cplusplus
}
#endif
