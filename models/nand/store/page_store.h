// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the cells of the whole device hold: tags, OOB bytes, write points, erase counts, and
// with `data: full` every byte.
#pragma once

#include <array>
#include <memory>

#include "models/common/geometry.h"
#include "models/common/table_pages.h"
#include "models/common/tag.h"
#include "models/common/zero_memory.h"
#include "models/config/config.h"

namespace tlmssd::nand {

inline constexpr u8 kErasedByte = 0xff;
/// OOB bytes, and data bytes where the store has any, of a torn page: neither erased nor anybody's record.
inline constexpr u8 kTornByte = 0x6d;

/// A physical page. `die` counts over the device (Geometry::die_index).
struct Place {
    u32 die = 0;
    u32 plane = 0;
    u32 block = 0;
    u32 page = 0;
};

/// Calls visit(place) with page 0 of each block of the device: die by die, plane by plane.
template <class Visit>
void for_each_block(const Geometry& g, const Visit& visit)
{
    for (u32 die = 0; die < g.total_dies(); ++die) {
        for (u32 plane = 0; plane < g.planes; ++plane) {
            for (u32 block = 0; block < g.blocks; ++block) {
                visit(Place{die, plane, block, 0});
            }
        }
    }
}

/// The content of a page; `tags` is null where the page is erased.
struct PageView {
    const UnitTag* tags = nullptr; ///< Geometry::units_per_page() of them
    const u8* oob = nullptr;       ///< kOobBytes
    const u8* bytes = nullptr;     ///< Geometry::physical_bytes(); null unless the store keeps bytes
};

class StoreFile;

/// Pages that a rule gives: those of whole blocks that were written in an order.
class PageRule {
public:
    virtual ~PageRule() = default;
    /// The tags (Geometry::units_per_page()) and OOB bytes (kOobBytes) of a page.
    virtual void page(const Place& place, UnitTag* tags, u8* oob) const = 0;
};

enum class ProgramError : u8 {
    None,
    OutOfOrder, ///< pages before it in the block are still erased
    NotErased   ///< the page is programmed already
};

/// Sparse store of all pages. A page costs 8 B per tag + 16 B OOB once its neighbourhood is
/// touched. With DataKind::Full a page also costs its physical bytes, once it has been programmed;
/// an erase keeps that memory for the next programs. Places are not range-checked here; the die
/// does that. Used by dies and by preconditioning alike.
class PageStore {
public:
    static constexpr u32 kMaxUnits = 16; ///< units per page: pages up to 64 KiB

    /// Throws ModelError for a geometry with more than kMaxUnits units or 65535 pages per block.
    /// `file`: holds the cells, as they were when it was used last; needs DataKind::Full.
    /// InputError where that cannot be.
    explicit PageStore(const Geometry& geometry, config::DataKind data = config::DataKind::Tags,
                       StoreFile* file = nullptr);

    PageView read(const Place& place) const;
    /// Store units_per_page() tags and 16 OOB bytes; nothing changes where an error is returned.
    /// `bytes`: the whole physical page, OOB included, where the store keeps bytes; null: all FFh.
    ProgramError program(const Place& place, const UnitTag* tags, const u8* oob,
                         const u8* bytes = nullptr);
    /// A further (partial) program of a page: units without a tag take the new one, bits can only
    /// go from 1 to 0. The page is programmed already.
    void add(const Place& place, const UnitTag* tags, const u8* oob, const u8* bytes = nullptr);
    /// As if the first `pages` pages of each plane had been programmed with what `rule` gives. A whole block costs
    /// memory once a page of it is read or changed. Before the first program; not with bytes.
    void fill(u32 pages, std::unique_ptr<const PageRule> rule);
    /// Erase the block of `place`, count it, and let its pages be programmed again from page 0.
    void erase(const Place& place);
    /// The program of the page has been cut off, or has failed: it is spent, and all of it reads as lost
    /// (kLostUnit, kTornByte) until the block is erased. A page that was programmed before (a further
    /// partial program) is lost as well. No effect on a page that it is not the turn of.
    void tear_program(const Place& place);
    /// The erase of the block has been cut off: all its pages read as lost, and none can be programmed,
    /// until it is erased. Not counted as an erase.
    void tear_erase(const Place& place);
    /// Is the page torn?
    bool torn(const Place& place) const;

