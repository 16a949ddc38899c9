// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the rows of a trace in memory, given again loop by loop (workload.loops).
#include "models/workload/rows/row_loop.h"

namespace tlmssd::workload {

bool RowLoop::keep(const Row& row, Picoseconds arrival)
{
    if (rows_ == most_ || row.line > kLines) {
        return false;
    }
    if (rows_ % kBlock == 0) {
        blocks_.emplace_back().reserve(kBlock);
    }
    Kept kept{};
    kept.arrival = arrival.value();
    kept.fua = row.fua;
    kept.lba = row.lba;
    kept.kind = static_cast<u64>(row.kind);
    kept.preflush = row.preflush;
    kept.sectors = row.sectors;
    kept.line = row.line;
    blocks_.back().push_back(kept);
    ++rows_;
    given_ = rows_; // loop 1 has given them
    last_ = arrival;
    return true;
}

Picoseconds RowLoop::span() const
{
    const u64 gaps = rows_ - 1;
    return gaps == 0 ? Picoseconds(0) : last_ + Picoseconds((last_.value() + gaps / 2) / gaps);
}

bool RowLoop::next(Row& row)
{
    if (given_ == rows_) {
        if (loop_ == loops_) {
            return false;
        }
        // From loop 1 each time, so that no rounding error adds up.
        shift_ = static_cast<unsigned __int128>(span().value()) * loop_++;
        given_ = 0;
    }
    const Kept& kept = blocks_[given_ / kBlock][given_ % kBlock];
    ++given_;
    row = Row{};
    row.fua = kept.fua;
    row.lba = kept.lba;
    row.kind = static_cast<Kind>(kept.kind);
    row.preflush = kept.preflush;
    row.sectors = kept.sectors;
    row.line = kept.line;
    arrival_ = shift_ + kept.arrival;
    return true;
}

std::optional<Picoseconds> RowLoop::arrival() const
{
    if (arrival_ >= kMaxArrival) {
        return std::nullopt;
    }
    return Picoseconds(static_cast<u64>(arrival_));
}

double RowLoop::progress(double first) const
{
    if (loop_ == 1 && first < 0) {
        return first;
    }
    const double part = loop_ == 1 ? first : static_cast<double>(given_) / static_cast<double>(rows_);
    return (static_cast<double>(loop_ - 1) + part) / static_cast<double>(loops_);
}

} // namespace tlmssd::workload
