// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: where the bus reads and writes in the cache registers of a LUN.
#pragma once

#include "models/common/geometry.h"
#include "models/nand/lun/plane_register.h"
#include "models/onfi/bus/segment.h"

namespace tlmssd::nand {

/// The plane whose register the bus sees, the column, and what the last burst out has carried.
class RegisterPort {
public:
    explicit RegisterPort(const Geometry& geometry);

    u32 plane() const { return plane_; }
    u32 column() const { return column_; }
    void select(u32 plane, u32 column)
    {
        plane_ = plane;
        column_ = column;
    }
    void set_plane(u32 plane) { plane_ = plane; }
    void set_column(u32 column) { column_ = column; }

    /// Burst out: fills tags and OOB that `bytes` from the current column cover, and cells.page
    /// where there is one and the register keeps bytes; column advances.
    onfi::Rule put(const PlaneRegister& reg, u32 bytes, onfi::DataCells& cells);
    /// Burst in; column advances.
    onfi::Rule take(PlaneRegister& reg, u32 bytes, const onfi::DataCells& cells);

    /// Did the last burst out carry a tag? delivered_unit() is that of its first.
    bool has_delivered() const { return delivered_.first != delivered_.end; }
    u32 delivered_unit() const { return delivered_.first; }
    /// The last burst out delivers bytes of unit `unit` of `page` instead of those of its first
    /// unit. Nothing where either has no bytes.
    void swap_bytes(const u8* page, u32 unit, onfi::DataCells& cells) const;

private:
    struct UnitRange {
        u32 first = 0;
        u32 end = 0;
    };
    UnitRange units_of(u32 column, u32 end) const;
    void clean(PlaneRegister& reg, u32 column, u32 end) const;

    u32 plane_ = 0;
    u32 column_ = 0;
    UnitRange delivered_;    ///< units of the last burst out
    u32 delivered_from_ = 0; ///< its first column
    u32 delivered_to_ = 0;   ///< the column after its last
    u32 units_;
    u32 codeword_bytes_;
    u32 unit_columns_; ///< bytes of one unit on the bus, parity included
    u32 oob_column_;
    u32 physical_bytes_; ///< a page with its spare area
};

} // namespace tlmssd::nand
