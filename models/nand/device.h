// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what all dies of one device share.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "models/nand/array_time.h"
#include "models/nand/errors/error_model.h"
#include "models/nand/errors/fault_script.h"
#include "models/nand/store/block_history.h"
#include "models/onfi/bus/violation.h"

namespace tlmssd::nand {

/// Outlives the targets. The options below the constructor are set before the targets are made.
struct Device {
    /// `store`, `nand` and `violations` outlive the device.
    Device(PageStore& page_store, const config::Nand& part, onfi::ViolationSink& sink,
           u64 random_seed = 1, u64 swap_page_registers_at = 0);

    PageStore& store;
    const config::Nand& nand;
    onfi::ViolationSink& violations;
    u64 seed;
    u64 swap_at;             ///< config::Inject::swap_page_registers_at; 0: never
    u64 bursts = 0;          ///< page bursts out so far, over the device
    u64 swapped = 0;         ///< swaps done (0 or 1)
    u32 width = 8;           ///< DQ lines, for the parameter page
    bool cold_start = false; ///< targets wake in SDR mode 0; false: in the channel's mode
    std::vector<Fault> faults; ///< sorted by time

    ArrayTime time;
    ErrorModel errors;
    std::unique_ptr<BlockHistory> history; ///< null where errors are off
    /// By page: bit errors of each codeword that a copyback has brought along, until the block is erased.
    std::unordered_map<u64, std::vector<u16>> copied;
    std::unique_ptr<ZeroMemory<u8>> partials; ///< by block: programs of its last page; null
                                                    ///< where a page is programmed only once
    bool worn; ///< array times or errors depend on erase counts

    /// Erases of the block, those before the run included. 0 where nothing depends on them: then
    /// the table is not touched.
    u32 erases(const Place& place) const
    {
        return worn ? store.erase_count(place) + nand.wear.initial_erases : 0;
    }
    u8& partials_of(const Place& place)
    {
        return (*partials)[store.page_index(place) / store.geometry().pages];
    }
};

} // namespace tlmssd::nand
