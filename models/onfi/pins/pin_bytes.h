// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the bytes of a page burst are on the pins, and what they tell when they come back.
#pragma once

#include "models/common/geometry.h"
#include "models/config/config.h"
#include "models/onfi/bus/segment.h"

namespace tlmssd::onfi {

/// With `data: full` bytes are what they are. With tags they stand for the data: the eight bytes of a unit's
/// integrity tag over and over from the unit's first column on, and the OOB bytes at their columns; FFh
/// behind them.
class PinBytes {
public:
    PinBytes(const Geometry& geometry, config::DataKind data)
        : unit_columns_(geometry.codeword_bytes() * geometry.sectors_per_unit()),
          oob_column_(geometry.oob_column()), full_(data == config::DataKind::Full)
    {
    }

    bool full() const { return full_; }
    u32 unit_columns() const { return unit_columns_; }
    /// The byte at `column` where tags stand for the data; cells.tags[0] is the unit at column `first`.
    u8 page_byte(const DataCells& cells, u32 first, u32 column) const;
    /// Tags, OOB bytes and the first register bytes of a burst of `size` bytes from `column` on. A unit of
    /// which the burst has no whole tag gets {0, 0}. Leaves cells.page and bit errors alone.
    void gather(const u8* bytes, u32 size, u32 column, DataCells& cells) const;

private:
    u32 unit_columns_, oob_column_;
    bool full_;
};

} // namespace tlmssd::onfi
