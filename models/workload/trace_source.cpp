// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: requests from a trace file: ordered, timed, split, placed on the device.
#include "models/workload/trace_source.h"

#include <algorithm>

#include "models/common/error.h"

namespace tlmssd::workload {
namespace {

constexpr u64 kWindowPs = 1000000000000; ///< 1 s

std::optional<Layout> layout_for(const config::Workload& workload, const TraceFormat& format)
{
    if (workload.devices != config::Devices::Concat) {
        return std::nullopt;
    }
    if (!LineReader(workload.trace).rereadable()) {
        throw InputError(workload.trace + ":1: not a regular file: workload.devices: concat has to "
                                          "read it twice");
    }
    return Layout::scan(workload.trace, format, workload.lenient);
}

} // namespace

TraceSource::TraceSource(const config::Workload& workload, std::unique_ptr<TraceFormat> format,
                         u64 device_sectors, u64 seed, std::ostream* warnings)
    : format_(std::move(format)), layout_(layout_for(workload, *format_)),
      reader_(workload.trace, *format_, workload.lenient, warnings),
      window_(kWindowPs / format_->tick_ps()),
      repeats_(workload.dedup.value() / format_->tick_ps()),
      loop_(workload.loops), placement_(workload.beyond, device_sectors), limit_(workload.requests),
      open_(workload.mode == config::LoopMode::Open), sort_(workload.sort),
      dedup_(workload.dedup.value() != 0),
      rated_(open_ && workload.rate_iops > 0), time_scale_(workload.time_scale),
      arrivals_(rated_ ? workload.rate_iops : 0, workload.rate_process, seed,
                {workload.burst_requests, workload.burst_gap})
{
}

double TraceSource::progress() const
{
    if (finished_) {
        return 1;
    }
    const double rows = loop_.progress(sort_ ? sorter_.progress() : reader_.progress());
    if (limit_ == 0) {
        return rows;
    }
    return std::max(rows, static_cast<double>(counts_.requests) / static_cast<double>(limit_));
}

void TraceSource::finish()
{
    if (!finished_ && clamped_ > 0) {
        reader_.warn(reader_.path() + ": " + std::to_string(clamped_) +
                     " rows had a time before that of the row before them and were given its time");
    }
    finished_ = true;
}

void TraceSource::refuse(const Row& row, const std::string& what) const
{
    throw InputError(reader_.path() + ":" + std::to_string(row.line) + ": " + format_->name() +
                     ": " + what);
}

void TraceSource::refuse_time(const Row& row) const
{
    const std::string loop = loop_.loop() > 1 ? "workload.loops: loop " + std::to_string(loop_.loop()) + ": " : "";
    refuse(row, loop + "the time, scaled, is more than 106 days behind the first row's; is the time unit of this "
                       "format right?");
}

bool TraceSource::next_row(Row& row)
{
    if (sort_) {
        if (!sorter_.filled()) {
            sorter_.fill(reader_, *format_);
        }
        return sorter_.next(row);
    }
    if (!format_->reorders()) {
        return reader_.next(row);
    }
    while (!rows_ended_ && !window_.full()) {
        if (reader_.next(row)) {
            window_.push(row);
        } else {
            rows_ended_ = true;
        }
    }
    if (window_.empty()) {
        return false;
    }
    row = window_.pop();
    return true;
}

Picoseconds TraceSource::arrival_of(u64 ticks, bool& fits) const
{
    // From the first row each time, so that no rounding error adds up.
    const unsigned __int128 exact =
        static_cast<unsigned __int128>(ticks) * format_->tick_ps();
    if (time_scale_ == 1.0) {
        fits = exact < kMaxArrival;
        return Picoseconds(static_cast<u64>(exact));
    }
    const double scaled = static_cast<double>(exact) * time_scale_ + 0.5;
    fits = scaled < static_cast<double>(kMaxArrival);
    return Picoseconds(fits ? static_cast<u64>(scaled) : 0);
}

bool TraceSource::timed(Row& row)
{
    if (!started_) {
        started_ = true;
        first_time_ = row.time;
        last_time_ = row.time;
    }
    if (row.time < last_time_) {
        if (!reader_.lenient()) {
            refuse(row, format_->reorders()
                            ? "the time goes back by more than 1 s or 65536 rows; workload.sort "
                              "sorts the trace"
                            : "the time goes back; workload.sort sorts the trace");
        }
        if (clamped_++ == 0) {
            reader_.warn(reader_.path() + ":" + std::to_string(row.line) + ": " + format_->name() +
                         ": the time goes back; taken as that of the row before");
        }
        row.time = last_time_;
    }
    last_time_ = row.time;
    arrival_ = Picoseconds(0);
    bool fits = true;
    if (open_ && !rated_) {
        arrival_ = arrival_of(row.time - first_time_, fits);
    }
    return fits;
}

bool TraceSource::repeated()
{
    const bool repeated = dedup_ && repeats_.repeats(row_);
    counts_.deduplicated += repeated ? 1 : 0;
    return repeated;
}

bool TraceSource::read_row()
{
    do {
        const bool got = next_row(row_);
        counts_.skipped = reader_.skipped();
        if (!got) {
            return false;
        }
        if (!timed(row_)) {
            refuse_time(row_);
        }
    } while (repeated());
    if (layout_) {
        const u64* start = layout_->start_of(row_.device);
        if (start == nullptr) {
            refuse(row_, "a new device: the file has changed since its first pass");
        }
        row_.lba += *start;
    }
    if (loop_.repeats() && !loop_.keep(row_, arrival_)) {
        refuse(row_, "more than " + std::to_string(RowLoop::kRows) + " rows or " + std::to_string(RowLoop::kLines) +
                         " lines are too many for workload.loops, which keeps the rows in memory");
    }
    return true;
}

/// Of loops 2 and later.
bool TraceSource::repeat_row()
{
    if (!loop_.next(row_)) {
        return false;
    }
    const std::optional<Picoseconds> arrival = loop_.arrival();
    if (!arrival) {
        refuse_time(row_);
    }
    arrival_ = *arrival;
    return true;
}

/// After the last row of the file: whether its rows come again.
bool TraceSource::begin_loops()
{
    file_ended_ = true;
    sorter_ = RowSorter(); // its memory
    if (loop_.repeats() && counts_.requests == 0) { // all are dropped, in each loop
        counts_.dropped *= loop_.loops();
        return false;
    }
    return loop_.repeats();
}

bool TraceSource::take_row()
{
    const bool read = !file_ended_ && read_row();
    if (!read && !((file_ended_ || begin_loops()) && repeat_row())) {
        return false;
    }
    if (rated_) {
        arrival_ = arrivals_.next();
    }
    flush_ = row_.preflush || row_.kind == Kind::Flush;
    return true;
}

bool TraceSource::next(Request& request)
{
    if (finished_ || (limit_ != 0 && counts_.requests == limit_)) {
        finish();
        return false;
    }
    for (;;) {
        if (!flush_ && row_.sectors == 0 && !take_row()) {
            finish();
            return false;
        }
        if (flush_) {
            flush_ = false;
            request = Request{arrival_, 0, 0, Kind::Flush, false};
            break;
        }
        const u64 piece = std::min(row_.sectors, placement_.max_sectors());
        request = Request{arrival_, row_.lba, static_cast<u32>(piece), row_.kind, row_.fua};
        row_.lba += piece;
        row_.sectors -= piece;
        if (placement_.place(request, counts_)) {
            break;
        }
    }
    ++counts_.requests;
    return true;
}

} // namespace tlmssd::workload
