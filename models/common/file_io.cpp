// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reading a file as a whole, and what a failed system call on a file means.
#include "models/common/file_io.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <unistd.h>

#include "models/common/error.h"

namespace tlmssd {

namespace {

constexpr std::size_t kStepBytes = std::size_t{64} << 10;

struct Descriptor {
    int number;
    ~Descriptor()
    {
        if (number >= 0) {
            ::close(number);
        }
    }
};

int failed()
{
    if (errno == ENOMEM) {
        throw std::bad_alloc();
    }
    return errno;
}

} // namespace

void cannot_write(const std::string& path, int error)
{
    if (error == ENOMEM) {
        throw std::bad_alloc();
    }
    cannot_write(path, std::string(std::strerror(error)));
}

void cannot_write(const std::string& path, const std::string& reason)
{
    throw InputError(path + ": cannot write: " + reason);
}

int read_file(const std::string& path, std::string& text, std::size_t most)
{
    text.clear();
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number < 0) {
        return failed();
    }
    while (text.size() < most) {
        const std::size_t had = text.size();
        const std::size_t step = std::min(kStepBytes, most - had);
        text.resize(had + step);
        const ssize_t got = ::read(file.number, text.data() + had, step);
        const int error = got < 0 ? failed() : 0;
        text.resize(had + (got < 0 ? 0 : static_cast<std::size_t>(got)));
        if (error != 0 && error != EINTR) {
            return error;
        }
        if (got == 0) {
            return 0;
        }
    }
    return 0;
}

} // namespace tlmssd
