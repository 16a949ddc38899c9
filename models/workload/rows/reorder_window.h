// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sorts a nearly sorted stream of rows by time, stably, in bounded memory.
#pragma once

#include <vector>

#include "models/workload/formats/row.h"

namespace tlmssd::workload {

/// Holds at most kRows rows that span at most `ticks`. Rows of equal time keep their order. A row
/// that comes later than that leaves out of order; the caller sees its time go back.
/// Rows in order pass through a ring; only late ones cost a heap.
class ReorderWindow {
public:
    static constexpr std::size_t kRows = 65536;

    explicit ReorderWindow(u64 ticks) : ticks_(ticks) {}
    bool empty() const { return size() == 0; }
    /// A row must leave before the next one enters.
    bool full() const;
    void push(const Row& row);
    /// The earliest row; requires !empty().
    Row pop();

private:
    std::size_t size() const { return in_order_ + late_.size(); }
    bool late_is_first() const;
    const Row& front() const { return ring_[first_]; }

    std::vector<Row> ring_; ///< rows that came in order; kRows long from the first push on
    std::size_t first_ = 0;
    std::size_t in_order_ = 0;
    std::vector<Row> late_; ///< heap of rows that came behind a later one
    u64 ticks_;
    u64 newest_ = 0;
};

} // namespace tlmssd::workload
