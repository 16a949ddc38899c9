// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the first lines of a trace as each format reads them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/config/workload.h"
#include "models/workload/formats/trace_format.h"

namespace tlmssd::workload {

/// One format.
struct Trial {
    std::unique_ptr<TraceFormat> format;
    std::vector<Row> rows; ///< the requests
    u64 broken = 0;        ///< lines that are not of this format
    u64 lines = 0;         ///< lines that are, not empty
    u64 accepted = 0;      ///< of `lines`, those before the first broken one; 0: nothing marks the file as of this format
    u64 depth = 0;         ///< characters of the first broken line that were understood
    std::string complaint; ///< about it

    std::string name() const { return format->name(); }
};

struct Sample {
    std::vector<Trial> trials; ///< of all formats but `columns`, in the order of format_names()
    u64 lines = 0;             ///< that were read
    bool whole = false;        ///< they are all of the file
};

/// Reads up to 1,000 lines. A broken line ends a format's trial, but not with workload.lenient. Throws InputError: the
/// file cannot be read, or not twice; it is empty.
Sample try_formats(const config::Workload& workload);

} // namespace tlmssd::workload
