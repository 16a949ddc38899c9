// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the calendar of User-Mode Linux in external time travel.
#include "models/guest/calendar.h"

#include "models/common/error.h"

namespace tlmssd::guest {

void Calendar::send(const Message& message)
{
    static_assert(sizeof(Message) == 16);
    send_whole(socket_, &message, sizeof message);
}

bool Calendar::serve()
{
    Message message;
    if (!receive_whole(socket_, &message, sizeof message)) {
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
    send(answer);
    return true;
}

void Calendar::free_until(u64 time)
{
    free_until_ = time;
    send({kFreeUntil, ++sequence_, time});
}

void Calendar::wait_for_acknowledge()
{
    while (acknowledged_ != sequence_) {
        if (!serve()) {
            throw ModelError("guest: it has ended before it acknowledged a time");
        }
    }
}

void Calendar::run()
{
    now_ = wants_;
    wants_ = kNever;
    running_ = true;
    send({kRun, ++sequence_, now_});
}

} // namespace tlmssd::guest
