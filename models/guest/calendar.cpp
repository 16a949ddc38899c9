// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the calendar of User-Mode Linux in external time travel.
#include "models/guest/calendar.h"

#include <cstring>

#include "models/common/error.h"

namespace tlmssd::guest {

/// All messages that have come are received at once: of each call into the machine's kernel an I/O has dozens.
bool Calendar::receive(Message& message)
{
    static_assert(sizeof(Message) == 16);
    if (begin_ == end_) {
        begin_ = end_ = 0;
    }
    while (!pending()) {
        const std::size_t got = receive_some(socket_, received_.data() + end_, received_.size() - end_);
        if (got == 0 && begin_ != end_) {
            throw ModelError("guest: the connection ended inside of a message");
        }
        if (got == 0) {
            return false;
        }
        end_ += got;
    }
    std::memcpy(&message, received_.data() + begin_, sizeof message);
    begin_ += sizeof message;
    return true;
}

bool Calendar::serve()
{
    Message message;
    if (!receive(message)) {
        return false;
    }
    Message answer{kAck, message.sequence, 0};
    switch (message.op) {
    case kAck:
        acknowledged_ = message.sequence;
        return true;
    case kStart:
        started_ = running_ = true;
        break;
    case kRequest:
        wants_ = message.time > kNever ? kNever : message.time;
        break;
    case kWait:
        running_ = false;
        break;
    case kGet:
        answer.time = now_;
        break;
    case kUpdate:
        if (message.time < now_ || (message.time > now_ && message.time >= free_until_)) {
            throw ModelError("guest: it has gone to " + std::to_string(message.time) + " ns; it may from " +
                             std::to_string(now_) + " to below " + std::to_string(free_until_));
        }
        now_ = message.time;
        break;
    case kGetTod:
        answer.time = date_ + now_;
        break;
    default:
        throw ModelError("guest: time travel message " + std::to_string(message.op));
    }
    send_whole(socket_, &answer, sizeof answer);
    return true;
}

void Calendar::free_until(u64 time)
{
    free_until_ = time;
    const Message message{kFreeUntil, ++sequence_, time};
    send_whole(socket_, &message, sizeof message);
}

void Calendar::wait_for_acknowledge()
{
    while (acknowledged_ != sequence_) {
        if (!serve()) {
            throw ModelError("guest: it has ended before it acknowledged a time");
        }
    }
}

void Calendar::run(u64 time)
{
    now_ = wants_;
    wants_ = kNever;
    running_ = true;
    free_until_ = time;
    const u32 free = ++sequence_;
    const Message messages[] = {{kFreeUntil, free, time}, {kRun, ++sequence_, now_}};
    send_whole(socket_, messages, sizeof messages);
}

} // namespace tlmssd::guest
