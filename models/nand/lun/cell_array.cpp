// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the cells hold after a read, a program or an erase.
#include "models/nand/lun/cell_array.h"

#include <algorithm>
#include <cstring>

namespace tlmssd::nand {

namespace {

constexpr u8 kBadBlockMark = 0x00; ///< first page of a factory-bad block (ONFI 2.3 clause 3.2)

} // namespace

CellArray::CellArray(Device& device)
    : device_(device), store_(device.store), units_(store_.geometry().units_per_page()),
      oob_column_(store_.geometry().oob_column()),
      physical_bytes_(store_.geometry().physical_bytes())
{
}

void CellArray::load(PlaneRegister& reg, const Place& place, bool broken, Picoseconds end,
                     u32 retry)
{
    const PageView page = store_.read(place);
    if (page.tags != nullptr) {
        std::copy_n(page.tags, units_, reg.tags.begin());
        std::memcpy(reg.oob.data(), page.oob, kOobBytes);
    } else {
        std::fill_n(reg.tags.begin(), units_, UnitTag{});
        reg.oob.fill(kErasedByte);
    }
    if (page.bytes != nullptr) {
        std::copy_n(page.bytes, physical_bytes_, reg.bytes.begin());
    } else {
        std::fill(reg.bytes.begin(), reg.bytes.end(), kErasedByte);
    }
    reg.at = {place.block, place.page};
    reg.valid = !broken;
    if (device_.errors.enabled()) {
        sense(reg, place, page.tags == nullptr, end, retry);
    }
}

/// Errors are on: the state of the cells, and the mark of a factory-bad block.
void CellArray::sense(PlaneRegister& reg, const Place& place, bool erased, Picoseconds end,
                      u32 retry)
{
    BlockHistory& history = *device_.history;
    reg.sensed = !erased;
    if (reg.sensed) {
        reg.cells = {place, device_.erases(place), history.reads(place),
                     history.days(place, end, device_.nand.errors.retention_days), retry};
        reg.rber = device_.errors.rber(reg.cells);
    }
    history.on_read(place);
    if (place.page == 0 && device_.errors.factory_bad(place.die, place.plane, place.block)) {
        std::fill_n(reg.tags.begin(), units_, UnitTag{});
        reg.oob.fill(kBadBlockMark);
        if (!reg.bytes.empty()) {
            std::fill(reg.bytes.begin(), reg.bytes.end(), kErasedByte);
            std::fill_n(reg.bytes.begin() + oob_column_, kOobBytes, kBadBlockMark);
        }
        reg.sensed = false;
    }
}

bool CellArray::is_spoiled(const Place& place) const
{
    return std::any_of(bad_blocks_.begin(), bad_blocks_.end(), [&](const PlaneBlock& bad) {
        return bad.plane == place.plane && bad.block == place.block;
    });
}

bool CellArray::programs_fail(const Place& place) const
{
    return programs_fail_ || is_spoiled(place) ||
           (device_.errors.enabled() &&
            (device_.errors.program_fails(place, device_.erases(place)) ||
             device_.errors.factory_bad(place.die, place.plane, place.block)));
}

bool CellArray::erases_fail(const Place& place) const
{
    return erases_fail_ || is_spoiled(place) ||
           (device_.errors.enabled() &&
            (device_.errors.erase_fails(place, device_.erases(place)) ||
             device_.errors.factory_bad(place.die, place.plane, place.block)));
}

bool CellArray::program(const Place& place, const PlaneRegister& reg, Picoseconds end)
{
    const bool partial = place.page < store_.next_page(place);
    const bool good = !programs_fail(place);
    if (!good) { // the page is spent; what it holds is not what was sent
        store_.tear_program(place);
    } else if (partial) {
        store_.add(place, reg.tags.data(), reg.oob.data(), reg.bytes.data());
    } else {
        store_.program(place, reg.tags.data(), reg.oob.data(), reg.bytes.data());
        if (!reg.carried.empty()) {
            device_.copied[store_.page_index(place)] = reg.carried;
        }
    }
    if (device_.partials) {
        u8& count = device_.partials_of(place);
        count = partial ? static_cast<u8>(std::max(count, u8{1}) + 1) : u8{1};
    }
    if (device_.history) {
        device_.history->on_program(place, end);
    }
    return good;
}

bool CellArray::erase(const Place& place)
{
    if (erases_fail(place)) {
        return false;
    }
    store_.erase(place);
    if (!device_.copied.empty()) {
        const u64 first = store_.page_index({place.die, place.plane, place.block, 0});
        for (u32 page = 0; page < store_.geometry().pages; ++page) {
            device_.copied.erase(first + page);
        }
    }
    if (device_.history) {
        device_.history->on_erase(place);
    }
    return true;
}

void CellArray::tear_program(const Place& place, Picoseconds end)
{
    store_.tear_program(place);
    if (device_.history) {
        device_.history->on_program(place, end);
    }
}

void CellArray::tear_erase(const Place& place, Picoseconds now)
{
    store_.tear_erase(place);
    if (device_.history) {
        device_.history->on_program(place, now); // charge of unknown age in all its cells
    }
}

/// Those of the cells, and those that came with the page where a copyback programmed it: what is added
/// hits other bits.
u32 CellArray::errors_of(const PlaneRegister& reg, u32 codeword) const
{
    const u32 bits = store_.geometry().codeword_bytes() * 8;
    u32 wrong = device_.errors.bit_errors(reg.cells, reg.rber, codeword, bits);
    if (!device_.copied.empty()) {
        const auto found = device_.copied.find(store_.page_index(reg.cells.place));
        wrong += found == device_.copied.end() ? 0 : found->second[codeword];
    }
    return std::min<u32>(wrong, 0xffff);
}

} // namespace tlmssd::nand
