// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the sparse page store.
#include "models/nand/page_store.h"

#include <cstring>

#include "models/common/error.h"

namespace tlmssd::nand {

namespace {

static_assert(sizeof(UnitTag) == sizeof(u64));
constexpr u64 kOobWords = kOobBytes / sizeof(u64);

const Geometry& checked(const Geometry& geometry)
{
    if (geometry.units_per_page() > PageStore::kMaxUnits || geometry.pages > 0xffff) {
        throw ModelError("page store: pages above 64 KiB or more than 65535 pages a block");
    }
    return geometry;
}

} // namespace

PageStore::PageStore(const Geometry& geometry)
    : geometry_(checked(geometry)), units_(geometry.units_per_page()),
      words_(geometry.units_per_page() + kOobWords), records_(geometry.total_pages() * words_),
      next_(u64{geometry.total_planes()} * geometry.blocks),
      erases_(u64{geometry.total_planes()} * geometry.blocks)
{
}

PageView PageStore::read(const Place& place) const
{
    if (place.page >= next_page(place)) {
        return PageView{};
    }
    const u64* words = &records_[record(place)];
    return PageView{reinterpret_cast<const UnitTag*>(words),
                    reinterpret_cast<const u8*>(words + units_)};
}

ProgramError PageStore::program(const Place& place, const UnitTag* tags, const u8* oob)
{
    u16& next = next_[block_index(place)];
    if (place.page != next) {
        return place.page < next ? ProgramError::NotErased : ProgramError::OutOfOrder;
    }
    u64* words = &records_[record(place)];
    std::memcpy(words, tags, units_ * sizeof(UnitTag));
    std::memcpy(words + units_, oob, kOobBytes);
    ++next;
    return ProgramError::None;
}

void PageStore::erase(const Place& place)
{
    const u64 block = block_index(place);
    next_[block] = 0;
    ++erases_[block];
}

void PageStore::prefetch(const Place& place) const
{
    const u64* words = &records_[record(place)];
    __builtin_prefetch(words);
    if (64 % (words_ * sizeof(u64)) != 0) { // a record may lie on two cache lines
        __builtin_prefetch(words + words_ - 1);
    }
}

} // namespace tlmssd::nand
