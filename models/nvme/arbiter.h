// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which submission queue is next (NVM Express Base Specification 1.4, 4.13).
#pragma once

#include <array>
#include <vector>

#include "models/common/types.h"
#include "models/config/config.h"

namespace tlmssd::nvme {

/// Classes as the command's priority has them: 0 low, 1 medium, 2 high, 3 urgent.
inline constexpr u32 kClasses = 4;

/// Knows how many entries each queue has; decides which queue gives how many next. No turn is given to an
/// empty queue, and a queue that was empty at its turn has lost it.
class Arbiter {
public:
    explicit Arbiter(const config::Nvme& config);

    u32 class_of(u32 queue) const { return class_of_[queue]; }
    /// `count` more entries are in this queue.
    void add(u32 queue, u32 count);
    bool empty() const { return waiting_ == 0; }
    u32 waiting() const { return waiting_; }

    struct Turn {
        u32 queue;
        u32 count; ///< 1 to `most`
    };
    /// Take at most `most` entries from the next queue. Requires !empty() and most > 0.
    Turn next(u32 most);

private:
    struct Class {
        std::vector<u32> queues;
        u32 turn = 0;   ///< index into queues
        u32 left = 0;   ///< of that queue's burst; 0: its turn has not begun
        u32 waiting = 0;
        u32 credit = 0; ///< commands left of this round (weighted)
    };

    u32 next_class();
    static u32 next_queue(const Class& c, const std::vector<u32>& count);

    bool weighted_;
    u32 burst_; ///< ~0: no limit
    std::array<u32, kClasses> weights_;
    std::vector<u32> class_of_;
    std::vector<u32> count_; ///< entries by queue
    std::array<Class, kClasses> classes_;
    u32 waiting_ = 0;
    u32 current_ = 2; ///< class whose turn it is of high, medium, low
};

} // namespace tlmssd::nvme
