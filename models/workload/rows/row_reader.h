// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rows of a trace file in file order; broken lines are errors, or are left out and counted.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "models/workload/formats/line_reader.h"
#include "models/workload/formats/trace_format.h"

namespace tlmssd::workload {

/// Reads rows that ask for something. Left out and counted as skipped: rows of size zero and rows
/// that the format leaves out; where the format reorders, rows whose time is more than 10^9 s after
/// that of the last good one; and, when lenient, broken lines. The first ten are named on
/// `warnings`.
class RowReader {
public:
    /// `format` must outlive the reader; `warnings` may be null. Throws InputError (cannot open).
    RowReader(const std::string& path, const TraceFormat& format, bool lenient,
              std::ostream* warnings);

    /// The next row; false at the end. Throws InputError "file:line: ..." on a broken line and when
    /// the whole file holds no row.
    bool next(Row& row);
    u64 skipped() const { return skipped_; }
    double progress() const { return ended_ ? 1 : lines_.progress(); }
    const std::string& path() const { return lines_.path(); }
    /// One line on the warnings, up to ten in all.
    void warn(const std::string& message);
    bool lenient() const { return lenient_; }

private:
    bool usable(const Row& row);
    void skip(const Row& row, const char* why);
    [[noreturn]] void fail_at(const Problem& problem, std::string_view line); ///< InputError

    LineReader lines_;
    const TraceFormat& format_;
    ReadState state_;
    bool lenient_;
    std::ostream* warnings_;
    u64 skipped_ = 0;
    u64 rows_ = 0;
    u64 last_time_ = 0;
    u64 warned_ = 0;
    bool ended_ = false;
};

} // namespace tlmssd::workload
