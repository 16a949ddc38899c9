// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the last users of a die or a channel: which of them took most of a wait.
#pragma once

#include <array>

#include "models/common/picoseconds.h"
#include "models/probes/stages/stage_facts.h"

namespace tlmssd::probes {

/// Keeps the last kKept uses; a few are enough. Uses come one after the other: each add() is later than the one
/// before, and no use begins before the end of the one before.
class UseHistory {
public:
    static constexpr u32 kKept = 16;

    /// Used in [from, to); `use` is not Use::Free.
    void add(Picoseconds from, Picoseconds to, Use use)
    {
        Entry& e = entries_[next_];
        sums_[static_cast<std::size_t>(e.use)] -= (e.to - e.from).value();
        sums_[static_cast<std::size_t>(use)] += (to - from).value();
        e = Entry{from, to, use};
        next_ = (next_ + 1) % kKept;
    }
    /// The use that took most of [from, to), as far as it is kept; Use::Free for the rest. Of equals the first of
    /// enum Use. `from` is before `to`.
    Use most(Picoseconds from, Picoseconds to) const;

private:
    struct Entry {
        Picoseconds from, to;
        Use use = Use::Free;
    };
    using Times = std::array<u64, kUses>;

    Times walked(Picoseconds from, Picoseconds to) const;

    std::array<Entry, kKept> entries_{};
    Times sums_{}; ///< of entries_, by use
    u32 next_ = 0;
};

} // namespace tlmssd::probes
