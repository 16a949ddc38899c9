// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: geometries of tests, written as one expression.
#pragma once

#include "models/common/geometry.h"

namespace tlmssd::tb {

/// What is not named is as in Geometry: one of each, pages of 4096 bytes without spare area.
class GeometryBuilder {
public:
    constexpr GeometryBuilder channels(u32 n) const { return with(&Geometry::channels, n); }
    constexpr GeometryBuilder ways(u32 n) const { return with(&Geometry::ways, n); }
    constexpr GeometryBuilder chip_enables(u32 n) const { return with(&Geometry::chip_enables, n); }
    constexpr GeometryBuilder dies(u32 n) const { return with(&Geometry::dies, n); }
    constexpr GeometryBuilder planes(u32 n) const { return with(&Geometry::planes, n); }
    constexpr GeometryBuilder blocks(u32 n) const { return with(&Geometry::blocks, n); }
    constexpr GeometryBuilder pages(u32 n) const { return with(&Geometry::pages, n); }
    /// Data and spare bytes of a page.
    constexpr GeometryBuilder page(u32 bytes, u32 spare = 0) const
    {
        return with(&Geometry::page_bytes, bytes).with(&Geometry::spare_bytes, spare);
    }
    constexpr operator Geometry() const { return geometry_; }

private:
    constexpr GeometryBuilder with(u32 Geometry::*field, u32 value) const
    {
        GeometryBuilder changed = *this;
        changed.geometry_.*field = value;
        return changed;
    }
    Geometry geometry_;
};

constexpr GeometryBuilder make_geometry() { return {}; }

/// One die: 2 planes of 8 blocks of 4 pages of 8 KiB + 448 B. A page is 16 codewords of 539 B and has its OOB
/// record at column 8624, 8640 B in all. Row: page 2 bits | plane 1 | block 3 | LUN.
constexpr GeometryBuilder small_geometry()
{
    return make_geometry().planes(2).blocks(8).pages(4).page(8192, 448);
}

} // namespace tlmssd::tb
