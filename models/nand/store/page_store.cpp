// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the sparse page store.
#include "models/nand/store/page_store.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "models/common/error.h"
#include "models/nand/store/store_file.h"
#include "models/nand/store/store_layout.h"

namespace tlmssd::nand {

namespace {

static_assert(sizeof(UnitTag) == sizeof(u64));
constexpr u32 kPagesAhead = 16; ///< of a block, whose memory is made ready together
constexpr u64 kDense = u64{256} << 20; ///< bytes of records that a run may well touch all

const Geometry& checked(const Geometry& geometry)
{
    if (geometry.units_per_page() > PageStore::kMaxUnits || geometry.pages > 0xffff) {
        throw ModelError("page store: pages above 64 KiB or more than 65535 pages per block");
    }
    return geometry;
}

/// Elements in `file`, or in memory of their own.
template <class T>
ZeroMemory<T> cells(u64 size, T* file)
{
    return file != nullptr ? ZeroMemory<T>(size, file) : ZeroMemory<T>(size);
}

/// From now on a touched byte costs 4 KiB, not 2 MiB. A hint.
void use_small_pages(ZeroMemory<u64>& words)
{
    ::madvise(&words[0], words.size() * sizeof(u64), MADV_NOHUGEPAGE);
}

/// The process may be killed here: what was stored before is in the file, what comes behind may not be.
void in_order() { std::atomic_signal_fence(std::memory_order_seq_cst); }

} // namespace

PageStore::PageStore(const Geometry& geometry, config::DataKind data, StoreFile* file)
    : geometry_(checked(geometry)), units_(geometry.units_per_page()), words_(words_per_page(geometry)),
      records_(cells(geometry.total_pages() * words_, file ? file->records() : nullptr)),
      next_(cells(u64{geometry.total_planes()} * geometry.blocks, file ? file->next() : nullptr)),
      erases_(cells(u64{geometry.total_planes()} * geometry.blocks, file ? file->erases() : nullptr)),
      ruled_(u64{geometry.total_planes()} * geometry.blocks),
      has_tables_(u64{geometry.total_planes()} * geometry.blocks),
      touched_(u64{geometry.total_planes()} * geometry.blocks),
      tables_(file ? TablePages(most_tables(geometry), geometry.page_bytes, file->tables())
                   : TablePages(most_tables(geometry), geometry.page_bytes)),
      physical_bytes_(geometry.physical_bytes())
{
    if (file != nullptr) {
        bytes_ = std::make_unique<ZeroMemory<u8>>(geometry.total_pages() * physical_bytes_, file->bytes());
        restore(*file);
    } else if (data == config::DataKind::Full) {
        bytes_ = std::make_unique<ZeroMemory<u8>>(geometry.total_pages() * physical_bytes_,
                                                  BackedBy::SmallPages);
    }
}

/// What follows from the cells: who holds which table page.
void PageStore::restore(const StoreFile& file)
{
    for (u64 block = 0; block < next_.size(); ++block) {
        if (next_[block] > geometry_.pages) {
            file.damaged("a block has too many pages");
        }
        for (u64 page = 0; page < next_[block]; ++page) {
            const u64* words = &records_[(block * geometry_.pages + page) * words_];
            const UnitTag& tag = *reinterpret_cast<const UnitTag*>(words);
            if (TablePages::is_table(tag)) {
                if (tag.version >= tables_.most()) {
                    file.damaged("a page names a table that cannot be");
                }
                has_tables_[block] = 1;
                tables_.hold(tag.version);
            }
        }
    }
    tables_.restore();
}

void PageStore::fill(u32 pages, std::unique_ptr<const PageRule> rule)
{
    const u32 blocks = pages / geometry_.pages;
    const u32 rest = pages % geometry_.pages;
    if (bytes_ || rule_ || blocks + (rest != 0) > geometry_.blocks) {
        throw ModelError("page store: filled by a rule with bytes, twice, or beyond its blocks");
    }
    rule_ = std::move(rule);
    for (u64 first = 0; first < ruled_.size(); first += geometry_.blocks) {
        std::fill_n(&ruled_[first], blocks, u8{1});
    }
    ruled_blocks_ = u64{geometry_.total_planes()} * blocks;
    if (ruled_bytes() > kDense) { // 2 MiB hold many blocks, of which a run touches few
        use_small_pages(records_);
    }
    for (u32 plane = 0; rest != 0 && plane < geometry_.total_planes(); ++plane) {
        write_pages({plane / geometry_.planes, plane % geometry_.planes, blocks, 0}, rest);
    }
}

/// The first `pages` pages of the block of `place`, by the rule.
void PageStore::write_pages(const Place& place, u32 pages) const
{
    Place page = place;
    for (page.page = 0; page.page < pages; ++page.page) {
        u64* words = &records_[record(page)];
        rule_->page(page, reinterpret_cast<UnitTag*>(words), reinterpret_cast<u8*>(words + units_));
    }
    next_[block_index(place)] = static_cast<u16>(pages);
}

/// The block of `place`, which is ruled.
void PageStore::write_out(const Place& place) const
{
    write_pages(place, geometry_.pages);
    ruled_[block_index(place)] = 0;
    --ruled_blocks_;
}

void PageStore::write_all_out() const
{
    if (ruled_blocks_ != 0) {
        for_each_block(geometry_, [this](const Place& place) {
            if (ruled(block_index(place))) {
                write_out(place);
            }
        });
    }
}

PageView PageStore::read(const Place& place) const
{
    u64* const words = &records_[record(place)];
    if (const u64 block = block_index(place); place.page >= next_[block]) {
        if (!ruled(block)) {
            return PageView{};
        }
        if (words[0] == 0) { // not read so far; the rest of the block stays with the rule
            rule_->page(place, reinterpret_cast<UnitTag*>(words), reinterpret_cast<u8*>(words + units_));
        }
    }
    return PageView{reinterpret_cast<const UnitTag*>(words),
                    reinterpret_cast<const u8*>(words + units_),
                    bytes_ ? &(*bytes_)[first_byte(place)] : nullptr};
}

ProgramError PageStore::program(const Place& place, const UnitTag* tags, const u8* oob,
                                const u8* page)
{
    u16& next = next_[block_index(place)];
    if (place.page != next || (next == 0 && ruled(block_index(place)))) {
        return place.page < next_page(place) ? ProgramError::NotErased : ProgramError::OutOfOrder;
    }
    u64* words = &records_[record(place)];
    std::memcpy(words, tags, units_ * sizeof(UnitTag));
    std::memcpy(words + units_, oob, kOobBytes);
    if (bytes_) {
        if (u16& there = touched_[block_index(place)]; place.page >= there) { // those behind it follow
            const u32 ahead = std::min(kPagesAhead, geometry_.pages - place.page);
            bytes_->populate(first_byte(place), u64{ahead} * physical_bytes_);
            there = static_cast<u16>(place.page + ahead);
        }
        u8* cells = &(*bytes_)[first_byte(place)];
        if (page != nullptr) {
            std::memcpy(cells, page, physical_bytes_);
        } else {
            std::memset(cells, kErasedByte, physical_bytes_);
        }
    }
    in_order();
    ++next;
    if (TablePages::is_table(tags[0])) {
        has_tables_[block_index(place)] = 1;
        tables_.hold(tags[0].version);
    }
    return ProgramError::None;
}

void PageStore::add(const Place& place, const UnitTag* tags, const u8* oob, const u8* page)
{
    if (ruled(block_index(place))) {
        write_out(place);
    }
    u64* words = &records_[record(place)];
    auto* stored = reinterpret_cast<UnitTag*>(words);
    for (u32 unit = 0; unit < units_; ++unit) {
        if (stored[unit] == UnitTag{}) {
            stored[unit] = tags[unit];
        }
    }
    auto* bytes = reinterpret_cast<u8*>(words + units_);
    for (u32 i = 0; i < kOobBytes; ++i) {
        bytes[i] &= oob[i];
    }
    if (bytes_ && page != nullptr) {
        u8* cells = &(*bytes_)[first_byte(place)];
        for (u32 i = 0; i < physical_bytes_; ++i) {
            cells[i] &= page[i];
        }
    }
}

void PageStore::erase(const Place& place)
{
    const u64 block = block_index(place);
    if (has_tables_[block] != 0) {
        release_tables(block);
    }
    if (ruled(block)) {
        ruled_[block] = 0;
        --ruled_blocks_;
    }
    next_[block] = 0;
    in_order();
    ++erases_[block];
}

/// Before the pages of the block go.
void PageStore::release_tables(u64 block)
{
    for (u64 page = 0; page < next_[block]; ++page) {
        const u64* words = &records_[(block * geometry_.pages + page) * words_];
        const UnitTag& tag = *reinterpret_cast<const UnitTag*>(words);
        if (TablePages::is_table(tag)) {
            tables_.release(tag.version);
        }
    }
    has_tables_[block] = 0;
}

void PageStore::write_torn(const Place& place)
{
    u64* words = &records_[record(place)];
    auto* tags = reinterpret_cast<UnitTag*>(words);
    std::memset(words + units_, kTornByte, kOobBytes); // first: a mount knows a torn page by it
    in_order();
    std::fill_n(tags, units_, kLostUnit);
    if (bytes_) {
        std::memset(&(*bytes_)[first_byte(place)], kTornByte, physical_bytes_);
    }
}

void PageStore::tear_program(const Place& place)
{
    if (ruled(block_index(place))) {
        write_out(place);
    }
    u16& next = next_[block_index(place)];
    if (place.page > next) {
        return;
    }
    if (place.page == next) {
        write_torn(place);
        in_order();
        ++next;
        return;
    }
    if (const UnitTag tag = *read(place).tags; TablePages::is_table(tag)) {
        tables_.release(tag.version);
    }
    write_torn(place);
}

void PageStore::tear_erase(const Place& place)
{
    const u64 block = block_index(place);
    if (ruled(block)) {
        ruled_[block] = 0; // all its pages are lost
        --ruled_blocks_;
    }
    release_tables(block);
    Place page = place;
    for (page.page = 0; page.page < geometry_.pages; ++page.page) {
        write_torn(page);
    }
    in_order();
    next_[block] = static_cast<u16>(geometry_.pages);
}

bool PageStore::torn(const Place& place) const
{
    const PageView page = read(place);
    return page.tags != nullptr &&
           std::all_of(page.tags, page.tags + units_, [](UnitTag t) { return t == kLostUnit; }) &&
           std::all_of(page.oob, page.oob + kOobBytes, [](u8 b) { return b == kTornByte; });
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
