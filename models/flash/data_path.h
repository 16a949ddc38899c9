// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: DMA and ECC between page buffers in DRAM and the bursts of the ONFI bus.
#pragma once

#include <vector>

#include "models/common/geometry.h"
#include "models/common/table_pages.h"
#include "models/config/config.h"
#include "models/interfaces/controller_if.h"
#include "models/interfaces/dram_if.h"
#include "models/onfi/bus/segment.h"

namespace tlmssd::flash {

/// The lines of a bus that no die drives read FFh, and so does a lost unit's tag. With `data: full` the
/// bytes of a codeword that is lost have wrong bits.
using tlmssd::kLostUnit;

/// One block behind all controllers. A burst in is fed cut-through from DRAM; a burst out is
/// checked by ECC and written to DRAM when it has ended (docs/explanation/flash.md).
class DataPath {
public:
    struct EccStatistics {
        u64 codewords = 0;           ///< with raw bit errors known, whether there were any or not
        u64 corrected_bits = 0;      ///< in codewords that could be corrected
        u64 failed_codewords = 0;    ///< at any read-retry level
        u64 retries = 0;             ///< page bursts at a level above 0
        u64 uncorrectable_pages = 0; ///< page bursts that were lost at the last level

        /// The counts since `before`.
        EccStatistics since(const EccStatistics& before) const
        {
            return {codewords - before.codewords, corrected_bits - before.corrected_bits,
                    failed_codewords - before.failed_codewords, retries - before.retries,
                    uncorrectable_pages - before.uncorrectable_pages};
        }
    };

    /// `config` gives the ECC: latency, bits a codeword, time a bit, read-retry levels.
    DataPath(const Geometry& geometry, FlashDramIf& dram, const config::Controller& config,
             const config::Inject& inject)
        : geometry_(geometry), codeword_bytes_(geometry.codeword_bytes()),
          sectors_per_page_(geometry.sectors_per_page()),
          unit_shift_(bits_for(geometry.sectors_per_unit())), dram_(dram), ecc_latency_(config.ecc_latency),
          ecc_per_bit_(config.ecc_per_bit), ecc_bits_(config.ecc_bits),
          last_level_(config.read_retries), falsify_at_(inject.falsify_dma_at)
    {
    }

    /// From now on page buffers that DRAM says are pages of the firmware's tables are programmed and
    /// read with their contents, which `tables` keeps. It outlives this.
    void carry_tables(TablePages& tables) { tables_ = &tables; }

    /// Bytes of the burst that moves `request`'s sectors (and OOB): codewords with their parity.
    u32 burst_bytes(const SegmentRequest& request) const
    {
        const u32 codewords = request.len * codeword_bytes_;
        return has_oob(request) ? codewords + kOobBytes : codewords;
    }

    void lengthen_ecc(Picoseconds more) { ecc_latency_ += more; }
    /// Fetch what a program needs into `cells`; returns when DRAM has delivered the last byte.
    DramEnd fetch(const SegmentRequest& request, onfi::DataCells& cells, Picoseconds now);
    /// The DRAM's masters have arbitration: what fetch() and store() tell are the earliest times.
    bool revises() const { return dram_.revises(); }
    /// With arbitration: whether a fetch has ended at `now`, else when to ask again.
    bool over(DramEnd& fetched, Picoseconds now) { return dram_.over(fetched, now); }
    /// With arbitration: SegmentPortIf::landing().
    Picoseconds landing(u32 tag, Picoseconds at, Picoseconds now);
    /// Bytes travel too (`data: full`); then DataCells::page of a page's burst holds
    /// Geometry::physical_bytes().
    bool carries_bytes() const { return dram_.bytes(0) != nullptr; }

    /// What `cells` hold while no die drives the burst out that `request` is about to start.
    void undriven(const SegmentRequest& request, onfi::DataCells& cells) const;
    /// Correct and store a burst out that ended now. Units with a codeword beyond `ecc_bits` are
    /// stored as kLostUnit. ModelError where bytes are wrong that ECC has taken for right.
    SegmentResult store(const SegmentRequest& request, const onfi::DataCells& cells,
                        Picoseconds now);

    const EccStatistics& ecc_statistics() const { return statistics_; }

private:
    bool has_oob(const SegmentRequest& request) const
    {
        return request.oob != FLASH_NO_OOB &&
               u32{request.col} + request.len == sectors_per_page_;
    }
    u32 first_unit(const SegmentRequest& r) const { return r.col >> unit_shift_; }
    u32 units(const SegmentRequest& r) const
    {
        return ((u32{r.col} + r.len - 1) >> unit_shift_) - first_unit(r) + 1;
    }
    /// The firmware's memory behind the page buffer; null: another page buffer.
    u8* table_at(u32 address) const
    {
        return tables_ == nullptr ? nullptr : dram_.table_page(address);
    }
    void store_table(const SegmentRequest& request, const UnitTag* tags, u8* to) const;
    /// The page buffer, or (once, where injected) the one behind it.
    u32 buffer_address(const SegmentRequest& request);
    void encode(const SegmentRequest& request, const u8* from, onfi::DataCells& cells) const;
    void decode_bytes(const SegmentRequest& request, const onfi::DataCells& cells, u8* to) const;
    Picoseconds decode(const SegmentRequest& request, const onfi::DataCells& cells, UnitTag* tags,
                       SegmentResult& result);

    const Geometry& geometry_;
    u32 codeword_bytes_;
    u32 sectors_per_page_;
    u32 unit_shift_; ///< log2 of the sectors of a unit
    FlashDramIf& dram_;
    Picoseconds ecc_latency_;
    Picoseconds ecc_per_bit_;
    u32 ecc_bits_;
    u32 last_level_;
    u64 falsify_at_;
    u64 transfers_ = 0;
    struct Landing {
        DramEnd end;
        Picoseconds latency; ///< of ECC, behind it
    };
    std::vector<std::vector<Landing>> landings_; ///< by flash tag, with arbitration
    EccStatistics statistics_;
    TablePages* tables_ = nullptr; ///< null: the firmware keeps no tables on flash
    std::array<UnitTag, std::tuple_size_v<decltype(onfi::DataCells::tags)>> unseen_{}; ///< of a table, which has no cells
};

} // namespace tlmssd::flash
