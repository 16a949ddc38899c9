// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a replay has made of each operation, as a file (docs/guides/replay-ops.md).
#pragma once

#include <string>

#include "models/common/geometry.h"
#include "models/replay/op_replay.h"

namespace tlmssd::replay {

inline constexpr const char* kReplayLog = "replay.csv.zst"; ///< in the directory of --out

/// Writes one row per operation. InputError: the message of the system.
void write_replay_log(const std::string& path, const ReplayRecord& record);

/// Of the stream only what a row names: opcode, place, rows. `path`: such a file, or a directory with
/// one. InputError "file:line: field `name`: ...".
ReplayRecord read_replay_log(const std::string& path, const Geometry& geometry);

/// "command", "data out", ...
const char* name_of(flash::Phase phase);

} // namespace tlmssd::replay
