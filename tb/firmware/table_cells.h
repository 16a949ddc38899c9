// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: real sectors of the firmware's own pages, as numbers that fit into a test device's cells.
#pragma once

#include <map>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::tb {

/// Equal sectors have equal numbers. Bit 63 tells these numbers from versions of host data.
class TableCells {
public:
    /// The number that stands for `sector` (512 bytes) in DRAM and flash.
    u64 cell(const std::vector<u8>& sector)
    {
        const auto [at, fresh] = numbers_.insert({sector, sectors_.size()});
        if (fresh) {
            sectors_.push_back(at->first);
        }
        return kTable | at->second;
    }
    /// The sector that `cell` stands for; null where it is host data or unreadable.
    const std::vector<u8>* sector(u64 cell) const
    {
        const u64 number = cell ^ kTable;
        return number < sectors_.size() ? &sectors_[number] : nullptr;
    }

private:
    static constexpr u64 kTable = u64{1} << 63;
    std::map<std::vector<u8>, u64> numbers_;
    std::vector<std::vector<u8>> sectors_; ///< by number
};

} // namespace tlmssd::tb
