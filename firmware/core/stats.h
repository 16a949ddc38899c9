// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the firmware's counters, for results.json.
#pragma once

#include "firmware/core/messages.h"
#include "firmware/core/types.h"

/* All fields are u64: models take differences of the struct as an array. */
struct fw_stats {
    u64 host_pages_written;  /* pages programmed for the host */
    u64 flash_pages_written; /* all pages programmed */
    u64 gc_runs, gc_pages_moved, gc_blocks_erased; /* of garbage collection: rounds, pages, blocks */
    u64 gc_copybacks;                /* pages in gc_pages_moved that did not leave their die */
    u64 gc_held, gc_held_us;         /* waits of a round for its share of the die; their length */
    u64 wear_runs, wear_pages_moved; /* rounds for wear levelling, and their pages; gc_runs and gc_pages_moved include them */
    u64 read_only, read_only_us;     /* 1: worn out, since when */
    u64 read_hits, read_misses, write_hits, write_misses; /* pages */
    u64 merges;            /* partial pages completed from flash */
    u64 packed_pages, packed_units; /* mapping units: page programs for the host, and the units in them */
    u64 gc_units_moved;    /* mapping units that garbage collection copied */
    u64 evicted_sets;      /* sets of pages that left the buffer for all channels at once */
    u64 partial_sets;      /* sets of pages that left the buffer for some of the channels */
    u64 turns_passed;      /* queue_aware: pages of the host that did not go to the plane whose turn it was */
    u64 directed_elsewhere; /* pages whose channel had no free page */
    u64 multi_plane_ops;   /* flash operations with more than one plane */
    u64 flash_operations; /* descriptors submitted */
    u64 pages_trimmed;
    u64 reordered; /* transactions submitted before an older one of the same queue */
    u64 aged_reads; /* paq: operations submitted because their reads had reached the age limit */
    u64 reads_from_flash; /* read commands that waited for a flash read of their own */
    u64 program_fails, erase_fails; /* pages, blocks; a die that did not answer is a failure too */
    u64 read_errors;    /* pages that could not be read, garbage collection's included */
    u64 pages_lost;     /* pages that garbage collection could not move because they could not be read */
    u64 blocks_retired; /* taken out of use since boot */
    u64 factory_bad;    /* blocks marked bad at boot */
    u64 table_pages_written; /* recovery: table pages programmed: trims and retired blocks */
    u64 journal_pages_written; /* recovery: journal pages programmed: what was written to a block */
    u64 mount_journals;      /* blocks whose journal page was enough for a mount */
    u64 mount_doubts;        /* blocks that were read because what their journal page says was not certain */
    u64 mount_scans;         /* 1: a mount read all blocks */
    u64 mounts;              /* 1: what was in flash has been found out since boot */
    u64 map_hits, map_misses;     /* operations of the host that found their map entry, or waited for it (dftl) */
    u64 map_evictions;            /* entries that left for others */
    u64 map_reads, map_writes;    /* translation pages read and programmed */
    u64 map_merged;               /* dirty entries that went into translation pages */
    u64 map_moved, map_erases;    /* translation pages written because their block was collected; blocks of them erased */
    u64 log_switch_merges, log_partial_merges, log_full_merges; /* ftl.mapping = log_block: by kind */
    u64 log_pages_copied, log_fillers; /* pages that merges programmed: with data, without */
    u64 log_drops;           /* log blocks erased without a merge: nothing in them was live */
    u64 mount_reads;         /* pages read to find out what is in flash */
    u64 power_fails;         /* 1: the supply has gone, and the device lives on its capacitors */
    u64 power_saves;         /* 1: since the supply went, all that was acknowledged has come into flash */
    u64 reallocated;       /* queued writes that went to another die */
    u64 hit_manager_reads; /* page reads answered from a write that is queued or runs */
    u64 cancelled_writes;  /* queued writes taken back because the host overwrote or trimmed them */
    u64 padded_pages;      /* pages read and programmed to complete a block that left the buffer */
    u64 read_ahead_pages, read_ahead_hits, read_ahead_unused; /* pages brought; used; gone without a use */
    u64 prefetch_recorded, prefetch_recognised, prefetch_finished, prefetch_aborted; /* sequences */
    u64 prefetch_pages, prefetch_hits; /* pages brought; pages used */
    u64 prefetch_present;              /* looked at when their turn had come, and in a page buffer already */
    u64 prefetch_late, prefetch_unused; /* pages that were on their way when the host asked; gone without a use */
    u64 joined_writes;     /* page writes that went to flash in the program of a younger one */
    u64 returned_pages;    /* queued writes taken back into the cache because they are read */
    u64 queued_writes, queued_before; /* sost: the host's page writes; operations of their dies that they found, summed */
    u64 ran_empty;         /* sost: times that a die had nothing left to do while others had */
    u64 moves_asked;       /* sost: queued writes that the leveler wanted on another die */
    u64 queued_overwrites; /* overwrites and trims of a page whose write was queued or ran */
    u64 return_chances;    /* queued or running writes that were read as often as return_reads asks */
    u64 class_choices;     /* sost: a free die found operations of several classes */
    u64 aged;              /* sost: choices between classes that age decided */
    u64 hot_writes;        /* sost: the host's writes that came into the class of hot ones */
    u64 cycles[FW_MODULE_COUNT]; /* cycles charged, by module */
};
