// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: writing a file as a whole or not at all.
#pragma once

#include <string>

namespace tlmssd::observe {

/// Checks that `path` can be written, as far as possible before: its folder is made, it is a
/// regular file or none. Returns the name of an empty file beside it, to be written and renamed.
/// Throws as cannot_write() (models/common/file_io.h).
std::string prepare_file(const std::string& path);

/// Write a whole file or nothing: a temporary file beside it, then a rename. Makes missing parent
/// directories. Throws as cannot_write().
void write_file(const std::string& path, const std::string& text);

} // namespace tlmssd::observe
