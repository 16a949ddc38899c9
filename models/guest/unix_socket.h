// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: Unix stream sockets of a guest: whole messages, and file descriptors beside them.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::guest {

/// Owns a file descriptor.
class FileDescriptor {
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : fd_(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept
    {
        std::swap(fd_, other.fd_);
        return *this;
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor();

    int get() const { return fd_; }
    bool open() const { return fd_ >= 0; }

private:
    int fd_ = -1;
};

/// A socket that listens at `path`. InputError: it cannot.
FileDescriptor listen_at(const std::string& path);
/// The next client.
FileDescriptor accept_from(const FileDescriptor& listener);

/// No message to or from it waits longer than that for the other side.
void limit_waits(const FileDescriptor& socket, u32 milliseconds);

/// Which of them can be read; bit i for the i-th, four at most. A closed one counts. 0: a signal has come, or the time
/// is over. `nanoseconds`: how long to wait; kForever.
inline constexpr u64 kForever = ~u64{0};
u32 readable(std::initializer_list<const FileDescriptor*> list, u64 nanoseconds = kForever);

/// All bytes in one write. ModelError: the other side is gone.
void send_whole(const FileDescriptor& to, const void* data, std::size_t bytes);
/// Bytes that have come, at most `most`; waits for the first. 0: the other side has ended.
std::size_t receive_some(const FileDescriptor& from, void* data, std::size_t most);
/// All bytes; descriptors that come with them go to `fds`. False: the other side has ended before the first byte.
bool receive_whole(const FileDescriptor& from, void* data, std::size_t bytes, std::vector<FileDescriptor>* fds = nullptr);

} // namespace tlmssd::guest
