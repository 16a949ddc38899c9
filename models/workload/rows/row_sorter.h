// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a whole trace in memory, sorted by time (workload.sort).
#pragma once

#include <vector>

#include "models/workload/rows/row_reader.h"

namespace tlmssd::workload {

/// Rows of equal time keep their order.
class RowSorter {
public:
    static constexpr std::size_t kRows = std::size_t{1} << 22; ///< 200 MB at 48 bytes per row

    /// Takes all rows of the reader, once. Throws InputError: what the reader throws; more rows
    /// than kRows.
    void fill(RowReader& reader, const TraceFormat& format);
    bool filled() const { return filled_; }
    /// The next row in order of time; false at the end.
    bool next(Row& row);
    /// Fraction of the rows that next() gave.
    double progress() const;

private:
    std::vector<Row> rows_;
    std::size_t given_ = 0;
    bool filled_ = false;
};

} // namespace tlmssd::workload
