// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: writing a file as a whole or not at all.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include "models/common/error.h"
#include "models/observe/results.h"

namespace tlmssd::observe {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason)
{
    throw InputError(path + ": cannot write: " + reason);
}

/// 0 or errno
int write_whole(const std::string& path, const std::string& text)
{
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) {
        return errno;
    }
    int error = 0;
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) {
        error = errno;
    }
    if (std::fclose(file) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

} // namespace

void write_file(const std::string& path, const std::string& text)
{
    namespace fs = std::filesystem;
    std::error_code code;
    const fs::path parent = fs::path(path).parent_path();
    if (!parent.empty()) {
        fs::create_directories(parent, code);
        if (code) {
            fail(path, code.message());
        }
    }
    const std::string temporary = path + ".part" + std::to_string(getpid());
    if (const int error = write_whole(temporary, text); error != 0) {
        std::remove(temporary.c_str());
        fail(path, std::strerror(error));
    }
    fs::rename(temporary, path, code);
    if (code) {
        std::remove(temporary.c_str());
        fail(path, code.message());
    }
}

} // namespace tlmssd::observe
