// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a file of what the NAND holds (docs/guides/snapshots.md).
#pragma once

#include <string>

#include "models/host/expected_versions.h"
#include "models/nand/store/page_store.h"

namespace tlmssd::snapshot {

/// The description of a snapshot, beside the geometry.
struct SnapshotInfo {
    std::string config_hash; ///< of the configuration that made it; for messages
    u64 logical_pages = 0;
    u64 seed = 0; ///< of which the bytes of data: full are made
};

/// Write `store`, and what the host expects to read back, to `path`, as a whole or not at all.
/// InputError: the file cannot be written.
void save_snapshot(const std::string& path, const nand::PageStore& store,
                   const host::ExpectedVersions& versions, const SnapshotInfo& info);

/// Fill `store` and `versions`, both fresh. InputError, "path: ...": no snapshot, of another format
/// version, geometry, capacity or kind of data, or damaged; store and versions are then useless.
SnapshotInfo load_snapshot(const std::string& path, nand::PageStore& store,
                           host::ExpectedVersions& versions);

} // namespace tlmssd::snapshot
