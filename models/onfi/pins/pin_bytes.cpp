// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: integrity tags as bytes and back.
#include "models/onfi/pins/pin_bytes.h"

#include <algorithm>

namespace tlmssd::onfi {

namespace {

constexpr u32 kTagBytes = 8;

u8 tag_byte(const UnitTag& tag, u32 i)
{
    const u32 word = i < 4 ? tag.unit : tag.version;
    return static_cast<u8>(word >> (8 * (i % 4)));
}

u32 word_of(const u8* bytes)
{
    return bytes[0] | u32{bytes[1]} << 8 | u32{bytes[2]} << 16 | u32{bytes[3]} << 24;
}

} // namespace

u8 PinBytes::page_byte(const DataCells& cells, u32 first, u32 column) const
{
    if (column >= oob_column_) {
        const u32 i = column - oob_column_;
        return i < kOobBytes ? cells.oob[i] : u8{0xff};
    }
    const u32 unit = column / unit_columns_;
    const u32 i = (column - unit * unit_columns_) % kTagBytes;
    return tag_byte(cells.tags[unit - first / unit_columns_], i);
}

void PinBytes::gather(const u8* bytes, u32 size, u32 column, DataCells& cells) const
{
    const u32 end = column + size;
    cells.tags.fill(UnitTag{});
    cells.oob.fill(0);
    cells.bytes.fill(0);
    std::copy_n(bytes, std::min<std::size_t>(size, cells.bytes.size()), cells.bytes.begin());
    for (u32 c = std::max(column, oob_column_); c < std::min(end, oob_column_ + kOobBytes); ++c) {
        cells.oob[c - oob_column_] = bytes[c - column];
    }
    const u32 first = column / unit_columns_;
    for (u32 i = 0; i < cells.tags.size(); ++i) {
        const u32 unit = (first + i) * unit_columns_;
        const u32 inside = column > unit ? column - unit : 0;
        const u32 from = unit + (inside + kTagBytes - 1) / kTagBytes * kTagBytes;
        if (from + kTagBytes > std::min({end, unit + unit_columns_, oob_column_})) {
            continue; // no whole tag of this unit
        }
        const u8* const tag = &bytes[from - column];
        cells.tags[i] = {word_of(tag), word_of(tag + 4)};
    }
}

} // namespace tlmssd::onfi
