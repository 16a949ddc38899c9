// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the error model needs to know of a block's past: reads since its erase, and its age.
#pragma once

#include "models/common/geometry.h"
#include "models/common/picoseconds.h"
#include "models/common/zero_memory.h"
#include "models/nand/store/page_store.h"

namespace tlmssd::nand {

/// 14 bytes per block, untouched blocks cost nothing. Exists only where errors are enabled.
class BlockHistory {
public:
    explicit BlockHistory(const Geometry& geometry);

    /// Page reads of the block since its last erase; saturates.
    u64 reads(const Place& place) const { return reads_[index(place)]; }
    void on_read(const Place& place);
    void on_program(const Place& place, Picoseconds now);
    void on_erase(const Place& place);
    /// Days since the page was programmed. One time is kept for the pages of a block that the run
    /// has programmed, that of the first of them; pages from before the run were `retention_days`
    /// old when it began.
    double days(const Place& place, Picoseconds now, double retention_days) const;

private:
    u64 index(const Place& place) const
    {
        return (u64{place.die} * geometry_.planes + place.plane) * geometry_.blocks + place.block;
    }

    Geometry geometry_;
    ZeroMemory<u32> reads_;
    ZeroMemory<u64> programmed_; ///< picoseconds + 1; 0: not by this run
    ZeroMemory<u16> first_;      ///< page that `programmed_` belongs to; lower ones are older
};

} // namespace tlmssd::nand
