// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of what the firmware does: schedulers, FTL, buffer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::config {

enum class Scheduler : u8 {
#define SCHED(id, name, mode, text) id,
#include "firmware/hal/sched.def"
#undef SCHED
};

enum class BufferPolicy : u8 {
#define BUFFER_POLICY(id, name, text) id,
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
};

/// Its victims are blocks.
constexpr bool knows_blocks(BufferPolicy policy)
{
    return policy == BufferPolicy::REF || policy == BufferPolicy::FAB || policy == BufferPolicy::BPLRU ||
           policy == BufferPolicy::CLC;
}

enum class Placement : u8 { Order, QueueAware, Static };
enum class MappingUnit : u8 { Page, Unit };
enum class WritePoints : u8 { Plane, Channel };
enum class Evict : u8 { Ahead, OnDemand, OnDemandEach }; ///< pages from the buffer
enum class CawrSequence : u8 { Tail, AnyNeighbour };
enum class VaqBlock : u8 { Die, Request };
enum class VaqConflict : u8 { Die, Package, Channel };
enum class PaqClusterLimit : u8 { Package, Die };
enum class PaqWait : u8 { Skip, Block };

enum class GcPolicy : u8 {
#define GC_POLICY(id, name, text) id,
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
};

enum class GcScope : u8 { Plane, Channel }; ///< whose free blocks start collection
enum class WearPolicy : u8 { None, Dynamic, Static, Both };
enum class BufferReads : u8 { Auto, Cached, Bypass };
enum class BufferWrite : u8 { Back, Through };
enum class BufferPower : u8 { Volatile, Capacitors };
enum class Mapping : u8 { Page, Dftl }; ///< where the map is: in DRAM, or in flash and a part of it cached
enum class Recovery : u8 { None, Scan, Journal }; ///< what the firmware keeps for a mount after power loss

struct Gc {
    GcPolicy policy = GcPolicy::GREEDY;
    u32 choices = 10;       ///< d_choices: blocks drawn
    u32 window_blocks = 32; ///< windowed_greedy: blocks compared
    u32 hard_blocks = 1;    ///< free blocks a plane that the host leaves
    double share = 1;       ///< of a busy die's time, at most, while the host has more than these
    GcScope scope = GcScope::Plane;
    bool separate = true;   ///< own write points for what is moved
    bool copyback = false;  ///< pages move inside their die
    u32 copyback_limit = 4; ///< times one after the other, without ECC
};

struct Wear {
    WearPolicy policy = WearPolicy::None;
    u32 threshold = 100; ///< static: erases between the most worn block and a full one
};

/// Of ftl.mapping: dftl.
struct Map {
    u32 cache_kib = 256; ///< cached mapping table
    u32 buffers = 16;    ///< page buffers for translation pages
    u32 planes = 0;      ///< that hold translation pages; 0: all, where there are so many pages
};

struct Ftl {
    Mapping mapping = Mapping::Page;
    Map map;
    std::string allocation = "CWDP"; ///< one of the 24 orders
    Placement placement = Placement::Order;
    WritePoints write_points = WritePoints::Plane; ///< of the host
    bool lockstep = false; ///< keep the write points of a die's planes at one page
    MappingUnit mapping_unit = MappingUnit::Page;
    double write_size_factor = 1; ///< Geometry::compress()
    double over_provisioning = 0.07; ///< spare / logical capacity
    Gc gc;
    Wear wear;
    Recovery recovery = Recovery::None;
    /// Blocks of a plane that are open or collection's beside ftl.gc.threshold_blocks.
    u32 open_blocks() const { return levels_cold_data() ? 4 : 3; }
    bool levels_cold_data() const { return wear.policy == WearPolicy::Static || wear.policy == WearPolicy::Both; }
    u32 gc_threshold_blocks = 4;     ///< free blocks a plane at which collection starts
};

/// Units of 4 KiB in a flash page, with ftl.write_size_factor: the firmware's masks have 64 sectors.
constexpr u32 kMostPageUnits = 8;

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
    u32 victim_blocks = 8; ///< ref
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
    u32 cawr_list = 4;                              ///< cawr: pages of a channel's list
    CawrSequence cawr_sequence = CawrSequence::Tail;
    /// Who says which page is the next.
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

struct Vaq {
    VaqBlock block = VaqBlock::Die;
    bool join_adjacent = true;
    u32 join_window = 1; ///< transactions that are committed together at most; 1: off
    VaqConflict conflict = VaqConflict::Die;
};

struct Paq {
    PaqClusterLimit cluster_limit = PaqClusterLimit::Package;
    PaqWait wait = PaqWait::Skip;
    u32 age_limit_us = 0; ///< 0: off
};

inline constexpr std::size_t kMaxPriorityRanges = 8;

struct PriorityRange {
    u64 first_mib = 0, end_mib = 0; ///< of the logical address space
    u32 priority = 0;               ///< 1 to 3, the highest
};

struct Sost {
    bool leveler = true;
    bool hit_manager = true;
    u32 return_reads = 3; ///< 0: never
    bool priorities = true;
    bool reads_first = false;
    u32 hot_hits = 3; ///< 0: no write is hot
    std::vector<PriorityRange> ranges;
    u32 age_limit_us = 100000;
};

struct Hybrid {
    bool hit_manager = true;
    u32 return_reads = 3; ///< 0: never
    bool join_writes = true;
    bool place_late = true;
    bool pack = true;
    u32 window = 0; ///< reads in flight a channel; 0: what keeps the bus busy
    bool defer_gc = true;
    u32 gc_window = 0; ///< operations of collection in flight a channel; 0: the same
    bool priorities = true;
    u32 age_limit_us = 10000;
};

/// The smart controller (docs/prefetch.md).
enum class PrefetchMode : u8 { None, Baseline, TwoPhase, Fast }; // = fw_prefetch_mode

struct Prefetch {
    PrefetchMode mode = PrefetchMode::None;
    u32 match = 8;       ///< commands
    u32 anchors = 16;    ///< windows of a sequence
    u32 sequences = 8;
    u32 pages = 4096;    ///< of a sequence
    u32 gap_us = 5000;
    u32 misses = 8;
    u32 depth = 0;       ///< 0: idle dies
    u32 lead = 64;       ///< fast: pages
    double share = 0.5;  ///< of the buffer's pages
    bool displace = true;
    bool yield = true;
    u32 priority = 0;    ///< least that is watched
};

} // namespace tlmssd::config
