// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: matching of asynchronous events and their requests.
#include "models/nvme_device/core/events.h"

#include <algorithm>

namespace tlmssd::nvme_device {

bool Events::request(u16 id)
{
    if (requests_.size() == kMostRequests) {
        return false;
    }
    requests_.push_back(id);
    return true;
}

void Events::report(const Event& event)
{
    const bool known = std::find(waiting_.begin(), waiting_.end(), event) != waiting_.end();
    if (!known && waiting_.size() < kMostWaiting) {
        waiting_.push_back(event);
    }
}

void Events::log_read(u8 log_page)
{
    const u32 type = log_page == 1 ? Event::kError : log_page == 2 ? Event::kHealth : 31;
    masked_ &= ~(1u << type);
}

bool Events::next(u16& id, Event& event)
{
    if (requests_.empty()) {
        return false;
    }
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [this](const Event& e) { return (masked_ >> e.type & 1) == 0; });
    if (found == waiting_.end()) {
        return false;
    }
    id = requests_.front();
    event = *found;
    masked_ |= 1u << event.type;
    requests_.erase(requests_.begin());
    waiting_.erase(found);
    return true;
}

bool Events::abort(u16 id)
{
    const auto found = std::find(requests_.begin(), requests_.end(), id);
    if (found == requests_.end()) {
        return false;
    }
    requests_.erase(found);
    return true;
}

void Events::clear()
{
    requests_.clear();
    waiting_.clear();
    masked_ = 0;
}

} // namespace tlmssd::nvme_device
