// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the interface of a trace format: one line of text in, one row out.
#pragma once

#include <string>
#include <string_view>

#include "models/workload/cursor.h"
#include "models/workload/row.h"

namespace tlmssd::workload {

enum class LineKind : u8 {
    Row,     ///< a request
    Ignored, ///< legal, but no request (an empty line, another event of blkparse)
    End,     ///< the trace ends before this line (the summary of blkparse)
    Broken   ///< not of this format
};

/// Why a line is broken, and where in it.
struct Problem {
    const char* what = "";
    const char* at = nullptr;
};

/// A format fixes units and polarity; it keeps nothing from one line to the next, allocates nothing
/// and never throws.
class TraceFormat {
public:
    virtual ~TraceFormat() = default;
    virtual const char* name() const = 0;
    /// The fields of a line, for error messages.
    virtual const char* fields() const = 0;
    virtual u64 tick_ps() const { return 1000; }
    /// True: rows may come slightly out of order and are sorted in a bounded window.
    virtual bool reorders() const { return false; }
    /// What to try when a whole file holds no request; may be empty.
    virtual std::string empty_hint() const { return {}; }

    /// `line` comes without its line end. Fills all of `row` but its line number. Rows longer than
    /// kMaxRowSectors or beyond kMaxRowLba are broken.
    LineKind read(std::string_view line, Row& row, Problem& problem) const;

protected:
    /// Sees no empty lines; `row` is fresh.
    virtual LineKind parse(Cursor cursor, Row& row, Problem& problem) const = 0;

    static LineKind broken(const Cursor& cursor, Problem& problem, const char* what)
    {
        problem = {what, cursor.position()};
        return LineKind::Broken;
    }
};

/// "file:line: format: what: "text"; expected fields"
std::string describe_broken(const std::string& file, u64 line, const TraceFormat& format,
                            const Problem& problem, std::string_view text);

/// Text in quotes, cut after 60 characters, what does not print as \xNN.
std::string quoted(std::string_view text);

} // namespace tlmssd::workload
