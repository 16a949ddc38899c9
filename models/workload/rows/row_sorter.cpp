// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a whole trace in memory, sorted by time (workload.sort).
#include "models/workload/rows/row_sorter.h"

#include <algorithm>

#include "models/common/error.h"

namespace tlmssd::workload {

void RowSorter::fill(RowReader& reader, const TraceFormat& format)
{
    filled_ = true;
    Row row;
    while (reader.next(row)) {
        if (rows_.size() == kRows) {
            throw InputError(reader.path() + ":" + std::to_string(row.line) + ": " +
                             format.name() + ": more than " + std::to_string(kRows) +
                             " rows are too many for workload.sort; sort the file beforehand");
        }
        rows_.push_back(row);
    }
    std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
        return a.time != b.time ? a.time < b.time : a.line < b.line;
    });
}

bool RowSorter::next(Row& row)
{
    if (given_ == rows_.size()) {
        return false;
    }
    row = rows_[given_++];
    return true;
}

double RowSorter::progress() const
{
    return rows_.empty() ? 0 : static_cast<double>(given_) / static_cast<double>(rows_.size());
}

} // namespace tlmssd::workload
