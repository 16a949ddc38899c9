// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: QEMU's test socket.
#include "models/guest/qtest.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstdio>

#include "models/common/error.h"

namespace tlmssd::guest {

namespace {

constexpr std::size_t kMostLine = 256;
constexpr std::size_t kMostWaiting = 4096;
constexpr u32 kPatience = 10'000; // milliseconds

} // namespace

bool Qtest::serve()
{
    if (!socket_.open()) {
        socket_ = accept_from(listener_);
        limit_waits(socket_, kPatience);
        for (const InterruptMessage& message : waiting_) {
            send(message);
        }
        waiting_.clear();
        return true;
    }
    char text[512];
    const ssize_t got = recv(socket_.get(), text, sizeof text, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        return true;
    }
    if (got <= 0) {
        return false;
    }
    for (ssize_t i = 0; i < got; ++i) {
        if (text[i] != '\n') {
            line_ += text[i];
        } else if (line_ == "OK") {
            line_.clear();
        } else {
            throw ModelError("guest: QEMU answers an interrupt message with '" + line_ + "'");
        }
        if (line_.size() > kMostLine) {
            throw ModelError("guest: QEMU answers an interrupt message without an end");
        }
    }
    return true;
}

void Qtest::write(const InterruptMessage& message)
{
    if (socket_.open()) {
        send(message);
    } else if (waiting_.size() < kMostWaiting) {
        waiting_.push_back(message);
    } else {
        throw ModelError("guest: QEMU takes no interrupt messages");
    }
}

void Qtest::send(const InterruptMessage& message)
{
    char line[64];
    const int bytes = std::snprintf(line, sizeof line, "writel 0x%llx 0x%x\n",
                                    static_cast<unsigned long long>(message.address), message.data);
    send_whole(socket_, line, static_cast<std::size_t>(bytes));
    ++sent_;
}

} // namespace tlmssd::guest
