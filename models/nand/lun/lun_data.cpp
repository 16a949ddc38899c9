// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bursts to and from the cache registers of a LUN, and its status register.
#include <algorithm>

#include "models/nand/lun/lun.h"

namespace tlmssd::nand {

using onfi::Rule;

void Lun::select(u32 plane, u32 column)
{
    plane_ = plane;
    column_ = column;
}

/// Units that the bytes [column, end) touch.
Lun::UnitRange Lun::units_of(u32 column, u32 end) const
{
    if (column == 0 && end >= units_ * unit_columns_) { // a whole page: no divisions
        return UnitRange{0, units_};
    }
    const u32 first = column / unit_columns_;
    const u32 past = (end + unit_columns_ - 1) / unit_columns_;
    return UnitRange{std::min(first, units_), std::min(past, units_)};
}

Rule Lun::read_out(u32 bytes, onfi::DataCells& cells)
{
    const PlaneRegister& reg = planes_[plane_];
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
    if (device_.errors.enabled()) {
        deliver_errors(reg, column_, end, cells);
    }
    if (cells.page != nullptr && !reg.bytes.empty()) {
        std::copy_n(reg.bytes.begin() + column_, bytes, cells.page);
    }
    delivered_from_ = column_;
    delivered_to_ = end;
    column_ = end;
    return Rule::None;
}

/// Those of the cells, and those that came with the page where a copyback programmed it: what is added
/// hits other bits.
u32 Lun::errors_of(const PlaneRegister& reg, u32 codeword) const
{
    const u32 bits = store_.geometry().codeword_bytes() * 8;
    u32 wrong = device_.errors.bit_errors(reg.cells, reg.rber, codeword, bits);
    if (!device_.copied.empty()) {
        const auto found = device_.copied.find(store_.page_index(reg.cells.place));
        wrong += found == device_.copied.end() ? 0 : found->second[codeword];
    }
    return std::min<u32>(wrong, 0xffff);
}

/// Bit errors of the codewords that [column, end) touches. The OOB bytes belong to none.
void Lun::deliver_errors(const PlaneRegister& reg, u32 column, u32 end, onfi::DataCells& cells)
{
    cells.codewords = 0;
    if (!reg.sensed) {
        return;
    }
    const Geometry& g = store_.geometry();
    const u32 bits = g.codeword_bytes() * 8;
    const u32 past = std::min((end + g.codeword_bytes() - 1) / g.codeword_bytes(),
                              g.sectors_per_page());
    for (u32 codeword = column / g.codeword_bytes(); codeword < past; ++codeword) {
        const u32 wrong = errors_of(reg, codeword);
        cells.bit_errors[cells.codewords++] = static_cast<u16>(wrong);
        statistics_.bits_read += bits;
        statistics_.bit_errors += wrong;
        statistics_.expected_bit_errors += reg.rber * bits;
    }
}

Rule Lun::write_in(u32 bytes, const onfi::DataCells& cells)
{
    PlaneRegister& reg = planes_[plane_];
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
    column_ = end;
    return Rule::None;
}

/// What the last burst out has delivered of its first unit comes from unit `unit` of `page` instead.
void Lun::swap_bytes(const u8* page, u32 unit, onfi::DataCells& cells) const
{
    if (cells.page == nullptr || page == nullptr) {
        return;
    }
    const u32 behind = std::min(delivered_to_, (delivered_.first + 1) * unit_columns_);
    const u32 in_unit = delivered_from_ - delivered_.first * unit_columns_;
    std::copy_n(page + unit * unit_columns_ + in_unit, behind - delivered_from_, cells.page);
}

bool Lun::swap_delivered(onfi::DataCells& cells) const
{
    if (delivered_.first == delivered_.end) {
        return false;
    }
    const UnitTag right = cells.tags[0];
    const auto take = [&](const UnitTag& wrong, const u8* page, u32 from) {
        if (wrong == right) {
            return false;
        }
        cells.tags[0] = wrong;
        swap_bytes(page, from, cells);
        return true;
    };
    const u32 unit = delivered_.first;
    for (u32 plane = 0; plane < planes_.size(); ++plane) {
        const PlaneRegister& reg = planes_[plane];
        const u8* const bytes = reg.bytes.empty() ? nullptr : reg.bytes.data();
        if (plane != plane_ && reg.valid && take(reg.tags[unit], bytes, unit)) {
            return true;
        }
    }
    const PlaneRegister& own = planes_[plane_];
    for (u32 other = 0; other < units_; ++other) {
        if (take(own.tags[other], own.bytes.empty() ? nullptr : own.bytes.data(), other)) {
            return true;
        }
    }
    Place place = place_of(plane_, own.at);
    for (place.page = 0; place.page < store_.next_page(place); ++place.page) {
        const PageView page = store_.read(place);
        if (take(page.tags[unit], page.bytes, unit)) {
            return true;
        }
    }
    return false;
}

u8 Lun::status(u32 plane) const
{
    namespace status = onfi::status;
    u32 bits = protected_ ? 0u : status::kNotProtected;
    if (suspended_.op != ArrayOp::None) {
        bits |= status::kSuspended;
    }
    if (busy()) {
        return static_cast<u8>(bits);
    }
    const u32 mask = plane == kAllPlanes ? ~0u : 1u << plane;
    bits |= status::kReady | ((fail_previous_ & mask) != 0 ? status::kFailPrevious : 0u);
    if (!array_busy()) {
        bits |= status::kArrayReady | ((fail_ & mask) != 0 ? status::kFail : 0u);
    }
    return static_cast<u8>(bits);
}

} // namespace tlmssd::nand
