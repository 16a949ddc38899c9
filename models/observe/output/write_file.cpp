// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: writing a file as a whole or not at all.
#include "models/observe/output/write_file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "models/common/error.h"
#include "models/common/file_io.h"
#include "models/common/interrupt.h"

namespace tlmssd::observe {

namespace {

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

std::string prepare_file(const std::string& path)
{
    namespace fs = std::filesystem;
    std::error_code code;
    if (const fs::path parent = fs::path(path).parent_path(); !parent.empty()) {
        fs::create_directories(parent, code);
        if (code) {
            cannot_write(path, code.value());
        }
    }
    // A rename would put the file in the place of a device, and fail at the end on a directory.
    if (fs::exists(path, code) && !fs::is_regular_file(path, code)) {
        cannot_write(path, "not a regular file");
    }
    const std::string temporary = path + ".part" + std::to_string(getpid());
    remove_when_killed(temporary);
    const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        cannot_write(path, errno);
    }
    ::close(file);
    return temporary;
}

void write_file(const std::string& path, const std::string& text)
{
    const std::string temporary = prepare_file(path);
    if (const int error = write_whole(temporary, text); error != 0) {
        std::remove(temporary.c_str());
        cannot_write(path, error);
    }
    std::error_code code;
    std::filesystem::rename(temporary, path, code);
    if (code) {
        std::remove(temporary.c_str());
        cannot_write(path, code.value());
    }
}

} // namespace tlmssd::observe
