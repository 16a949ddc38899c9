// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the interface of a trace format: one line of text in, one row out.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "models/workload/formats/cursor.h"
#include "models/workload/formats/row.h"

namespace tlmssd::workload {

enum class LineKind : u8 {
    Row,     ///< a request
    Ignored, ///< legal, but no request (an empty line, another event of blkparse)
    LeftOut, ///< legal, but nothing that a device could do; counted as skipped
    End,     ///< the trace ends before this line (the summary of blkparse)
    Broken   ///< not of this format
};

/// The state of one pass through a file, for formats with a header or a clock. Each pass
/// starts with a fresh one; what `phase`, `clock` and `columns` mean is the format's own.
struct ReadState {
    u64 line = 0; ///< number of the current line, from 1; written by whoever calls read()
    u64 phase = 0;
    u64 clock = 0;
    std::array<u8, 8> columns{};
};

/// Why a line is broken or left out, and where in it.
struct Problem {
    const char* what = "";
    const char* at = nullptr;
};

/// A format fixes units and polarity; it keeps nothing from one line to the next but in the
/// caller's ReadState, allocates nothing and never throws.
class TraceFormat {
public:
    virtual ~TraceFormat() = default;
    virtual const char* name() const = 0;
    /// The fields of a line, for error messages.
    virtual const char* fields() const = 0;
    virtual u64 tick_ps() const { return 1000; }
    /// True: rows may come slightly out of order and are sorted in a bounded window.
    virtual bool reorders() const { return false; }
    /// A hint for a whole file without a request; may be empty.
    virtual std::string empty_hint() const { return {}; }
    /// Trial only: whether what was seen marks the file as of this format (its header, say).
    virtual bool claims(const ReadState&) const { return true; }

    /// `line` comes without its line end. Fills all of `row` but its line number. Rows longer than
    /// kMaxRowSectors or beyond kMaxRowLba are broken.
    LineKind read(std::string_view line, Row& row, Problem& problem, ReadState& state) const;

protected:
    /// Sees no empty lines; `row` is fresh.
    virtual LineKind parse(Cursor cursor, Row& row, Problem& problem, ReadState& state) const = 0;

    static LineKind broken(const Cursor& cursor, Problem& problem, const char* what)
    {
        problem = {what, cursor.position()};
        return LineKind::Broken;
    }
    static LineKind left_out(const Cursor& cursor, Problem& problem, const char* what)
    {
        problem = {what, cursor.position()};
        return LineKind::LeftOut;
    }
    /// All sectors that `bytes` bytes from byte `offset` on touch; none for 0 bytes.
    static void take_bytes(Row& row, u64 offset, u64 bytes);
    /// A device's number: the text itself where it is one, else a hash of the text.
    static u64 device_number(std::string_view text);
};

/// "file:line: format: what: "text"; expected fields"
std::string describe_broken(const std::string& file, u64 line, const TraceFormat& format,
                            const Problem& problem, std::string_view text);

/// Text in quotes, cut after 60 characters, what does not print as \xNN.
std::string quoted(std::string_view text);

} // namespace tlmssd::workload
