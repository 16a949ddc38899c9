// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: pending timer entries, the earliest first: a sorted row for what is soon, a heap for what
// is far ahead.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tlmssd::time {

/// Time in the high 64 bits, what orders equal times below it: smaller runs first.
using TimerEntry = unsigned __int128;
inline constexpr TimerEntry kNoTimer = ~TimerEntry{0}; ///< later than any entry

/// A sorted row: push() costs one step for each entry that is sooner, pop() nothing. For timers of
/// buses, links and cores: few are pending, and what is armed is mostly next or nearly so.
class NearTimers {
public:
    NearTimers() : row_(kInitialCapacity, kNoTimer), last_(row_.data()) {}
    NearTimers(const NearTimers&) = delete;
    NearTimers& operator=(const NearTimers&) = delete;

    /// kNoTimer where there is none.
    TimerEntry front() const { return *last_; }
    void push(TimerEntry entry)
    {
        if (last_ == &row_.back()) {
            grow();
        }
        TimerEntry* place = ++last_;
        for (; place[-1] < entry; --place) { // ends at kNoTimer
            *place = place[-1];
        }
        *place = entry;
    }
    /// Requires an entry.
    void pop() { --last_; }
    template <class Predicate>
    void remove_if(Predicate gone)
    {
        last_ = std::remove_if(row_.data() + 1, last_ + 1, gone) - 1;
    }
    template <class Visit>
    void for_each(Visit visit) const
    {
        std::for_each<const TimerEntry*>(row_.data() + 1, last_ + 1, visit);
    }

private:
    static constexpr std::size_t kInitialCapacity = 1024;

    void grow();

    std::vector<TimerEntry> row_; ///< latest first, kNoTimer before it; used up to last_
    TimerEntry* last_;
};

/// A 4-ary heap: push() and pop() cost the logarithm of what is pending. For timers of dies.
class FarTimers {
public:
    FarTimers() : heap_(1, kNoTimer) { heap_.reserve(kInitialCapacity); }

    /// kNoTimer where there is none.
    TimerEntry front() const { return heap_.front(); }
    void push(TimerEntry entry);
    /// Requires an entry.
    void pop();
    template <class Predicate>
    void remove_if(Predicate gone)
    {
        heap_.erase(std::remove_if(heap_.begin(), heap_.end(), gone), heap_.end());
        std::sort(heap_.begin(), heap_.end()); // a sorted row is a heap
    }
    template <class Visit>
    void for_each(Visit visit) const
    {
        std::for_each(heap_.begin(), heap_.end(),
                      [&](TimerEntry entry) { entry != kNoTimer ? visit(entry) : void(); });
    }

private:
    static constexpr std::size_t kArity = 4;
    static constexpr std::size_t kInitialCapacity = 4096;

    std::vector<TimerEntry> heap_; ///< one of its leaves is kNoTimer
};

} // namespace tlmssd::time