    /// Contents of the firmware's own pages. The store holds and releases the numbers of the pages that
    /// are programmed and erased.
    TablePages& tables() { return tables_; }
    const TablePages& tables() const { return tables_; }

    /// Fetch the page's record into the cache; a hint without effect on the model.
    void prefetch(const Place& place) const;
    /// The page's record, for a prefetch.
    const void* address(const Place& place) const { return &records_[record(place)]; }

    /// Pages of the block programmed since its last erase: the next one to program.
    u32 next_page(const Place& place) const
    {
        const u64 block = block_index(place);
        const u32 next = next_[block];
        return next != 0 || !ruled(block) ? next : geometry_.pages;
    }
    u32 erase_count(const Place& place) const { return erases_[block_index(place)]; }
    /// Of a device that goes on (a snapshot).
    void restore_erase_count(const Place& place, u32 erases) { erases_[block_index(place)] = erases; }
    /// Flat number of a page over the device.
    u64 page_index(const Place& place) const
    {
        return block_index(place) * geometry_.pages + place.page;
    }
    const Geometry& geometry() const { return geometry_; }
    /// Bytes that memory() has beyond those that are written out.
    u64 ruled_bytes() const { return ruled_blocks_ * geometry_.pages * words_ * sizeof(u64); }
    /// All that a store without bytes and without the firmware's own pages holds; zero when it is new. Pages of a rule
    /// are written out first.
    struct Memory {
        void* data;
        u64 bytes;
    };
    std::array<Memory, 3> memory()
    {
        write_all_out();
        return {{{&records_[0], records_.size() * sizeof(u64)},
                 {&next_[0], next_.size() * sizeof(u16)},
                 {&erases_[0], erases_.size() * sizeof(u32)}}};
    }
    bool keeps_bytes() const { return bytes_ != nullptr; }

private:
    u64 block_index(const Place& place) const
    {
        return (u64{place.die} * geometry_.planes + place.plane) * geometry_.blocks + place.block;
    }
    u64 record(const Place& place) const { return page_index(place) * words_; }
    u64 first_byte(const Place& place) const { return page_index(place) * physical_bytes_; }

    /// Only the rule says what the block holds.
    bool ruled(u64 block) const { return rule_ != nullptr && ruled_[block] != 0; }
    void write_out(const Place& place) const;
    void write_pages(const Place& place, u32 pages) const;
    void write_all_out() const;
    void restore(const StoreFile& file);
    void release_tables(u64 block);
    void write_torn(const Place& place);

    Geometry geometry_;
    u32 units_;
    u64 words_;                     ///< 64-bit words a page: one a tag, two of OOB
    mutable ZeroMemory<u64> records_; ///< by page: tags, then OOB, so that both share a cache line
    mutable ZeroMemory<u16> next_;    ///< by block; 0 as long as it is ruled
    ZeroMemory<u32> erases_;  ///< by block
    std::unique_ptr<const PageRule> rule_;
    mutable ZeroMemory<u8> ruled_; ///< by block: only `rule_` says what it holds
    mutable u64 ruled_blocks_ = 0;
    ZeroMemory<u8> has_tables_; ///< by block: some page of it holds a number of tables_
    ZeroMemory<u16> touched_;   ///< by block: pages whose bytes have memory
    TablePages tables_;
    u32 physical_bytes_;
    std::unique_ptr<ZeroMemory<u8>> bytes_; ///< by page; null: tags stand for the data
};

} // namespace tlmssd::nand
