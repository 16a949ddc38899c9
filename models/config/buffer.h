// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the buffer in DRAM.
#pragma once

#include "models/common/types.h"

namespace tlmssd::config {

enum class BufferPolicy : u8 {
#define BUFFER_POLICY(id, ...) id,
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
};

/// Its victims are blocks.
constexpr bool knows_blocks(BufferPolicy policy)
{
    return policy == BufferPolicy::REF || policy == BufferPolicy::FAB || policy == BufferPolicy::BPLRU ||
           policy == BufferPolicy::CLC;
}

enum class BufferReads : u8 { Auto, Cached, Bypass };
enum class BufferWrite : u8 { Back, Through };
enum class BufferPower : u8 { Volatile, Capacitors };
enum class Evict : u8 { Ahead, OnDemand, OnDemandEach }; ///< pages from the buffer

constexpr u32 kLeastPageBuffers = 64;

struct Buffer {
    BufferPolicy policy = BufferPolicy::LRU;
    double clean_window = 0.25; ///< cflru: share of the pages
    BufferReads reads = BufferReads::Auto;
    BufferWrite write = BufferWrite::Back;
    BufferPower power = BufferPower::Volatile;
    u32 hold_up_ms = 100; ///< capacitors: from the cut of the supply on
    u32 block_pages = 0; ///< ref, fab, bplru, clc: LPNs of a block
    double victim_window = 0.25; ///< ref: share of the pages
    bool page_padding = false; ///< bplru
    double hot_blocks = 0.1; ///< clc: share of the blocks
    u32 read_ahead = 0; ///< pages; 0: off
    bool tables_inside = false; ///< `bytes` holds what is kept about the pages too
    /// Nothing clean is kept: it only buffers writes.
    bool reads_bypass() const
    {
        return reads == BufferReads::Bypass || policy == BufferPolicy::GATING ||
               (reads == BufferReads::Auto &&
                (chooser() == BufferPolicy::BPLRU || chooser() == BufferPolicy::CLC));
    }
    u64 bytes = 0; ///< page buffers in DRAM
    Evict evict = Evict::Ahead;
    u32 free_pages = 64; ///< ahead: free or about to be
    BufferPolicy cave_over = BufferPolicy::CCF_LRU; ///< cave: who chooses
    BufferPolicy cawr_over = BufferPolicy::FAB;     ///< cawr_block: who chooses
    /// The module that chooses the next page.
    BufferPolicy chooser() const
    {
        return policy == BufferPolicy::CAVE         ? cave_over
               : policy == BufferPolicy::CAWR_BLOCK ? cawr_over
                                                    : policy;
    }
    /// Dirty pages leave in sets, each to a channel that the policy names.
    bool evicts_sets() const
    {
        return policy == BufferPolicy::GATING || policy == BufferPolicy::CAVE || policy == BufferPolicy::CAWR ||
               policy == BufferPolicy::CAWR_BLOCK;
    }
    u32 flush_after_ms = 0; ///< background write-back; 0: only when buffers are needed
};

const char* to_string(BufferPolicy);

} // namespace tlmssd::config
