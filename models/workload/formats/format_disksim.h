// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the five columns of DiskSim's ASCII traces, shared by `disksim` and `disksim-pages`.
#pragma once

#include "models/workload/formats/trace_format.h"

namespace tlmssd::workload {

/// Reads "ms device LBA size flags"; `row.sectors` gets the size as it stands in the line. Times
/// become ns, rounded half up; flags are hexadecimal, bit 0 is a read. Null, or what is wrong.
const char* parse_disksim(Cursor& cursor, Row& row);

} // namespace tlmssd::workload
