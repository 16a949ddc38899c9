// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the protocol checker knows of the part: its shape, its times and what it allows.
#pragma once

#include <array>

#include "models/common/geometry.h"
#include "models/config/nand.h"
#include "models/onfi/checker/array_minima.h"
#include "models/onfi/checker/bus_minima.h"

namespace tlmssd::onfi {

/// A row address taken apart.
struct RowAddress {
    u32 lun = 0;
    u32 plane = 0;
    u32 block = 0;
    u32 page = 0;
};

/// The part under the checker. Constant over a run.
struct PartLimits {
    static constexpr u32 kMaxPlanes = 16;

    /// `tolerate_silent_luns`: see Checker. Throws ModelError for more than kMaxPlanes planes.
    PartLimits(const Geometry& geometry, const config::Nand& nand,
               bool tolerate_silent_luns = false);

    /// Row address, least significant first: page | plane | block | LUN.
    RowAddress split(u64 row) const
    {
        const u32 r = static_cast<u32>(row) & 0xffffff;
        return RowAddress{r >> lun_shift, (r >> plane_shift) & plane_mask, (r >> block_shift) & block_mask,
                          r & page_mask};
    }
    bool contains(const RowAddress& row) const
    {
        return row.lun < luns_of_ce && row.plane < planes && row.block < blocks &&
               row.page < pages;
    }

    u32 luns_of_ce;
    u32 planes;
    u32 blocks; ///< of a plane
    u32 pages;  ///< of a block
    u32 plane_shift;
    u32 block_shift;
    u32 lun_shift;
    u32 page_mask;
    u32 plane_mask;
    u32 block_mask;
    u32 physical_bytes; ///< of a page with its spare area
    u32 retry_levels;
    std::array<u32, MinimaTable::kInterfaces> modes; ///< timing modes that the part has
    bool block_restriction; ///< the planes of one operation share the block number
    bool tolerate;          ///< a LUN may fall silent
    bool falls_late;        ///< R/B# falls up to tWB after a command, and not with its last cycle
    ArrayMinima array;
};

} // namespace tlmssd::onfi
