// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bursts to and from a cache register.
#include "models/nand/lun/register_port.h"

#include <algorithm>

namespace tlmssd::nand {

using onfi::Rule;

RegisterPort::RegisterPort(const Geometry& geometry)
    : units_(geometry.units_per_page()), codeword_bytes_(geometry.codeword_bytes()),
      unit_columns_(geometry.sectors_per_unit() * geometry.codeword_bytes()),
      oob_column_(geometry.oob_column()), physical_bytes_(geometry.physical_bytes())
{
}

/// Units that the bytes [column, end) touch.
RegisterPort::UnitRange RegisterPort::units_of(u32 column, u32 end) const
{
    if (column == 0 && end >= units_ * unit_columns_) { // a whole page: no divisions
        return UnitRange{0, units_};
    }
    const u32 first = column / unit_columns_;
    const u32 past = (end + unit_columns_ - 1) / unit_columns_;
    return UnitRange{std::min(first, units_), std::min(past, units_)};
}

Rule RegisterPort::put(const PlaneRegister& reg, u32 bytes, onfi::DataCells& cells)
{
    const u32 end = column_ + bytes;
    delivered_ = UnitRange{};
    if (!reg.valid) {
        return Rule::NoData;
    }
    if (end > physical_bytes_) {
        return Rule::BurstLength;
    }
    delivered_ = units_of(column_, end);
    std::copy(reg.tags.begin() + delivered_.first, reg.tags.begin() + delivered_.end,
              cells.tags.begin());
    const u32 oob_first = std::max(column_, oob_column_);
    const u32 oob_end = std::min(end, oob_column_ + kOobBytes);
    for (u32 i = oob_first; i < oob_end; ++i) {
        cells.oob[i - oob_column_] = reg.oob[i - oob_column_];
    }
    if (cells.page != nullptr && !reg.bytes.empty()) {
        std::copy_n(reg.bytes.begin() + column_, bytes, cells.page);
    }
    delivered_from_ = column_;
    delivered_to_ = end;
    column_ = end;
    return Rule::None;
}

Rule RegisterPort::take(PlaneRegister& reg, u32 bytes, const onfi::DataCells& cells)
{
    const u32 end = column_ + bytes;
    if (end > physical_bytes_) {
        return Rule::BurstLength;
    }
    const UnitRange units = units_of(column_, end);
    std::copy_n(cells.tags.begin(), units.end - units.first, reg.tags.begin() + units.first);
    const u32 oob_first = std::max(column_, oob_column_);
    const u32 oob_end = std::min(end, oob_column_ + kOobBytes);
    for (u32 i = oob_first; i < oob_end; ++i) {
        reg.oob[i - oob_column_] = cells.oob[i - oob_column_];
    }
    if (cells.page != nullptr && !reg.bytes.empty()) {
        std::copy_n(cells.page, bytes, reg.bytes.begin() + column_);
    }
    clean(reg, column_, end);
    column_ = end;
    return Rule::None;
}

/// Codewords that a burst in has replaced from end to end bring no errors of a copyback's source.
void RegisterPort::clean(PlaneRegister& reg, u32 column, u32 end) const
{
    for (u32 i = (column + codeword_bytes_ - 1) / codeword_bytes_;
         i < reg.carried.size() && (i + 1) * codeword_bytes_ <= end; ++i) {
        reg.carried[i] = 0;
    }
}

void RegisterPort::swap_bytes(const u8* page, u32 unit, onfi::DataCells& cells) const
{
    if (cells.page == nullptr || page == nullptr) {
        return;
    }
    const u32 behind = std::min(delivered_to_, (delivered_.first + 1) * unit_columns_);
    const u32 in_unit = delivered_from_ - delivered_.first * unit_columns_;
    std::copy_n(page + unit * unit_columns_ + in_unit, behind - delivered_from_, cells.page);
}

} // namespace tlmssd::nand
