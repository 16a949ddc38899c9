// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the flash translation layer.
#pragma once

#include <string>

#include "models/common/types.h"

namespace tlmssd::config {

enum class Placement : u8 { Order, QueueAware, Static };
enum class MappingUnit : u8 { Page, Unit };
enum class WritePoints : u8 { Plane, Channel };

enum class GcPolicy : u8 {
#define GC_POLICY(id, ...) id,
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
};

enum class GcScope : u8 { Plane, Channel }; ///< whose free blocks start garbage collection
enum class WearPolicy : u8 { None, Dynamic, Static, Both };
enum class Mapping : u8 { Page, Dftl, LogBlock }; ///< pages, in DRAM or in flash and cached; blocks with log blocks
enum class LogPolicy : u8 { Bast, Fast }; ///< which writes share a log block
enum class Recovery : u8 { None, Scan, Journal }; ///< what the firmware keeps for a mount after power loss

struct Gc {
    GcPolicy policy = GcPolicy::GREEDY;
    u32 hard_blocks = 1;    ///< free blocks per plane that the host leaves
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
    u32 planes = 0;      ///< that hold translation pages; 0: all, if each gets a page
};

struct Ftl {
    Mapping mapping = Mapping::Page;
    Map map;
    LogPolicy log_policy = LogPolicy::Bast;
    u32 log_blocks = 8; ///< of a plane
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
    /// Blocks of a plane that are open or that garbage collection uses, beside ftl.gc.threshold_blocks.
    u32 open_blocks() const { return levels_cold_data() ? 4 : 3; }
    bool levels_cold_data() const { return wear.policy == WearPolicy::Static || wear.policy == WearPolicy::Both; }
    bool collects() const { return mapping != Mapping::LogBlock; } ///< any page may be anywhere
    u32 gc_threshold_blocks = 4;     ///< free blocks per plane at which garbage collection starts
};

/// Units of 4 KiB in a flash page, with ftl.write_size_factor: the firmware's masks have 64 sectors.
constexpr u32 kMostPageUnits = 8;

const char* to_string(Recovery);

} // namespace tlmssd::config
