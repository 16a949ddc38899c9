// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: facts about this process and this build, for the `wall` section of the results.
#pragma once

namespace tlmssd::observe {

/// Largest resident set of this process so far, in MiB (2^20 bytes); not that of the process which started it.
double peak_rss_mib();

/// `git describe --always --dirty` of the sources when they were configured; "unknown" outside git.
const char* git_describe();
/// "0.1.0", of the project.
const char* version();

} // namespace tlmssd::observe
