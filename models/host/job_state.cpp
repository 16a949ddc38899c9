// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: thinktime: after some completions a job drains, then pauses.
#include "models/host/job_state.h"

namespace tlmssd::host {

/// As fio does it: what has arrived by now goes on, nothing else arrives until all of it has ended
/// and thinktime has passed.
void JobState::think(Picoseconds now)
{
    if (!thinking && ++ended_since >= thinktime_blocks) {
        thinking = true;
        u32 gone = 0; // slots whose requests have arrived, but wait behind the head for a tag
        for (std::size_t left = slots.size(); left != 0; --left) {
            const Picoseconds since = slots.pop();
            if (free_since(since, arrivals + gone) < now) {
                slots.push(since);
                ++gone;
            } else {
                ++held;
            }
        }
    }
    if (!thinking) {
        slots.push(now);
        return;
    }
    if (++held == iodepth) {
        thinking = false;
        ended_since = 0;
        for (; held != 0; --held) {
            slots.push(now + thinktime);
        }
    }
}

} // namespace tlmssd::host
