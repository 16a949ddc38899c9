// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sorts a nearly sorted stream of rows by time, stably, in bounded memory.
#include "models/workload/rows/reorder_window.h"

#include <algorithm>

namespace tlmssd::workload {
namespace {

bool later(const Row& a, const Row& b)
{
    return a.time != b.time ? a.time > b.time : a.line > b.line;
}

} // namespace

bool ReorderWindow::late_is_first() const
{
    return in_order_ == 0 || (!late_.empty() && later(front(), late_.front()));
}

bool ReorderWindow::full() const
{
    if (empty()) {
        return false;
    }
    const u64 oldest = late_is_first() ? late_.front().time : front().time;
    return size() >= kRows || newest_ - oldest > ticks_;
}

void ReorderWindow::push(const Row& row)
{
    if (row.time >= newest_) {
        newest_ = row.time;
        ring_.resize(kRows);
        ring_[(first_ + in_order_) % kRows] = row;
        ++in_order_;
    } else {
        late_.push_back(row);
        std::push_heap(late_.begin(), late_.end(), later);
    }
}

Row ReorderWindow::pop()
{
    if (!late_is_first()) {
        const Row row = front();
        first_ = (first_ + 1) % kRows;
        --in_order_;
        return row;
    }
    std::pop_heap(late_.begin(), late_.end(), later);
    const Row row = late_.back();
    late_.pop_back();
    return row;
}

} // namespace tlmssd::workload
