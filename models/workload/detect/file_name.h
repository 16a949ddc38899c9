// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the name of a file says about the format of the trace in it.
#pragma once

#include <string>
#include <vector>

namespace tlmssd::workload {

/// The formats that the name of the file (not its folder) says: a format's name between other characters than letters
/// and digits, as in x.disksim_pages.trace.xz, or one of the extensions .iolog and .load. The longer name counts where
/// it holds the shorter. A log of fio may be of both readings of its waits.
std::vector<std::string> formats_in_name(const std::string& path);

} // namespace tlmssd::workload
