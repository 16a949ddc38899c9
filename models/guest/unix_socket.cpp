// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: Unix stream sockets of a guest.
#include "models/guest/unix_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "models/common/error.h"

namespace tlmssd::guest {

namespace {

constexpr std::size_t kMostDescriptors = 8;

} // namespace

FileDescriptor::~FileDescriptor()
{
    if (fd_ >= 0) {
        close(fd_);
    }
}

FileDescriptor listen_at(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        throw InputError(path + ": a socket's path may have " + std::to_string(sizeof address.sun_path - 1) + " bytes");
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    FileDescriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    unlink(path.c_str());
    if (!listener.open() || bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(listener.get(), 1) != 0) {
        throw InputError(path + ": " + std::strerror(errno));
    }
    return listener;
}

FileDescriptor accept_from(const FileDescriptor& listener)
{
    return FileDescriptor(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

void limit_waits(const FileDescriptor& socket, u32 milliseconds)
{
    const timeval limit{milliseconds / 1000, static_cast<suseconds_t>(milliseconds % 1000) * 1000};
    setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

u32 readable(std::initializer_list<const FileDescriptor*> list, u64 nanoseconds)
{
    constexpr u64 kSecond = 1'000'000'000;
    pollfd entries[4];
    nfds_t count = 0;
    for (const FileDescriptor* fd : list) {
        entries[count++] = {fd->get(), POLLIN, 0};
    }
    const timespec limit{static_cast<time_t>(nanoseconds / kSecond), static_cast<long>(nanoseconds % kSecond)};
    if (ppoll(entries, count, nanoseconds == kForever ? nullptr : &limit, nullptr) < 0) {
        if (errno == EINTR) {
            return 0;
        }
        throw ModelError(std::string("guest: poll: ") + std::strerror(errno));
    }
    u32 bits = 0;
    for (nfds_t i = 0; i < count; ++i) {
        bits |= static_cast<u32>(entries[i].revents != 0) << i;
    }
    return bits;
}

void send_whole(const FileDescriptor& to, const void* data, std::size_t bytes)
{
    const ssize_t sent = send(to.get(), data, bytes, MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(bytes)) {
        throw ModelError("guest: it took " + std::to_string(sent) + " of " + std::to_string(bytes) +
                         " bytes of a message: " + std::strerror(errno));
    }
}

std::size_t receive_some(const FileDescriptor& from, void* data, std::size_t most)
{
    for (;;) {
        const ssize_t got = recv(from.get(), data, most, 0);
        if (got >= 0) {
            return static_cast<std::size_t>(got);
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            throw ModelError("guest: the rest of a message does not come");
        }
        if (errno != EINTR) {
            return 0;
        }
    }
}

bool receive_whole(const FileDescriptor& from, void* data, std::size_t bytes, std::vector<FileDescriptor>* fds)
{
    std::size_t done = 0;
    while (done < bytes) {
        iovec part{static_cast<u8*>(data) + done, bytes - done};
        alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))];
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        const ssize_t got = recvmsg(from.get(), &message, MSG_CMSG_CLOEXEC);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            throw ModelError("guest: the rest of a message does not come");
        }
        if (got <= 0) {
            if (done == 0) {
                return false;
            }
            throw ModelError("guest: the connection ended inside of a message");
        }
        for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
            if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
                for (std::size_t i = 0; CMSG_LEN((i + 1) * sizeof(int)) <= c->cmsg_len; ++i) {
                    int fd = -1;
                    std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
                    FileDescriptor owned(fd);
                    if (fds != nullptr) {
                        fds->push_back(std::move(owned));
                    }
                }
            }
        }
        done += static_cast<std::size_t>(got);
    }
    return true;
}

} // namespace tlmssd::guest
