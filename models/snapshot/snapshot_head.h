// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the first entry of a snapshot, snapshot.json: what the file says of itself.
#pragma once

#include <string>

#include "models/observe/results.h"
#include "models/snapshot/snapshot_file.h"

namespace tlmssd::snapshot {

inline constexpr u32 kSnapshotVersion = 1;

/// As it is written.
std::string snapshot_text(const observe::Json& head);
/// CRC-32 of that; `head` without its own key crc32.
u32 snapshot_crc(const observe::Json& head);
/// The head of the file, its format, version and checksum being right. InputError.
observe::Json checked_head(SnapshotReader& in);

} // namespace tlmssd::snapshot
