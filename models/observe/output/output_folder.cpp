// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one process at a time in the folder of --out.
#include "models/observe/output/output_folder.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>

#include "models/common/error.h"
#include "models/common/file_io.h"

namespace tlmssd::observe {

OutputFolder::OutputFolder(const std::string& path, const std::string& file) : path_(path)
{
    if (path.empty()) {
        return;
    }
    namespace fs = std::filesystem;
    std::error_code code;
    made_ = fs::create_directories(path, code);
    if (!code && !fs::is_directory(path, code) && !code) {
        code = std::make_error_code(std::errc::not_a_directory);
    }
    if (code) {
        cannot_write((fs::path(path) / file).string(), code.value());
    }
    folder_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_ < 0 || ::flock(folder_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
        return; // one that cannot be read may still be written
    }
    ::close(folder_); // the destructor does not run
    throw InputError(path + ": another tlmssd writes there now: wait for it, or take another folder");
}

OutputFolder::~OutputFolder()
{
    if (made_) {
        ::rmdir(path_.c_str()); // only where it is empty
    }
    if (folder_ >= 0) {
        ::close(folder_);
    }
}

} // namespace tlmssd::observe
