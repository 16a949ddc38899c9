// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: whether it would help to leave the broken rows of a trace out.
#pragma once

#include "models/workload/formats/line_reader.h"
#include "models/workload/formats/trace_format.h"

namespace tlmssd::workload {

inline constexpr const char* kLenientHint =
    "--lenient (workload.lenient) leaves broken rows out and counts them";

struct LineCounts {
    u64 rows = 0;
    u64 broken = 0;
    /// The trace breaks off in a few rows only, as far as it was read.
    bool mostly_rows() const { return rows > broken; }
};

/// Reads up to 1,000 further lines and counts. A file that cannot be read to its end ends there.
LineCounts lines_ahead(LineReader& lines, const TraceFormat& format, ReadState state);

} // namespace tlmssd::workload
