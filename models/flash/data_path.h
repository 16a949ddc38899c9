// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: DMA and ECC between page buffers in DRAM and the bursts of the ONFI bus.
#pragma once

#include "models/common/dram_if.h"
#include "models/common/geometry.h"
#include "models/config/config.h"
#include "models/flash/controller_if.h"
#include "models/onfi/segment.h"

namespace tlmssd::flash {

/// One block behind all controllers. A burst in is fed cut-through from DRAM; a burst out is
/// checked by ECC and written to DRAM when it has ended (docs/flash.md).
class DataPath {
public:
    DataPath(const Geometry& geometry, FlashDramIf& dram, Picoseconds ecc_latency,
             const config::Inject& inject)
        : geometry_(geometry), dram_(dram), ecc_latency_(ecc_latency),
          falsify_at_(inject.falsify_dma_at)
    {
    }

    /// Bytes of the burst that moves `request`'s sectors (and OOB): codewords with their parity.
    u32 burst_bytes(const SegmentRequest& request) const
    {
        const u32 codewords = request.len * geometry_.codeword_bytes();
        return has_oob(request) ? codewords + kOobBytes : codewords;
    }

    /// Fetch what a program needs into `cells`; returns when DRAM has delivered the last byte.
    Picoseconds fetch(const SegmentRequest& request, onfi::DataCells& cells, Picoseconds now);
    /// Store a burst out that ended now; returns when the corrected data are in DRAM.
    Picoseconds store(const SegmentRequest& request, const onfi::DataCells& cells, Picoseconds now);

private:
    bool has_oob(const SegmentRequest& request) const
    {
        return request.oob != FLASH_NO_OOB &&
               u32{request.col} + request.len == geometry_.sectors_per_page();
    }
    u32 first_unit(const SegmentRequest& r) const { return r.col / geometry_.sectors_per_unit(); }
    u32 units(const SegmentRequest& r) const
    {
        return (u32{r.col} + r.len - 1) / geometry_.sectors_per_unit() - first_unit(r) + 1;
    }
    /// The page buffer, or (once, where injected) the one behind it.
    u32 buffer_address(const SegmentRequest& request);

    const Geometry& geometry_;
    FlashDramIf& dram_;
    Picoseconds ecc_latency_;
    u64 falsify_at_;
    u64 transfers_ = 0;
};

} // namespace tlmssd::flash
