// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: std::cout on write(2).
#include "models/observe/output/standard_output.h"

#include <cerrno>
#include <iostream>
#include <unistd.h>

namespace tlmssd::observe {

StandardOutput::StandardOutput() : before_(std::cout.rdbuf())
{
    std::cout.flush();
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    std::cout.rdbuf(this);
}

StandardOutput::~StandardOutput()
{
    write_out();
    std::cout.rdbuf(before_);
}

int StandardOutput::finish()
{
    write_out();
    return error_;
}

StandardOutput::int_type StandardOutput::overflow(int_type byte)
{
    if (!write_out()) {
        return traits_type::eof();
    }
    if (!traits_type::eq_int_type(byte, traits_type::eof())) {
        *pptr() = traits_type::to_char_type(byte);
        pbump(1);
    }
    return traits_type::not_eof(byte);
}

int StandardOutput::sync() { return write_out() ? 0 : -1; }

/// Nothing is tried again after a write that failed: the rest would have a gap before it.
bool StandardOutput::write_out()
{
    const char* at = pbase();
    while (error_ == 0 && at != pptr()) {
        const ssize_t written = ::write(STDOUT_FILENO, at, static_cast<std::size_t>(pptr() - at));
        if (written >= 0) {
            at += written;
        } else if (errno != EINTR) {
            error_ = errno;
        }
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0;
}

} // namespace tlmssd::observe
