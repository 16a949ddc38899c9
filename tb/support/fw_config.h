// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: configurations of small devices as the firmware is booted with them.
#pragma once

#include "firmware/boot/firmware.h"
#include "firmware/boot/layout.h"
#include "firmware/core/fw.h"
#include "models/common/types.h"

namespace tlmssd::tb {

/// `channels` x `ways` x `dies` x `planes` of `blocks` x `pages`, 4 KiB pages, scheduler inorder,
/// buffer lru with 64 slots, 32 tags above and below, one core. Logical pages: as many as
/// configuration allows (models/config/rules/checks.cpp): threshold + 3 blocks a plane stay out.
inline fw_config small_config(u32 channels = 2, u32 ways = 2, u32 dies = 2, u32 planes = 2,
                              u32 blocks = 12, u32 pages = 4)
{
    fw_config c{};
    c.channels = channels;
    c.ways = ways;
    c.chip_enables = 1;
    c.dies = dies;
    c.planes = planes;
    c.blocks = blocks;
    c.pages = pages;
    c.page_bytes = 4096;
    c.gc_threshold = 2;
    c.logical_pages = channels * ways * dies * planes * pages * (blocks - c.gc_threshold - 3);
    for (u32 i = 0; i < 4; ++i) {
        c.allocation[i] = i; // CWDP
    }
    c.lines = 64;
    c.free_lines = 64; // of which an eighth counts
    c.buffer_policy = FW_BUFFER_LRU;
    c.clean_window = 16;
    c.block_pages = 4;
    c.victim_window = 16;
    c.victim_blocks = 2;
    c.hot_blocks = 256; // a quarter
    c.cave_over = FW_BUFFER_CCF_LRU;
    c.cawr_over = FW_BUFFER_FAB;
    c.cawr_list = 4;
    c.scheduler = FW_SCHED_INORDER;
    c.vaq_join = 1;
    c.t_read_ns = 50000;
    c.t_program_ns = 500000;
    c.t_erase_ns = 2000000;
    c.join_writes = c.hybrid_place_late = c.hybrid_pack = 1;
    c.hybrid_defer_gc = c.hybrid_priorities = 1;
    c.hybrid_gc_window = 8;
    c.hybrid_age_limit_us = 10000;
    c.sost_leveler = c.hit_manager = 1;
    c.return_reads = 3;
    c.sost_priorities = 1;
    c.sost_hot_hits = 3;
    c.sost_age_limit_us = 100000;
    c.host_tags = 32;
    c.flash_tags = 32;
    c.cores = 1;
    c.oob_base = 0xf0000000u;
    return c;
}

/// Module m on core m mod `cores`.
inline void spread(fw_config& c, u32 cores)
{
    c.cores = cores;
    for (u32 module = 0; module < FW_MODULE_COUNT; ++module) {
        c.core_of[module] = module % cores;
    }
}

/// 8 planes of 16 blocks of 8 pages of 4 KiB, with `cores` and 48 slots: small enough to collect garbage
/// soon. The OOB records follow the page buffers, so that it boots on an ISS too.
inline fw_config tiny_config(u32 scheduler, u32 buffer_policy, u32 cores)
{
    fw_config c = small_config(2, 1, 2, 2, 16, 8);
    c.logical_pages = 700;
    c.scheduler = scheduler;
    c.buffer_policy = buffer_policy;
    c.lines = 48;
    c.free_lines = 0;
    c.hybrid_window = 4;
    spread(c, cores);
    c.oob_base = static_cast<u32>(fw_page_buffer_bytes(&c));
    return c;
}

} // namespace tlmssd::tb
