// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an independent walk over the FTL's tables of an idle device.
#include <gtest/gtest.h>

#include <set>

#include "tb/firmware/device.h"

namespace tlmssd::tb {

namespace {

/// Translation pages that live in a block.
u32 live_tables(const fw_ftl* ftl, u32 block)
{
    u32 live = 0;
    for (u32 page = 0; ftl->dftl != nullptr && page < ftl->dftl->pages; ++page) {
        live += ftl->dftl->directory[page] != 0 && ftl_block_index(ftl, ftl->dftl->directory[page] - 1) == block;
    }
    return live;
}

/// Every entry of the CMT is in its hash chain once, in the LRU list, and as in flash where it is clean.
void check_cached_map(const Device& device)
{
    const ftl_dftl* d = device.f()->ftl->dftl;
    if (d == nullptr) {
        return;
    }
    u32 used = 0;
    std::vector<u32> dirty(d->pages);
    for (u32 slot = 0; slot < d->count; ++slot) {
        const cmt_entry& e = d->cmt[slot];
        if (e.state == 0) {
            continue;
        }
        ++used;
        ASSERT_EQ(e.pins, 0u) << "LPN " << e.lpn;
        ASSERT_NE(e.state & CMT_LOADED, 0u) << "LPN " << e.lpn;
        ASSERT_EQ(cmt_find(d, e.lpn), slot) << "LPN " << e.lpn;
        dirty[e.lpn / d->per_page] += (e.state & CMT_DIRTY) != 0;
        if ((e.state & CMT_DIRTY) == 0 && !device.f()->ftl->read_only) {
            ASSERT_EQ(e.entry, device.entry_in_flash(e.lpn)) << "clean, LPN " << e.lpn;
        }
    }
    u32 listed = 0;
    for (u32 slot = d->newest; slot != FW_NONE; slot = d->cmt[slot].next) {
        ASSERT_LE(++listed, used);
    }
    ASSERT_EQ(listed, used);
    for (u32 slot = d->free; slot != FW_NONE; slot = d->cmt[slot].next) {
        ASSERT_LE(++listed, d->count);
    }
    ASSERT_EQ(listed, d->count);
    ASSERT_EQ(d->host_pins, 0u);
    ASSERT_EQ(d->ops_out, 0u);
    for (u32 page = 0; page < d->pages; ++page) {
        u32 linked = 0;
        for (u32 at = d->dirty[page]; at != 0; at = d->cmt[at - 1].dirty_next) {
            ASSERT_LE(++linked, dirty[page]);
        }
        ASSERT_EQ(linked, dirty[page]) << "translation page " << page;
        ASSERT_TRUE(d->trims[page] == 0 || device.f()->ftl->read_only);
        ASSERT_TRUE(d->job_of[page] == 0 || device.f()->ftl->read_only);
    }
    for (u32 area = 0; area < d->area_count; ++area) {
        ASSERT_EQ(d->areas[area].promised, 0u);
    }
}

/// Each block of the map is a data block or a log block, once; the page map holds what is live in log blocks.
void check_logs(const Device& device)
{
    const fw* f = device.f();
    const fw_ftl* ftl = f->ftl;
    const ftl_log* l = ftl->log;
    const u32 pages = f->cfg.pages;
    ASSERT_EQ(l->active, 0u);
    ASSERT_EQ(l->looks, 0u);
    for (u32 plane = 0; plane < ftl->plane_count; ++plane) {
        const log_plane& p = l->planes[plane];
        ASSERT_EQ(p.owner, FW_NONE);
        std::set<u32> held(p.garbage, p.garbage + p.garbage_count);
        u32 used = 0;
        u32 randoms = 0;
        for (u32 at = 0; at < l->count; ++at) {
            const log_block& b = *log_block_at(f, plane, at);
            if (b.kind == LOG_UNUSED) {
                continue;
            }
            ++used;
            randoms += b.kind == LOG_RANDOM;
            ASSERT_TRUE(held.insert(b.block).second) << "plane " << plane << " block " << b.block;
            ASSERT_EQ(b.programs, 0u);
            u32 live = 0;
            for (u32 page = 0; page < pages; ++page) {
                const log_page& entry = *log_page_at(f, plane, at * pages + page);
                ASSERT_EQ(entry.busy, 0u);
                live += entry.lpn != FW_NONE;
                if (entry.lpn != FW_NONE) {
                    const log_home home = log_home_of(f, entry.lpn);
                    ASSERT_EQ(log_find(f, plane, entry.lpn), at * pages + page);
                    ASSERT_EQ(log_lpn(f, plane, home.logical, home.offset), entry.lpn);
                    ASSERT_TRUE(b.owner == FW_NONE || b.owner == home.logical);
                    ASSERT_EQ(log_data_ppn(f, plane, home.logical, home.offset), FW_NONE) << "two copies are live";
                    ASSERT_TRUE(b.in_order == 0 || b.kind == LOG_RANDOM || home.offset == page);
                }
            }
            ASSERT_EQ(b.live, live);
            ASSERT_EQ(ftl->blocks[plane << ftl->block_bits | b.block].valid, live);
        }
        ASSERT_EQ(p.used, used);
        ASSERT_EQ(p.randoms, randoms);
        for (u32 logical = 0; logical < l->data_blocks; ++logical) {
            const u32 block = *log_data_of(f, plane, logical);
            ASSERT_TRUE(block == 0 || held.insert(block - 1).second) << "plane " << plane << " block " << block - 1;
        }
        for (u32 b = 0; b < f->cfg.blocks; ++b) {
            const u8 state = ftl->blocks[plane << ftl->block_bits | b].state;
            ASSERT_EQ(state == BLOCK_LOG || state == BLOCK_FAILED, held.count(b) == 1) << "plane " << plane << " block " << b;
        }
    }
}

} // namespace

void check_map(const Device& device)
{
    const fw* f = device.f();
    const fw_config& cfg = f->cfg;
    const fw_ftl* ftl = f->ftl;
    const u32 planes = cfg.channels * cfg.ways * cfg.dies * cfg.planes;
    ASSERT_TRUE(fw_idle(f));
    ASSERT_EQ(ftl->plane_count, planes);
    if (const ftl_queues* q = ftl->queues) {
        for (u32 die = 0; die < planes / cfg.planes; ++die) {
            EXPECT_EQ(q->work[die], 0u) << "die " << die << " has work, but nothing is placed on it";
        }
        for (u32 n = 0; n < planes; ++n) {
            EXPECT_NE(q->idle[n / 32] >> (n % 32) & 1, 0u) << "position " << n << " is not idle";
        }
        EXPECT_EQ(q->all, 0u);
        EXPECT_EQ(q->idle_dies, planes / cfg.planes);
    }

    // Every mapped LPN has a page of its own, whose valid bit is set and whose OOB names the LPN.
    std::set<u32> mapped;
    for (u32 lpn = 0; lpn < ftl->map_entries; ++lpn) {
        const u32 entry = device.map_entry(lpn);
        if (!ftl_is_mapped(entry)) { // never written, or lost
            continue;
        }
        const u32 ppn = entry - 1;
        ASSERT_TRUE(mapped.insert(ppn).second) << "two LPNs share PPN " << ppn;
        ASSERT_TRUE(ftl_is_valid(ftl, ppn)) << "LPN " << lpn;
        const fw_oob* oob = device.oob_of(ppn >> cfg.unit_bits);
        ASSERT_NE(oob, nullptr) << "LPN " << lpn << " maps to an erased page";
        ASSERT_EQ(cfg.unit_bits == 0 ? oob->lpn : ftl->owners[ppn], lpn);
        ASSERT_EQ(oob->check, fw_oob_check(oob));
    }
    check_cached_map(device);
    if (ftl->log != nullptr) {
        check_logs(device);
    }
    // No valid bit without an LPN; counts of blocks and planes; block states and free lists.
    const u32 kept = 3 + std::max(1u, cfg.gc_hard) + (cfg.wear_static != 0 ? 1 : 0);
    std::vector<u32> free_of_channel(cfg.channels);
    u64 valid_bits = 0;
    u64 all_bad = 0;
    for (u32 plane = 0; plane < planes; ++plane) {
        const struct plane& p = ftl->planes[plane];
        ASSERT_EQ(p.gc_state, ftl->log != nullptr ? GC_NEVER : GC_IDLE);
        ASSERT_TRUE(fw_fifo_empty(&p.waiting));
        u32 in_plane = 0;
        u32 free = 0;
        u32 bad = 0;
        u32 failed = 0;
        u32 never_used = 0;
        u32 tables = 0;
        for (u32 b = 0; b < cfg.blocks; ++b) {
            const struct block& block = ftl->blocks[plane << ftl->block_bits | b];
            u32 in_block = 0;
            for (u32 unit = 0; unit < cfg.pages << cfg.unit_bits; ++unit) {
                const u32 ppn = (ftl_ppn(ftl, plane, b, 0) << cfg.unit_bits) + unit;
                const bool valid = ftl_is_valid(ftl, ppn);
                ASSERT_EQ(valid, mapped.count(ppn) == 1) << "PPN " << ppn;
                in_block += valid;
            }
            tables += block.state == BLOCK_TABLE;
            ASSERT_EQ(block.valid, block.state == BLOCK_TABLE ? live_tables(ftl, plane << ftl->block_bits | b) : in_block) << "plane " << plane << " block " << b;
            ASSERT_EQ(block.pending, 0) << "plane " << plane << " block " << b;
            ASSERT_NE(block.state, BLOCK_VICTIM);
            if (block.state == BLOCK_OPEN) {
                ASSERT_TRUE(b == p.host.block || b == p.gc.block || b == p.level.block);
            }
            ASSERT_TRUE(block.state != BLOCK_FREE || in_block == 0);
            failed += block.state == BLOCK_FAILED;
            ASSERT_TRUE(block.state != BLOCK_FAILED || ftl->read_only || ftl->log != nullptr) << "emptied and retired when nothing else is left to do";
            ASSERT_FALSE(block.failed);
            ASSERT_TRUE(block.state != BLOCK_BAD || in_block == 0);
            free += block.state == BLOCK_FREE;
            bad += block.state == BLOCK_BAD;
            never_used += b >= p.fresh && block.state == BLOCK_FREE;
            in_plane += in_block;
        }
        ASSERT_EQ(p.free_count, free) << "plane " << plane;
        free_of_channel[plane / (planes / cfg.channels)] += free;
        ASSERT_EQ(p.valid, in_plane) << "plane " << plane;
        ASSERT_EQ(p.good, cfg.blocks - bad - failed - tables);
        const u32 units = fw_page_units(&cfg);
        const u32 most = p.good > kept ? (p.good - kept) * ftl->data_pages * units : 0;
        const u32 ragged = (p.good + 1) * (units - 1);
        ASSERT_EQ(p.limit, most > ragged ? most - ragged : 0);
        ASSERT_EQ(p.failed, failed);
        all_bad += bad;
        u32 listed = never_used;
        const struct block* const blocks = &ftl->blocks[plane << ftl->block_bits];
        for (u32 b = p.free_head; b != FW_NONE; b = blocks[b].next) {
            ASSERT_LT(b, p.fresh);
            ASSERT_LE(++listed, free) << "the free list is longer than the free blocks";
        }
        ASSERT_EQ(listed, free) << "plane " << plane;
        valid_bits += in_plane;
    }
    for (u32 channel = 0; channel < cfg.channels; ++channel) {
        ASSERT_EQ(ftl->channels[channel].free, free_of_channel[channel]) << "channel " << channel;
        ASSERT_EQ(ftl->channels[channel].collecting, 0u);
    }
    for (u32 die = 0; ftl->dies != nullptr && die < planes / cfg.planes; ++die) {
        ASSERT_EQ(ftl->dies[die].host, 0u) << "die " << die;
        ASSERT_EQ(ftl->dies[die].held, 0u);
    }
    ASSERT_EQ(valid_bits, mapped.size());
    ASSERT_EQ(all_bad, f->stats.blocks_retired + f->stats.factory_bad);
    ASSERT_EQ(ftl->pending, 0u);
    ASSERT_EQ(ftl->promised, 0u);
    ASSERT_EQ(ftl->gc_parked, 0u);
    // Only pages that the buffer has put into flash have lost sectors.
    u32 lost = 0;
    for (u32 lpn = 0; lpn < cfg.logical_pages; ++lpn) {
        lost += lost_get(f->buffer, lpn) != 0;
    }
    ASSERT_EQ(f->buffer->lost_pages, lost);
    // Every op record is free again.
    u32 ops = 0;
    for (u32 op = f->op_free; op != FW_NONE && ops <= f->op_count; op = f->ops[op].next) {
        ++ops;
    }
    ASSERT_EQ(ops, f->op_count) << "operation records leak";
}

} // namespace tlmssd::tb
