// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rows of a trace file in file order; broken lines are errors, or are left out and counted.
#include "models/workload/rows/row_reader.h"

#include <ostream>

#include "models/common/error.h"
#include "models/workload/formats/lenient_hint.h"

namespace tlmssd::workload {
namespace {

constexpr u64 kWarnings = 10;
constexpr u64 kJumpSeconds = 1000000000; ///< 32 years: no trace, but a wrapped counter

} // namespace

RowReader::RowReader(const std::string& path, const TraceFormat& format, bool lenient,
                     std::ostream* warnings)
    : lines_(path), format_(format), lenient_(lenient), warnings_(warnings)
{
}

void RowReader::warn(const std::string& message)
{
    if (warnings_ == nullptr || warned_ > kWarnings) {
        return;
    }
    ++warned_;
    *warnings_ << "warning: "
               << (warned_ > kWarnings ? path() + ": further warnings are not shown" : message)
               << '\n';
}

void RowReader::skip(const Row& row, const char* why)
{
    ++skipped_;
    if (warnings_ != nullptr && warned_ <= kWarnings) {
        warn(path() + ":" + std::to_string(row.line) + ": " + format_.name() + ": " + why +
             "; left out");
    }
}

bool RowReader::usable(const Row& row)
{
    if (row.sectors == 0 && row.kind != Kind::Flush) {
        skip(row, "size 0");
        return false;
    }
    if (format_.reorders()) {
        const u64 jump = kJumpSeconds * (1000000000000u / format_.tick_ps());
        if (row.time > last_time_ && row.time - last_time_ > jump) {
            skip(row, "broken time stamp");
            return false;
        }
        last_time_ = row.time;
    }
    return true;
}

void RowReader::fail_at(const Problem& problem, std::string_view line)
{
    const std::string what = describe_broken(path(), lines_.number(), format_, problem, line);
    LineCounts known;
    if (lines_.rereadable()) { // a pipe may have no further line yet
        known = lines_ahead(lines_, format_, state_);
    }
    known.rows += rows_;
    ++known.broken;
    throw InputError(what + (known.mostly_rows() ? std::string("; ") + kLenientHint : ""));
}

bool RowReader::next(Row& row)
{
    std::string_view line;
    while (!ended_ && lines_.next(line)) {
        Problem problem{"line longer than 64 KiB", line.data()};
        state_.line = lines_.number();
        const LineKind kind =
            lines_.too_long() ? LineKind::Broken : format_.read(line, row, problem, state_);
        row.line = lines_.number();
        switch (kind) {
        case LineKind::Row:
            if (usable(row)) {
                ++rows_;
                return true;
            }
            break;
        case LineKind::Ignored:
            break;
        case LineKind::LeftOut:
            skip(row, problem.what);
            break;
        case LineKind::End:
            ended_ = true;
            break;
        case LineKind::Broken: {
            if (!lenient_) {
                fail_at(problem, line);
            }
            skip(row, problem.what);
            break;
        }
        }
    }
    ended_ = true;
    if (rows_ == 0) {
        const std::string hint = format_.empty_hint();
        const u64 at = lines_.number() == 0 ? 1 : lines_.number();
        throw InputError(path() + ":" + std::to_string(at) + ": " + format_.name() +
                         ": the trace holds no request" + (hint.empty() ? "" : ": " + hint));
    }
    return false;
}

} // namespace tlmssd::workload
