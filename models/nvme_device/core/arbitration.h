// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which I/O submission queue is next (Base Specification 1.4, 4.13).
#pragma once

#include <array>

#include "models/common/types.h"

namespace tlmssd::nvme_device {

/// Round robin; or urgent first, then high, medium and low by weights. Queues are numbered 0 to 63. A queue that is
/// not ready at its turn has lost it.
class Arbitration {
public:
    static constexpr u32 kNone = ~0u;
    static constexpr u32 kUrgent = 0; ///< classes as Create I/O Submission Queue has them; 3 is low
    static constexpr u32 kClasses = 4;

    /// `feature`: dword 11 of feature 01h: burst in 2:0, weights of low, medium and high in the bytes above.
    void set_up(bool weighted, u32 feature);
    bool weighted() const { return weighted_; }
    void add(u32 queue, u32 priority);
    void remove(u32 queue);
    void clear();

    struct Turn {
        u32 queue = kNone; ///< no queue is ready
        u32 most = 0;      ///< commands
    };
    /// `ready`: a bit for each queue that has commands. The turn goes on until took() has had `most`.
    Turn next(u64 ready);
    void took(u32 count);

private:
    struct Class {
        u64 queues = 0;
        u32 turn = 0;   ///< queue
        u32 left = 0;   ///< commands of its burst; 0: its turn is over
        u32 credit = 0; ///< commands left of this round (weighted)
    };

    u32 next_class(u64 ready);
    void new_round();

    bool weighted_ = false;
    u32 burst_ = 1;
    std::array<u32, kClasses> weights_{~0u, 1, 1, 1};
    std::array<Class, kClasses> classes_;
    u32 current_ = 1; ///< class whose turn it is of high, medium, low
    u32 last_ = 0;    ///< class of the last turn
};

} // namespace tlmssd::nvme_device
