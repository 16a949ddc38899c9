// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reading a file as a whole, and what a failed system call on a file means.
#pragma once

#include <cstddef>
#include <string>

namespace tlmssd {

/// Throws what errno `error` means for the output `path`: std::bad_alloc for ENOMEM, else InputError
/// "PATH: cannot write: REASON", the one wording for every output.
[[noreturn]] void cannot_write(const std::string& path, int error);
/// The same for a reason that no errno names.
[[noreturn]] void cannot_write(const std::string& path, const std::string& reason);

/// Puts the bytes of `path` into `text`, at most `most` of them. Returns 0 or errno. A lack of memory is
/// std::bad_alloc: a std::ifstream would report an unreadable file instead.
int read_file(const std::string& path, std::string& text, std::size_t most = static_cast<std::size_t>(-1));

} // namespace tlmssd
