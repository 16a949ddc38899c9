// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: row addresses of one CE#.
#pragma once

#include "models/nand/store/page_store.h"

namespace tlmssd::nand {

/// A row address taken apart.
struct RowAddress {
    u32 lun = 0;
    Place place; ///< die not set
};

/// How Geometry::row() puts a row address together: page | plane | block | LUN, page lowest.
class RowLayout {
public:
    explicit RowLayout(const Geometry& geometry)
        : luns_(geometry.luns_per_ce()), blocks_(geometry.blocks), pages_(geometry.pages),
          planes_(static_cast<u8>(geometry.planes)),
          page_bits_(static_cast<u8>(geometry.page_bits())),
          plane_bits_(static_cast<u8>(geometry.plane_bits())),
          block_bits_(static_cast<u8>(geometry.block_bits()))
    {
    }

    RowAddress split(u32 row) const
    {
        const auto take = [&row](u32 bits) {
            const u32 field = row & ((1u << bits) - 1);
            row >>= bits;
            return field;
        };
        RowAddress parts;
        parts.place.page = take(page_bits_);
        parts.place.plane = take(plane_bits_);
        parts.place.block = take(block_bits_);
        parts.lun = row;
        return parts;
    }
    /// Is the row inside the part?
    bool contains(const RowAddress& row) const
    {
        return row.lun < luns_ && row.place.plane < planes_ && row.place.block < blocks_ &&
               row.place.page < pages_;
    }

private:
    u32 luns_;
    u32 blocks_;
    u32 pages_;
    u8 planes_;
    u8 page_bits_;
    u8 plane_bits_;
    u8 block_bits_;
};

} // namespace tlmssd::nand
