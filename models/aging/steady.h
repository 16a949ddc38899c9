// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: has write amplification settled?
#pragma once

#include <string>
#include <vector>

#include "models/config/config.h"

namespace tlmssd::aging {

/// Windows of equal work, each with the pages that were programmed in it. Steady: the last `groups`
/// groups of 1, or of 2, or of 4 ... windows agree: the largest write amplification among them is above
/// the smallest by at most `change` of their mean. Groups, because GC comes in waves where all
/// planes fill in step, and a window need not hold whole waves.
class Steady {
public:
    /// groups >= 2, change > 0, written > 0: pages of the host a window.
    Steady(u32 groups, double change, u64 written)
        : groups_(groups), change_(change), written_(written)
    {
    }

    /// One more window. Returns whether that makes it steady.
    bool add(u64 programs);

    u64 windows() const { return sums_.size() - 1; }
    /// Of the groups that agree best (the smallest among equals): windows each, (largest - smallest) /
    /// mean, pages programmed and written in all. All 0 while there are fewer windows than groups.
    struct Agreement {
        u64 size = 0;
        double change = 0;
        u64 programs = 0;
        u64 written = 0;
    };
    Agreement best() const;
    /// Why it is not steady after `overwritten` pages of the host, where a further window would be
    /// more than precondition.steady_limit allows.
    std::string missed(const config::Precondition& p, u64 logical_pages, u64 overwritten) const;

private:
    /// Of the group `back` groups before the last.
    double waf(u64 size, u64 back) const;

    u32 groups_;
    double change_;
    u64 written_;
    std::vector<u64> sums_{0}; ///< pages programmed in the first n windows
};

} // namespace tlmssd::aging
