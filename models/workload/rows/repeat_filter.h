// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: finds rows that repeat one shortly before them (workload.dedup_us).
#pragma once

#include <vector>

#include "models/workload/formats/row.h"

namespace tlmssd::workload {

/// Remembers the rows of the last `window` ticks, at most kRows of them: where more fall into the
/// window, the oldest are forgotten. Memory is taken once, at the first row.
class RepeatFilter {
public:
    static constexpr u32 kRows = 65536;

    explicit RepeatFilter(u64 window) : window_(window) {}

    /// True when an earlier row of the same device, address, length and kind (flags included) lies
    /// at most `window` ticks back; that row may itself have been a repeat. Times never go back.
    bool repeats(const Row& row);

private:
    static constexpr u32 kNone = kRows;
    struct Entry {
        u64 time = 0;
        u64 device = 0;
        u64 lba = 0;
        u64 sectors = 0;
        u32 what = 0; ///< kind and flags
        u32 slot = 0;
        u32 older = kNone; ///< the next older entry of the slot
    };
    void forget_oldest();

    u64 window_;
    std::vector<Entry> ring_;
    std::vector<u32> slots_; ///< newest entry of each hash value
    u32 first_ = 0;
    u32 count_ = 0;
};

} // namespace tlmssd::workload
