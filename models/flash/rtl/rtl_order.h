// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: in which order an RTL controller takes operations and completes them, seen from outside.
#pragma once

#include <vector>

#include "models/common/picoseconds.h"
#include "models/flash/o3/o3_core.h"

namespace tlmssd::flash {

/// Counts for a controller in RTL what O3Core counts in itself. By tag.
class RtlOrder {
public:
    /// `in_order`: it reorders nothing, though a later operation's bus may be free earlier.
    RtlOrder(u32 tags, bool in_order) : entries_(tags + 1), end_(tags), in_order_(in_order)
    {
        entries_[end_].older = entries_[end_].younger = end_;
    }

    void submitted(u32 tag)
    {
        Entry& e = entries_[tag];
        e.older = entries_[end_].older;
        e.younger = end_;
        e.waits = true;
        e.held = false;
        entries_[e.older].younger = entries_[end_].older = tag;
    }
    /// A segment of it has begun. True: its first. Older ones that have not begun are those that it passes.
    bool issued(u32 tag)
    {
        if (!entries_[tag].waits) {
            return false;
        }
        statistics_.reordered += !in_order_ && entries_[tag].older != end_;
        leave(tag);
        return true;
    }
    /// It ends at `at`, and an older operation of its stream holds its completion back.
    void held(u32 tag, Picoseconds at)
    {
        entries_[tag].held = true;
        entries_[tag].since = at;
    }
    /// It completes. True: held() said before that it has ended.
    bool completed(u32 tag, Picoseconds now)
    {
        Entry& e = entries_[tag];
        if (e.waits) {
            leave(tag); // one that never began: illegal, or its LUN is lost
        }
        if (e.held) {
            ++statistics_.held;
            statistics_.held_time += now - e.since;
        }
        return e.held;
    }
    const OrderStatistics& statistics() const { return statistics_; }

private:
    struct Entry {
        u32 older = 0, younger = 0; ///< list of those that have not begun, in order of submission
        bool waits = false;         ///< in that list
        bool held = false;
        Picoseconds since;
    };
    void leave(u32 tag)
    {
        Entry& e = entries_[tag];
        entries_[e.older].younger = e.younger;
        entries_[e.younger].older = e.older;
        e.waits = false;
    }

    std::vector<Entry> entries_; ///< the last one is both ends of the list
    u32 end_;
    bool in_order_;
    OrderStatistics statistics_;
};

} // namespace tlmssd::flash
