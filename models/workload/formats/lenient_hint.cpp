// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: whether it would help to leave the broken rows of a trace out.
#include "models/workload/formats/lenient_hint.h"

#include "models/common/error.h"

namespace tlmssd::workload {
namespace {

constexpr u64 kLinesAhead = 1000;

void count_lines(LineReader& lines, const TraceFormat& format, ReadState& state, LineCounts& counts)
{
    std::string_view line;
    for (u64 i = 0; i < kLinesAhead && lines.next(line); ++i) {
        Row row;
        Problem problem;
        state.line = lines.number();
        const LineKind kind = lines.too_long() ? LineKind::Broken : format.read(line, row, problem, state);
        if (kind == LineKind::End) {
            return;
        }
        counts.rows += kind == LineKind::Row;
        counts.broken += kind == LineKind::Broken;
    }
}

} // namespace

LineCounts lines_ahead(LineReader& lines, const TraceFormat& format, ReadState state)
{
    LineCounts counts;
    try {
        count_lines(lines, format, state, counts);
    } catch (const InputError&) { // the caller reports what is wrong before it
        return counts;
    }
    return counts;
}

} // namespace tlmssd::workload
