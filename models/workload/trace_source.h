// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: requests from a trace file: ordered, timed, split, placed on the device.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>

#include "models/config/config.h"
#include "models/workload/arrivals.h"
#include "models/workload/rows/placement.h"
#include "models/workload/rows/reorder_window.h"
#include "models/workload/rows/repeat_filter.h"
#include "models/workload/rows/row_loop.h"
#include "models/workload/rows/row_reader.h"
#include "models/workload/rows/row_sorter.h"

namespace tlmssd::workload {

class TraceSource final : public RequestSource {
public:
    /// `device_sectors` > 0; `seed` of Poisson arrivals; `warnings` may be null. Throws InputError (cannot open; with
    /// `devices: concat` also anything that next() throws).
    TraceSource(const config::Workload& workload, std::unique_ptr<TraceFormat> format,
                u64 device_sectors, u64 seed, std::ostream* warnings);

    /// Throws InputError "file:line: ...": a broken line, time that goes back, a request more than
    /// 2^63 ps (106 days, after time_scale) behind the first, more rows than RowLoop keeps.
    bool next(Request& request) override;
    const SourceCounts& counts() const override { return counts_; }
    u64 expected() const override { return limit_; }
    double progress() const override;
    /// Rows whose time went back and was set to that of the row before (lenient only).
    u64 clamped() const { return clamped_; }

private:
    bool take_row();
    bool read_row();
    bool repeat_row();
    bool begin_loops();
    bool repeated();
    bool next_row(Row& row);
    bool timed(Row& row);
    Picoseconds arrival_of(u64 ticks, bool& fits) const;
    void finish();
    [[noreturn]] void refuse(const Row& row, const std::string& what) const;
    [[noreturn]] void refuse_time(const Row& row) const;

    std::unique_ptr<TraceFormat> format_;
    std::optional<Layout> layout_;
    RowReader reader_;
    ReorderWindow window_;
    RowSorter sorter_;
    RepeatFilter repeats_;
    RowLoop loop_;
    Placement placement_;
    u64 limit_;
    bool open_;
    bool sort_;
    bool dedup_;
    bool rated_;       ///< rows arrive at a rate, not at their times
    double time_scale_;
    Arrivals arrivals_;

    Row row_;                ///< what is left of the current row
    Picoseconds arrival_;    ///< of the current row
    bool flush_ = false;     ///< the current row starts with a FLUSH
    u64 first_time_ = 0;
    u64 last_time_ = 0;
    bool started_ = false;
    bool rows_ended_ = false;
    bool file_ended_ = false; ///< loop 1 has ended
    bool finished_ = false;
    u64 clamped_ = 0;
    SourceCounts counts_;
};

} // namespace tlmssd::workload
