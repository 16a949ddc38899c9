// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the rows of a trace in memory, given again loop by loop (workload.loops).
#pragma once

#include <optional>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/workload/formats/row.h"

namespace tlmssd::workload {

/// Loop 1 is read from the file, and each of its rows is kept; loops 2 and later come from memory, so that a pipe can
/// be looped too. Memory: 24 bytes per row, in blocks of 1.5 MiB.
/// Arrivals of loop k are those of loop 1 and k - 1 times the span: the time from the first row to the last one plus
/// the mean distance of rows, (last - first) / (rows - 1), in whole picoseconds; 0 for one row and for rows of one
/// instant.
class RowLoop {
public:
    static constexpr u64 kRows = u64{1} << 26;           ///< 1.6 GB
    static constexpr u64 kLines = (u64{1} << 31) - 1;    ///< a row of a later line cannot be kept

    /// `loops` in all, the one from the file included; 0: 1. At most `rows` are kept.
    explicit RowLoop(u32 loops, u64 rows = kRows) : loops_(loops == 0 ? 1 : loops), most_(rows) {}

    u64 loops() const { return loops_; }
    /// Whether loops follow that of the file; else rows need not be kept.
    bool repeats() const { return loops_ > 1; }
    /// A row of loop 1, in order of arrival, with its address (the device number is not kept). False: too many rows or
    /// lines.
    bool keep(const Row& row, Picoseconds arrival);

    /// The next row of loops 2 and later, without time and device; false after the last loop. Requires that all rows of
    /// loop 1 are kept, and one at least.
    bool next(Row& row);
    /// Of the row that next() gave; none at 2^63 ps or later.
    std::optional<Picoseconds> arrival() const;
    /// Of the row that next() gave, from 2; 1 before.
    u64 loop() const { return loop_; }
    /// Fraction of all loops; `first` is that of loop 1, negative where unknown: then this is unknown in loop 1, too.
    double progress(double first) const;

private:
    static constexpr u64 kBlock = 65536; ///< rows
    struct Kept {
        u64 arrival : 63; ///< ps
        u64 fua : 1;
        u64 lba : 56; ///< at most kMaxRowLba
        u64 kind : 7;
        u64 preflush : 1;
        u64 sectors : 33; ///< at most kMaxRowSectors
        u64 line : 31;
    };
    static_assert(sizeof(Kept) == 24);
    Picoseconds span() const; ///< requires one row

    u64 loops_;
    u64 most_;
    std::vector<std::vector<Kept>> blocks_; ///< of kBlock rows each; the last one may have fewer
    u64 rows_ = 0;
    Picoseconds last_; ///< arrival of the last row that is kept; the first row's is 0
    u64 loop_ = 1;
    u64 given_ = 0; ///< rows of this loop
    unsigned __int128 shift_ = 0; ///< of this loop, ps
    unsigned __int128 arrival_ = 0;
};

} // namespace tlmssd::workload
