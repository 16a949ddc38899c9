// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: objects with numbers, taken and given back, whose places stay.
#pragma once

#include <deque>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::nvme_device {

template <class T>
class Slots {
public:
    /// A free one, as whatever used it left it.
    u32 take()
    {
        if (free_.empty()) {
            all_.emplace_back();
            return static_cast<u32>(all_.size() - 1);
        }
        const u32 slot = free_.back();
        free_.pop_back();
        return slot;
    }
    void free(u32 slot) { free_.push_back(slot); }
    T& operator[](u32 slot) { return all_[slot]; }

private:
    std::deque<T> all_;
    std::vector<u32> free_;
};

} // namespace tlmssd::nvme_device
