// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the format of a trace that none was named for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/config/workload.h"
#include "models/workload/formats/trace_format.h"

namespace tlmssd::workload {

struct Detected {
    std::string format;
    std::string why; ///< in words
};

/// Tries all formats but `columns` on the first 1,000 lines of `workload.trace`; where several accept them, what they
/// make of the lines and the name of the file decide (docs/reference/trace-detection.md). workload.lenient: a format
/// accepts a file where it accepts more lines than not. Throws InputError: several formats remain, with their names;
/// none accepts, with the first broken line of the nearest; the file is empty or cannot be read.
Detected detect_format(const config::Workload& workload);

/// Sets workload.format where the trace has none: `columns` with workload.trace_columns, else what is detected. Returns
/// one line about what was detected; "": nothing was. Throws InputError as detect_format().
std::string name_format(config::Workload& workload);
/// Of each with a trace; the lines.
std::vector<std::string> name_formats(std::vector<config::Workload>& workloads);

/// The format of a trace, named or detected. Throws InputError as name_format() and make_format().
std::unique_ptr<TraceFormat> choose_format(const config::Workload& workload);

} // namespace tlmssd::workload
