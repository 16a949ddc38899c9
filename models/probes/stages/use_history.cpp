// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sums over the last users of a die or a channel.
#include "models/probes/stages/use_history.h"

#include <algorithm>
#include <numeric>

namespace tlmssd::probes {

Use UseHistory::most(Picoseconds from, Picoseconds to) const
{
    const Entry& first = entries_[next_];
    const Entry& last = entries_[(next_ + kKept - 1) % kKept];
    Times times;
    if (first.use != Use::Free && from < first.to && last.to <= to) { // all that is kept, of the first perhaps a part
        times = sums_;
        if (first.from < from) {
            times[static_cast<std::size_t>(first.use)] -= (from - first.from).value();
        }
    } else {
        times = walked(from, to);
    }
    times.back() = (to - from).value() - std::accumulate(times.begin(), times.end() - 1, u64{0});
    return static_cast<Use>(std::max_element(times.begin(), times.end()) - times.begin());
}

/// The parts of the uses that lie in [from, to).
UseHistory::Times UseHistory::walked(Picoseconds from, Picoseconds to) const
{
    Times times{};
    for (u32 i = 1; i <= kKept; ++i) {
        const Entry& e = entries_[(next_ + kKept - i) % kKept];
        if (e.to <= from || e.use == Use::Free) {
            break;
        }
        const Picoseconds begin = max(e.from, from);
        const Picoseconds end = min(e.to, to);
        if (begin < end) {
            times[static_cast<std::size_t>(e.use)] += (end - begin).value();
        }
    }
    return times;
}

static_assert(static_cast<std::size_t>(Use::Free) == kUses - 1);

} // namespace tlmssd::probes
