// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: QEMU's test socket.
#include "models/guest/qtest.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "models/common/error.h"
#include "models/common/interrupt.h"

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
        send_waiting();
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
        if (text[i] == '\n') {
            answered(line_);
            line_.clear();
        } else if (line_.size() == kMostLine) {
            throw ModelError("guest: QEMU answers on its test socket without an end");
        } else {
            line_ += text[i];
        }
    }
    send_waiting();
    return true;
}

void Qtest::answered(const std::string& line)
{
    if (line != "OK" || unanswered_.empty()) {
        throw ModelError("guest: QEMU answers on its test socket with '" + line + "'");
    }
    unanswered_.pop_front();
}

void Qtest::write(const InterruptMessage& message)
{
    if (std::find(waiting_.begin(), waiting_.end(), message) != waiting_.end()) {
        return;
    }
    if (waiting_.size() == kMostWaiting) {
        throw ModelError("guest: QEMU takes no interrupt messages");
    }
    waiting_.push_back(message);
    if (socket_.open()) {
        send_waiting();
    }
}

void Qtest::clear(u64 address, u64 bytes)
{
    if (!socket_.open()) {
        return;
    }
    char line[80];
    const int length = std::snprintf(line, sizeof line, "memset 0x%llx 0x%llx 0x0\n",
                                     static_cast<unsigned long long>(address),
                                     static_cast<unsigned long long>(bytes));
    send_whole(socket_, line, static_cast<std::size_t>(length));
    unanswered_.push_back(std::nullopt);
    while (std::find(unanswered_.begin(), unanswered_.end(), std::nullopt) != unanswered_.end()) {
        const bool ready = readable({&socket_}, u64{kPatience} * 1'000'000) != 0;
        if (!ready && interrupt_requested()) {
            return; // the run ends
        }
        if (!ready) {
            throw ModelError("guest: QEMU does not answer on its test socket");
        }
        if (!serve()) {
            return; // it has ended, which the run sees
        }
    }
}

void Qtest::send_waiting()
{
    std::vector<InterruptMessage> left;
    for (const InterruptMessage& message : waiting_) {
        if (std::find(unanswered_.begin(), unanswered_.end(), message) != unanswered_.end()) {
            left.push_back(message);
            continue;
        }
        char line[64];
        const int bytes = std::snprintf(line, sizeof line, "writel 0x%llx 0x%x\n",
                                        static_cast<unsigned long long>(message.address), message.data);
        send_whole(socket_, line, static_cast<std::size_t>(bytes));
        unanswered_.push_back(message);
        ++sent_;
    }
    waiting_.swap(left);
}

} // namespace tlmssd::guest
