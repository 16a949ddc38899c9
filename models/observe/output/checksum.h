// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: checksums of the files that are written and read back (docs/reference/checksums.md).
#pragma once

#include <string>

namespace tlmssd::observe {

/// How the last line of a text begins: its CRC-32 of all lines before it follows.
inline constexpr const char* kChecksumLine = "# crc32 ";

/// Append a seal to a compressed file: the CRC-32 of its bytes, in an empty gzip member or a skippable
/// zstd frame. Readers of gzip and zstd pass over the seal. Any other file stays as it is.
/// Returns 0 or errno.
int seal_file(const std::string& path);

/// InputError where the seal of `path` is damaged, or is not that of its bytes. A file without one passes:
/// another program may have packed it. So does a file that cannot be read: its reader says why.
void check_seal(const std::string& path);

} // namespace tlmssd::observe
