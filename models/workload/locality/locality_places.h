// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the places of requests with locality (docs/explanation/locality.md).
#pragma once

#include <array>

#include "models/config/locality.h"
#include "models/interfaces/request.h"
#include "models/workload/locality/run_draw.h"
#include "models/workload/locality/run_stack.h"

namespace tlmssd::workload {

/// The places of the places of requests with locality: runs of requests of one kind that follow on each other. A run begins at a
/// place of the stack distance that is drawn for it, and all of its blocks have that distance as near as the stack
/// allows. A distance beyond the blocks that were used so far is a place that was never used. When the footprint is
/// used up, such a run takes the blocks that were used longest ago.
///
/// Blocks are used for the first time in lanes: parts of the region, each filled upwards.
class LocalityPlaces {
public:
    struct Request {
        u64 start; ///< sectors from the start of the region
        u32 sectors;
        bool read;
    };

    /// `reads` of `of` requests are reads. A footprint beyond the region is cut, as are runs beyond a lane.
    LocalityPlaces(const config::Locality& locality, u64 reads, u64 of, u64 region_sectors, u64 seed);

    Request next();
    /// Blocks used so far.
    u64 used_blocks() const { return stack_.size(); }

private:
    static constexpr u32 kLanes = 16;
    struct Lane {
        u32 next; ///< block that is used next
        u32 end;
    };
    struct Side {
        RunDraw runs;
        ReuseDraw reuse;
    };

    void begin_run();
    RunStack::Place fresh(u32 blocks, u64 word);
    u32 offset_in(u32 block, u32 blocks, u32 sectors) const;
    u64 lane_of(u32 block) const { return block / lane_blocks_; }
    u64 sector_of(u32 block) const;

    u64 seed_;
    u32 block_sectors_;
    std::array<Side, 2> sides_; ///< reads, writes
    double read_share_ = 0;     ///< of the runs
    u32 lane_blocks_;
    u64 lane_distance_; ///< sectors from the start of a lane to the next one's
    std::vector<Lane> lanes_;
    RunStack stack_;

    u64 run_ = 0;        ///< its number
    bool write_ = false;
    u64 at_ = 0;         ///< next sector of the run
    u32 left_ = 0;       ///< sectors of the run
    u32 request_ = 0;    ///< sectors
    u32 end_block_ = ~u32{0}; ///< after the last run
};

} // namespace tlmssd::workload
