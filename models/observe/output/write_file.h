// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: writing a file as a whole or not at all.
#pragma once

#include <string>

namespace tlmssd::observe {

/// Checks that `path` can be written, as far as possible before: its folder is made, it is a
/// regular file or none. Returns the name of an empty file beside it, to be written and renamed.
/// Throws InputError with the path, `what` ("cannot write" + what) and the system's reason.
std::string prepare_file(const std::string& path, const std::string& what = "");

/// Write a whole file or nothing: a temporary file beside it, then a rename. Makes missing parent
/// directories. Throws InputError with the path and the system's reason.
void write_file(const std::string& path, const std::string& text);

} // namespace tlmssd::observe
