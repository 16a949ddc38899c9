// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: raw bit errors, failing operations and bad blocks.
#pragma once

#include "models/common/geometry.h"
#include "models/config/config.h"
#include "models/nand/store/page_store.h"
#include "models/nand/store/page_types.h"

namespace tlmssd::nand {

/// State of a page's cells when they are read.
struct CellState {
    Place place;
    u32 erases = 0;       ///< of its block, initial ones included
    u64 block_reads = 0;  ///< page reads of the block since its erase
    double days = 0;      ///< since it was programmed
    u32 retry = 0;        ///< read-retry level
};

/// Pure functions of (seed, state), none of which depends on the order of events. The count of a
/// codeword is the quantile of a binomial at a uniform number that belongs to (page, erases,
/// codeword): as RBER grows so do the errors, and reading again finds the same ones. Where errors
/// are off nothing fails. Equations in docs/explanation/nand-errors.md.
class ErrorModel {
public:
    ErrorModel(const config::Nand& nand, const Geometry& geometry, u64 seed);

    bool enabled() const { return errors_.enabled; }
    /// Expected fraction of wrong bits, page type, layer and retry level included; at most 0.5.
    double rber(const CellState& cells) const;
    /// Wrong bits among the `bits` of codeword `codeword` of the page.
    u32 bit_errors(const CellState& cells, double rber, u32 codeword, u32 bits) const;

    /// Does a program of this page, or an erase of this block, report FAIL? Each has the configured
    /// probability; once a block has failed, its later programs (or erases) fail too. The count
    /// starts with the run: initial erases have left only good blocks.
    bool program_fails(const Place& place, u32 erases) const;
    bool erase_fails(const Place& place, u32 erases) const;
    /// Marked bad by the manufacturer. Block 0 of plane 0 of a die is always good.
    bool factory_bad(u32 die, u32 plane, u32 block) const;

private:
    u64 block_index(u32 die, u32 plane, u32 block) const
    {
        return (u64{die} * geometry_.planes + plane) * geometry_.blocks + block;
    }
    double layer_factor(const Place& place) const;
    u32 erases_in_run(u32 erases) const;
    bool failed_by(u64 purpose, double log_survival, const Place& place, u64 operations) const;

    config::NandErrors errors_;
    std::array<double, 4> type_factors_;
    Geometry geometry_;
    u64 seed_;
    u32 initial_erases_;
    double program_log_; ///< log of the probability that one operation does not fail
    double erase_log_;
    PageTypes types_;
};

} // namespace tlmssd::nand
