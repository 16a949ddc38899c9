// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: draws from the distributions of a workload with locality.
#pragma once

#include <vector>

#include "models/config/locality.h"

namespace tlmssd::workload {

/// Draws a place of a list in proportion to weights: O(log n).
class WeightedDraw {
public:
    void add(u64 weight) { ends_.push_back((ends_.empty() ? 0 : ends_.back()) + weight); }
    u64 sum() const { return ends_.empty() ? 0 : ends_.back(); }
    /// sum() > 0.
    std::size_t operator()(u64 word) const;

private:
    std::vector<u64> ends_;
};

/// Runs of requests of one kind.
class RunDraw {
public:
    explicit RunDraw(const config::RunTypes& runs);

    const config::RunType& operator()(u64 word) const { return types_[draw_(word)]; }
    double mean_requests() const { return mean_requests_; } ///< of a run
    u32 longest() const { return longest_; }                ///< sectors

private:
    std::vector<config::RunType> types_;
    WeightedDraw draw_;
    double mean_requests_ = 0;
    u32 longest_ = 0;
};

/// The distance that a run should have.
struct Reuse {
    u64 distance; ///< 0: a place that was never used
    config::BlockState state; ///< of its blocks
};

/// Stack distances of one kind. P(d <= limit of a step) is the sum of the weights up to that step, over the sum of all
/// weights of the class, `new` included; in a step all distances are equally likely.
class ReuseDraw {
public:
    explicit ReuseDraw(const config::Reuse& reuse);

    /// Of a run of `blocks` blocks. Two words: which step, and where in it.
    Reuse operator()(u64 blocks, u64 word, u64 word_in_step) const;

private:
    struct Class {
        u64 blocks;
        std::vector<u64> limits; ///< the first is 0
        WeightedDraw draw;       ///< 0: never used; 3 i - 2 to 3 i: from limits[i - 1] + 1 to limits[i], by state
    };
    std::vector<Class> classes_;
};

} // namespace tlmssd::workload
