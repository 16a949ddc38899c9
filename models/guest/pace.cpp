// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: free and wall time of a device.
#include "models/guest/pace.h"

#include <algorithm>

namespace tlmssd::guest {

namespace {

constexpr u32 kFreeSteps = 256; // between two looks at the guest
constexpr u32 kSteps = 64;      // between two looks at the clock

} // namespace

u64 FreePace::carry_out(PciPortIf& port, u64 end)
{
    for (u32 step = 0; step < kFreeSteps; ++step) {
        const u64 next = port.next_event();
        if (next == kNever) {
            return kNever;
        }
        port.advance(std::max(std::min(next, end), port.now()));
        if (port.failed() || next >= end) {
            break;
        }
    }
    return 0;
}

u64 WallPace::carry_out(PciPortIf& port, u64 end)
{
    const u64 begin = clock_();
    if (!started_) {
        started_ = true;
        start_ = begin - port.now();
    }
    const u64 target = std::max(std::min(begin - start_ - behind_, end), port.now());
    for (u32 step = 1; !port.failed(); ++step) {
        const u64 next = port.next_event();
        if (next > target) {
            port.advance(target);
            return next == kNever && end == kNever ? kNever : std::min(next, end) - target;
        }
        port.advance(std::max(next, port.now()));
        if (port.interrupt_waits() || port.now() >= end) {
            return 0;
        }
        if (step % kSteps == 0) {
            if (clock_() - begin >= budget_) {
                behind_ += target - port.now();
                return 0;
            }
        }
    }
    return 0;
}

} // namespace tlmssd::guest
