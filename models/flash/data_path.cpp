// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tags and OOB bytes between DRAM and bus.
#include "models/flash/data_path.h"

#include <algorithm>

namespace tlmssd::flash {

u32 DataPath::buffer_address(const SegmentRequest& request)
{
    return ++transfers_ == falsify_at_ ? request.buf + geometry_.page_bytes : request.buf;
}

Picoseconds DataPath::fetch(const SegmentRequest& request, onfi::DataCells& cells, Picoseconds now)
{
    const UnitTag* tags = dram_.tags(buffer_address(request)) + first_unit(request);
    std::copy_n(tags, units(request), cells.tags.begin());
    if (has_oob(request)) {
        std::copy_n(dram_.oob(request.oob), kOobBytes, cells.oob.begin());
    }
    return dram_.transfer(now, request.len * kSectorBytes);
}

Picoseconds DataPath::store(const SegmentRequest& request, const onfi::DataCells& cells,
                            Picoseconds now)
{
    UnitTag* tags = dram_.tags(buffer_address(request)) + first_unit(request);
    std::copy_n(cells.tags.begin(), units(request), tags);
    if (has_oob(request)) {
        std::copy_n(cells.oob.begin(), kOobBytes, dram_.oob(request.oob));
    }
    return dram_.transfer(now, request.len * kSectorBytes) + ecc_latency_;
}

} // namespace tlmssd::flash
