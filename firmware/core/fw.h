// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the firmware's one root: configuration, boot, the step, messages, charging.
#pragma once

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

enum fw_sched_kind {
#define SCHED(id, name, mode, text) FW_SCHED_##id,
#include "firmware/hal/sched.def"
#undef SCHED
    FW_SCHED_COUNT
};

enum fw_buffer_kind {
#define BUFFER_POLICY(id, name, text) FW_BUFFER_##id,
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
    FW_BUFFER_COUNT
};

enum fw_gc_policy {
#define GC_POLICY(id, name, text) FW_GC_POLICY_##id,
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
    FW_GC_POLICY_COUNT
};

enum fw_prefetch_mode { FW_PREFETCH_NONE, FW_PREFETCH_BASELINE, FW_PREFETCH_TWO_PHASE, FW_PREFETCH_FAST };

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

enum { FW_MAX_CORES = 4, FW_MAX_HOST_TAGS = HAL_HOST_TAGS, FW_MAX_PAGE_REQUESTS = 32768, FW_MAX_FLASH_TAGS = 256, FW_MAX_RANGES = 8 };

/* Everything the firmware is told at boot. Plain numbers, the same on lp64 and ilp32. */
struct fw_config {
    u32 channels, ways, chip_enables, dies, planes, blocks, pages; /* as models/common/geometry.h */
    u32 page_bytes;
    u32 unit_bits;     /* ftl.mapping_unit: bits that number the units of a flash page (docs/mapping-units.md); 0: pages are mapped */
    u32 logical_pages; /* of fw_unit_bytes() */
    u32 allocation[4]; /* place values of the order's letters: 0 C, 1 W, 2 D, 3 P, fastest first */
    u32 queue_aware;   /* ftl.placement: the die with the least work before the order */
    u32 static_placement; /* ftl.placement: the LPN's place in the order */
    u32 channel_points; /* 1: ftl.write_points = channel */
    u32 lockstep;      /* ftl.lockstep: a plane ahead of the others of its die is passed over */
    u32 gc_threshold;  /* free blocks a plane at which collection starts, at least 2 */
    u32 gc_policy;     /* fw_gc_policy */
    u32 gc_choices;    /* ftl.gc.choices, at least 1 */
    u32 gc_window;     /* ftl.gc.window_blocks, at least 1 */
    u32 gc_hard;       /* ftl.gc.hard_blocks: free blocks a plane that the host leaves; 0: 1 */
    u32 gc_share;      /* ftl.gc.share of a busy die in 1/256; 0: all of it */
    u32 gc_channel;    /* 1: ftl.gc.scope = channel */
    u32 gc_mixed;      /* 1: ftl.gc.separate = false */
    u32 gc_copyback;   /* ftl.gc.copyback_limit with ftl.gc.copyback; 0: off. Needs gc_mixed = 0 */
    u32 wear_dynamic;  /* ftl.wear.policy: the least worn free block is the next */
    u32 wear_static;   /* ftl.wear.threshold where blocks of cold data are moved; 0: never */
    u32 slots;         /* page buffers */
    u32 buffer_policy; /* fw_buffer_kind */
    u32 clean_window;  /* cflru: pages */
    u32 block_pages;   /* LPNs of a block for ref, fab, bplru and clc, at least 1 */
    u32 victim_window; /* ref: pages, at least 1 */
    u32 victim_blocks; /* ref: at least 1 */
    u32 hot_blocks;    /* clc: of 1024 blocks so many are hot */
    u32 page_padding;  /* bplru */
    u32 reads_bypass;  /* 1: buffer.reads = bypass: nothing clean is kept */
    u32 write_through; /* 1: buffer.write = through */
    u32 capacitors;    /* 1: buffer.power = capacitors: what is in the buffer survives (FW_MSG_POWER_FAIL) */
    u32 read_ahead;    /* pages brought ahead of a sequential stream; 0: none */
    u32 prefetch_mode;   /* fw_prefetch_mode; with any but none the next twelve count (docs/prefetch.md) */
    u32 prefetch_match;  /* commands of a window, at least 1 */
    u32 prefetch_anchors;   /* windows of a sequence, at least 1 */
    u32 prefetch_sequences; /* at least 1 */
    u32 prefetch_pages;  /* of a sequence */
    u32 prefetch_gap_us; /* a pause longer than that ends a launch */
    u32 prefetch_misses; /* reads in a row out of order after which the prediction is given up, at least 1 */
    u32 prefetch_depth;  /* pages on their way; 0: as dies are idle */
    u32 prefetch_lead;   /* fast: pages before the host, at least 1 */
    u32 prefetch_held;   /* page buffers with pages that nobody has used yet, at least 1 */
    u32 prefetch_clean_victims; /* a clean page may leave for one */
    u32 prefetch_yield;  /* none is begun while the host waits for the flash */
    u32 prefetch_priority; /* least of commands that are watched */
    u32 free_slots;    /* buffer.free_pages: page buffers free or about to be; an eighth of them at most */
    u32 evict_on_demand; /* buffer.evict: 1 on_demand, 2 on_demand_each */
    u32 cave_over;     /* cave: fw_buffer_kind of the policy that chooses pages */
    u32 cawr_over;     /* cawr_block: of the policy that chooses blocks */
    u32 cawr_list;     /* cawr: pages of a channel's list at most, at least 1 */
    u32 cawr_any_neighbour; /* 1: buffer.cawr_sequence = any_neighbour */
    u32 scheduler;     /* fw_sched_kind */
    u32 vaq_block_request; /* 1: vaq.block = request */
    u32 vaq_join;          /* vaq.join_adjacent */
    u32 vaq_join_window;   /* transactions committed together at most; below 2: off */
    u32 vaq_conflict_dies;  /* vaq.conflict: so many dies in a row are one: 1 or 0, those of a package, of a channel */
    u32 host_streams_per_request; /* 1: controller.streams = per_request */
    u32 host_reads_first;         /* 1: controller.priorities = reads_first */
    u32 suspendable; /* FLASH_FLAG_SUSPENDABLE << opcode for each opcode that is (controller.suspend) */
    u32 paq_cluster_die;   /* 1: paq.cluster_limit = die */
    u32 paq_wait_block;    /* 1: paq.wait = block */
    u32 paq_age_limit_us;  /* 0: off */
    u32 t_read_ns, t_program_ns, t_erase_ns; /* of the array, typical; what work in a queue is worth */
    u32 sost_leveler;      /* sost.* below */
    u32 sost_hit_manager;  /* this and the next: hybrid.* where that is the scheduler */
    u32 sost_return_reads; /* 0: never */
    u32 sost_priorities;   /* 0: none of the next four counts */
    u32 sost_reads_first;
    u32 sost_hot_hits;     /* 0: no write is hot */
    u32 sost_age_limit_us;
    struct fw_range {
        u32 first, end, priority; /* LPNs; a page in several has the highest */
    } sost_ranges[FW_MAX_RANGES]; /* unused ones are empty */
    u32 hybrid_join_writes; /* hybrid.* from here on */
    u32 hybrid_place_late;
    u32 hybrid_pack;
    u32 hybrid_window;      /* reads in flight a channel; 0: no limit */
    u32 hybrid_window_sectors; /* a read starts while fewer are in flight on its channel; 0: no limit */
    u32 hybrid_defer_gc;
    u32 hybrid_gc_window;   /* operations of collection in flight a channel while the host wants it */
    u32 hybrid_priorities;
    u32 hybrid_age_limit_us;
    u32 host_tags;         /* commands in flight */
    u32 flash_tags;        /* flash operations in flight */
    u32 cores;
    u32 core_of[FW_ROOM_COUNT];
    u32 command_cycles; /* cpu.command_cycles: charged for each host command (native) */
    u32 flush_after_us; /* background write-back of dirty pages; 0: never */
    u32 oob_base; /* DRAM byte offset at which the OOB records of all flash tags appear */
    u32 map_entries; /* ftl.mapping = dftl: entries of the cached mapping table, more than two a plane; 0: the
                        whole map is in DRAM */
    u32 map_buffers; /* page buffers for translation pages, at least 2 */
    u32 map_planes;  /* planes that hold translation pages, the first of the order */
    u32 recovery_span; /* LPNs whose trims one table page records, a multiple of 64 and at most 8 times
                          page_bytes; 0: nothing is kept for recovery after power loss */
    u32 journal; /* 1, with recovery_span: the last page of a block is its journal page */
};

/* Bytes of a logical page. */
#define FW_UNIT_BYTES 4096u /* of ftl.mapping_unit: 4KiB */
static inline u32 fw_unit_bytes(const struct fw_config *cfg)
{
    return cfg->unit_bits == 0 ? cfg->page_bytes : FW_UNIT_BYTES;
}
/* Logical pages in a flash page: any number from 2 with mapping units. */
static inline u32 fw_page_units(const struct fw_config *cfg) { return cfg->page_bytes / fw_unit_bytes(cfg); }

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
