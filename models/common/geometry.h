// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the shape of the flash array and the ONFI row address that follows from it.
#pragma once

#include <string>

#include "models/common/types.h"

namespace tlmssd {

/// Number of bits that hold the values 0..n-1 (0 for n <= 1).
constexpr u32 bits_for(u32 n)
{
    return n <= 1 ? 0 : 32 - static_cast<u32>(__builtin_clz(n - 1));
}

inline constexpr u32 kSectorBytes = 512;
inline constexpr u32 kUnitBytes = 4096; ///< largest unit that carries one integrity tag
inline constexpr u32 kOobBytes = 16;    ///< firmware metadata at the end of each physical page

/// Resolved geometry. A way is one package; its `dies` LUNs share `chip_enables` CE# evenly.
struct Geometry {
    u32 channels = 1;
    u32 ways = 1;         ///< packages per channel
    u32 chip_enables = 1; ///< CE# per package; divides `dies`
    u32 dies = 1;         ///< LUNs per package
    u32 planes = 1;       ///< planes per LUN
    u32 blocks = 1;       ///< blocks per plane
    u32 pages = 1;        ///< pages per block
    u32 page_bytes = 4096; ///< host data in a page
    u32 spare_bytes = 0;
    // Sizes of host data after a controller's compression (ftl.write_size_factor); 0: none.
    u32 part_page_bytes = 0;     ///< data bytes of the part's page, where `page_bytes` are stored smaller
    u32 stored_sector_bytes = 0; ///< on the bus and in the page for a host sector, with its parity

    constexpr u32 luns_per_ce() const { return dies / chip_enables; }
    constexpr u32 ces_per_channel() const { return ways * chip_enables; }
    constexpr u32 dies_per_channel() const { return ways * dies; }
    constexpr u32 total_dies() const { return channels * ways * dies; }
    constexpr u32 total_planes() const { return total_dies() * planes; }
    constexpr u64 pages_per_plane() const { return u64{blocks} * pages; }
    constexpr u64 total_pages() const { return u64{total_planes()} * pages_per_plane(); }
    /// Data bytes of a page of the part.
    constexpr u32 part_bytes() const { return part_page_bytes != 0 ? part_page_bytes : page_bytes; }
    constexpr u64 raw_bytes() const { return total_pages() * part_bytes(); }

    constexpr u32 sectors_per_page() const { return page_bytes / kSectorBytes; }
    /// Bytes under one integrity tag: 4 KiB, or the page where pages are smaller.
    constexpr u32 unit_bytes() const { return page_bytes < kUnitBytes ? page_bytes : kUnitBytes; }
    constexpr u32 units_per_page() const { return page_bytes / unit_bytes(); }
    constexpr u32 sectors_per_unit() const { return unit_bytes() / kSectorBytes; }

    /// ECC parity bytes after each 512-byte sector; OOB follows the last codeword. Without
    /// compression.
    constexpr u32 parity_per_sector() const
    {
        return spare_bytes > kOobBytes ? (spare_bytes - kOobBytes) / sectors_per_page() : 0;
    }
    /// Bytes on the bus for one sector: data and its parity.
    constexpr u32 codeword_bytes() const
    {
        return stored_sector_bytes != 0 ? stored_sector_bytes : kSectorBytes + parity_per_sector();
    }
    /// Host data take `factor` of their size in flash: as many whole units as a page then holds (`most` at
    /// the most), each sector in as many whole bytes as its share of data and parity has.
    /// For pages of kUnitBytes or more.
    constexpr void compress(double factor, u32 most)
    {
        stored_sector_bytes = static_cast<u32>(factor * codeword_bytes());
        part_page_bytes = page_bytes;
        const double units = page_bytes / kUnitBytes / factor + 1e-9; // 4 / 0.8 is 5
        page_bytes = kUnitBytes * (units < most ? static_cast<u32>(units) : most);
    }
    /// Column (byte offset in the physical page) of sector `s`.
    constexpr u32 column_of_sector(u32 s) const { return s * codeword_bytes(); }
    /// Column of the 16 OOB bytes.
    constexpr u32 oob_column() const { return sectors_per_page() * codeword_bytes(); }
    /// Bytes of a page with its spare area, which holds the OOB bytes at least.
    constexpr u32 physical_bytes() const
    {
        const u32 least = oob_column() + kOobBytes;
        return part_bytes() + spare_bytes < least ? least : part_bytes() + spare_bytes;
    }

    // ONFI row address, least significant first: page | block (its low bits are the plane) | LUN.
    constexpr u32 page_bits() const { return bits_for(pages); }
    constexpr u32 plane_bits() const { return bits_for(planes); }
    constexpr u32 block_bits() const { return bits_for(blocks); }
    constexpr u32 lun_shift() const { return page_bits() + plane_bits() + block_bits(); }
    constexpr u32 row(u32 lun, u32 plane, u32 block, u32 page) const
    {
        return (((((lun << block_bits()) | block) << plane_bits()) | plane) << page_bits()) | page;
    }
    constexpr u32 row_page(u32 row) const { return row & ((1u << page_bits()) - 1); }
    constexpr u32 row_plane(u32 row) const
    {
        return (row >> page_bits()) & ((1u << plane_bits()) - 1);
    }
    constexpr u32 row_block(u32 row) const
    {
        return (row >> (page_bits() + plane_bits())) & ((1u << block_bits()) - 1);
    }
    constexpr u32 row_lun(u32 row) const { return row >> lun_shift(); }

    /// Die number over the whole device: ((channel * ways) + way) * dies + die.
    constexpr u32 die_index(u32 channel, u32 way, u32 die) const
    {
        return (channel * ways + way) * dies + die;
    }
    /// Die number from the controller's view (CE# on the channel, LUN on the CE#).
    constexpr u32 die_index_ce(u32 channel, u32 ce, u32 lun) const
    {
        return channel * dies_per_channel() + ce * luns_per_ce() + lun;
    }
};

/// "channel/way/die" of a die number over the device.
inline std::string die_name(const Geometry& g, u32 die)
{
    const u32 way = die / g.dies;
    return std::to_string(way / g.ways) + "/" + std::to_string(way % g.ways) + "/" +
           std::to_string(die % g.dies);
}

/// Geometry::die_index_ce() for hot paths: its divisions are done once.
class DieNumbers {
public:
    explicit constexpr DieNumbers(const Geometry& g)
        : luns_per_ce_(g.luns_per_ce()), dies_per_channel_(g.dies_per_channel())
    {
    }
    constexpr u32 operator()(u32 channel, u32 ce, u32 lun) const
    {
        return channel * dies_per_channel_ + ce * luns_per_ce_ + lun;
    }
    constexpr u32 luns_per_ce() const { return luns_per_ce_; }

private:
    u32 luns_per_ce_;
    u32 dies_per_channel_;
};

} // namespace tlmssd
