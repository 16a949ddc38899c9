// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the firmware's configuration: all that it is given at boot.
#pragma once

#include "firmware/core/messages.h"
#include "firmware/core/types.h"
#include "firmware/hal/hal.h"

enum fw_sched_kind {
#define SCHED(id, name, mode, traits, text) FW_SCHED_##id,
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

enum fw_host_streams { FW_STREAMS_ONE, FW_STREAMS_PER_REQUEST, FW_STREAMS_FREE }; /* controller.streams */
enum fw_prefetch_mode { FW_PREFETCH_NONE, FW_PREFETCH_BASELINE, FW_PREFETCH_TWO_PHASE, FW_PREFETCH_FAST };

enum {
    FW_MAX_CORES = 4,
    FW_MAX_HOST_TAGS = HAL_HOST_TAGS,
    FW_MAX_PAGE_REQUESTS = 32768,
    FW_MAX_FLASH_TAGS = 256,
    FW_MAX_RANGES = 8
};

/* Plain numbers, laid out alike on lp64 and ilp32. */
struct fw_config {
    u32 channels, ways, chip_enables, dies, planes, blocks, pages; /* as models/common/geometry.h */
    u32 page_bytes;
    u32 unit_bits;     /* ftl.mapping_unit: bits that number the units of a flash page (docs/explanation/mapping-units.md); 0: pages are mapped */
    u32 logical_pages; /* of fw_unit_bytes() */
    u32 allocation[4]; /* place values of the order's letters: 0 C, 1 W, 2 D, 3 P, fastest first */
    u32 queue_aware;   /* ftl.placement: the die with the least work before the order */
    u32 static_placement; /* ftl.placement: the LPN's place in the order */
    u32 channel_points; /* 1: ftl.write_points = channel */
    u32 lockstep;      /* ftl.lockstep: a plane ahead of the others of its die is passed over */
    u32 gc_threshold;  /* free blocks per plane at which GC starts, at least 2 */
    u32 gc_policy;     /* fw_gc_policy */
    u32 gc_choices;    /* ftl.gc.choices, at least 1 */
    u32 gc_window;     /* ftl.gc.window_blocks, at least 1 */
    u32 gc_hard;       /* ftl.gc.hard_blocks: free blocks per plane that the host leaves; 0: 1 */
    u32 gc_share;      /* ftl.gc.share of a busy die in 1/256; 0: all of it */
    u32 gc_channel;    /* 1: ftl.gc.scope = channel */
    u32 gc_mixed;      /* 1: ftl.gc.separate = false */
    u32 gc_copyback;   /* ftl.gc.copyback_limit with ftl.gc.copyback; 0: off. Needs gc_mixed = 0 */
    u32 wear_dynamic;  /* ftl.wear.policy: the least worn free block is the next */
    u32 wear_static;   /* ftl.wear.threshold where blocks of cold data are moved; 0: never */
    u32 lines;         /* page buffers */
    u32 buffer_policy; /* fw_buffer_kind */
    u32 clean_window;  /* cflru: pages */
    u32 block_pages;   /* LPNs of a block for ref, fab, bplru and clc, at least 1 */
    u32 victim_window; /* ref: pages, at least 1 */
    u32 victim_blocks; /* ref: at least 1 */
    u32 hot_blocks;    /* clc: number of hot blocks in 1024 */
    u32 page_padding;  /* bplru */
    u32 reads_bypass;  /* 1: buffer.reads = bypass: nothing clean is kept */
    u32 write_through; /* 1: buffer.write = through */
    u32 capacitors;    /* 1: buffer.power = capacitors: what is in the buffer survives (FW_MSG_POWER_FAIL) */
    u32 read_ahead;    /* pages brought ahead of a sequential stream; 0: none */
    u32 prefetch_mode;   /* fw_prefetch_mode; prefetch_* count with any but none (docs/explanation/prefetch.md) */
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
    u32 free_lines;    /* buffer.free_pages: page buffers free or about to be; an eighth of them at most */
    u32 evict_on_demand; /* buffer.evict: 1 on_demand, 2 on_demand_each */
    u32 cave_over;     /* cave: fw_buffer_kind of the policy that chooses pages */
    u32 cawr_over;     /* cawr_block: of the policy that chooses blocks */
    u32 cawr_list;     /* cawr: pages of a channel's list at most, at least 1 */
    u32 cawr_any_neighbour; /* 1: buffer.cawr_sequence = any_neighbour */
    u32 scheduler;     /* fw_sched_kind */
    u32 vaq_block_request; /* 1: vaq.block = request */
    u32 vaq_join;          /* vaq.join_adjacent */
    u32 vaq_join_window;   /* transactions committed together at most; below 2: off */
    u32 vaq_conflict_dies;  /* vaq.conflict: dies that count as one: 1 or 0, those of a package, of a channel */
    u32 host_streams; /* fw_host_streams */
    u32 host_reads_first;         /* 1: controller.priorities = reads_first */
    u32 suspendable; /* FLASH_FLAG_SUSPENDABLE << opcode for each opcode that is (controller.suspend) */
    u32 paq_cluster_die;   /* 1: paq.cluster_limit = die */
    u32 paq_wait_block;    /* 1: paq.wait = block */
    u32 paq_age_limit_us;  /* 0: off */
    u32 t_read_ns, t_program_ns, t_erase_ns; /* of the array, typical; what work in a queue is worth */
    u32 t_sector_ns; /* of 512 bytes on a channel */
    u32 sost_leveler;
    u32 hit_manager;  /* counts where the scheduler SCHED_TAKES_BACK */
    u32 return_reads; /* of a queued page, after which it comes back into the cache; 0: never */
    u32 queue_pages;  /* cache lines that may be on their way to flash while a request waits for one; half of all at most */
    u32 sost_priorities;   /* 0: sost_reads_first, sost_hot_hits, sost_age_limit_us and sost_ranges do not count */
    u32 sost_reads_first;
    u32 sost_hot_hits;     /* 0: no write is hot */
    u32 sost_age_limit_us;
    struct fw_range {
        u32 first, end, priority; /* LPNs; a page in several has the highest */
    } sost_ranges[FW_MAX_RANGES]; /* unused ones are empty */
    u32 join_writes; /* counts where the scheduler SCHED_JOINS_WRITES */
    u32 hybrid_place_late;
    u32 hybrid_pack;
    u32 hybrid_window;      /* reads in flight a channel; 0: no limit */
    u32 hybrid_window_sectors; /* a read starts while fewer are in flight on its channel; 0: no limit */
    u32 hybrid_defer_gc;
    u32 hybrid_gc_window;   /* operations of GC in flight per channel while the host wants it */
    u32 hybrid_priorities;
    u32 hybrid_age_limit_us;
    u32 host_tags;         /* commands in flight */
    u32 flash_tags;        /* flash operations in flight */
    u32 cores; /* at most FW_MAX_CORES */
    u32 core_of[FW_MODULE_COUNT]; /* the core that runs each module */
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
    u32 log_blocks; /* ftl.mapping = log_block: log blocks of a plane, at most 64; 0: every page may be anywhere */
    u32 log_fast;   /* 1: ftl.log_policy = fast; at least 2 log blocks */
};

/* Bytes of a logical page. */
#define FW_UNIT_BYTES 4096u /* of ftl.mapping_unit: 4KiB */
static inline u32 fw_unit_bytes(const struct fw_config *cfg)
{
    return cfg->unit_bits == 0 ? cfg->page_bytes : FW_UNIT_BYTES;
}
/* Logical pages in a flash page: any number from 2 with mapping units. */
static inline u32 fw_page_units(const struct fw_config *cfg) { return cfg->page_bytes / fw_unit_bytes(cfg); }
