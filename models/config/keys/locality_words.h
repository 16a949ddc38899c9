// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the texts of the keys of a workload with locality (docs/explanation/locality.md).
#pragma once

#include <string>

#include "models/config/locality.h"

namespace tlmssd::config {

// Each function returns "" and fills `out`, or returns what is wrong with the text. Blanks do not count.

/// "RUN/WEIGHT:RUN/WEIGHT:...", RUN as SIZE or SIZExREQUEST: bytes of a run and of each of its requests; with a + at its
/// end it covers one block more than it needs. At most 256.
std::string parse_runs(const std::string& text, RunTypes& out);

/// "BLOCKS=new/WEIGHT:LIMIT/R+M+W:...,BLOCKS=...": for runs of up to BLOCKS blocks the weights of places that were
/// never used, and of stack distances up to LIMIT blocks: of blocks that were only read, that were written and read
/// since, and that were written last. A single weight is of blocks that the same kind used last. At most 17 classes of
/// 256 steps.
std::string parse_read_reuse(const std::string& text, Reuse& out);
std::string parse_write_reuse(const std::string& text, Reuse& out);

} // namespace tlmssd::config
