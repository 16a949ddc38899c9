// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the POSIX calls of the gdb connection.
#include "models/cpu/iss/gdb_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "models/common/error.h"
#include "models/common/interrupt.h"

namespace tlmssd::cpu {

namespace {

constexpr int kWaitMs = 100; // at a time: a signal may come just before the wait

bool readable(int descriptor)
{
    pollfd wanted{descriptor, POLLIN, 0};
    return ::poll(&wanted, 1, kWaitMs) > 0;
}

} // namespace

GdbSocket::GdbSocket(u32 port)
{
    const auto fail = [&](const char* what) {
        const std::string reason = std::strerror(errno);
        if (listener_ >= 0) {
            ::close(listener_);
        }
        throw InputError("--gdb " + std::to_string(port) + ": " + what + " 127.0.0.1:" +
                         std::to_string(port) + ": " + reason);
    };
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener_ < 0) {
        fail("no socket for");
    }
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<u16>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 1) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) {
        fail("cannot listen on");
    }
    port_ = ntohs(address.sin_port);
}

GdbSocket::~GdbSocket()
{
    close();
    if (listener_ >= 0) {
        ::close(listener_);
    }
}

void GdbSocket::accept_one()
{
    while (!readable(listener_)) {
        stop_point();
    }
    do {
        connection_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    } while (connection_ < 0 && errno == EINTR);
    if (connection_ < 0) {
        throw InputError(std::string("--gdb: no connection: ") + std::strerror(errno));
    }
    const int on = 1;
    ::setsockopt(connection_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::close(listener_);
    listener_ = -1;
}

std::string GdbSocket::receive(bool wait)
{
    char bytes[4096];
    while (connected()) {
        while (wait && !readable(connection_)) {
            if (interrupt_requested()) { // halted: the core goes on, and the run ends
                close();
                return "";
            }
        }
        const ssize_t n = ::recv(connection_, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n > 0) {
            return std::string(bytes, static_cast<std::size_t>(n));
        }
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return "";
        }
        close();
    }
    return "";
}

void GdbSocket::send(const std::string& bytes)
{
    for (std::size_t sent = 0; connected() && sent < bytes.size();) {
        const ssize_t n = ::send(connection_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (n > 0) {
            sent += static_cast<std::size_t>(n);
        } else if (n < 0 && errno != EINTR) {
            close();
        }
    }
}

void GdbSocket::close()
{
    if (connection_ >= 0) {
        ::close(connection_);
        connection_ = -1;
    }
}

} // namespace tlmssd::cpu
