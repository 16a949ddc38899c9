// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: how much a page store has of what, in memory or in a file.
#pragma once

#include "models/common/geometry.h"
#include "models/common/types.h"

namespace tlmssd::nand {

/// 64-bit words of a page without its bytes: one for each tag, then those of the OOB bytes.
constexpr u64 words_per_page(const Geometry& geometry)
{
    return geometry.units_per_page() + kOobBytes / sizeof(u64);
}

/// The most different pages of the firmware's tables.
constexpr u64 most_tables(const Geometry& geometry)
{
    constexpr u64 kTablesOnTheirWay = 4096; // contents that no flash page holds (yet)
    return geometry.total_pages() + kTablesOnTheirWay;
}

} // namespace tlmssd::nand
